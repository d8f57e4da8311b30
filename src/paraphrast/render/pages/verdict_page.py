"""Verdicts as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paraphrast.render.markup import esc, name, tag
from paraphrast.render.pages.page import exhibit, note_list, page, scroller
from paraphrast.render.pages.tags_page import STYLE, key_html, pair_fragment, pair_html
from paraphrast.render.terminal.verdict_text import (
    NAMES,
    Judged,
    Names,
    answer,
    number_rows,
    reason_lines,
)


def verdicts_html(
    judged: Sequence[Judged],
    *,
    ids: Sequence[object] = (),
    notes: Sequence[str] = (),
    command: str = "",
    version: str = "",
) -> str:
    """Return the page; `ids`, if given, name the pairs. All text is escaped."""
    names = [*ids, *[None] * (len(judged) - len(ids))]
    drawn = [_section(one, number, names[number - 1]) for number, one in enumerate(judged, 1)]
    body = STYLE + key_html() + "".join(drawn)
    title = "Do these texts say the same?"
    return page(title, body, notes=notes, command=command, version=version)


def verdict_fragment(judged: Judged) -> str:
    """Return a verdict for a notebook."""
    found = judged.to_dict()
    return tag(
        "div",
        tag("p", tag("strong", esc(answer(found)))),
        pair_fragment(judged.tags),
        reason_list(found),
        number_table(found),
        note_list(found["notes"]),
    )


def reason_list(found: Mapping[str, Any]) -> str:
    """Return the words on which a verdict turns, or nothing."""
    listed = [tag("li", esc(line)) for line in reason_lines(found) if line]
    return tag("ul", *listed) if listed else ""


def number_table(found: Mapping[str, Any], ident: str = "numbers", *, names: Names = NAMES) -> str:
    """Return the numbers behind a verdict as a table."""
    rows = [
        tag(
            "tr",
            tag("th", name(title), scope="row"),
            tag("td", esc(value), class_="num"),
            tag("td", esc(what)),
        )
        for title, value, what in number_rows(found, names)
    ]
    table = tag("table", tag("tbody", *rows), aria_labelledby=ident)
    return exhibit("tab", ident, "What the judge answers.", scroller(ident, table))


def _section(judged: Judged, number: int, ident: object) -> str:
    found = judged.to_dict()
    return tag(
        "section",
        tag("h2", esc(answer(found))),
        pair_html(judged.tags, ident=ident),
        reason_list(found),
        number_table(found, f"numbers-{number}"),
        note_list(found["notes"]),
    )
