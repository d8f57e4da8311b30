"""How many texts a request may hold, and how long each may be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paraphrast.errors import InputError, check_characters
from paraphrast.web.api.request_errors import FieldError
from paraphrast.web.serve_options import ServeOptions


def check_count(options: ServeOptions, field: str, count: int) -> None:
    """Refuse none, and more than one request may hold."""
    if not count:
        raise FieldError(field, "the list is empty: there is nothing to read")
    if count > options.most_texts:
        raise FieldError(
            field,
            f"{count:,} texts; one request may hold {options.most_texts:,}: send several requests, "
            "or a stream",
        )


def check_texts(
    options: ServeOptions, field: str, texts: str | Sequence[str | Sequence[str]] | None
) -> None:
    """Refuse a text that is too long or holds half a character, by its place."""
    for place, text in _texts(field, texts):
        if len(text) > options.most_characters:
            raise FieldError(
                place,
                f"{len(text):,} characters; a text may have {options.most_characters:,}",
            )
        try:
            check_characters(text, place)
        except InputError as error:
            raise FieldError(place, str(error)) from error


def _texts(
    field: str, texts: str | Sequence[str | Sequence[str]] | None
) -> Iterable[tuple[str, str]]:
    if isinstance(texts, str):
        yield field, texts
    for number, text in enumerate(texts if isinstance(texts, list | tuple) else ()):
        yield from _texts(f"{field}.{number}", text)
