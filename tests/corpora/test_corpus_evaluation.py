"""The evaluation of labelled pairs: thresholds by brute force, bins, and agreement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.corpus_evaluation import LabelledPair, LabelTally, curve_of, evaluate
from paraphrast.corpora.pair_labels import NAMES
from paraphrast.errors import InputError
from paraphrast.stats import cohen_kappa

COUNTS = st.dictionaries(
    st.fractions(0, 1, max_denominator=12).map(float),
    st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(any).map(list),
    min_size=1,
)
LABELS = st.sampled_from([*NAMES, None])


@given(COUNTS, st.floats(0, 1.2))
def test_every_threshold_has_its_accuracy(counts: dict[float, list[int]], mark: float) -> None:
    curve = curve_of(counts)
    right = sum(pos if value >= mark else neg for value, (neg, pos) in counts.items())
    total = sum(map(sum, counts.values()))
    here = next(c for c in curve if c.threshold is None or c.threshold >= mark)
    assert here.accuracy == pytest.approx(right / total)


@given(COUNTS)
def test_the_best_threshold_is_never_worse_than_the_majority(
    counts: dict[float, list[int]],
) -> None:
    best = max(cut.accuracy for cut in curve_of(counts))
    sums = [sum(pair[side] for pair in counts.values()) for side in (0, 1)]
    assert best >= max(sums) / sum(sums) - 1e-12


def test_a_corpus_by_hand() -> None:
    pairs = [
        LabelledPair("a b c", "a b c", "positive"),  # 3/3
        LabelledPair("a b c", "a b d", "positive"),  # 2/4
        LabelledPair("a b c", "a x y", "negative"),  # 1/5
        LabelledPair("a b c d", "a b c x", "negative"),  # 3/5
        LabelledPair("a b c", "a b", "unnatural"),  # 2/3, counted in its bin only
        LabelledPair("a", "b", None),
    ]
    found = evaluate(pairs)
    assert found.pairs == 6
    assert found.unlabelled == 1
    assert found.labels == {"positive": 2, "negative": 2, "unnatural": 1, "other": 0}
    assert found.bins["positive"] == (0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
    assert found.bins["negative"] == (0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0)
    assert found.bins["unnatural"] == (0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0)
    cuts = [(cut.threshold, cut.accuracy) for cut in found.curve]
    assert cuts == [(0.2, 0.5), (0.5, 0.75), (0.6, 0.5), (1.0, 0.75), (None, 0.5)]
    assert found.best.threshold == 0.5  # of equals, the lowest
    assert found.majority == 0.5


def test_in_pieces_as_at_once() -> None:
    pairs = [
        LabelledPair(f"a b {n % 4}", f"a c {n % 3}", NAMES[n % 2], NAMES[n % 3]) for n in range(40)
    ]
    tally = LabelTally("unicode")
    for at in range(0, len(pairs), 7):
        tally.add(pairs[at : at + 7])
    assert tally.done("x", agreement=True) == evaluate(pairs, agreement=True)


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30))
def test_agreement_is_that_of_pairs_labelled_twice(labels: list[tuple[str, str]]) -> None:
    pairs = [LabelledPair("a", "a", one, two) for one, two in [*labels, ("positive", "negative")]]
    found = evaluate(pairs, agreement=True).agreement
    assert found is not None
    both = [(pair.label, pair.other) for pair in pairs if pair.label and pair.other]
    assert found.pairs == len(both)
    assert found.disagreements == sum(a != b for a, b in both)
    assert found.single == sum((a is None) != (b is None) for a, b in labels)
    assert found.kappa == pytest.approx(cohen_kappa([a for a, _ in both], [b for _, b in both]))
    assert sum(map(sum, found.table)) == len(both)


def test_kappa_by_hand_and_without() -> None:
    # observed agreement 3/4; by chance 3/4 · 1/2 + 1/4 · 1/2 = 1/2; κ = 1/2
    labels = [("positive", "positive")] * 2 + [("positive", "negative"), ("negative", "negative")]
    pairs = [LabelledPair("a", "a", one, two) for one, two in labels]
    found = evaluate(pairs, agreement=True).agreement
    assert found is not None
    assert found.kappa == pytest.approx(0.5)
    assert found.table == ((2, 1), (0, 1))
    alike = evaluate([LabelledPair("a", "a", "positive", "positive")] * 3, agreement=True).agreement
    assert alike is not None
    assert alike.kappa is None
    assert evaluate(pairs).agreement is None


def test_nothing_to_evaluate() -> None:
    tally = LabelTally("unicode")
    tally.add([LabelledPair("a", "b", None), LabelledPair("a", "b", "other")])
    with pytest.raises(InputError) as error:
        tally.done("mine.jsonl")
    assert str(error.value) == (
        "mine.jsonl: none of its 2 pairs is labelled positive or negative; annotate it, or name "
        "the column of labels with --label"
    )
