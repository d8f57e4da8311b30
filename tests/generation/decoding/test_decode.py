"""Decoding as a whole: what must hold whatever the options."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import InputError
from paraphrast.generation.decoding import decoding_loop as loop
from paraphrast.generation.decoding.decode import Decoding, decode
from tests.generation.toy import Toy

PIECES = (" a", " b", " c", " Ann", " 5", ".")
SOURCES = st.lists(
    st.lists(st.sampled_from("a b c Ann 5".split()), max_size=6).map(" ".join), max_size=7
)


@st.composite
def decodings(draw: st.DrawFn) -> Decoding:
    """Any options that go together."""
    method = draw(st.sampled_from(["greedy", "sample", "top-k", "top-p", "typical", "beam"]))
    options: dict[str, Any] = {
        "n": 1 if method == "greedy" else draw(st.integers(1, 4)),
        "no_repeat": draw(st.integers(0, 3)),
        "min_length": draw(st.sampled_from([0, 2, 0.5])),
        "max_length": draw(st.sampled_from([4, 1.2])),
        "reverse": draw(st.sampled_from([0.0, 2.0])),
        "forbid": draw(st.sampled_from([(), ("b c",), (" a ",)])),
        "keep": draw(st.sampled_from([(), ("c",)])),
        "protect": draw(st.booleans()),
        "seed": draw(st.integers(0, 9)),
    }
    if draw(st.booleans()):
        options["repetition_penalty"] = 5.0
        options["repetition_window"] = draw(st.sampled_from([1, 40]))
    if method == "beam":
        options["beams"] = 4
        options["shorten"] = draw(st.sampled_from([None, 0.5]))
        if draw(st.booleans()):
            method, options["groups"] = "diverse-beam", 2
    elif method != "greedy":
        options["temperature"] = draw(st.sampled_from([1.0, 0.5]))
        options["groups"] = draw(st.sampled_from([None, 2]))
    return Decoding(method=method, **options)


@settings(max_examples=60)
@given(SOURCES, decodings(), st.randoms(use_true_random=False), st.integers(1, 9))
def test_batch_equals_one_by_one(
    sources: list[str], decoding: Decoding, order: random.Random, rows: int
) -> None:
    toy = Toy(PIECES)
    whole = decode(toy, sources, decoding)
    assert whole == [decode(toy, [source], decoding)[0] for source in sources]
    shuffled = list(enumerate(sources))
    order.shuffle(shuffled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "MOST_ROWS", rows)
        again = decode(toy, [source for _, source in shuffled], decoding)
    assert again == [whole[number] for number, _ in shuffled]


@settings(max_examples=100)
@given(SOURCES, decodings())
def test_what_holds_for_every_candidate(sources: list[str], decoding: Decoding) -> None:
    toy = Toy(PIECES)
    shortfalls: Counter[str] = Counter()
    done: list[int] = []
    outputs = decode(toy, sources, decoding, advance=done.append, shortfalls=shortfalls)
    assert sum(done) == len(outputs) == len(sources)
    assert shortfalls.total() == decoding.n * len(sources) - sum(map(len, outputs))
    for source, candidates in zip(sources, outputs, strict=True):
        length = len(source.split())
        assert len(candidates) <= decoding.n
        for candidate in candidates:
            assert candidate.text == toy.decode([candidate.ids])[0].strip() != ""
            own = toy.logprob(source, candidate.ids, finished=candidate.finished)
            assert candidate.logprob == pytest.approx(own, abs=1e-4)
            assert candidate.tokens == len(candidate.ids)
            least, most = decoding.min_length, decoding.max_length
            low = least if isinstance(least, int) else least * length
            high = most if isinstance(most, int) else most * length + 6
            assert low <= candidate.tokens <= max(high, low)
            size = decoding.no_repeat
            grams = [candidate.ids[i : i + size] for i in range(candidate.tokens - size + 1)]
            assert not size or len(set(grams)) == len(grams)


def test_an_empty_source_has_no_output() -> None:
    shortfalls: Counter[str] = Counter()
    assert decode(Toy(), ["", " \n"], Decoding(n=3), shortfalls=shortfalls) == [[], []]
    assert shortfalls == {"the source is empty": 6}
    assert decode(Toy(), [], Decoding()) == []


def test_half_a_character_is_refused() -> None:
    with pytest.raises(InputError, match="source 2 holds half a surrogate pair"):
        decode(Toy(), ["a", "\ud800"], Decoding())


def test_each_source_is_read_once_and_equal_ones_together() -> None:
    toy = Toy()
    decode(toy, ["a b", "c", "a b"], Decoding(n=7))
    assert toy.started == 2


def test_rows_that_ended_leave_the_batch() -> None:
    class Watched(Toy):
        rows = 0

        def step(self, state: Any, tokens: Any) -> Any:
            self.rows += len(tokens)
            return super().step(state, tokens)

    toy = Watched()
    found = decode(toy, ["a b", "c"], Decoding(method="sample", n=50, max_length=9))
    tokens = sum(candidate.tokens for candidates in found for candidate in candidates)
    assert toy.rows == tokens


def test_batches_are_bounded_and_of_like_length(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[int]] = []

    class Watched(Toy):
        def start(self, prompts: Any) -> Any:
            seen.append([len(prompt) for prompt in prompts])
            return super().start(prompts)

    monkeypatch.setattr(loop, "MOST_ROWS", 8)
    monkeypatch.setattr(loop, "MOST_CELLS", 60)
    rng = np.random.default_rng(0)
    sources = [" ".join(rng.choice(list("abc"), size)) for size in rng.integers(1, 12, 40)]
    decode(Watched(), sources, Decoding(method="beam", beams=2, max_length=6))
    for lengths in seen:
        assert len(lengths) * 2 <= 8
        assert len(lengths) == 1 or len(lengths) * 2 * (max(lengths) + 6) <= 60
    flat = [length for lengths in seen for length in lengths]
    assert flat == sorted(flat)


def test_specials_and_padding_are_never_written() -> None:
    class Padded(Toy):
        def pieces(self) -> list[str]:
            return super().pieces()[:-1]  # the last logit stands for nothing

    toy = Padded((" a", "", " b", " c"))
    found = decode(toy, ["a b"], Decoding(method="sample", n=200, max_length=5))[0]
    assert {token for candidate in found for token in candidate.ids} == {1, 3}


def test_options_may_be_varied() -> None:
    given = Decoding(n=2)
    assert replace(given, n=3).n == 3


def test_the_same_candidates_whatever_protects_nothing() -> None:
    toy = Toy()
    plain = decode(toy, ["a b c"], Decoding(n=4, protect=False))
    assert decode(toy, ["a b c"], Decoding(n=4, protect=True)) == plain
