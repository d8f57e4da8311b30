"""What a translation system is to the rest: texts in, as many translations or failures out."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, ClassVar

from paraphrast.corpora.translators.line_checks import check_echoes, echoes, one_line
from paraphrast.errors import ConfigError, InputError

EMPTY, ECHO, TIMEOUT, DIED = "empty", "echo", "timeout", "translator died"
OUT_OF_STEP, LEAK = "out of step", "a secret in the answer"
NOT_TEXT, TOO_LONG = "half a surrogate pair", "too long"
LONGEST = 10_000  # characters; no sentence is longer, and some systems take minutes over such a one


@dataclass(frozen=True, slots=True)
class Failed:
    """Stands where a translation could not be had; equal reasons are counted together."""

    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a service asks for, per million characters sent or tokens read and written."""

    characters: float = 0.0
    prompt: float = 0.0
    completion: float = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value < 0:
                raise ConfigError(f"{name} is {value:g}; a price is not negative")


@dataclass(slots=True)
class Usage:
    """What was asked of a system so far; `requests` count every try that was sent."""

    texts: int = 0
    characters: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def add(self, other: Usage) -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def drain(self) -> Usage:
        """Return what was counted, and begin anew."""
        counted = replace(self)
        for each in fields(self):
            setattr(self, each.name, each.default)
        return counted

    def cost(self, price: Price) -> float:
        """Return what it cost, in the currency of the price."""
        counts = self.characters, self.prompt_tokens, self.completion_tokens
        rates = price.characters, price.prompt, price.completion
        return sum(n * rate for n, rate in zip(counts, rates, strict=True)) / 1e6

    def to_dict(self) -> dict[str, float]:
        return asdict(self)


Raw = Callable[[Sequence[str]], Sequence[str | Failed]]
"""A backend's own function: it is given clean lines, none of them empty."""


@dataclass(frozen=True, kw_only=True)
class Translator(ABC):
    """One direction of a system. Subclasses are frozen and can be pickled; work starts in `open`.

    `name` is that of the recipe; languages are codes such as "en".
    """

    name: str
    source: str
    target: str
    backend: ClassVar[str]

    @property
    def signature(self) -> dict[str, Any]:
        """All that a translation depends on, as JSON values."""
        return {
            "backend": self.backend,
            "source": self.source,
            "target": self.target,
            **self.describe(),
        }

    @abstractmethod
    def describe(self) -> Mapping[str, Any]:
        """Return the backend's part of the signature."""

    @abstractmethod
    def check(self) -> None:
        """Raise ConfigError or MissingExtra if the system is not installed; nothing is started."""

    @abstractmethod
    def start(self, usage: Usage) -> AbstractContextManager[Raw]:
        """Start what translates; what is asked of a service is added to `usage`."""

    @contextmanager
    def open(self) -> Iterator[OpenTranslator]:
        """Yield a function from texts to as many translations or failures, in order."""
        self.check()
        usage = Usage()
        with self.start(usage) as raw:
            yield OpenTranslator(self.name, raw, usage)


@dataclass(slots=True)
class OpenTranslator:
    """An open translator. Texts are one line each to the backend, whatever white space they have.

    A text without anything visible or of more than 10,000 characters, an empty answer and an echo
    of the input are failures; if most of many answers are echoes, the system is broken and
    InputError says so.
    """

    name: str
    _raw: Raw
    usage: Usage = field(default_factory=Usage)

    def __call__(self, texts: Sequence[str]) -> list[str | Failed]:
        found: list[str | Failed] = [Failed(EMPTY, "there is nothing to translate")] * len(texts)
        lines = {}
        for number, text in enumerate(texts):
            line = one_line(text)
            if line is None:
                found[number] = Failed(NOT_TEXT)
            elif len(line) > LONGEST:
                found[number] = Failed(TOO_LONG, f"{len(line):,} characters")
            elif line:
                lines[number] = line
        asked = list(lines.values())
        for number, answer in zip(lines, self._answers(asked), strict=True):
            found[number] = answer
        return found

    def _answers(self, lines: list[str]) -> list[str | Failed]:
        if not lines:
            return []
        began = time.perf_counter()
        self.usage.add(Usage(texts=len(lines), characters=sum(map(len, lines))))
        try:
            answers = self._raw(lines)
        finally:
            self.usage.seconds += time.perf_counter() - began
        if len(answers) != len(lines):
            raise InputError(f"{self.name} answered {len(lines)} texts with {len(answers)}")
        found = [_cleaned(answer) for answer in answers]
        pairs = list(zip(lines, found, strict=True))
        told = [isinstance(text, str) and echoes(line, text) for line, text in pairs]
        check_echoes(self.name, lines, told)
        return [
            Failed(ECHO, line[:80]) if same else text
            for (line, text), same in zip(pairs, told, strict=True)
        ]


def _cleaned(answer: str | Failed) -> str | Failed:
    if isinstance(answer, Failed):
        return answer
    line = one_line(answer)
    return line or Failed(EMPTY if line == "" else NOT_TEXT)


@dataclass(frozen=True, slots=True)
class System:
    """A translation system of the recipe, there and, if it can, back."""

    name: str
    forward: Translator
    backward: Translator | None = None

    def check(self) -> None:
        for each in (self.forward, self.backward):
            if each is not None:
                each.check()
