"""How near a small embedder is, and what unrelated texts get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paraphrast.errors import ModelError
from paraphrast.train.export.embedder.embedder_parity import (
    EmbedParity,
    Unit,
    baseline,
    bertscore,
    compare,
)
from paraphrast.train.export.embedder.embedder_states import States, TextRow

RNG = np.random.default_rng(4)


def row(length: int) -> TextRow:
    special = np.zeros(length, dtype=np.bool_)
    special[[0, -1]] = True
    return TextRow(RNG.integers(5, 50, length), special)


class Table:
    """A network whose states are looked up, two layers of them; `moved` adds a little to each."""

    def __init__(self, moved: float = 0.0, padded: float = 0.0) -> None:
        draw = np.random.default_rng(1)
        self.table = 0.7 + draw.normal(size=(2, 50, 8)) + moved * draw.normal(size=(2, 50, 8))
        self.padded = padded

    def read(self, rows: Sequence[TextRow], layers: Sequence[int] | None = None) -> list[States]:
        chosen = self.table[layers] if layers else self.table
        return [chosen[:, one.ids].astype(np.float32) for one in rows]

    def read_at_once(self, rows: Sequence[TextRow], layers: Sequence[int]) -> list[States]:
        """What a network does whose results depend on the batch."""
        longest = max(map(len, rows))
        found = zip(self.read(rows, layers), rows, strict=True)
        return [states + np.float32(self.padded * (longest - len(one))) for states, one in found]


def units(count: int) -> list[Unit]:
    rows = [row(int(length)) for length in RNG.integers(3, 9, count)]
    return [Unit.of(states, one) for states, one in zip(Table().read(rows), rows, strict=True)]


def test_it_is_the_score_of_the_authors_package() -> None:
    torch = pytest.importorskip("torch")
    package = pytest.importorskip("bert_score.utils")
    for candidate, reference in (units(2) for _ in range(20)):
        given: list[Any] = []
        for unit in (reference, candidate):
            weights = torch.tensor(unit.counts, dtype=torch.float32)[None]
            given += [torch.tensor(unit.states[1])[None], torch.ones_like(weights), weights]
        p, r, f = (float(value[0]) for value in package.greedy_cos_idf(*given))
        assert bertscore(candidate, reference)[1] == pytest.approx([p, r, f], abs=1e-6)


def test_special_sub_words_are_matched_but_do_not_count() -> None:
    """By hand: of the candidate's two words one is like a word, one like the special sub-word."""
    reference = Unit(np.array([[[1, 0], [0, 1]]], np.float32), np.array([False, True]))
    candidate = Unit(np.array([[[1, 0], [0, 1], [0.6, 0.8]]], np.float32), np.array([1, 1, 0]) > 0)
    assert bertscore(candidate, reference)[0] == pytest.approx([1.0, 1.0, 1.0])
    assert bertscore(reference, candidate)[0] == pytest.approx([1.0, 1.0, 1.0])
    turned = Unit(candidate.states, np.array([False, False, True]))
    assert bertscore(turned, reference)[0] == pytest.approx([0.8, 1.0, 2 * 0.8 / 1.8])


def test_an_equal_network_is_equal_and_another_is_not() -> None:
    rows = [row(int(length)) for length in RNG.integers(3, 9, 40)]
    expected = Table().read(rows, [1])
    same: Any = Table()
    found = compare(same, expected, rows, 1)
    assert found == EmbedParity(20, 1, 1.0, 0.0, 0.0, 1.0, 0.0)
    other: Any = Table(moved=2.0)
    worse = compare(other, expected, rows, 1)
    assert worse.token_cosine < 0.8
    assert worse.f_worst_difference > worse.f_mean_difference > 0.01
    assert worse.f_r < 0.9


def test_padding_that_shows_is_found() -> None:
    rows = [row(3), row(8), row(5), row(6)]
    network: Any = Table(padded=0.01)
    found = compare(network, Table().read(rows, [0]), rows, 0)
    assert found.batch_difference > 1e-3
    with pytest.raises(ModelError, match=r"on 2 pairs at layer 0: .*batch against single \d"):
        found.check()


@pytest.mark.parametrize(
    "changes", [{"f_mean_difference": 0.0151}, {"f_r": 0.9899}, {"batch_difference": 1.1e-4}]
)
def test_each_limit_is_one(changes: dict[str, float]) -> None:
    good = EmbedParity(500, 4, 0.99, 0.015, 0.2, 0.99, 1e-4)
    good.check()
    assert not replace(good, **changes).good


def test_the_baseline_is_the_mean_over_pairs_of_different_texts() -> None:
    rows = [row(int(length)) for length in RNG.integers(3, 9, 30)]
    network: Any = Table()
    every = [Unit.of(states, one) for states, one in zip(network.read(rows), rows, strict=True)]
    pairs = [bertscore(a, b) for a in every for b in every if a is not b]
    found = np.array(baseline(network, rows, 3000, seed=1))
    assert found.shape == (2, 3)
    assert found == pytest.approx(np.mean(pairs, axis=0), abs=0.01)
    assert baseline(network, rows, 29, seed=1) == baseline(network, rows, 29, seed=1)
    alone = baseline(network, rows[:2], 1, seed=1)
    one = bertscore(every[0], every[1]), bertscore(every[1], every[0])
    assert any(np.allclose(alone, found, atol=1e-6) for found in one)
