"""Drawn texts: their distribution is exact, and every draw is its own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.generation.decoding.decode import Candidate, Decoding, decode
from tests.generation.toy import Toy

SOURCE = "a b"
MOST = 3
Change = Callable[[np.ndarray, tuple[int, ...]], np.ndarray]


def exact(toy: Toy, change: Change) -> dict[tuple[tuple[int, ...], bool], float]:
    """The probability of every text, when each step's distribution is changed before drawing."""
    prompt = toy.encode([SOURCE])[0]
    found: dict[tuple[tuple[int, ...], bool], float] = {}
    stack: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while stack:
        prefix, chance = stack.pop()
        weights = np.exp(toy.logs(prompt, prefix))
        if not prefix:
            weights[toy.end] = 0  # no output is empty
        weights = change(weights / weights.sum(), prefix)
        weights = weights / weights.sum()
        found[prefix, True] = chance * weights[toy.end]
        if len(prefix) == MOST:
            found[prefix, False] = chance * (1 - weights[toy.end])
            continue
        stack += [((*prefix, token), chance * weights[token]) for token in range(1, toy.vocabulary)]
    return {key: value for key, value in found.items() if value > 0}


def as_it_is(weights: np.ndarray, _prefix: tuple[int, ...]) -> np.ndarray:
    return weights


def cooled(weights: np.ndarray, _prefix: tuple[int, ...]) -> np.ndarray:
    return weights ** (1 / 0.6)


def best_two(weights: np.ndarray, _prefix: tuple[int, ...]) -> np.ndarray:
    return np.where(np.argsort(np.argsort(-weights)) < 2, weights, 0)


def nucleus(weights: np.ndarray, _prefix: tuple[int, ...]) -> np.ndarray:
    order = np.argsort(-weights)
    before = np.concatenate([[0], np.cumsum(weights[order])[:-1]])
    kept = np.zeros_like(weights)
    kept[order[before < 0.7]] = 1
    return weights * kept


def typical(weights: np.ndarray, _prefix: tuple[int, ...]) -> np.ndarray:
    logs = np.log(np.where(weights > 0, weights, 1))
    distance = np.where(weights > 0, np.abs(-logs + (weights * logs).sum()), np.inf)
    order = np.argsort(distance)
    before = np.concatenate([[0], np.cumsum(weights[order])[:-1]])
    kept = np.zeros_like(weights)
    kept[order[before < 0.6]] = 1
    return weights * kept


def penalised(weights: np.ndarray, prefix: tuple[int, ...]) -> np.ndarray:
    divisors = [5.0 if token in prefix[-2:] else 1.0 for token in range(len(weights))]
    return weights / np.array(divisors)


def never_twice(weights: np.ndarray, prefix: tuple[int, ...]) -> np.ndarray:
    return np.array([0 if token in prefix else w for token, w in enumerate(weights)])


@pytest.mark.parametrize(
    ("options", "change"),
    [
        ({"method": "sample"}, as_it_is),
        ({"method": "sample", "temperature": 0.6}, cooled),
        ({"method": "top-k", "top_k": 2}, best_two),
        ({"method": "top-p", "top_p": 0.7}, nucleus),
        ({"method": "typical", "typical": 0.6}, typical),
        ({"method": "sample", "repetition_penalty": 5, "repetition_window": 2}, penalised),
        ({"method": "sample", "no_repeat": 1}, never_twice),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
def test_draws_follow_the_exact_distribution(options: dict[str, Any], change: Change) -> None:
    toy = Toy(seed=3)
    count = 4000
    decoding = Decoding(n=count, max_length=MOST, protect=False, **options)
    drawn = Counter((c.ids, c.finished) for c in decode(toy, [SOURCE], decoding)[0])
    expected = exact(toy, change)
    assert drawn.keys() <= expected.keys()
    for key, chance in expected.items():
        spread = math.sqrt(chance * (1 - chance) / count)
        assert abs(drawn[key] / count - chance) < 4.5 * spread + 2 / count, key


def test_greedy_takes_the_likeliest_sub_word_at_each_step() -> None:
    toy = Toy(seed=5, ending=-1)
    prompt = toy.encode(["c a"])[0]
    ids: list[int] = []
    while len(ids) < 8:
        logs = toy.logs(prompt, ids)
        token = int(logs.argmax()) if ids else int(logs[1:].argmax()) + 1
        if token == toy.end:
            break
        ids.append(token)
    (candidate,) = decode(toy, ["c a"], Decoding(method="greedy", max_length=8))[0]
    assert candidate.ids == tuple(ids)
    assert candidate.finished == (len(ids) < 8 or toy.logs(prompt, ids).argmax() == toy.end)


def test_a_set_of_draws_spreads_out_and_the_first_is_as_without() -> None:
    toy = Toy(tuple(f" {letter}" for letter in "abcdefgh"), seed=1)
    options: dict[str, Any] = {"method": "sample", "max_length": 4, "n": 400}
    alone = decode(toy, ["a b c"], Decoding(**options))[0]
    sets = decode(toy, ["a b c"], Decoding(**options, groups=4, diversity=50.0))[0]
    assert [c.ids for c in sets[::4]] == [c.ids for c in alone[::4]]
    for first in range(0, 400, 4):
        openings = [c.ids[0] for c in sets[first : first + 4]]
        assert len(set(openings)) == 4


@settings(max_examples=20)
@given(st.integers(0, 50), st.sampled_from(["sample", "top-k", "top-p", "typical"]))
def test_a_draw_does_not_depend_on_how_many_there_are(seed: int, method: str) -> None:
    toy = Toy(seed=seed)
    for groups in (None, 2, 3):

        def draws(n: int, groups: int | None = groups) -> list[Candidate]:
            given = Decoding(method=method, n=n, seed=seed, groups=groups, max_length=6)
            return decode(toy, ["a c b"], given)[0]

        assert draws(7)[:3] == draws(3)
        assert draws(3)[:1] == draws(1)


def test_another_seed_gives_other_draws() -> None:
    toy = Toy()
    first, second, again = (
        [c.ids for c in decode(toy, ["a b"], Decoding(n=20, seed=seed))[0]] for seed in (1, 2, 1)
    )
    assert first == again != second


def test_many_draws_are_spread_over_batches_without_a_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = Decoding(n=23, max_length=5, groups=2)
    whole = decode(Toy(), ["a b", "c"], wanted)
    monkeypatch.setattr("paraphrast.generation.decoding.decoding_loop.MOST_ROWS", 5)
    toy = Toy()
    assert decode(toy, ["a b", "c"], wanted) == whole
    assert toy.widest <= 5
