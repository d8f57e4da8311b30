"""Any command that maps lines to lines, as many out as in."""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from paraphrast.corpora.translators.programs.live_lines import LiveLines
from paraphrast.corpora.translators.programs.patient import Patient
from paraphrast.corpora.translators.programs.process import LivePrograms, ProcessGroup, with_errors
from paraphrast.corpora.translators.secrets import secret_forms
from paraphrast.corpora.translators.translator import (
    DIED,
    LEAK,
    TIMEOUT,
    Failed,
    Raw,
    Translator,
    Usage,
)
from paraphrast.errors import ConfigError, InputError

_LARGEST = 1 << 28  # bytes of a file that is hashed into the signature

_Ask = Callable[[Sequence[bytes]], list[bytes | Failed]]


@dataclass(frozen=True, kw_only=True)
class Command(Translator):
    """A program and its arguments, run without a shell.

    It is started for every `batch` lines, reads all of them and may take `timeout` seconds. With
    `live` it stays, must write each line at once, and has `timeout` seconds for each. Where it
    fails on a batch, halves are tried until the line is found that it cannot bear. With `numbered`
    (live only) each line begins with a number and a tab, which the line of its answer must repeat;
    without, a line with a known answer follows each other one to see that none has shifted.
    The values of `secrets`, environment variables, and of those that are called KEY, TOKEN and the
    like are in nothing that is kept of what the program writes.
    """

    command: tuple[str, ...]
    live: bool = False
    numbered: bool = False
    batch: int = 256
    timeout: float = 300.0
    secrets: tuple[str, ...] = ()
    backend: ClassVar[str] = "command"

    def __post_init__(self) -> None:
        if not self.command:
            raise ConfigError("command is empty; give the program and its arguments as a list")
        if self.batch < 1:
            raise ConfigError(f"batch is {self.batch}; it must be at least 1")
        if self.timeout <= 0:
            raise ConfigError(f"timeout is {self.timeout:g}; it must be above 0 seconds")
        if self.numbered and not self.live:
            raise ConfigError("numbered is of live commands only; give live = true as well")

    def describe(self) -> Mapping[str, Any]:
        described = {"command": list(self.command), "files": _hashes(self.command)}
        return {**described, "numbered": True} if self.numbered else described

    def check(self) -> None:
        if shutil.which(self.command[0]) is None:
            raise ConfigError(
                f"there is no program {self.command[0]!r} to run; install it, or give its path"
            )

    @contextmanager
    def start(self, usage: Usage) -> Iterator[Raw]:
        with self._started() as raw:
            secrets, files = secret_forms(self.secrets), _stamps(self.command)

            def answers(lines: Sequence[str]) -> list[str | Failed]:
                found = [_without_secrets(answer, secrets) for answer in raw(lines)]
                if _stamps(self.command) != files:  # a program that is started again reads them
                    raise InputError(
                        f"a file of the command {self._shown} changed while it was used; run the "
                        "same command again"
                    )
                return found

            yield answers

    @contextmanager
    def _started(self) -> Iterator[Raw]:
        if not self.live:
            yield self._in_batches
        elif self.numbered:
            with closing(Patient(self.name, self._program, _repeats_number)) as programs:
                ask = functools.partial(_ask_numbered, programs, itertools.count())
                yield functools.partial(_live, self._shown, ask)
        else:
            with closing(LiveLines(self.name, self._shown, self._program)) as lines:
                yield functools.partial(_live, self._shown, lines)

    @property
    def _shown(self) -> str:
        return shlex.join(self.command)

    def _program(self) -> LivePrograms:
        return LivePrograms([self.command], end=b"\n", timeout=self.timeout, secrets=self.secrets)

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
        group = ProcessGroup()
        try:
            process = group.start(self.command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            text = "".join(line + "\n" for line in lines).encode()
            output, errors = process.communicate(text, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return Failed(TIMEOUT, f"no end within {self.timeout:g} s")
        finally:
            group.kill()
        if process.returncode:
            why = f"it ended with status {process.returncode}"
            return Failed(DIED, with_errors(why, errors, self.secrets))
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


def _live(shown: str, ask: _Ask, lines: Sequence[str]) -> list[str | Failed]:
    answers = ask([line.encode() for line in lines])
    return [each if isinstance(each, Failed) else _decoded(each, shown) for each in answers]


def _ask_numbered(
    programs: Patient, numbers: Iterator[int], lines: Sequence[bytes]
) -> list[bytes | Failed]:
    """Send lines behind numbers of their own, and return the answers without them."""
    answers = programs([b"%d\t%s" % (next(numbers), line) for line in lines])
    return [each if isinstance(each, Failed) else each.partition(b"\t")[2] for each in answers]


def _repeats_number(message: bytes, answer: bytes) -> bool:
    return answer.partition(b"\t")[:2] == message.partition(b"\t")[:2]


def _without_secrets(answer: str | Failed, secrets: Sequence[str]) -> str | Failed:
    if isinstance(answer, str) and any(secret in answer for secret in secrets):
        return Failed(LEAK, "the value of an environment variable (not shown here)")
    return answer


def _decoded(output: bytes, shown: str) -> str:
    try:
        return output.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"the command {shown} writes what is not UTF-8: {error}") from error


def _stamps(command: Sequence[str]) -> list[tuple[int, int, int] | None]:
    """Return what changes with each file that the command names."""
    found: list[tuple[int, int, int] | None] = []
    for word in command:
        try:
            now = os.stat(word)
        except (OSError, ValueError):
            found.append(None)
        else:
            found.append((now.st_ino, now.st_size, now.st_mtime_ns))
    return found


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
