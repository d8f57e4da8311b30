"""What stands in the checks is what is measured; and who may veto."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "recipes"))

from measure_checks import (  # noqa: E402
    LabelledPair,
    Refusals,
    check_table,
    measured,
    paws_held_out,
    tuning_pairs,
)
from paraphrast.meaning.checks.check import Check  # noqa: E402
from paraphrast.meaning.checks.evidence import CHECKS, EVIDENCE  # noqa: E402
from paraphrast.text.words import WordText  # noqa: E402

NEEDED = 0.95
Pairs = list[LabelledPair]


@pytest.fixture(scope="module")
def pairs(data: Callable[[str], Path]) -> Pairs:
    data("pairs/paws_wiki.train.jsonl.gz")
    return [*paws_held_out(), *tuning_pairs()]


def test_the_pairs_are_those_of_the_recipe_and_of_the_tuning_half(pairs: Pairs) -> None:
    assert (len(pairs), sum(not one.same for one in pairs)) == (541, 299)


@pytest.mark.parametrize("check", EVIDENCE, ids=lambda one: one.name)
def test_a_check_states_what_is_measured(check: Check, pairs: Pairs) -> None:
    found = measured(check, pairs)
    assert (check.precision, check.recall) == (found.precision, found.recall)
    assert check.refused == found.refused
    assert check.doubt == pytest.approx((found.refused - found.right + 1) / (found.refused + 2))
    may_veto = found.refused > 0 and found.precision >= NEEDED
    assert (type(check) in map(type, CHECKS)) is may_veto


def test_refusals_are_counted() -> None:
    texts = [("2 cats", "3 cats", False), ("2 cats", "3 cats", True), ("2 cats", "a dog", False)]
    made = [LabelledPair(WordText.of(a), WordText.of(b), same) for a, b, same in texts]
    [number] = [one for one in EVIDENCE if one.name == "number"]
    assert measured(number, made) == Refusals(pairs=3, different=2, refused=2, right=1)
    lines = list(check_table({"made": made}))
    assert lines[1].split()[:8] == ["number", "made", "3", "2", "2", "1", "0.500", "[0.095"]
