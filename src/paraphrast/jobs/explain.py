"""Explain one pair: score, entailment, tags and lexical metrics side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from paraphrast import _version, signature
from paraphrast.errors import InputError, MissingExtra
from paraphrast.jobs.scoring.score import score
from paraphrast.meaning.tag_rows import check_text
from paraphrast.meaning.tagged_pair import TaggedPair, tagged_pair
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.encoder.pair_reading import Reading
from paraphrast.models.encoder.tag_scores import mean_probabilities, sigmoid
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

    `score` is the encoder's, on the scale of human z-scores; `percentile` is its place among the
    human ratings of `rated_on`, 0 to 100. `entailed` is the probability that the candidate
    follows from the reference, `entailing` that the reference follows from the candidate.
    `score_threshold` and `entailed_threshold` are those of the model's card: above them `score`
    and `entailed` call the pair a paraphrase most often rightly, each for itself.
    `precision`, `recall` and `f` are ParaTag's as mean probabilities of being paraphrased: over
    the candidate's words, the reference's, and both. PINC takes the reference for its source.
    """

    score: float
    percentile: float
    rated_on: str
    score_threshold: float
    entailed: float
    entailing: float
    entailed_threshold: float
    precision: float
    recall: float
    f: float
    tags: TaggedPair
    metrics: Report
    signature: str  # of the encoder's answers; each metric has its own
    notes: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        return self.tags.a.text

    @property
    def candidate(self) -> str:
        return self.tags.b.text

    @property
    def paraphrase_by_score(self) -> bool:
        """Whether the score says that the candidate paraphrases the reference."""
        return self.score > self.score_threshold

    @property
    def paraphrase_by_entailment(self) -> bool:
        """Whether the entailment of the candidate says so; it need not agree with the score."""
        return self.entailed > self.entailed_threshold

    def to_dict(self) -> dict[str, Any]:
        names = ("score", "percentile", "rated_on", "entailed", "entailing")
        scores = ("precision", "recall", "f", "signature")
        return {
            "reference": self.reference,
            "candidate": self.candidate,
            **{name: getattr(self, name) for name in (*names, *scores)},
            "paraphrase": {
                "score": {"threshold": self.score_threshold, "yes": self.paraphrase_by_score},
                "entailed": {
                    "threshold": self.entailed_threshold,
                    "yes": self.paraphrase_by_entailment,
                },
            },
            "tags": self.tags.to_dict(),
            "windows": self.tags.windows,
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
    """Explain a candidate: its score, what follows from what, the tags, and lexical metrics.

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
    encoder = EditEncoder.load(model, threads=threads, device=device)
    pairs = [(WordText.of(one), WordText.of(other)) for one, other in texts]
    there = encoder.read(pairs)
    back = encoder.read([pair[::-1] for pair in pairs])
    found = [
        _explanation(pair, forth, reverse, encoder.card)
        for pair, forth, reverse in zip(pairs, there, back, strict=True)
    ]
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
    pair: tuple[WordText, WordText], there: Reading, back: Reading, card: EncoderCard
) -> Explanation:
    """Join what the encoder says of the pair, both ways round, with the lexical metrics."""
    tags = tagged_pair(pair, there, threshold=card.thresholds.tag)
    shares = mean_probabilities(there)
    metrics, lacking = _lexical(pair[0].text, pair[1].text)
    return Explanation(
        score=there.score,
        percentile=card.percentile(there.score),
        rated_on=card.calibration.data,
        score_threshold=card.thresholds.score,
        entailed=_probability(there.entailment),
        entailing=_probability(back.entailment),
        entailed_threshold=_probability(card.thresholds.entailment),
        precision=shares.precision,
        recall=shares.recall,
        f=shares.f,
        tags=tags,
        metrics=metrics,
        signature=_signature(card),
        notes=(*_reading_notes(tags, card), *metrics.notes, *lacking),
    )


def _probability(logit: float) -> float:
    return float(sigmoid(np.array(logit)))


def _signature(card: EncoderCard) -> str:
    fields: dict[str, signature.Value] = {
        "model": card.model,
        "weights": f"{card.name}-{card.version}",
        "hash": card.fingerprint,
        "dtype": card.dtype,
        "tag": card.thresholds.tag,
    }
    return signature.signature("explain", fields, _version.VERSION)


def _lexical(reference: str, candidate: str) -> tuple[Report, list[str]]:
    """Score the pair; METEOR only where its tables are installed."""

    def scored(*metrics: str) -> Report:
        return score([candidate], [reference], [reference], metrics=metrics)

    try:
        return scored(*LEXICAL, _OPTIONAL), []
    except MissingExtra as error:
        return scored(*LEXICAL), [f"{_OPTIONAL} is left out: {error}"]


def _reading_notes(tags: TaggedPair, card: EncoderCard) -> list[str]:
    """Say what makes the encoder's answers weaker."""
    foreign = script_warning((tags.a.text, tags.b.text), card)
    windows = f"the pair is too long to be read at once and was read in {tags.windows:,} windows"
    near = ", of which only those near each other were compared" * tags.limited
    return [*([windows + near] if tags.windows > 1 else []), *([foreign] if foreign else [])]
