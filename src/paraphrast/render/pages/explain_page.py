"""An explained pair as one self-contained HTML page."""

from __future__ import annotations

from paraphrast.render.markup import esc, name, tag
from paraphrast.render.pages.page import exhibit, note_list, page, scroller
from paraphrast.render.pages.tags_page import STYLE, key_html, pair_fragment, pair_html
from paraphrast.render.pages.verdict_page import number_table, reason_list
from paraphrast.render.terminal.explained_pair import SIDES, Explained, metric_rows, signatures
from paraphrast.render.terminal.verdict_text import answer


def explanation_html(pair: Explained, *, command: str = "", version: str = "") -> str:
    """Return the page: the verdict, the shaded texts, the numbers and the metrics, all escaped."""
    found = pair.to_dict()
    body = "".join(
        [
            STYLE,
            tag("p", tag("strong", esc(answer(found["verdict"], SIDES)))),
            pair_html(pair.verdict.tags, names=SIDES),
            reason_list(found["verdict"]),
            key_html(),
            number_table(found["verdict"], names=SIDES),
            _metrics(pair),
            _signatures(pair),
        ]
    )
    title = "Does the candidate say what the reference says?"
    return page(title, body, notes=found["notes"], command=command, version=version)


def explanation_fragment(pair: Explained) -> str:
    """Return the same for a notebook: verdict, marked texts, numbers, metrics and notes."""
    found = pair.to_dict()
    return tag(
        "div",
        tag("p", tag("strong", esc(answer(found["verdict"], SIDES)))),
        pair_fragment(pair.verdict.tags, names=SIDES),
        reason_list(found["verdict"]),
        number_table(found["verdict"], names=SIDES),
        _metrics(pair),
        note_list(found["notes"]),
        _signatures(pair),
    )


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
