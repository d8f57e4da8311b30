"""Apertium: rule-based translation by Debian's packages; a chain of modes is a system too."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from paraphrast.corpora.translators.programs.apertium_mode import Mode, check_mode, identity
from paraphrast.corpora.translators.translator import EMPTY, Failed, Raw, Translator, Usage
from paraphrast.errors import ConfigError

_DATA = "/usr/share/apertium"


@dataclass(frozen=True, kw_only=True)
class Apertium(Translator):
    """A chain of modes, such as eng-spa and es-pt; `timeout` is in seconds for each text.

    A translation is what `apertium -f none -u MODE` gives for the line alone, whatever the order
    of the texts. Modes are looked for under `data`, or APERTIUM_DATADIR, or where Debian has them.
    """

    modes: tuple[str, ...]
    timeout: float = 60.0
    data: str = ""
    backend: ClassVar[str] = "apertium"

    def __post_init__(self) -> None:
        if not self.modes:
            raise ConfigError("modes is empty; name at least one, such as 'eng-spa'")
        if self.timeout <= 0:
            raise ConfigError(f"timeout is {self.timeout:g}; it must be above 0 seconds")

    def describe(self) -> Mapping[str, Any]:
        self.check()
        return {"modes": [identity(mode, self._folder) for mode in self.modes]}

    def check(self) -> None:
        for mode in self.modes:
            check_mode(mode, self._folder)

    @contextmanager
    def start(self, usage: Usage) -> Iterator[Raw]:
        with ExitStack() as stack:
            modes = []
            for mode in self.modes:
                modes.append(Mode(self.name, mode, self._folder, self.timeout))
                stack.callback(modes[-1].close)
            yield functools.partial(_chained, modes)

    @property
    def _folder(self) -> str:
        return self.data or os.environ.get("APERTIUM_DATADIR", _DATA)


def _chained(modes: Sequence[Mode], texts: Sequence[str]) -> list[str | Failed]:
    found: list[str | Failed] = list(texts)
    for mode in modes:
        going = {n: text for n, text in enumerate(found) if isinstance(text, str)}
        for number, text in zip(going, mode(list(going.values())), strict=True):
            found[number] = text or Failed(EMPTY)
    return found
