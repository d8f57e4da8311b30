"""What makes two numbers comparable: every choice behind a score, as one canonical string."""

from __future__ import annotations

from collections.abc import Mapping

from paraphrast.errors import ConfigError

Value = str | int | float | bool


def signature(metric: str, fields: Mapping[str, Value], version: str) -> str:
    """Join the metric's name, its fields in the given order and the version.

    Two equal strings mean comparable numbers. Fields and values may not hold the separators,
    so no two different sets of fields give the same string.
    """
    pairs = [f"{_clean(key)}:{_clean(_text(value))}" for key, value in fields.items()]
    return "|".join([_clean(metric), *pairs, f"version:{_clean(version)}"])


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else str(value)


def _clean(text: str) -> str:
    if "|" in text or ":" in text or not text:
        raise ConfigError(
            f"{text!r} cannot be part of a signature: it is empty or holds '|' or ':'"
        )
    return text
