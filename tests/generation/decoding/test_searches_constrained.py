"""Beams that must contain strings, against exhaustive search."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.generation.decoding.constraints import forbidden_in, survives
from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.generation.decoding.requirements import parse_all
from tests.generation.toy import Toy

PIECES = (" ab", "a", "b", " a")  # " ab" has two spellings, and "ab" may end a longer word
STRINGS = st.sampled_from(["a", "b", "ab", "ba", "a a", "a ab", "aba", "ab a|b", "b|a a", "aa|ba"])


@settings(max_examples=40)
@given(
    st.integers(0, 200),
    st.lists(STRINGS, min_size=1, max_size=3, unique=True),
    st.sampled_from([(), (" b ",), ("aa",)]),
    st.sampled_from([0.0, 1.0]),
)
def test_enough_beams_are_exhaustive(
    seed: int, must: list[str], forbid: tuple[str, ...], penalty: float
) -> None:
    toy = Toy(PIECES, seed=seed)
    if any(
        all(forbidden_in(each, forbid) for each in want.strings) for want in parse_all(must, ())
    ):
        return  # refused: see the options' tests
    required = parse_all(must, forbid)

    def missing(text: str) -> tuple[str, ...]:
        return tuple(each.name for each in required if not each.met_by(text))

    best: dict[str, tuple[int, float]] = {}
    for ids in toy.texts(3):
        text = toy.decode([ids])[0].strip()
        if forbidden_in(text, forbid) is None and _reachable(toy, ids, forbid):
            key = (len(missing(text)), -toy.logprob("a b", ids) / (len(ids) + 1) ** penalty)
            best[text] = min(key, best.get(text, key))
    decoding = Decoding(
        method="beam",
        beams=330,  # 84 texts have up to 3 sub-words, and the longest go on in 320 ways
        n=12,
        patience=math.inf,
        length_penalty=penalty,
        max_length=3,
        must=tuple(must),
        forbid=forbid,
        protect=False,
    )
    found = [c for c in decode(toy, ["a b"], decoding)[0] if c.finished]
    expected = sorted(best.items(), key=lambda item: item[1])[: len(found)]
    assert len(found) == min(12, len(best))
    for candidate, (text, (lacking, score)) in zip(found, expected, strict=True):
        assert candidate.missing == missing(candidate.text)
        assert len(candidate.missing) == lacking
        assert candidate.score == pytest.approx(-score, abs=1e-5)
        assert candidate.text == text


def _reachable(toy: Toy, ids: tuple[int, ...], forbid: tuple[str, ...]) -> bool:
    """Whether no beginning of the text stops with a forbidden string."""
    starts = (toy.decode([ids[:n]])[0] for n in range(1, len(ids)))
    return all(forbidden_in(start, forbid) is None for start in starts)


LETTERS = tuple(f" {letter}" for letter in "abcdefgh")


@given(st.integers(0, 100), st.sampled_from(["beam", "diverse-beam", "sample", "greedy"]))
def test_few_beams_meet_what_the_model_would_not_say(seed: int, method: str) -> None:
    toy = Toy((*LETTERS, " x", " y", "z", "."), seed=seed, scale=1.0)
    toy_says = toy.logits

    def shy(prompt: Any, prefix: Any) -> Any:
        values = toy_says(prompt, prefix).copy()
        values[len(LETTERS) + 1 : len(LETTERS) + 4] -= 9  # x, y and z are most unlikely
        return values

    toy.logits = shy  # type: ignore[method-assign]
    shape: dict[str, Any] = {"beam": {"beams": 4}, "diverse-beam": {"beams": 4, "groups": 4}}
    given = Decoding(
        method=method, must=("x", "a yz|q"), max_length=14, **shape.get(method, {"seed": seed})
    )
    (found,) = decode(toy, ["a b c d e f"], given)
    if found[0].finished:
        assert found[0].missing == ()
    for candidate in found:
        assert survives("x", candidate.text) == ("x" not in candidate.missing)


def test_constraints_of_one_source_leave_the_others_alone() -> None:
    toy = Toy((*LETTERS, " x"), seed=5, ending=0.5)
    given = Decoding(method="beam", beams=3, n=3, max_length=9)
    sources = ["a b", "c d", "a b"]
    both = decode(toy, sources, given, must=[("x", "h"), (), ()])
    plain = decode(toy, sources, given)
    assert both[1:] == plain[1:]
    assert both[0] == decode(toy, ["a b"], Decoding(**_beam(), must=("x", "h")))[0]
    assert both[0] != plain[0]
    assert both[0][0].missing == ()


def _beam() -> dict[str, Any]:
    return {"method": "beam", "beams": 3, "n": 3, "max_length": 9}


def test_reversed_texts_have_what_they_must() -> None:
    toy = Toy((*LETTERS, " x", ","), seed=1, ending=0.5)
    given = Decoding(**_beam(), must=("x",), reverse=4.0)
    assert decode(toy, ["a b, c d"], given)[0][0].missing == ()


def test_a_long_text_has_its_constraint_once() -> None:
    toy = Toy((*LETTERS, " committee", " commit", " x", "."), seed=1, ending=0.5)
    sentence = "A b c d e f g h a b c d e f g."
    text = " ".join([*[sentence] * 9, "A commit b.", sentence])
    given = Decoding(method="beam", beams=3, must=("committee",), protect=False)
    (found,) = decode(toy, [text], given)
    assert found[0].missing == ()
    assert found[0].text.split().count("committee") >= 1


@settings(max_examples=25)
@given(st.integers(0, 100), st.lists(st.sampled_from(["a b", "c", "a", "d e"]), max_size=4))
def test_batch_equals_one_by_one(seed: int, sources: list[str]) -> None:
    toy = Toy((*LETTERS, " x"), seed=seed)
    for method in ({"method": "sample", "n": 2}, {"method": "beam", "n": 2, "beams": 2}):
        given = Decoding(**method, must=("x",), keep=("c",), max_length=7)  # type: ignore[arg-type]
        whole = decode(toy, sources, given)
        assert whole == [decode(toy, [source], given)[0] for source in sources]
