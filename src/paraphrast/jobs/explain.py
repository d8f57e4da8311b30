"""Explain one pair: the verdict first, then the metrics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from paraphrast.errors import InputError, MissingExtra
from paraphrast.jobs.scoring.score import score
from paraphrast.meaning.judge import Judge
from paraphrast.meaning.tag_rows import check_text
from paraphrast.meaning.tagged_pair import TaggedPair
from paraphrast.meaning.verdict import Verdict
from paraphrast.models.scripts import script_warning
from paraphrast.render.pages.explain_page import explanation_fragment
from paraphrast.render.terminal.explained_pair import explanation_text
from paraphrast.results import Report
from paraphrast.text.words import WordText

LEXICAL = ("sentence_bleu", "chrf++", "ter", "rougeL", "pinc")
_OPTIONAL = "meteor"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What there is to say of a candidate beside its reference.

    In the `verdict`, a is the reference and b the candidate. PINC takes the reference for its
    source.
    """

    verdict: Verdict
    metrics: Report
    notes: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        return self.verdict.a.text

    @property
    def candidate(self) -> str:
        return self.verdict.b.text

    @property
    def tags(self) -> TaggedPair:
        """Both texts with every word tagged."""
        return self.verdict.tags

    def to_dict(self) -> dict[str, Any]:
        return {
            "reference": self.reference,
            "candidate": self.candidate,
            "verdict": self.verdict.to_dict(),
            "metrics": [found.to_dict() for found in self.metrics.scores],
            "notes": list(self.notes),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def __str__(self) -> str:
        return explanation_text(self)

    def _repr_html_(self) -> str:
        return explanation_fragment(self)


@overload
def explain(
    reference: str,
    candidate: str,
    *,
    model: str = ...,
    threads: int | None = ...,
    device: str = ...,
) -> Explanation: ...
@overload
def explain(
    reference: Iterable[tuple[str, str]],
    candidate: None = ...,
    *,
    model: str = ...,
    threads: int | None = ...,
    device: str = ...,
) -> list[Explanation]: ...
def explain(
    reference: Any,
    candidate: Any = None,
    *,
    model: str = "mini",
    threads: int | None = None,
    device: str = "cpu",
) -> Explanation | list[Explanation]:
    """Explain a candidate: the verdict, the words it turns on, and metrics.

    A list of pairs (reference, candidate) gives a list; `candidate` is left out then.

    reference: What should be said; or a list of pairs.
    candidate: What is said.
    model: Weights: "mini", "base", a directory or "org/name".
    threads: Threads of the model; one for each core.
    device: Where the model runs: "cpu", "cuda" or "cuda:1".
    """
    if candidate is None:
        texts = [_checked(item, f"pair {number}: ") for number, item in _numbered(reference)]
    else:
        texts = [_checked((reference, candidate), "")]
    judge = Judge.load(model, threads=threads, device=device)
    verdicts = judge.judge([(WordText.of(one), WordText.of(other)) for one, other in texts])
    found = [_explanation(verdict, judge, model, threads, device) for verdict in verdicts]
    return found if candidate is None else found[0]


def _numbered(pairs: Any) -> Iterator[tuple[int, Any]]:
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise InputError("give a reference and a candidate, or a list of pairs: [(r, c), ...]")
    items = list(pairs)
    if not items:
        raise InputError("the list of pairs is empty: there is nothing to explain")
    yield from enumerate(items, 1)


def _checked(item: Any, where: str) -> tuple[str, str]:
    if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 2:
        raise InputError(f"{where}expected (reference, candidate); got {item!r:.40}")
    reference, candidate = item
    return (
        check_text(reference, f"{where}the reference"),
        check_text(candidate, f"{where}the candidate"),
    )


def _explanation(
    verdict: Verdict, judge: Judge, model: str, threads: int | None, device: str
) -> Explanation:
    """Join the verdict with the metrics; METEOR only where its tables are installed."""
    reference, candidate = verdict.a.text, verdict.b.text
    foreign = script_warning((reference, candidate), judge.encoder.card)
    learned = f"paratag:model={model}"

    def scored(*metrics: str) -> Report:
        place: dict[str, Any] = {"threads": threads, "device": device}
        return score([candidate], [reference], [reference], metrics=metrics, **place)

    lacking = []
    try:
        metrics = scored(*LEXICAL, _OPTIONAL, learned)
    except MissingExtra as error:
        metrics = scored(*LEXICAL, learned)
        lacking = [f"{_OPTIONAL} is left out: {error}"]
    known = [foreign] if foreign else []
    others = [note for note in metrics.notes if note != foreign]
    return Explanation(verdict, metrics, (*verdict.notes, *known, *others, *lacking))
