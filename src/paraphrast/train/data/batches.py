"""The order of training: which examples, in which order, in which batches.

Everything follows from the seed and the epoch, so that a resumed run, or one spread over several
processes, sees what an undisturbed one sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from paraphrast.models.encoder.pair_encoding import LOST, Ints, Joined, PairTokeniser
from paraphrast.train.data.assembly import Corpus
from paraphrast.train.data.examples import RELATIONS, Coded, Labels
from paraphrast.train.data.presentation import Pick, in_passage, length, lengthened
from paraphrast.train.recipe import SourcePart, TrainingRecipe

POOL = 50  # batches whose examples are sorted by length together

_NO_INTS: Ints = np.empty(0, dtype=np.int64)
_NO_LABELS: Labels = np.empty(0, dtype=np.float32)
_UNKNOWN: Labels = np.full(len(RELATIONS), np.nan, dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderBatch:
    """Arrays for the network. Labels that are not known are NaN, their weights zero.

    `forward` and `backward` are [rows, 3]: see `Example`.

    `word_row` and `word_place` point at the first sub-word of every tagged word; `masked_row` and
    `masked_place` at the sub-words to be guessed, which are `masked_id`.
    """

    ids: Ints
    mask: Ints
    types: Ints
    score: Labels
    forward: Labels
    backward: Labels
    same: Labels
    weight: Labels
    word_row: Ints
    word_place: Ints
    word_tag: Labels
    word_weight: Labels
    masked_row: Ints
    masked_place: Ints
    masked_id: Ints
    masked_weight: Labels

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def tokens(self) -> int:
        return int(self.mask.sum())

    def share(self, index: int, of: int) -> EncoderBatch:
        """Return the part of one process among several."""
        return share(self, index, of)


def plan_epoch(corpus: Corpus, recipe: TrainingRecipe, epoch: int) -> list[list[Pick]]:
    """Return the batches of an epoch: shuffled, bucketed by length, shuffled again."""
    rng = np.random.default_rng([recipe.seed, epoch])
    picks = _picks(corpus, recipe, rng)
    lengths = np.array([length(corpus.train, pick) for pick in picks])
    order = rng.permutation(len(picks))
    size = recipe.optimiser.batch
    batches: list[list[Pick]] = []
    for start in range(0, len(order), size * POOL):
        pool = order[start : start + size * POOL]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        cut = [pool[at : at + size] for at in range(0, len(pool), size)]
        batches += [[picks[place] for place in cut[at]] for at in rng.permutation(len(cut))]
    return batches


class TrainingOrder:
    """Which batch each step of a run takes; one epoch is planned at a time."""

    def __init__(self, corpus: Corpus, recipe: TrainingRecipe) -> None:
        self._corpus, self._recipe = corpus, recipe
        self._epoch, self._plan = 0, plan_epoch(corpus, recipe, 0)
        self.per_epoch = len(self._plan)
        self.steps = max(1, round(recipe.loop.epochs * self.per_epoch))

    def picks(self, step: int) -> list[Pick]:
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            self._epoch, self._plan = epoch, plan_epoch(self._corpus, self._recipe, epoch)
        return self._plan[place]


def _picks(corpus: Corpus, recipe: TrainingRecipe, rng: np.random.Generator) -> list[Pick]:
    of = np.array([example.source for example in corpus.train])
    picks: list[Pick] = []
    for number, source in enumerate(recipe.source):
        places = np.flatnonzero(of == number)
        if not len(places):
            continue
        whole, part = divmod(source.passes, 1)
        chosen = [places] * int(whole)
        chosen.append(rng.choice(places, round(part * len(places)), replace=False))
        shown = np.concatenate(chosen)
        swaps = rng.random(len(shown)) < 0.5 * source.both_orders
        long = rng.random(len(shown))
        same = places[[corpus.train[place].same == 1 for place in places]]
        for place, swap, draw in zip(shown, swaps, long, strict=True):
            pick = Pick(int(place), bool(swap))
            if draw < source.padding:
                pick = lengthened(corpus.train, pick, places, recipe.max_tokens, rng)
            elif draw < source.padding + source.passages:
                pick = in_passage(corpus.train, pick, same, recipe.max_tokens, rng)
            picks.append(pick)
    return picks


def collate(
    examples: Sequence[Coded],
    tokeniser: PairTokeniser,
    sources: Sequence[SourcePart],
    *,
    pad: int = 0,
) -> EncoderBatch:
    """Pad examples to one length and line up their labels."""
    joined = [tokeniser.join(example.a, example.b) for example in examples]
    ids = np.full((len(joined), max(map(len, joined))), pad, dtype=np.int64)
    mask, types = np.zeros_like(ids), np.zeros_like(ids)
    for row, pair in enumerate(joined):
        ids[row, : len(pair)] = pair.ids
        mask[row, : len(pair)] = 1
        types[row, : len(pair)] = pair.types
    words = [
        _words(row, pair, example, sources[example.source])
        for row, (pair, example) in enumerate(zip(joined, examples, strict=True))
    ]
    rows, places, tags, weights = (np.concatenate(part) for part in zip(*words, strict=True))
    return EncoderBatch(
        ids=ids,
        mask=mask,
        types=types,
        score=_labels([example.score for example in examples]),
        forward=_relations([example.forward for example in examples]),
        backward=_relations([example.backward for example in examples]),
        same=_labels([example.same for example in examples]),
        weight=_labels([sources[example.source].weight for example in examples]),
        word_row=rows,
        word_place=places,
        word_tag=tags,
        word_weight=weights,
        masked_row=_NO_INTS,
        masked_place=_NO_INTS,
        masked_id=_NO_INTS,
        masked_weight=_NO_LABELS,
    )


def share(batch: EncoderBatch, index: int, of: int) -> EncoderBatch:
    """Return every `of`-th example from `index` on: the part of one process among several.

    A batch with fewer examples than processes leaves some without; they get the first example
    with no weight, since every process has to take part in every step.
    """
    if of == 1:
        return batch
    if index >= len(batch):
        return _weightless(share(batch, 0, len(batch)))
    words, masked = batch.word_row % of == index, batch.masked_row % of == index
    width = int(batch.mask[index::of].sum(1).max())
    return EncoderBatch(
        ids=batch.ids[index::of, :width],
        mask=batch.mask[index::of, :width],
        types=batch.types[index::of, :width],
        score=batch.score[index::of],
        forward=batch.forward[index::of],
        backward=batch.backward[index::of],
        same=batch.same[index::of],
        weight=batch.weight[index::of],
        word_row=batch.word_row[words] // of,
        word_place=batch.word_place[words],
        word_tag=batch.word_tag[words],
        word_weight=batch.word_weight[words],
        masked_row=batch.masked_row[masked] // of,
        masked_place=batch.masked_place[masked],
        masked_id=batch.masked_id[masked],
        masked_weight=batch.masked_weight[masked],
    )


def _weightless(batch: EncoderBatch) -> EncoderBatch:
    return replace(
        batch,
        weight=batch.weight * 0,
        word_weight=batch.word_weight * 0,
        masked_weight=batch.masked_weight * 0,
    )


def _relations(values: Sequence[Labels | None]) -> Labels:
    return np.stack([_UNKNOWN if value is None else value for value in values])


def _labels(values: Sequence[float | None]) -> Labels:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float32)


def _words(
    row: int, pair: Joined, example: Coded, source: SourcePart
) -> tuple[Ints, Ints, Labels, Labels]:
    """Return row, place, tag and weight of the tagged words; their weights sum to one example."""
    if example.tags_a is None or example.tags_b is None:
        return _NO_INTS, _NO_INTS, _NO_LABELS, _NO_LABELS
    place = np.concatenate([pair.first_a, pair.first_b])
    tag = np.concatenate([example.tags_a, example.tags_b])
    seen = place != LOST
    place, tag = place[seen], tag[seen]
    weight = np.where(tag > 0.5, source.tagged, 1.0).astype(np.float32)
    weight *= source.weight / max(len(place), 1)
    return np.full(len(place), row, dtype=np.int64), place, tag, weight
