"""Pairs of texts, as users give them: two lists, or two columns of files."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Any

from paraphrast.errors import InputError
from paraphrast.io import Field
from paraphrast.io.fields import label
from paraphrast.meaning.tag_rows import check_text


def paired_texts(
    first: Any, second: Any, names: tuple[str, str], verb: str
) -> list[tuple[str, str]]:
    """Check two lists of texts of one length, and pair them."""
    a, b = _texts(first, names[0], names), _texts(second, names[1], names)
    if len(a) != len(b):
        raise InputError(
            f"{names[0]} holds {len(a)} texts and {names[1]} {len(b)}; each needs its partner"
        )
    if not a:
        raise InputError(f"the lists are empty: there is nothing to {verb}")
    return list(zip(a, b, strict=True))


def text_cell(value: Any, field: Field, row: int) -> str:
    """Check the cell of a column: one text."""
    where = f"{label(field.path)}, row {row}"
    if not isinstance(value, str):
        raise InputError(f"{where}: one text is needed; got {value!r:.40}")
    return check_text(value, where)


def _texts(given: Any, name: str, names: tuple[str, str]) -> list[str]:
    if isinstance(given, str) or not isinstance(given, Iterable) or isinstance(given, Set | dict):
        raise InputError(
            f"{name}: give a text for {names[0]} and one for {names[1]}, or a list of texts for "
            "each"
        )
    return [check_text(item, f"{name}, item {number}") for number, item in enumerate(given, 1)]
