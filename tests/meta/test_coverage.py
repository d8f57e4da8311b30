"""Decisions changed and n-grams rewarded by more references."""

from __future__ import annotations

import numpy as np

from paraphrast.meta.alignment import Aligned
from paraphrast.meta.coverage import coverage, decisions


def test_decisions_are_counted_over_pairs_people_rank() -> None:
    human = np.array([3.0, 2.0, 1.0, 1.0])
    before = np.array([1.0, 2.0, 0.0, 5.0])  # right: 1-3, 2-3
    after = np.array([3.0, 3.0, 4.0, 0.0])  # right: 1-4, 2-4; the tie 1-2 is wrong
    block = Aligned("", (), human, np.stack([before, after]), np.arange(4))
    found = decisions(block, 0, 1)
    assert (found.pairs, found.improved, found.degraded) == (5, 2, 2)
    assert found.to_dict() == {"pairs": 5, "improved": 0.4, "degraded": 0.4}


def test_coverage_follows_clipping() -> None:
    (one, two) = coverage(
        ["the the cat sat"], [["the cat"]], [["the cat sat down", "the the"]], orders=2
    )
    assert (one.total, one.matched, one.newly, one.missing) == (4, 2, 2, 0)
    assert one.newly_examples == (("sat", 1), ("the", 1))
    assert (two.total, two.matched, two.newly, two.missing) == (3, 1, 2, 0)


def test_what_no_reference_has_is_missing() -> None:
    (one,) = coverage(["a b"], [["c"]], [[]], orders=1)
    assert (one.matched, one.newly, one.missing) == (0, 0, 2)
    assert one.missing_examples == (("a", 1), ("b", 1))
