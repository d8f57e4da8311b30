"""The fields of a dataclass as the options of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_type_hints

Command = Callable[..., None]


def taking(asked: type[Any]) -> Callable[[Command], Command]:
    """Give a command, whose first argument is such a dataclass, its fields as options."""
    hints = get_type_hints(asked, include_extras=True)
    names = [field.name for field in fields(asked)]
    shared = [
        inspect.Parameter(
            f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name]
        )
        for f in fields(asked)
    ]

    def decorate(command: Command) -> Command:
        own_hints = get_type_hints(command, include_extras=True)
        own = [
            p.replace(annotation=own_hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
            for p in list(inspect.signature(command).parameters.values())[1:]
        ]

        def run(**values: Any) -> None:
            command(asked(**{name: values.pop(name) for name in names}), **values)

        run.__doc__ = command.__doc__
        run.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in (*shared, *own)}
        return run

    return decorate
