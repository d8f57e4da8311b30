"""Is a labelled corpus trivial? How far word overlap alone tells its paraphrases from the rest.

Suzuki et al. 2017: labels by bin of word overlap (Table 1, Figures 2 and 3), the accuracy of
calling a pair a paraphrase if its overlap reaches a threshold (section 5.2, Figure 4), and the
agreement of two annotators (section 4.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.pair_labels import NAMES, NEGATIVE, POSITIVE
from paraphrast.corpora.word_overlap import BINS, bins_of, overlap, rates
from paraphrast.errors import InputError
from paraphrast.stats import cohen_kappa

Ints = NDArray[np.int64]


class LabelledPair(NamedTuple):
    """Two texts with the label they have, if any, and that of another annotator."""

    text1: str
    text2: str
    label: str | None
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """What calling pairs with at least this overlap paraphrases gets right; None: none is one."""

    threshold: float | None
    accuracy: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two annotators' labels agree; κ is None where it is undefined.

    `table` counts pairs by the first label (rows) and the other (columns), in the order of
    `labels`; `single` counts pairs that only one of them labelled.
    """

    pairs: int
    kappa: float | None
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    single: int

    @property
    def disagreements(self) -> int:
        return self.pairs - sum(row[place] for place, row in enumerate(self.table))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What the labels of one corpus look like beside its word overlap.

    `bins` counts, for each label, the pairs of each bin, the last being that of exact matches.
    `curve` holds a cut at each value of overlap there is: between two of them nothing changes.
    """

    pairs: int
    labels: dict[str, int]
    unlabelled: int
    bins: dict[str, tuple[int, ...]]
    curve: tuple[Cut, ...]
    agreement: Agreement | None = None

    @property
    def best(self) -> Cut:
        """The cut that is right most often; of equals, the lowest."""
        return max(self.curve, key=lambda cut: cut.accuracy)

    @property
    def majority(self) -> float:
        """Accuracy of giving every pair the more frequent of the two labels."""
        positive, negative = self.labels[POSITIVE], self.labels[NEGATIVE]
        return max(positive, negative) / (positive + negative)

    def to_dict(self) -> dict[str, Any]:
        agreed = self.agreement
        return {
            "pairs": self.pairs,
            "labels": self.labels,
            "unlabelled": self.unlabelled,
            "bins": {name: list(counts) for name, counts in self.bins.items()},
            "best": {"threshold": self.best.threshold, "accuracy": self.best.accuracy},
            "majority": self.majority,
            "curve": [[cut.threshold, cut.accuracy] for cut in self.curve],
            "agreement": agreed
            and {
                "pairs": agreed.pairs,
                "kappa": agreed.kappa,
                "disagreements": agreed.disagreements,
                "labels": list(agreed.labels),
                "table": [list(row) for row in agreed.table],
                "single": agreed.single,
            },
        }


@dataclass(slots=True)
class LabelTally:
    """Counts of a corpus, taken a few thousand pairs at a time; memory does not grow with it."""

    tokenize: str
    counts: Ints = field(default_factory=lambda: np.zeros((len(NAMES), BINS), np.int64))
    by_overlap: dict[float, list[int]] = field(default_factory=dict)  # negatives, positives
    confusion: Ints = field(default_factory=lambda: np.zeros((len(NAMES), len(NAMES)), np.int64))
    unlabelled: int = 0
    single: int = 0

    def add(self, pairs: Sequence[LabelledPair]) -> None:
        """Count pairs; those without a label only as such."""
        for pair in pairs:
            if pair.label and pair.other:
                self.confusion[NAMES.index(pair.label), NAMES.index(pair.other)] += 1
            elif pair.other or pair.label:
                self.single += 1
        labelled = [pair for pair in pairs if pair.label]
        self.unlabelled += len(pairs) - len(labelled)
        if not labelled:
            return
        texts = [pair.text1 for pair in labelled], [pair.text2 for pair in labelled]
        shared, all_ = overlap(*texts, self.tokenize)
        labels = np.array([NAMES.index(pair.label) for pair in labelled if pair.label], np.int64)
        np.add.at(self.counts, (labels, bins_of(shared, all_)), 1)
        rate = rates(shared, all_)
        for name, place in ((NEGATIVE, 0), (POSITIVE, 1)):
            values, times = np.unique(rate[labels == NAMES.index(name)], return_counts=True)
            for value, count in zip(values.tolist(), times.tolist(), strict=True):
                self.by_overlap.setdefault(value, [0, 0])[place] += count

    def done(self, name: str, *, agreement: bool = False) -> Evaluation:
        """Return what was counted; `name` is the corpus's, for messages."""
        totals = dict(zip(NAMES, self.counts.sum(axis=1).tolist(), strict=True))
        if not totals[POSITIVE] + totals[NEGATIVE]:
            found = f"{sum(totals.values()) + self.unlabelled:,} pairs"
            raise InputError(
                f"{name}: none of its {found} is labelled {POSITIVE} or {NEGATIVE}; annotate it, "
                "or name the column of labels with --label"
            )
        return Evaluation(
            pairs=sum(totals.values()) + self.unlabelled,
            labels=totals,
            unlabelled=self.unlabelled,
            bins={n: tuple(row.tolist()) for n, row in zip(NAMES, self.counts, strict=True)},
            curve=curve_of(self.by_overlap),
            agreement=_agreement(self.confusion, self.single) if agreement else None,
        )


def evaluate(
    pairs: Iterable[LabelledPair], *, tokenize: str = "unicode", agreement: bool = False
) -> Evaluation:
    """Evaluate labelled pairs held in memory."""
    tally = LabelTally(tokenize)
    tally.add(list(pairs))
    return tally.done("the corpus", agreement=agreement)


def curve_of(by_overlap: dict[float, list[int]]) -> tuple[Cut, ...]:
    """Return the accuracy of every threshold from counts of negatives and positives by overlap."""
    values = sorted(by_overlap)
    counts = np.array([by_overlap[value] for value in values], np.int64)
    below = np.concatenate([[0], np.cumsum(counts[:, 0])])  # negatives rightly left out
    above = counts[:, 1].sum() - np.concatenate([[0], np.cumsum(counts[:, 1])])
    right = ((below + above) / counts.sum()).tolist()
    return tuple(Cut(*cut) for cut in zip([*values, None], right, strict=True))


def _agreement(confusion: Ints, single: int) -> Agreement | None:
    pairs = int(confusion.sum())
    used = (confusion.sum(axis=0) + confusion.sum(axis=1)) > 0
    names = tuple(name for name, is_used in zip(NAMES, used, strict=True) if is_used)
    table = confusion[used][:, used]
    # chance explains everything, and κ nothing, where both give one label throughout
    kappa = _kappa(names, table) if len(names) > 1 else None
    return Agreement(pairs, kappa, names, tuple(map(tuple, table.tolist())), single)


def _kappa(names: Sequence[str], table: Ints) -> float:
    cells = [(a, b, int(table[x, y])) for x, a in enumerate(names) for y, b in enumerate(names)]
    first = [a for a, _, count in cells for _ in range(count)]
    return cohen_kappa(first, [b for _, b, count in cells for _ in range(count)])
