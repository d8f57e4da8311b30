from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.build.steps.splits import SplitStep, components
from paraphrast.corpora.text_store import normal_form
from paraphrast.engine.step import Row
from paraphrast.errors import ConfigError, InputError


def pairs(texts: list[tuple[str, str, str | None]]) -> list[Row]:
    return [
        {"id": f"{n:09d}", "text1": one, "text2": two, "source": source}
        for n, (one, two, source) in enumerate(texts)
    ]


def run(step: SplitStep, given: list[Row]) -> list[Row]:
    done: list[int] = []
    found = list(step.run(lambda: iter(given), Path(), done.append))
    assert sum(done) == len(given)
    assert [{k: v for k, v in row.items() if k != "split"} for row in found] == given
    return found


def shared(found: list[Row]) -> set[str]:
    """The sentences that are in two splits."""
    seen: dict[str, str] = {}
    twice = set()
    for row in found:
        for name in ("text1", "text2", "source"):
            if row[name]:
                form = normal_form(row[name]) or row[name]
                if seen.setdefault(form, row["split"]) != row["split"]:
                    twice.add(form)
    return twice


def _brute(keys: list[list[int]]) -> list[int]:
    group = list(range(len(keys)))
    changed = True
    while changed:
        changed = False
        for a in range(len(keys)):
            for b in range(a):
                if group[a] != group[b] and set(keys[a]) & set(keys[b]):
                    old, new = max(group[a], group[b]), min(group[a], group[b])
                    group = [new if g == old else g for g in group]
                    changed = True
    return group


@given(keys=st.lists(st.lists(st.integers(0, 25), min_size=3, max_size=3), max_size=15))
def test_components_are_what_shares_a_key(keys: list[list[int]]) -> None:
    found = components(np.array(keys, dtype=np.uint64).reshape(-1, 3))
    assert found.tolist() == _brute(keys)


def test_a_long_chain_is_one_component() -> None:
    order = np.random.default_rng(0).permutation(20_000).astype(np.uint64)
    chain = np.stack([order, order + np.uint64(1), order], axis=1)
    assert set(components(chain).tolist()) == {0}


SENTENCE = st.integers(0, 60).map(lambda n: f"Sentence {n}.") | st.sampled_from(["?", "!", "..."])


@given(
    texts=st.lists(st.tuples(SENTENCE, SENTENCE, SENTENCE | st.none()), max_size=40),
    seed=st.integers(),
)
def test_no_sentence_is_in_two_splits(texts: list[tuple[str, str, str | None]], seed: int) -> None:
    assert not shared(run(SplitStep(seed=seed), pairs(texts)))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_shares_are_reached_where_groups_are_small(seed: int) -> None:
    draw = random.Random(seed)
    texts = [(f"a{n}", f"b{n}", f"s{draw.randrange(1500)}") for n in range(3000)]
    found = run(SplitStep(seed=seed), pairs(texts))
    counts = Counter(row["split"] for row in found)
    assert counts == {
        "train": pytest.approx(2400, abs=15),
        "dev": pytest.approx(300, abs=15),
        "test": pytest.approx(300, abs=15),
    }
    assert not shared(found)


def test_a_large_group_goes_to_the_largest_split() -> None:
    texts = [(f"a{n}", f"b{n}", "one source") for n in range(100)]
    texts += [(f"c{n}", f"d{n}", f"s{n}") for n in range(100)]
    for seed in range(5):
        found = run(SplitStep(seed=seed, shares={"test": 0.1, "train": 0.9}), pairs(texts))
        assert {row["split"] for row in found[:100]} == {"train"}
        assert Counter(row["split"] for row in found) == {"train": 180, "test": 20}


def test_one_group_for_all_is_one_split() -> None:
    found = run(SplitStep(), pairs([(f"a{n}", "b", None) for n in range(10)]))
    assert {row["split"] for row in found} == {"train"}


@pytest.mark.parametrize("first", ["none", "all"])
def test_a_split_without_a_share_gets_nothing(first: str) -> None:
    shares = {"none": 0.0, "all": 1.0} if first == "none" else {"all": 1.0, "none": 0.0}
    found = run(SplitStep(shares=shares), pairs([(f"a{n}", f"b{n}", None) for n in range(50)]))
    assert {row["split"] for row in found} == {"all"}


def test_the_seed_draws_and_the_order_of_rows_does_not() -> None:
    given = pairs([(f"a{n}", f"b{n}", None) for n in range(300)])
    first = {row["id"]: row["split"] for row in run(SplitStep(seed=1), given)}
    turned = {row["id"]: row["split"] for row in run(SplitStep(seed=1), given[::-1])}
    other = {row["id"]: row["split"] for row in run(SplitStep(seed=2), given)}
    assert first == turned
    assert first != other


def test_no_rows_are_no_rows() -> None:
    assert run(SplitStep(), []) == []


def test_real_pairs_that_share_sentences(data: Callable[[str], Path]) -> None:
    with gzip.open(data("pairs/tatoeba_en.train.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:10_000]
    given = [
        {"id": r["id"], "text1": r["text1"], "text2": r["text2"], "source": None} for r in rows
    ]
    found = run(SplitStep(), given)
    assert not shared(found)
    assert min(Counter(row["split"] for row in found).values()) > 950


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({}, "shares are missing"),
        ({"train": 0.5, "test": 0.4}, "the shares must add up to 1; they add up to 0.9"),
        ({"train": 1.5, "test": -0.5}, "the share of train must be between 0 and 1; got 1.5"),
    ],
)
def test_wrong_shares_are_refused(shares: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SplitStep(shares=shares)


def test_a_pair_without_a_text_is_named() -> None:
    with pytest.raises(InputError, match="pair 9 has no text2: found None"):
        list(SplitStep().run(lambda: iter([{"id": "9", "text1": "a"}]), Path(), lambda _n: None))


def test_the_signature_holds_every_option() -> None:
    plain = json.dumps(SplitStep().signature)
    for change in ({"seed": 1}, {"shares": {"train": 0.9, "test": 0.1}}):
        assert json.dumps(SplitStep(**change).signature) != plain
