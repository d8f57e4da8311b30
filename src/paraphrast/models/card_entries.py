"""The entries of a card.json, asked for with their types."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

from paraphrast.errors import ModelError


class Entries:
    """A JSON object whose keys are asked for with their types."""

    def __init__(self, path: Path, entries: Any, inside: str = "") -> None:
        if not isinstance(entries, dict):
            raise ModelError(f"{path}: {inside or 'the card'} must be an object")
        self.path, self.entries, self._inside = path, entries, inside

    def _get(self, key: str) -> tuple[str, Any]:
        name = f"{self._inside}.{key}" if self._inside else key
        if key not in self.entries:
            raise ModelError(f"{self.path} has no {name!r}")
        return name, self.entries[key]

    def text(self, key: str) -> str:
        """Return text that is not empty."""
        name, value = self._get(key)
        if not isinstance(value, str) or not value:
            raise ModelError(f"{self.path}: {name!r} must be text; got {value!r}")
        return value

    def label(self, key: str) -> str:
        """Return text that may stand in a signature."""
        found = self.text(key)
        if set("|:") & set(found):
            raise ModelError(f"{self.path}: {key!r} must not hold '|' or ':'; got {found!r}")
        return found

    def number(self, key: str) -> float:
        name, value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise ModelError(f"{self.path}: {name!r} must be a number; got {value!r}")
        return float(value)

    def whole(self, key: str, least: int) -> int:
        name, found = self._get(key)[0], self.number(key)
        if found < least or found != int(found):
            raise ModelError(
                f"{self.path}: {name!r} must be a whole number, at least {least}; got {found:g}"
            )
        return int(found)

    def texts(self, key: str) -> tuple[str, ...]:
        name, value = self._get(key)
        if not (isinstance(value, list) and value and all(isinstance(i, str) for i in value)):
            raise ModelError(f"{self.path}: {name!r} must be a list of texts, at least one")
        return tuple(value)

    def numbers(self, key: str) -> tuple[float, ...]:
        return self._numbers(key, "numbers", lambda _: True)

    def ascending(self, key: str) -> tuple[float, ...]:
        return self._numbers(key, "ascending numbers", lambda v: len(v) > 1 and sorted(v) == v)

    def _numbers(
        self, key: str, what: str, allowed: Callable[[list[float]], bool]
    ) -> tuple[float, ...]:
        name, value = self._get(key)
        right = isinstance(value, list) and all(
            isinstance(item, int | float) and not isinstance(item, bool) and isfinite(item)
            for item in value
        )
        if not right or not allowed(value):
            raise ModelError(f"{self.path}: {name!r} must be a list of {what}")
        return tuple(map(float, value))

    def inner(self, key: str) -> Entries:
        name, value = self._get(key)
        return Entries(self.path, value, name)

    def mapping(self, key: str) -> dict[str, Any]:
        return self.inner(key).entries if key in self.entries else {}
