"""Documents to choose chunks on: what follows stands in them, and the rule of choice."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from paraphrast.text.words import WordText
from paraphrast.train.data.examples import Example, entailed

sys.path.insert(0, str(Path(__file__).parents[2] / "recipes"))
chunks = pytest.importorskip("chunks")

ROWS = [
    Example(
        a=WordText.of(f"In town number {n} the old man sold cars"),
        b=WordText.of(f"A man sold cars in {n}."),
        group=str(n),
        forward=entailed(float(n % 2)),
    )
    for n in range(200)
]


def test_documents_hold_the_premises_and_know_what_follows() -> None:
    made = list(chunks.documents(ROWS, np.random.default_rng(1)))
    assert len(made) == chunks.EACH
    fused = 0
    for document in made:
        assert 1 <= len(document.sentences) == len(document.gold) <= chunks.MOST
        assert len(WordText.of(document.source)) - document.source.count(".") >= chunks.WORDS - 10
        for sentence, follows in zip(document.sentences, document.gold, strict=True):
            numbers = [int(word) for word in WordText.of(sentence).words if word.isdigit()]
            assert all(f"number {number} the" in document.source for number in numbers)
            assert follows == all(number % 2 for number in numbers)
            fused += len(numbers) == 2
    assert fused > 5
    assert {True, False} == {answer for document in made for answer in document.gold}


def test_two_conclusions_in_one_sentence() -> None:
    assert chunks.fused(["A man ran.", "Dogs sat."]) == "A man ran, and dogs sat."
    assert chunks.fused(["A man ran", "I sat"]) == "A man ran, and I sat."
    assert chunks.fused(["A man ran"]) == "A man ran."


def test_the_rule_takes_few_readings_where_nothing_is_lost() -> None:
    found = {
        (25, 1): [[0.700, 0.1, 0.2, 0.3, 1.0]],
        (50, 1): [[0.795, 0.5, 0.3, 0.4, 1.0]],
        (50, 6): [[0.800, 0.1, 0.9, 0.3, 6.0]],
    }
    assert chunks.choice(found) == ((50, 1), "mean")
