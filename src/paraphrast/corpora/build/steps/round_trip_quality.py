"""Quality estimation: how much of a source survives translation there and back.

Suzuki et al. 2017, equation 1: QE = Π over systems of SBLEU(source, back-translation). SBLEU is
BLEU+1 with the smoothed brevity penalty of Nakov et al. 2012, *Optimizing for Sentence-Level
BLEU+1 Yields Short Translations*; any metric of which more is better may take its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paraphrast._version import VERSION
from paraphrast.corpora.build.build_step import (
    TRANSLATED,
    BuildStep,
    Resolve,
    build_step,
    check_loading,
)
from paraphrast.corpora.build.steps.translation import translating
from paraphrast.corpora.word_ids import word_tokeniser, words_label
from paraphrast.engine.step import Dropped, Row, Work
from paraphrast.errors import ConfigError
from paraphrast.metrics.base import REFERENCES, SOURCE, Metric, Place
from paraphrast.metrics.bleu import bleu_counts
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.pair_scores import SegmentTexts, score_pairs
from paraphrast.text.column import Column, Vocabularies
from paraphrast.text.ngrams import take
from paraphrast.types import Floats

if TYPE_CHECKING:
    from paraphrast.corpora.build.corpus_recipe import CorpusRecipe
    from paraphrast.corpora.build.recipe_run import RecipeRun


SBLEU = "sbleu"
NO_BACK, UNDEFINED = "no back-translation", "the quality is undefined"

_ORDERS = 4
_PLACES = 9  # of what is written, so that no machine's last digit shows


def bleu_plus_one(
    candidates: Sequence[str], references: Sequence[str], *, tokenize: str = "13a"
) -> Floats:
    """Return BLEU+1 of each candidate with its reference, from 0 to 1.

    min(1, exp(1 − (r + 1)/c)) · (p₁ p₂ p₃ p₄)^¼ with p₁ = matches/n-grams and, for n > 1,
    p_n = (matches + 1)/(n-grams + 1). The reference counts as one token longer than it is, so a
    copy of c tokens scores exp(−1/c), not 1. Without a word in common the score is 0.
    """
    lexicon, tokeniser = Vocabularies(), word_tokeniser(tokenize)
    distinct = {text: number for number, text in enumerate(dict.fromkeys(references))}
    rows = np.array([distinct[text] for text in references], np.int64)
    right = take(Column(list(distinct), lexicon).encoded(tokeniser), rows)
    left = Column(list(candidates), lexicon).encoded(tokeniser)
    return plus_one(bleu_counts(left, right, Column(list(references), lexicon), _ORDERS))


def plus_one(counts: Floats) -> Floats:
    """Return BLEU+1 of rows `[candidate length, reference length, matches 1..N, totals 1..N]`."""
    orders = (counts.shape[1] - 2) // 2
    length, reference = counts[:, 0], counts[:, 1]
    extra = np.arange(orders) > 0
    matches, totals = counts[:, 2 : 2 + orders] + extra, counts[:, 2 + orders :] + extra
    found = matches[:, 0] > 0  # then there are words on both sides, and every precision is above 0
    share = np.divide(matches, totals, out=np.ones_like(matches), where=found[:, None])
    ratio = np.divide(reference + 1, length, out=np.ones_like(length), where=found)
    score: Floats = np.exp(np.minimum(0.0, 1.0 - ratio) + np.log(share).mean(axis=1))
    return np.where(found, score, 0.0)


@build_step("estimate", takes=(TRANSLATED,), gives=TRANSLATED)
@dataclass(frozen=True, kw_only=True)
class EstimateStep(BuildStep):
    """Rate each row of translated sentences: adds `quality` and `scores`.

    `metric` is "sbleu" or a metric as anywhere else ("chrf", "rouge1:stemmer=true"), the
    back-translation being its candidate and the source its reference. `scores` keep the metric's
    own scale; `quality` is the product of each score over the metric's highest, negative ones
    counting as 0. An empty back-translation scores 0. `tokenize` is that of sbleu.
    """

    metric: str = SBLEU
    tokenize: str = "13a"
    systems: tuple[str, ...] = ()  # all of a row's unless given
    threads: int | None = None
    device: str = "cpu"
    name: ClassVar[str] = "estimate"

    def __post_init__(self) -> None:
        if self.metric == SBLEU:
            word_tokeniser(self.tokenize)
        else:
            _check(make_metric(self.metric))

    @property
    def signature(self) -> Mapping[str, Any]:
        metric = f"{SBLEU}|tok:{words_label(self.tokenize)}|brevity:smoothed|version:{VERSION}"
        if self.metric != SBLEU:
            metric = make_metric(self.metric).signature("1")
        return {"step": "quality", "metric": metric, "systems": list(self.systems)}

    def check_place(self, recipe: CorpusRecipe, number: int) -> None:
        systems = translating(recipe)
        if all(system.backward is None for system in systems):
            names = ", ".join(system.name for system in systems)
            raise ConfigError(
                f"quality is estimated by the way back, which no system has ({names}); give them "
                "back_modes or back_command, or leave the step out"
            )

    def check_resources(self, recipe: CorpusRecipe, resolve: Resolve) -> None:
        if self.metric != SBLEU:  # which loads nothing
            check_loading(self)

    def apply(self, run: RecipeRun) -> None:
        run.each_row(self)

    @contextmanager
    def open(self) -> Iterator[Work]:
        if self.metric == SBLEU:
            score = partial(bleu_plus_one, tokenize=self.tokenize)
            yield lambda rows: self._rated(rows, _Scorer(SBLEU, 1.0, score))
            return
        metric, place = make_metric(self.metric), Place(threads=self.threads, device=self.device)
        metric.prepare(place)
        scorer = _Scorer(metric.name, metric.card.range[1], partial(_by, metric, place))
        yield lambda rows: self._rated(rows, scorer)

    def _rated(self, rows: Sequence[Row], scorer: _Scorer) -> Iterator[Row | Dropped]:
        """Rate rows whose back-translations are all scored together."""
        backs = [_backs(row, self.systems) for row in rows]
        texts = list(chain.from_iterable(back.values() for back in backs))
        sources = [row["text"] for row, back in zip(rows, backs, strict=True) for _ in back]
        values = iter(scorer.score(texts, sources).tolist() if texts else ())
        for row, back in zip(rows, backs, strict=True):
            yield _rated(row, dict(zip(back, islice(values, len(back)), strict=True)), scorer)


@dataclass(frozen=True, slots=True)
class _Scorer:
    """What scores back-translations against sources, its name and the highest score."""

    label: str
    top: float
    score: Callable[[Sequence[str], Sequence[str]], Floats]


def _by(metric: Metric, place: Place, backs: Sequence[str], sources: Sequence[str]) -> Floats:
    """Score with any metric; empty texts are 0, whatever it would make of them."""
    pairs = [
        SegmentTexts(back, source, source) for back, source in zip(backs, sources, strict=True)
    ]
    values = score_pairs([metric], pairs, place)[metric.name]
    return np.where([bool(back.strip()) for back in backs], values, 0.0)


def _backs(row: Row, systems: Sequence[str]) -> dict[str, str]:
    found = row.get("back") or {}
    return {name: found.get(name) or "" for name in systems or found}


def _rated(row: Row, found: dict[str, float], scorer: _Scorer) -> Row | Dropped:
    if not found:
        return Dropped(row, NO_BACK)
    for system, value in found.items():
        if math.isnan(value):
            return Dropped(row, UNDEFINED, f"{scorer.label} has no value for {system}")
    quality = math.prod(max(value, 0.0) / scorer.top for value in found.values())
    named = {f"{scorer.label}.{name}": round(value, _PLACES) for name, value in found.items()}
    scores = {**(row.get("scores") or {}), **named}
    return {**row, "quality": round(quality, _PLACES), "scores": scores}


def _check(metric: Metric) -> None:
    """Refuse a metric whose product over the systems says nothing of a single row."""
    card = metric.card
    if card.better != "higher" or not math.isfinite(card.range[1]):
        raise ConfigError(
            f"metric {metric.name!r} cannot estimate quality: a product of scores needs one of "
            "which more is better, up to a fixed highest; sbleu, chrf or embedding_cosine will do"
        )
    if metric.required() - {REFERENCES, SOURCE}:
        needs = ", ".join(sorted(metric.required()))
        raise ConfigError(f"metric {metric.name!r} cannot estimate quality: it needs {needs}")
    if metric.whole_corpus or metric.corpus() == REFERENCES:
        raise ConfigError(
            f"metric {metric.name!r} cannot estimate quality with these options: its score of one "
            "row depends on the others"
        )
