"""Any command that maps lines to lines, as many out as in."""

from __future__ import annotations

import functools
import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from paraphrast.corpora.translators.base import DIED, TIMEOUT, Failed, Raw, Translator, Usage
from paraphrast.corpora.translators.patient import Patient
from paraphrast.corpora.translators.process import Pipeline, kill_group, said
from paraphrast.errors import ConfigError, InputError

_LARGEST = 1 << 28  # bytes of a file that is hashed into the signature


@dataclass(frozen=True, kw_only=True)
class Command(Translator):
    """A program and its arguments, run without a shell.

    It is started for every `batch` lines, reads all of them and may take `timeout` seconds. With
    `live` it stays, must write each line at once, and has `timeout` seconds for each. Where it
    fails on a batch, halves are tried until the line is found that it cannot bear.
    """

    command: tuple[str, ...]
    live: bool = False
    batch: int = 256
    timeout: float = 300.0
    backend: ClassVar[str] = "command"

    def __post_init__(self) -> None:
        if not self.command:
            raise ConfigError("command is empty; give the program and its arguments as a list")
        if self.batch < 1:
            raise ConfigError(f"batch is {self.batch}; it must be at least 1")
        if self.timeout <= 0:
            raise ConfigError(f"timeout is {self.timeout:g}; it must be above 0 seconds")

    def describe(self) -> Mapping[str, Any]:
        return {"command": list(self.command), "files": _hashes(self.command)}

    def check(self) -> None:
        if shutil.which(self.command[0]) is None:
            raise ConfigError(
                f"there is no program {self.command[0]!r} to run; install it, or give its path"
            )

    @contextmanager
    def start(self, usage: Usage) -> Iterator[Raw]:
        if not self.live:
            yield self._in_batches
            return
        patient = Patient(self.name, self._pipeline, lambda _message, _answer: True)
        try:
            yield functools.partial(_live, self._shown, patient)
        finally:
            patient.close()

    @property
    def _shown(self) -> str:
        return shlex.join(self.command)

    def _pipeline(self) -> Pipeline:
        return Pipeline([self.command], end=b"\n", timeout=self.timeout)

    def _in_batches(self, lines: Sequence[str]) -> list[str | Failed]:
        found: list[str | Failed] = []
        for at in range(0, len(lines), self.batch):
            some = lines[at : at + self.batch]
            answer = self._run(some)
            if isinstance(answer, Failed) and len(some) > 2:
                self._check_alive(some, answer)
            found += answer if isinstance(answer, list) else self._halved(some, answer)
        return found

    def _check_alive(self, lines: Sequence[str], failed: Failed) -> None:
        """Raise InputError if the command fails on the first and on the last line, each alone."""
        if all(isinstance(self._run([line]), Failed) for line in (lines[0], lines[-1])):
            raise InputError(f"the command {self._shown} does not work: {failed.detail}")

    def _halved(self, lines: Sequence[str], failed: Failed) -> list[str | Failed]:
        if len(lines) == 1:
            return [failed]
        found: list[str | Failed] = []
        for half in (lines[: len(lines) // 2], lines[len(lines) // 2 :]):
            answer = self._run(half)
            found += answer if isinstance(answer, list) else self._halved(half, answer)
        return found

    def _run(self, lines: Sequence[str]) -> list[str | Failed] | Failed:
        try:
            process = subprocess.Popen(  # noqa: S603  (the recipe's own command, without a shell)
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise ConfigError(f"cannot run {self.command[0]}: {error.strerror}") from error
        try:
            given = "".join(line + "\n" for line in lines).encode()
            output, errors = process.communicate(given, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return Failed(TIMEOUT, f"no end within {self.timeout:g} s")
        finally:
            kill_group(process)
            for file in (process.stdout, process.stderr):
                if file is not None:
                    file.close()
        if process.returncode:
            return Failed(DIED, said(f"it ended with status {process.returncode}", errors))
        return self._lines(output, len(lines))

    def _lines(self, output: bytes, wanted: int) -> list[str | Failed]:
        text = _decoded(output, self._shown)
        lines = text.removesuffix("\n").split("\n") if text else []
        if len(lines) != wanted:
            raise InputError(
                f"the command {self._shown} was given {wanted} lines and wrote {len(lines)}; "
                "it must write one line for each"
            )
        return list(lines)


def _live(shown: str, patient: Patient, lines: Sequence[str]) -> list[str | Failed]:
    answers = patient([line.encode() for line in lines])
    if patient.surplus:
        raise InputError(
            f"the command {shown} wrote more lines than the {len(lines)} it was given; "
            "it must write one line for each"
        )
    return [each if isinstance(each, Failed) else _decoded(each, shown) for each in answers]


def _decoded(output: bytes, shown: str) -> str:
    try:
        return output.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"the command {shown} writes what is not UTF-8: {error}") from error


def _hashes(command: Sequence[str]) -> dict[str, str]:
    """Return the hashes of the files that the command names, a script of the user's for one."""
    found = {}
    for word in command:
        path = Path(word)
        if os.sep in word or word != command[0]:
            try:
                if path.is_file() and path.stat().st_size <= _LARGEST:
                    found[word] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
            except OSError:  # a word that is no path at all
                continue
    return found
