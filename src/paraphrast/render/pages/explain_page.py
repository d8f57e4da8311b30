"""An explained pair as one self-contained HTML page."""

from __future__ import annotations

from paraphrast.render.markup import esc, name, tag
from paraphrast.render.pages.page import exhibit, note_list, page, scroller
from paraphrast.render.pages.tags_page import STYLE, key_html, pair_fragment, pair_html
from paraphrast.render.terminal.explained_pair import (
    SIDES,
    Explained,
    Found,
    answer_rows,
    metric_rows,
    signatures,
)


def explanation_html(pair: Explained, *, command: str = "", version: str = "") -> str:
    """Return the page: the shaded texts, the answers and the metrics. All text is escaped."""
    found = pair.to_dict()
    body = "".join(
        [
            STYLE,
            pair_html(pair.tags, names=SIDES),
            key_html(),
            _answers(found),
            _metrics(pair),
            _signatures(pair),
        ]
    )
    title = "Does the candidate say what the reference says?"
    return page(title, body, notes=found["notes"], command=command, version=version)


def explanation_fragment(pair: Explained) -> str:
    """Return the same for a notebook: marked texts, answers, metrics and notes."""
    found = pair.to_dict()
    parts = [pair_fragment(pair.tags, names=SIDES), _answers(found), _metrics(pair)]
    return tag("div", *parts, note_list(found["notes"]), _signatures(pair))


def _answers(found: Found) -> str:
    rows = [
        tag("tr", _head(title), tag("td", esc(value), class_="num"), tag("td", esc(what)))
        for title, value, what in answer_rows(found)
    ]
    return _table("answers", "What the edit encoder answers.", rows)


def _metrics(pair: Explained) -> str:
    rows = [
        tag("tr", _head(title), tag("td", esc(value), class_="num"))
        for title, value in metric_rows(pair)
    ]
    words = "What the words have in common; the arrows point to the better values."
    return _table("metrics", words, rows)


def _table(ident: str, caption: str, rows: list[str]) -> str:
    table = tag("table", tag("tbody", *rows), aria_labelledby=ident)
    return exhibit("tab", ident, caption, scroller(ident, table))


def _head(text: str) -> str:
    return tag("th", name(text), scope="row")


def _signatures(pair: Explained) -> str:
    entries = [tag("li", tag("code", esc(text))) for text in signatures(pair)]
    summary = tag("summary", "Signatures: what was measured, to the letter")
    return tag("details", summary, tag("ul", *entries, class_="notes"))
