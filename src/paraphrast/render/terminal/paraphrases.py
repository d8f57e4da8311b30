"""Paraphrases as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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
