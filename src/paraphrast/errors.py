"""Errors a user can act on. Everything else that escapes is a bug of ours."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

DISTRIBUTION = "paraphrast"


class ParaphrastError(Exception):
    """Base of every error raised on purpose; the CLI prints it without a traceback."""


class InputError(ParaphrastError):
    """The data are wrong: the message names the file or argument, the row and the fix."""


class ConfigError(ParaphrastError):
    """The request is wrong: an unknown option or value, options that contradict each other."""


class MissingInput(InputError, ConfigError):
    """A metric needs texts of a kind that were not given at all: wrong usage, not bad data."""

    def __init__(self, message: str, need: str) -> None:
        self.need = need
        super().__init__(message)

    def __reduce__(self) -> tuple[type[MissingInput], tuple[str, str]]:
        """Keep both arguments when the error crosses a process boundary."""
        return MissingInput, (str(self), self.need)


class ModelError(ParaphrastError):
    """Weights are missing, tampered with or of the wrong kind."""


class UnknownModel(ModelError, ConfigError):
    """The name asked for stands for no model: wrong usage, not damaged weights."""


class MissingExtra(ParaphrastError):
    """An optional dependency is not installed; the message holds the command that installs it."""

    def __init__(self, extra: str, package: str) -> None:
        self.extra = extra
        self.package = package
        super().__init__(
            f"this needs the package '{package}', which is not installed; "
            f"run: pip install '{DISTRIBUTION}[{extra}]'"
        )

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        """Keep both arguments when the error crosses a process boundary."""
        return MissingExtra, (self.extra, self.package)


def check_characters(text: str, where: str) -> None:
    """Refuse half a surrogate pair: no file can hold it, and each library would mend it its way."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{where} holds half a surrogate pair (\\u{ord(text[error.start]):04x}), "
            "which is no character; mend the program that wrote it"
        ) from error


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'x'?)" for the nearest known name, or an empty string."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" (did you mean {near[0]!r}?)" if near else ""
