from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.build.steps.balance import (
    EXACT_MATCH,
    NOT_SAMPLED,
    BalanceStep,
    Bin,
    bin_table,
)
from paraphrast.corpora.build.steps.pairing import PairStep
from paraphrast.corpora.word_overlap import bin_names, bin_of
from paraphrast.engine.step import Dropped, Row
from paraphrast.errors import ConfigError, InputError


def pair(number: int, overlap: float, quality: float | None, *sources: str) -> Row:
    return {
        "id": f"{number:09d}",
        "text1": "a b c",
        "text2": "a b",
        "overlap": overlap,
        "quality": quality,
        "source": "one two",
        "sources": list(sources or [f"s{number}"]),
    }


def run(step: BalanceStep, given: list[Row]) -> list[Row | Dropped]:
    done: list[int] = []
    found = list(step.run(lambda: iter(given), Path(), done.append))
    assert sum(done) == len(given)
    return found


def kept(found: list[Row | Dropped]) -> list[int]:
    return [int(row["id"]) for row in found if isinstance(row, dict)]


def test_the_best_of_each_bin_are_taken_and_the_rest_told_apart() -> None:
    given = [
        *(pair(0, 0.3, 0.1), pair(1, 0.35, 0.9), pair(2, 0.39, 0.5), pair(3, 0.4, 0.2)),
        *(pair(4, 1.0, 1.0), pair(5, 0.3, None), pair(6, 0.95, None)),
    ]
    found = run(BalanceStep(per_bin=2), given)
    assert kept(found) == [1, 2, 3, 6]
    dropped = [(row.reason, row.detail) for row in found if isinstance(row, Dropped)]
    assert dropped == [
        (NOT_SAMPLED, "[0.3, 0.4)"),
        (EXACT_MATCH, "1"),
        (NOT_SAMPLED, "[0.3, 0.4)"),
    ]


def test_a_source_gives_one_pair_and_the_scarcer_bin_chooses_first() -> None:
    given = [
        *(pair(0, 0.1, 0.9, "s"), pair(1, 0.1, 0.8, "t"), pair(2, 0.5, 0.1, "s")),
        pair(3, 0.1, 0.7, "u", "s"),
    ]
    assert kept(run(BalanceStep(per_bin=2), given)) == [1, 2]
    assert kept(run(BalanceStep(per_bin=2, repeat_sources=True), given)) == [0, 1, 2]


PAIRS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.1, 0.29, 0.3, 0.7, 0.99, 1.0]),
        st.sampled_from([None, 0.0, 0.5, 0.75]),
        st.integers(0, 12),
    ),
    max_size=40,
)


@given(drawn=PAIRS, per_bin=st.integers(1, 5), repeat=st.booleans(), seed=st.integers())
def test_no_better_pair_is_left_behind(
    drawn: list[tuple[float, float | None, int]], per_bin: int, repeat: bool, seed: int
) -> None:
    given = [pair(n, share, good, f"s{s}") for n, (share, good, s) in enumerate(drawn)]
    found = run(BalanceStep(per_bin=per_bin, repeat_sources=repeat, seed=seed), given)
    sample = [row for row in found if isinstance(row, dict)]
    assert [row if isinstance(row, dict) else row.row for row in found] == given
    used = {source for row in sample for source in row["sources"]}
    assert repeat or len(used) == len(sample)
    counts = Counter(bin_of(row["overlap"]) for row in sample)
    assert max(counts.values(), default=0) <= per_bin
    assert counts[10] == 0
    for row in found:
        if not isinstance(row, Dropped) or row.reason == EXACT_MATCH:
            continue
        place = bin_of(row.row["overlap"])
        worst = min((_rank(r) for r in sample if bin_of(r["overlap"]) == place), default=math.inf)
        full = counts[place] == per_bin and _rank(row.row) <= worst
        assert full or (not repeat and used & set(row.row["sources"]))


def _rank(row: Row) -> float:
    return -math.inf if row["quality"] is None else float(row["quality"])


def test_equals_are_drawn_by_the_seed_whatever_their_order() -> None:
    given = [pair(n, 0.2, 0.5) for n in range(200)]
    first = kept(run(BalanceStep(per_bin=20, seed=1), given))
    turned = kept(run(BalanceStep(per_bin=20, seed=1), given[::-1]))
    assert first == sorted(turned)
    assert first != kept(run(BalanceStep(per_bin=20, seed=2), given))
    assert first != list(range(20))


def test_the_table_counts_what_there_was_and_what_is_short() -> None:
    given = [
        *(pair(0, 0.3, 0.5), {**pair(1, 0.35, 0.2), "text1": "a b c d e", "source": None}),
        pair(2, 1.0, 0.3),
    ]
    sample = [row for row in run(BalanceStep(per_bin=1), given) if isinstance(row, dict)]
    table = bin_table(iter(given), sample, per_bin=2)
    assert [line.bin for line in table] == list(bin_names())
    assert table[3] == Bin("[0.3, 0.4)", 2, 1, 1, 2.0, 4.0, 2.0)
    assert table[10] == Bin("1", 1, 0, 0, 2.0, 3.0, 2.0)
    assert table[0] == Bin("[0, 0.1)", 0, 0, 2, None, None, None)
    assert table[3].to_dict()["shortfall"] == 1


def test_real_paraphrases_as_two_systems(mrpc: tuple[list[str], list[str]]) -> None:
    rows = [
        {"id": f"{n:09d}", "text": one, "quality": n % 7 / 7, "translations": {"a": one, "b": two}}
        for n, (one, two) in enumerate(zip(*mrpc, strict=True))
    ]
    with PairStep().open() as work:
        pairs = [row for row in work(rows) if isinstance(row, dict)]
    found = run(BalanceStep(per_bin=50), pairs)
    sample = [row for row in found if isinstance(row, dict)]
    table = bin_table(pairs, sample, per_bin=50)
    assert sum(line.available for line in table) == len(pairs)
    for line in table[:-1]:
        assert line.sampled == min(line.available, 50)
        assert line.shortfall == 50 - line.sampled
    assert table[-1].sampled == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"overlap": 1.5}, "pair 000000000 has no word overlap between 0 and 1: found 1.5"),
        ({"overlap": None}, "pair 000000000 has no word overlap between 0 and 1: found None"),
        ({"quality": math.nan}, "pair 000000000 has no number for its quality: nan"),
        ({"quality": "1"}, "pair 000000000 has no number for its quality: '1'"),
    ],
)
def test_pairs_without_their_numbers_are_named(change: Row, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(BalanceStep(per_bin=1), [{**pair(0, 0.5, 0.5), **change}])


def test_wrong_options_are_refused_and_all_are_in_the_signature() -> None:
    with pytest.raises(ConfigError, match="per_bin must be at least 1; got 0"):
        BalanceStep(per_bin=0)
    plain = json.dumps(BalanceStep(per_bin=1).signature)
    for change in ({"per_bin": 2}, {"repeat_sources": True}, {"seed": 1}):
        assert json.dumps(BalanceStep(**{"per_bin": 1, **change}).signature) != plain
