"""The fields of dataclasses as the options of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_origin, get_type_hints

import typer

from paraphrast.options import DeclaredField, declared_fields

Command = Callable[..., None]


def taking(*kinds: type[Any]) -> Callable[[Command], Command]:
    """Give a command, whose first arguments are such dataclasses, their fields as options.

    Each field is annotated with an `Option` (see `paraphrast.options`), or with typer's own. A
    field with neither is for Python alone and keeps its default.
    """
    owned = {kind: [f for f in declared_fields(kind) if _is_option(f)] for kind in kinds}
    shared = [_parameter(field) for found in owned.values() for field in found]

    def decorate(command: Command) -> Command:
        own_hints = get_type_hints(command, include_extras=True)
        own = [
            p.replace(annotation=own_hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
            for p in list(inspect.signature(command).parameters.values())[len(kinds) :]
        ]

        def run(**values: Any) -> None:
            built = [
                kind(**{field.name: values.pop(field.name) for field in found})
                for kind, found in owned.items()
            ]
            command(*built, **values)

        run.__doc__ = command.__doc__
        run.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in (*shared, *own)}
        return run

    return decorate


def _is_option(field: DeclaredField) -> bool:
    return field.option is not None or get_origin(field.annotation) is Annotated


def _parameter(field: DeclaredField) -> inspect.Parameter:
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=field.default,
        annotation=_annotation(field),
    )


def _annotation(field: DeclaredField) -> Any:
    option = field.option
    if option is None:
        return field.annotation
    flags = option.flags or (_flag(field),)
    info = typer.Option(
        *flags,
        help=option.help,
        rich_help_panel=option.panel,
        metavar=option.metavar,
        parser=option.parser,
        autocompletion=option.complete,
    )
    return Annotated[option.typed or field.type, info]


def _flag(field: DeclaredField) -> str:
    """Return `--field-name`; a switch so named has no `--no-` twin."""
    return "--" + field.name.replace("_", "-")
