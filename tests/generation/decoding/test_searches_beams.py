"""Beams against exhaustive search and against a second, plain beam search."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.generation.decoding.decoding_loop import SHORTEN_COST
from tests.generation.toy import Toy

SEEDS = st.integers(0, 200)
PENALTIES = st.sampled_from([0.0, 0.6, 1.0, 2.0])


@settings(max_examples=25)
@given(SEEDS, PENALTIES, st.integers(1, 2))
def test_enough_beams_are_exhaustive(seed: int, penalty: float, least: int) -> None:
    toy = Toy(seed=seed)
    best = sorted(
        (
            (-toy.logprob("a b", ids) / (len(ids) + 1) ** penalty, ids)
            for ids in toy.texts(4, least)
        ),
    )[:5]
    decoding = Decoding(
        method="beam",
        beams=130,  # there are 120 texts of up to 4 sub-words
        n=5,
        patience=math.inf,
        length_penalty=penalty,
        min_length=least,
        max_length=4,
    )
    found = decode(toy, ["a b"], decoding)[0]
    assert [c.ids for c in found] == [ids for _, ids in best]
    for candidate, (score, ids) in zip(found, best, strict=True):
        assert candidate.score == pytest.approx(-score, abs=1e-5)
        assert candidate.logprob == pytest.approx(toy.logprob("a b", ids), abs=1e-5)
        assert candidate.finished


@settings(max_examples=25)
@given(SEEDS, st.floats(0.2, 1.5))
def test_shortened_texts_pay_for_each_sub_word_beyond_the_share(seed: int, share: float) -> None:
    toy = Toy(seed=seed)
    free = math.ceil(share * 3)

    def score(ids: tuple[int, ...]) -> float:
        excess = max(0, len(ids) - free)
        return (toy.logprob("a b c", ids) - SHORTEN_COST * excess) / (len(ids) + 1)

    best = sorted(toy.texts(4), key=lambda ids: -score(ids))[:3]
    decoding = Decoding(
        method="beam", beams=130, n=3, patience=math.inf, shorten=share, max_length=4
    )
    assert [c.ids for c in decode(toy, ["a b c"], decoding)[0]] == best


def plain(toy: Toy, source: str, width: int, most: int, groups: int, diversity: float) -> Any:
    """Diverse beam search with lists: per group, the live beams and the texts put away."""
    prompt = toy.encode([source])[0]
    live: list[list[tuple[float, tuple[int, ...]]]] = [[(0.0, ())] for _ in range(groups)]
    away: list[list[tuple[float, tuple[int, ...], bool]]] = [[] for _ in range(groups)]
    for length in range(most + 1):
        taken: Counter[int] = Counter()
        for group in range(groups):
            options = []
            for total, ids in live[group]:
                logs = toy.logs(prompt, ids)
                for token in range(0 if ids else 1, toy.vocabulary):
                    new = total + float(logs[token])
                    options.append((new - diversity * taken[token], new, ids, token))
            options.sort(key=lambda option: -option[0])
            for _, total, ids, token in options[:width]:
                if token == toy.end:
                    away[group].append((total / (len(ids) + 1), ids, True))
            on = [option for option in options[: 2 * width] if option[3] != toy.end][:width]
            if length == most:
                ended = {ids for _, ids, _ in away[group]}
                away[group] += [(t / len(i), i, False) for t, i in live[group] if i not in ended]
            done = length == most or len(away[group]) >= width
            live[group] = [] if done else [(total, (*ids, t)) for _, total, ids, t in on]
            taken.update(ids[-1] for _, ids in live[group])
    every = sorted((not finished, -score, ids) for each in away for score, ids, finished in each)
    distinct: dict[tuple[int, ...], bool] = {}
    for cut, _, ids in every:
        distinct.setdefault(ids, not cut)
    return list(distinct.items())


@given(SEEDS, st.sampled_from([(2, 1), (3, 1), (4, 2), (6, 3), (4, 4)]), st.floats(0, 3))
def test_narrow_and_diverse_beams_match_a_plain_search(
    seed: int, shape: tuple[int, int], diversity: float
) -> None:
    beams, groups = shape
    toy = Toy((" a", " b", " c", " d"), seed=seed)
    options: dict[str, Any] = {"method": "beam"}
    if groups > 1:
        options = {"method": "diverse-beam", "groups": groups, "diversity": diversity}
    decoding = Decoding(beams=beams, n=beams, max_length=5, **options)
    found = decode(toy, ["a d b"], decoding)[0]
    expected = plain(toy, "a d b", beams // groups, 5, groups, diversity)
    assert [(c.ids, c.finished) for c in found] == expected[:beams]


@given(SEEDS)
def test_one_beam_is_greedy(seed: int) -> None:
    toy = Toy(seed=seed)
    greedy = decode(toy, ["b"], Decoding(method="greedy", max_length=7))
    assert decode(toy, ["b"], Decoding(method="beam", beams=1, max_length=7))[0][0].ids in {
        greedy[0][0].ids,
        greedy[0][0].ids[:-1],  # an end cut off by the length is no end for a beam
    }


def test_groups_without_a_price_find_the_same_text_and_with_one_others() -> None:
    toy = Toy(tuple(f" {letter}" for letter in "abcdefgh"), seed=4)
    shape: dict[str, Any] = {"method": "diverse-beam", "beams": 4, "n": 4, "max_length": 4}
    shortfalls: Counter[str] = Counter()
    same = decode(toy, ["a b c"], Decoding(**shape, diversity=0.0), shortfalls=shortfalls)[0]
    assert len(same) == 1
    assert shortfalls == {"the search found fewer distinct texts": 3}
    apart = decode(toy, ["a b c"], Decoding(**shape, diversity=50.0))[0]
    assert len({c.ids[0] for c in apart}) == 4


@given(SEEDS, st.integers(1, 6))
def test_the_n_best_are_distinct_sorted_and_nested(seed: int, n: int) -> None:
    toy = Toy((" a", " b", " a b", " c"), seed=seed)  # " a b" has two spellings
    found = decode(toy, ["a b"], Decoding(method="beam", beams=6, n=n, max_length=5))[0]
    texts = [c.text for c in found]
    assert len(set(texts)) == len(texts) <= n
    keys = [(not c.finished, -c.score) for c in found]
    assert keys == sorted(keys)
    more = decode(toy, ["a b"], Decoding(method="beam", beams=6, n=6, max_length=5))[0]
    assert more[:n] == found


def test_patience_waits_for_more_texts() -> None:
    better = 0
    for seed in range(30):
        toy = Toy(seed=seed)
        scores = [
            decode(toy, ["a b c"], Decoding(method="beam", beams=2, patience=p, max_length=6))[0][0]
            for p in (1.0, 4.0)
        ]
        assert scores[1].score >= scores[0].score - 1e-6 or not scores[0].finished
        better += scores[1].score > scores[0].score + 1e-6
    assert better
