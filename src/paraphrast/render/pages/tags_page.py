"""Tagged pairs as one self-contained HTML page: the darker a word, the less the other says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paraphrast.render.charts.heat_map import step
from paraphrast.render.markup import esc, name, tag
from paraphrast.render.pages.page import exhibit, page, scroller
from paraphrast.render.pages.style import STEPS
from paraphrast.render.terminal.marked_text import (
    TaggedTexts,
    TaggedWords,
    evaluation_count,
    evaluation_rows,
)

_CSS = """
.pair{margin:1.2rem 0;padding:0 0 1.2rem;border-bottom:1px solid var(--rule);max-width:46rem}
.pair .id{font:.8rem/1.3 var(--sans);color:var(--soft);margin:0 0 .3rem;overflow-wrap:anywhere}
.pair dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.5rem .9rem;margin:0;
max-width:none;break-inside:avoid}
.pair dt{font:.8rem/2 var(--sans);color:var(--soft)}
.pair dd{margin:0;line-height:1.9;white-space:pre-wrap;overflow-wrap:anywhere}
.w{padding:.1em .12em;border-radius:.15em;box-decoration-break:clone;
-webkit-box-decoration-break:clone;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.w.t1,.key .t1{border-bottom:2px solid var(--ink);border-end-start-radius:0;border-end-end-radius:0}
.pair details{margin-top:.5rem}
.pair summary{font-weight:400;font-size:.8rem;color:var(--soft)}
@media print{.pair details{display:none}}
@media (max-width:40rem){.pair dl{grid-template-columns:minmax(0,1fr);gap:.1rem}
.pair dt{line-height:1.4}}
"""
STYLE = tag("style", _CSS)
_FLUSH = "text-align:left;white-space:pre-wrap"


def tags_html(
    pairs: Sequence[TaggedTexts],
    *,
    ids: Sequence[object] = (),
    evaluation: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
    command: str = "",
    version: str = "",
) -> str:
    """Return the page; `ids`, if given, name the pairs. No script, nothing remote, all escaped."""
    names = [*ids, *[None] * (len(pairs) - len(ids))]
    drawn = [pair_html(pair, ident=ident) for pair, ident in zip(pairs, names, strict=True)]
    judged = evaluation_html(evaluation) if evaluation else ""
    body = STYLE + judged + key_html() + "".join(drawn)
    title = "What the other text does not say"
    return page(title, body, notes=notes, command=command, version=version)


def pair_html(
    pair: TaggedTexts, *, names: tuple[str, str] = ("a", "b"), ident: object = None
) -> str:
    """Return both texts of a pair, every word shaded and with its numbers as a tooltip."""
    head = "" if ident is None else tag("p", name(ident), class_="id")
    sides = [
        tag("dt", esc(title)) + tag("dd", _words(side), dir="auto")
        for title, side in zip(names, (pair.a, pair.b), strict=True)
    ]
    return tag("div", head, tag("dl", *sides), _numbers(pair, names), class_="pair")


def pair_fragment(pair: TaggedTexts, *, names: tuple[str, str] = ("a", "b")) -> str:
    """Return both texts for a notebook, which has no style of ours: tagged words are marked."""
    rows = [
        tag("tr", tag("th", esc(title)), tag("td", _marked(side), dir="auto", style=_FLUSH))
        for title, side in zip(names, (pair.a, pair.b), strict=True)
    ]
    return tag("table", tag("tbody", *rows))


def _marked(side: TaggedWords) -> str:
    """Return a text whose words with the tag 1 are marked; the pointer shows their probability."""
    pieces, done = [], 0
    for (start, end), tagged, chance in zip(side.spans, side.tags, side.probabilities, strict=True):
        if tagged:
            word = tag("mark", esc(side.text[start:end]), title=f"paraphrased: {chance:.2f}")
            pieces += [esc(side.text[done:start]), word]
            done = end
    return "".join([*pieces, esc(side.text[done:])])


def key_html() -> str:
    """Return the legend: the scale of shades and the underline."""
    steps = [tag("i", class_=f"h{number}") for number in range(STEPS)]
    strip = tag("span", "said", tag("span", *steps), "not said", class_="strip")
    tagged = tag("span", tag("span", "underlined", class_="t1"), ": tag 1, the other text lacks it")
    return tag("div", strip, tagged, tag("span", "hover or unfold: probabilities"), class_="key")


def evaluation_html(evaluation: Mapping[str, Any]) -> str:
    """Return the table of precision, recall and F1 of tag 1."""
    head, *rows = evaluation_rows(evaluation)
    top = tag("tr", tag("th", head[0], scope="col"), *(_head(text) for text in head[1:]))
    body = [tag("tr", tag("th", esc(row[0]), scope="row"), *map(_cell, row[1:])) for row in rows]
    table = tag("table", tag("thead", top), tag("tbody", *body), aria_labelledby="judged")
    words = f"Against the right tags: {esc(evaluation_count(evaluation))}."
    return exhibit("tab", "judged", words, scroller("judged", table))


def _head(text: str) -> str:
    return tag("th", text, scope="col", class_="num")


def _words(side: TaggedWords) -> str:
    pieces, done = [], 0
    for (start, end), label, chance in zip(side.spans, side.tags, side.probabilities, strict=True):
        pieces.append(esc(side.text[done:start]))
        pieces.append(_word(side.text[start:end], label, chance))
        done = end
    return "".join([*pieces, esc(side.text[done:])])


def _numbers(pair: TaggedTexts, names: tuple[str, str]) -> str:
    """Return every word's numbers as a table to unfold: for touch, keyboard and screen reader."""
    rows = [
        tag("tr", *(tag("td", cell) for cell in (esc(title), name(word))), *map(_cell, numbers))
        for title, side in zip(names, (pair.a, pair.b), strict=True)
        for word, *numbers in _listed(side)
    ]
    heads = [tag("th", text, scope="col") for text in ("text", "word")]
    top = tag("tr", *heads, _head("tag"), _head("paraphrased"))
    table = tag("table", tag("thead", top), tag("tbody", *rows))
    return tag("details", tag("summary", "Word by word"), tag("div", table, class_="scroll"))


def _listed(side: TaggedWords) -> list[tuple[str, str, str]]:
    return [
        (side.text[start:end], str(label), f"{chance:.3f}")
        for (start, end), label, chance in zip(
            side.spans, side.tags, side.probabilities, strict=True
        )
    ]


def _cell(text: str) -> str:
    return tag("td", text, class_="num")


def _word(text: str, label: int, chance: float) -> str:
    shade = step(1.0 - chance, (0.0, 1.0))
    title = f"paraphrased with probability {chance:.3f}; tag {label}"
    return tag("span", esc(text), class_=f"w {shade}" + " t1" * label, title=title)
