"""Whether the first reason of a verdict is the word that was altered, and of the right kind.

Rows are altered copies of sentences (`python -m recipes.altered`) that say something else by one
change, of which the place is known. A pair that is called the same has no reason, which is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paraphrast.meaning.judge import Judge
from paraphrast.meaning.tagged_pair import TaggedText
from paraphrast.meaning.verdict import Verdict
from paraphrast.studies.quality.figures import BASELINE, Bench, Findings, Line
from paraphrast.studies.quality.intervals import share
from paraphrast.text.words import Span, WordText
from paraphrast.train.data.readers import rows

ALTERED = Path("runs/altered/heldout.jsonl.gz")
_TASK = "reasons, held-out altered copies"


def first_reasons(system: str, bench: Bench) -> Findings:
    """Return the shares of rows whose first reason is the altered word, and of the right kind."""
    if system == BASELINE:
        return Findings(())
    changed = [row for row in rows(ALTERED) if row["altered"] and row["reason"]]
    pairs = [(WordText.of(row["text1"]), WordText.of(row["text2"])) for row in changed]
    verdicts = Judge.load(system).judge(pairs, advance=bench.advance)
    both = list(zip(verdicts, changed, strict=True))
    found = [at_altered(verdict, row["altered"]) for verdict, row in both]
    kinds = [of_kind(verdict, row) for verdict, row in both]
    return Findings(
        (
            Line.of(_TASK, "the altered word", system, share(found)),
            Line.of(_TASK, "its kind", system, share(kinds)),
        )
    )


def at_altered(verdict: Verdict, altered: Sequence[Span | None]) -> bool:
    """Tell whether a word of the first reason lies in the altered stretch of its text."""
    if not verdict.reasons:
        return False
    first = verdict.reasons[0]
    sides = ((verdict.a, first.words_a), (verdict.b, first.words_b))
    return any(
        _overlaps(text, places, span) for (text, places), span in zip(sides, altered, strict=True)
    )


def of_kind(verdict: Verdict, row: Mapping[str, Any]) -> bool:
    """Tell whether the first reason is at the altered word, and of the row's kind."""
    return at_altered(verdict, row["altered"]) and verdict.reasons[0].kind == row["reason"]


def _overlaps(text: TaggedText, places: Sequence[int], span: Span | None) -> bool:
    if span is None:
        return False
    return any(
        text.spans[place][0] < span[1] and span[0] < text.spans[place][1] for place in places
    )
