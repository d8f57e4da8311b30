"""Paraphrases listed for a terminal and for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from paraphrast.render.markup import esc, tag
from paraphrast.render.terminal.marked_text import printable

_INDENT = "    "


def paraphrase_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield each source, its paraphrases with their scores below it, and an empty line."""
    for row in rows:
        yield printable(row["source"]).strip() or "(an empty text)"
        for rank, each in enumerate(row["candidates"], start=1):
            yield f"{rank:>2}  {printable(each['text'])}"
            yield f"{_INDENT}{_figures(each)}"
            if "differences" in each:
                yield from (f"{_INDENT}{line}" for line in _differences(each["differences"]))
        if row.get("note"):
            yield f" -  {printable(row['note'])}"
        yield ""


def _figures(each: Mapping[str, Any]) -> str:
    scores = [f"{name} {value:.3f}" for name, value in each["scores"].items()]
    scores.append(f"log-probability {each['logprob']:.1f}")
    return f"({', '.join(scores)}; {each['why']})"


def _differences(pair: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the words that only one of the two texts says."""
    for side, name in (("a", "only the source"), ("b", "only the paraphrase")):
        words = zip(pair[side]["words"], pair[side]["tags"], strict=True)
        alone = [printable(word) for word, tag in words if tag]
        yield f"{name}: {', '.join(alone) if alone else 'nothing'}"


def paraphrase_html(row: Mapping[str, Any]) -> str:
    """Return a fragment for a notebook: the source, its paraphrases with scores, and the note."""
    lines = [
        tag("tr", tag("td", str(rank)), tag("td", esc(each["text"]), dir="auto"),
            tag("td", esc(_figures(each))))
        for rank, each in enumerate(row["candidates"], start=1)
    ]  # fmt: skip
    heads = tag("tr", *(tag("th", text, scope="col") for text in ("", "paraphrase", "figures")))
    source = tag("caption", esc(row["source"].strip() or "(an empty text)"), dir="auto")
    table = tag("table", source, tag("thead", heads), tag("tbody", *lines))
    return table + (tag("p", esc(row["note"]), dir="auto") if row.get("note") else "")
