"""Samplers against code that follows their definitions word by word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.generation.decoding import samplers
from paraphrast.generation.decoding.samplers import Shortlist

VALUES = st.one_of(st.floats(-8, 8, width=32), st.sampled_from([-np.inf, 0.0, 1.0]))
ROWS = st.lists(st.lists(VALUES, min_size=6, max_size=6), min_size=1, max_size=4)


def logs_of(rows: list[list[float]]) -> samplers.Logs:
    return samplers.log_softmax(np.array(rows, np.float32))


def kept(shortlist: Shortlist, row: int) -> set[int]:
    finite = np.isfinite(shortlist.logs[row])
    return set(shortlist.ids[row][finite].tolist())


@given(ROWS)
def test_log_softmax(rows: list[list[float]]) -> None:
    logs = logs_of(rows).astype(np.float64)
    for row, values in zip(logs, rows, strict=True):
        weights = np.exp(np.array(values))
        if weights.sum() == 0:
            assert (row == -np.inf).all()
        else:
            np.testing.assert_allclose(np.exp(row), weights / weights.sum(), rtol=1e-5)


@given(ROWS, st.integers(1, 8))
def test_largest_sorts_with_ties_by_the_lower_id(rows: list[list[float]], count: int) -> None:
    ids, values = samplers.largest(np.array(rows, np.float32), count)
    for row, found, gave in zip(rows, ids.tolist(), values.tolist(), strict=True):
        expected = sorted(range(6), key=lambda i: (-row[i], i))[:count]
        assert found == expected
        assert gave == [row[i] for i in expected]


@pytest.mark.parametrize("count", [1, 5, 40])
def test_largest_of_wide_rows_partitions_first(count: int) -> None:
    rng = np.random.default_rng(0)
    wide = rng.integers(0, 60, (5, 400)).astype(np.float32)  # full of ties
    wide[3] = -np.inf
    ids, _ = samplers.largest(wide, count)
    assert ids.tolist() == np.argsort(-wide, axis=1, kind="stable")[:, :count].tolist()


@given(ROWS, st.integers(1, 8))
def test_top_k_keeps_the_k_likeliest(rows: list[list[float]], k: int) -> None:
    logs = logs_of(rows)
    shortlist = samplers.top_k(logs, k)
    for number, row in enumerate(logs.tolist()):
        best = sorted(range(6), key=lambda i: (-row[i], i))[:k]
        assert kept(shortlist, number) == {i for i in best if row[i] > -np.inf}


def smallest(order: list[int], probabilities: list[float], mass: float) -> list[int]:
    """The shortest beginning of the order whose probability reaches the mass."""
    taken: list[int] = []
    total = 0.0
    for token in order:
        if total >= mass:
            break
        taken.append(token)
        total += probabilities[token]
    return [token for token in taken if probabilities[token] > 0]


@given(ROWS, st.floats(0.05, 1.0))
def test_top_p_keeps_the_smallest_set_that_reaches_p(rows: list[list[float]], p: float) -> None:
    logs = logs_of(rows)
    shortlist = samplers.top_p(logs, p)
    for number, row in enumerate(logs):
        chances = np.exp(row.astype(np.float64)).tolist()
        order = sorted(range(6), key=lambda i: (-row[i], i))
        if p < 1:
            assert kept(shortlist, number) == set(smallest(order, chances, p))
        else:
            assert kept(shortlist, number) == set(np.flatnonzero(np.isfinite(row)).tolist())


@given(ROWS, st.floats(0.05, 0.999))
def test_typical_takes_what_is_nearest_to_the_entropy(rows: list[list[float]], mass: float) -> None:
    logs = logs_of(rows)
    shortlist = samplers.typical(logs, mass)
    for number, row in enumerate(logs):
        possible = [i for i in range(6) if row[i] > -np.inf]
        chances = np.exp(row.astype(np.float64)).tolist()
        entropy = -sum(chances[i] * float(row[i]) for i in possible)
        distance = [abs(-float(row[i]) - entropy) for i in range(6)]
        found = kept(shortlist, number)
        order = sorted(possible, key=lambda i: (distance[i], i))
        expected = set(smallest(order, chances, mass))
        if found != expected:  # ties to the last bit of a 32-bit number may fall either way
            near = [distance[i] for i in found ^ expected]
            assert max(near) - min(near) < 1e-4
            assert sum(chances[i] for i in found) >= mass - 1e-6


def test_a_flat_distribution_is_looked_at_in_full() -> None:
    wide = samplers.log_softmax(np.zeros((2, 5000), np.float32))
    assert len(kept(samplers.top_p(wide, 0.9), 0)) == pytest.approx(4500, abs=2)


@given(ROWS)
def test_draw_inverts_the_cumulative_distribution(rows: list[list[float]]) -> None:
    logs = logs_of(rows)
    places = (np.arange(500) + 0.5) / 500
    for row in logs:
        many = np.broadcast_to(row, (500, 6))
        drawn = samplers.draw(samplers.everything(many), places)
        if not np.isfinite(row).any():
            assert (drawn == -1).all()
            continue
        shares = np.bincount(drawn, minlength=6) / 500
        np.testing.assert_allclose(shares, np.exp(row), atol=2 / 500)
        assert (shares[~np.isfinite(row)] == 0).all()


def test_draw_renormalises_over_the_shortlist() -> None:
    logs = np.log(np.array([[0.5, 0.3, 0.1, 0.1]], np.float32))
    two = samplers.top_k(np.repeat(logs, 800, axis=0), 2)
    drawn = samplers.draw(two, (np.arange(800) + 0.5) / 800)
    np.testing.assert_allclose(np.bincount(drawn) / 800, [0.625, 0.375], atol=0.002)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(1, 50))
def test_the_penalty_divides_probabilities_in_the_window(written: list[int], window: int) -> None:
    logs = samplers.log_softmax(np.random.default_rng(0).normal(size=(1, 6)).astype(np.float32))
    found = logs.copy()
    samplers.penalise_recent(found, np.array([written]), 5.0, window)
    chances = np.exp(logs[0].astype(np.float64))
    recent = set(written[-window:])
    expected = np.array([p / 5 if i in recent else p for i, p in enumerate(chances)])
    np.testing.assert_allclose(np.exp(found[0]), expected / expected.sum(), rtol=1e-5)


@given(ROWS, st.floats(-30, 5))
def test_reweighed_rows_add_up_to_one_again(rows: list[list[float]], gain: float) -> None:
    logs = logs_of(rows)
    found, totals = logs.copy(), np.ones(len(rows))
    for row in range(len(rows)):
        totals[row] += samplers.reweigh(found, row, np.array([1, 4]), gain)
    samplers.renormalise(found, totals)
    changed = logs.copy()
    changed[:, [1, 4]] += np.float32(gain)
    expected = samplers.log_softmax(changed)
    possible = np.isfinite(logs).any(axis=1)
    np.testing.assert_allclose(found[possible], expected[possible], atol=2e-3)


@given(st.lists(st.integers(0, 3), max_size=14), st.integers(1, 4))
def test_repeated_names_what_would_complete_a_known_n_gram(written: list[int], size: int) -> None:
    rows, tokens = samplers.repeated(np.array([written, written], np.int64).reshape(2, -1), size)
    known = {tuple(written[i : i + size]) for i in range(len(written) - size + 1)}
    tail = tuple(written[len(written) - size + 1 :]) if size > 1 else ()
    banned = {token for token in range(4) if (*tail, token) in known}
    for row in (0, 1):
        assert set(tokens[rows == row].tolist()) == banned
