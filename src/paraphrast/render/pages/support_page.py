"""What a source supports of a text, for a notebook."""

from __future__ import annotations

from paraphrast.render.markup import esc, tag
from paraphrast.render.terminal.marked_text import runs
from paraphrast.render.terminal.support_text import (
    Claimed,
    Supported,
    claim_details,
    support_answer,
)
from paraphrast.render.terminal.verdict_text import percent


def support_fragment(report: Supported) -> str:
    """Return the sentences with their probabilities; words that the source lacks are marked."""
    rows = [
        tag(
            "tr",
            tag("td", esc(percent(claim.probability)), class_="num"),
            tag("td", _marked(claim), *(tag("p", esc(one)) for one in claim_details(claim))),
        )
        for claim in report.claims
    ]
    table = tag("table", tag("tbody", *rows)) if rows else ""
    answer = tag("p", tag("strong", esc(support_answer(report))))
    return tag("div", answer, table)


def _marked(claim: Claimed) -> str:
    if claim.tags is None:
        return esc(claim.text)
    pieces, done = [], 0
    for start, end in runs(claim.tags):
        pieces += [esc(claim.text[done:start]), tag("mark", esc(claim.text[start:end]))]
        done = end
    return "".join([*pieces, esc(claim.text[done:])])
