"""A TOML table into a frozen dataclass: unknown keys and wrong types are errors that say where."""

from __future__ import annotations

import dataclasses
import math
import types
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from paraphrast.errors import ConfigError, did_you_mean

T = TypeVar("T")

_WORDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


def build(kind: type[T], table: Any, at: str = "") -> T:
    """Make a `kind` of a parsed table; `at` is the key it stands under, for messages."""
    if not isinstance(table, dict):
        raise ConfigError(f"{_place(at)}expected a table, found {table!r}")
    hints = get_type_hints(kind)
    fields = {f.name: f for f in dataclasses.fields(kind) if f.init}  # type: ignore[arg-type]
    for key in table:
        if key not in fields:
            raise ConfigError(f"{_place(at)}unknown key {key!r}{did_you_mean(key, fields)}")
    values = {}
    for name, field in fields.items():
        if name in table:
            values[name] = _value(hints[name], table[name], f"{at}.{name}".lstrip("."))
        elif not _has_default(field):
            raise ConfigError(f"{_place(at)}the key {name!r} is missing")
    try:
        return kind(**values)
    except ConfigError as error:
        raise ConfigError(f"{_place(at)}{error}") from None


def _place(at: str) -> str:
    return f"{at}: " if at else ""


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return (
        field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
    )


def _value(hint: Any, value: Any, at: str) -> Any:
    if hint is Any:  # a table that is looked at later
        return value
    origin = get_origin(hint)
    if origin in (types.UnionType, Union):
        return _value(next(arg for arg in get_args(hint) if arg is not type(None)), value, at)
    if origin is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{at}: expected a list, found {value!r}")
        item = get_args(hint)[0]
        return tuple(_value(item, part, f"{at}[{n}]") for n, part in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise ConfigError(f"{at}: expected a table, found {value!r}")
        item = get_args(hint)[1]
        return {key: _value(item, part, f"{at}.{key}") for key, part in value.items()}
    if dataclasses.is_dataclass(hint):
        return build(hint, value, at)  # type: ignore[arg-type]
    return _plain(hint, value, at)


def _plain(hint: Any, value: Any, at: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    fits = isinstance(value, hint) and not (hint is int and isinstance(value, bool))
    if not fits or (hint is float and not math.isfinite(value)):
        raise ConfigError(f"{at}: expected {_WORDS[hint]}, found {value!r}")
    return value
