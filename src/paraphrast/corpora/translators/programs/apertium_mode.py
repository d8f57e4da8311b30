"""One mode of Apertium as live programs, whose answers do not depend on what was asked before.

The programs of a mode flush at a NUL character ("null flush"), which makes one process of each do
for many texts. All begin anew after it but one: when apertium-tagger 3.8 meets a set of readings
that it was not trained on ("a lot of" in eng-spa), it may overwrite what it thinks of unknown words
(`ret = ambg_class` in tagger_utils::find_similar_ambiguity_class, where ret is a reference), and
later texts are tagged otherwise. So one tagger is asked with -d, which tells of such sets;
texts that have none go to a second, which stays as it was, and each of the others to a fresh one.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from paraphrast.corpora.translators.programs.patient import Patient
from paraphrast.corpora.translators.programs.process import LivePrograms
from paraphrast.corpora.translators.translator import Failed
from paraphrast.errors import ConfigError, did_you_mean

_WRAPPER, _TAGGER = "apertium-wblank-mode", "apertium-tagger"
_ARGUMENTS = {"$1": "-n", "$2": None}  # -n: words that are not known bear no mark
_NEW = b"new ambiguity class"
_NUMBER = re.compile(rb"\[:\d+:\]")
_SPECIAL = re.compile(r"[][{}$/\\@<>]")
# lrx-proc of apertium-lex-tools 0.4 takes the caret of a blank for the beginning of a word, though
# it is escaped, and waits for a word without end. A noncharacter, which `one_line` leaves in no
# text, goes through all programs in its place.
_CARET, _STAND_IN = "^", "\ufdd0"
_TILDE = re.compile(r"~+")  # the mark of the post-generator, hidden as apertium-destxt hides it
_BLANK = re.compile(r"\\(.)|[][]", re.DOTALL)

Commands = list[list[str]]


def framed(number: int, text: str) -> bytes:
    """Escape a line and put its number behind it, which the programs copy.

    The line break ends the last word: lt-proc loses a full stop that is followed by nothing.
    """
    escaped = _TILDE.sub(r"[\g<0>]", _SPECIAL.sub(r"\\\g<0>", text)).replace(_CARET, _STAND_IN)
    return f"{escaped}[:{number}:]\n".encode()


def unframed(answer: bytes) -> str:
    """Return the text of an answer without its number and escapes."""
    text = _NUMBER.sub(b"", answer).decode(errors="replace")
    return _BLANK.sub(lambda match: match[1] or "", text).replace(_STAND_IN, _CARET).strip()


def numbered_alike(message: bytes, answer: bytes) -> bool:
    """Tell whether an answer bears the number of the message, and no other."""
    return _NUMBER.findall(answer) == _NUMBER.findall(message)


class Mode:
    """The programs of a mode, started when they are needed."""

    def __init__(self, name: str, mode: str, folder: str, timeout: float) -> None:
        self._parts: list[Patient | _Tagger] = []
        self._sent = 0
        for commands in _split(commands_of(mode, folder)):
            start = functools.partial(_live_programs, commands, timeout)
            part = _Tagger if _forgetful(commands[0]) else Patient
            self._parts.append(part(f"{name} ({mode})", start, numbered_alike))

    def __call__(self, texts: Sequence[str]) -> list[str | Failed]:
        numbers = range(self._sent, self._sent + len(texts))
        self._sent += len(texts)
        found: list[bytes | Failed] = list(map(framed, numbers, texts))
        for part in self._parts:
            going = {n: each for n, each in enumerate(found) if isinstance(each, bytes)}
            for number, answer in zip(going, part(list(going.values())), strict=True):
                found[number] = answer
        return [unframed(each) if isinstance(each, bytes) else each for each in found]

    @property
    def pids(self) -> list[int]:
        return [pid for part in self._parts for pid in part.pids]

    def close(self) -> None:
        for part in self._parts:
            part.close()


class _Tagger(Patient):
    """A tagger that is as new for every message."""

    def __init__(self, name: str, start: functools.partial[LivePrograms], fits: object) -> None:
        commands, timeout = start.args
        super().__init__(name, start, numbered_alike)
        telling = [[commands[0][0], "-d", *commands[0][1:]]]
        told = functools.partial(_live_programs, telling, timeout, merged=True)
        self._telling = Patient(name, told, numbered_alike)

    def __call__(self, messages: Sequence[bytes]) -> list[bytes | Failed]:
        told = self._telling(messages)
        spoiling = [isinstance(each, bytes) and _NEW in each for each in told]
        plain = [m for m, spoils in zip(messages, spoiling, strict=True) if not spoils]
        answers = iter(super().__call__(plain))
        return [
            self._fresh(message) if spoils else next(answers)
            for message, spoils in zip(messages, spoiling, strict=True)
        ]

    def _fresh(self, message: bytes) -> bytes | Failed:
        tagger = Patient(self._name, self._start, numbered_alike)
        try:
            return tagger([message])[0]
        finally:
            tagger.close()

    @property
    def pids(self) -> list[int]:
        return [*self._telling.pids, *super().pids]

    def close(self) -> None:
        self._telling.close()
        super().close()


def _forgetful(command: Sequence[str]) -> bool:
    return os.path.basename(command[0]) == _TAGGER


def _split(commands: Commands) -> list[Commands]:
    """Part the programs into runs, a tagger being a run of its own."""
    parts: list[Commands] = []
    for command in commands:
        if not parts or _forgetful(command) or _forgetful(parts[-1][-1]):
            parts.append([])
        parts[-1].append(command)
    return parts


def _live_programs(commands: Commands, timeout: float, *, merged: bool = False) -> LivePrograms:
    env = {**os.environ, "LC_ALL": "C.UTF-8"}
    return LivePrograms(commands, end=b"\0", timeout=timeout, env=env, merged=merged)


def check_mode(mode: str, folder: str) -> None:
    """Raise ConfigError if Apertium, the mode or one of its programs is not installed."""
    if shutil.which(_WRAPPER) is None:
        raise ConfigError(
            "Apertium (3.8 or newer) is not installed; it is in Debian's package apertium: "
            "apt install apertium"
        )
    for command in commands_of(mode, folder):
        if shutil.which(command[0]) is None:
            raise ConfigError(
                f"the mode {mode} needs the program {command[0]}, which is not installed"
            )


@functools.lru_cache(maxsize=32)
def commands_of(mode: str, folder: str) -> Commands:
    """Return the programs of a mode with their arguments, each told to flush at NUL."""
    path = Path(folder, "modes", f"{mode}.mode")
    if not path.is_file():
        known = sorted(found.stem for found in path.parent.glob("*.mode"))
        raise ConfigError(
            f"Apertium has no mode {mode!r}{did_you_mean(mode, known)}; installed: "
            f"{', '.join(known) or 'none'}; others are in Debian's packages apertium-*, this one "
            f"most likely in {_packages(mode)} (apt install)"
        )
    commands: Commands = [[]]
    for word in shlex.split(_output([_WRAPPER, "-z", str(path)])):
        if word == "|":
            commands.append([])
        elif (given := _ARGUMENTS.get(word, word)) is not None:
            commands[-1].append(given)
    return commands


def _packages(mode: str) -> str:
    """Name the packages that may hold a mode: they are called by their languages in one order."""
    one, _, two = mode.partition("_")[0].partition("-")
    return f"apertium-{one}-{two} or apertium-{two}-{one}" if two else f"apertium-{one}"


@functools.lru_cache(maxsize=32)
def identity(mode: str, folder: str) -> dict[str, str]:
    """Return what the output of a mode depends on: the engine's version and the data's hash."""
    digest = hashlib.sha256()
    for command in commands_of(mode, folder):
        digest.update(shlex.join(os.path.basename(word) for word in command).encode())
        for word in command[1:]:
            if os.path.isfile(word):
                digest.update(Path(word).read_bytes())
    engine = _output(["apertium", "-V"]).split()[-1]
    return {"mode": mode, "engine": engine, "data": digest.hexdigest()[:16]}


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(  # noqa: S603  (Apertium's own programs)
            command, capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigError(f"{command[0]} does not run: {error}") from error
    return done.stdout
