"""An option is declared once: a field of a frozen dataclass, with its type, default and help.

Write `seed: Annotated[int, Option("Seed of all resampling.")] = 12345`, and check the value in the
class's `__post_init__`. The command line makes a flag of each such field (`cli/options.py`); the
decorator `takes_options` gives a Python function the fields as keyword arguments. A field without
an `Option` is a keyword argument only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from paraphrast.errors import ConfigError, did_you_mean

_HIDDEN = "options"  # the parameter that takes the built dataclass


@dataclass(frozen=True, slots=True, init=False)
class Option:
    """What a field's type and default do not tell.

    `flags` are the option's names on the command line, `--field-name` if there are none. `panel`
    is the heading it stands under in `--help`. `typed` is its type on the command line where the
    field takes more in Python; `parser` reads it from a string where typer does not know the type.
    `complete` gives the values that begin with what was typed before the tabulator key.
    """

    help: str
    flags: tuple[str, ...]
    panel: str | None
    metavar: str | None
    typed: Any
    parser: Callable[[str], Any] | None
    complete: Callable[[str], list[str]] | None

    def __init__(
        self,
        help: str,
        *flags: str,
        panel: str | None = None,
        metavar: str | None = None,
        typed: Any = None,
        parser: Callable[[str], Any] | None = None,
        complete: Callable[[str], list[str]] | None = None,
    ) -> None:
        for name, value in (
            ("help", help), ("flags", flags), ("panel", panel), ("metavar", metavar),
            ("typed", typed), ("parser", parser), ("complete", complete),
        ):  # fmt: skip
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """A field of an options class: its name, plain type, default, and `Option` if it has one."""

    name: str
    type: Any
    default: Any
    option: Option | None
    annotation: Any  # as it was written, for annotations that are not ours


def declared_fields(kind: type[Any]) -> list[DeclaredField]:
    """Return the fields of an options class in the order of their declaration."""
    hints = get_type_hints(kind, include_extras=True)
    return [_declared(field, hints[field.name]) for field in fields(kind)]


def _declared(field: Field[Any], hint: Any) -> DeclaredField:
    plain, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    option = next((note for note in notes if isinstance(note, Option)), None)
    default = field.default if field.default is not MISSING else inspect.Parameter.empty
    return DeclaredField(field.name, plain, default, option, hint)


def takes_options(kind: type[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function, whose last parameter is `options: kind`, the class's fields as keywords.

    The signature that `help()` and `inspect` show has the fields, and the docstring a line for
    each of them.
    """
    declared = declared_fields(kind)
    names = {field.name for field in declared}

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        own = {
            name: parameter
            for name, parameter in inspect.signature(function).parameters.items()
            if name != _HIDDEN
        }

        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            chosen = {name: keywords.pop(name) for name in names & keywords.keys()}
            for name in keywords:
                if name not in own:
                    near = did_you_mean(name, names)
                    raise ConfigError(f"{function.__name__} has no option {name!r}{near}")
            return function(*arguments, **keywords, **{_HIDDEN: kind(**chosen)})

        added = [_parameter(field) for field in declared]
        call.__signature__ = inspect.Signature([*own.values(), *added])  # type: ignore[attr-defined]
        call.__doc__ = _documented(function.__doc__ or "", declared)
        return call

    return decorate


def _parameter(field: DeclaredField) -> inspect.Parameter:
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type
    )


def _documented(text: str, declared: list[DeclaredField]) -> str:
    """Add a line for each option that says what it is; others the text itself describes."""
    lines = [f"{field.name}: {field.option.help}" for field in declared if field.option]
    return "\n".join([inspect.cleandoc(text), *lines])
