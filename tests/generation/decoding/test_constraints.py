"""Forbidden strings never appear however they are cut; kept ones survive or are named."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.generation.decoding.attempts import REPLACING
from paraphrast.generation.decoding.constraints import Forbidden, forbidden_in, survives
from paraphrast.generation.decoding.decode import Decoding, decode
from tests.generation.toy import Toy

PIECES = (" a", " b", "a", "b", "ab", "ba", " ab", ".", "A", " B", "b a", " ")
STRINGS = st.text("ab ", min_size=1, max_size=4).filter(str.strip)
METHODS: list[dict[str, Any]] = [
    {"method": "greedy"},
    {"method": "sample", "n": 4},
    {"method": "top-p", "n": 3, "groups": 3},
    {"method": "beam", "n": 3, "beams": 4},
    {"method": "diverse-beam", "n": 4, "beams": 4},
]


@given(st.lists(STRINGS, min_size=1, max_size=3), st.text("abAB .", max_size=8))
def test_exactly_what_completes_a_forbidden_string_is_banned(forbid: list[str], text: str) -> None:
    pieces = ["", *PIECES]
    if forbidden_in(text, forbid) is not None or forbidden_in(text + "q", forbid) is not None:
        return  # decoding never comes here
    found = Forbidden(forbid, pieces).banned(text)
    banned = set(np.concatenate(found).tolist()) if found else set()
    # a string is complete where a text stops with it, and where more letters, q, follow
    expected = {
        number
        for number, piece in enumerate(pieces)
        if number
        and any(forbidden_in(text + piece + more, forbid) is not None for more in ("", "q"))
    }
    assert banned == expected


@given(
    st.lists(STRINGS, min_size=1, max_size=3),
    st.integers(0, 30),
    st.sampled_from(METHODS),
)
def test_forbidden_strings_never_appear(
    forbid: list[str], seed: int, method: dict[str, Any]
) -> None:
    toy = Toy(PIECES, seed=seed, ending=-1)
    decoding = Decoding(**method, forbid=tuple(forbid), max_length=7, seed=seed)
    shortfalls: Counter[str] = Counter()
    outputs = decode(toy, ["ab a", "b"], decoding, shortfalls=shortfalls)
    for candidates in outputs:
        for candidate in candidates:
            assert forbidden_in(candidate.text, forbid) is None
            for string in forbid:
                if string.strip() == string:
                    assert string.lower() not in candidate.text.lower()
    assert shortfalls.total() == 2 * decoding.n - sum(map(len, outputs))


def test_a_space_asks_for_the_edge_of_a_word() -> None:
    assert forbidden_in("the other", [" he "]) is None
    assert forbidden_in("He said", [" he "]) == " he "
    assert forbidden_in("so said he.", [" he "]) == " he "
    assert forbidden_in("the other", ["he"]) == "he"
    assert forbidden_in("a hero", [" he"]) == " he"
    assert forbidden_in("ache", [" he"]) is None


def test_words_are_not_glued_to_a_forbidden_one() -> None:
    toy = Toy((" not", " now", " run", "run", "ning", " nothing", "."), seed=3, ending=-1)
    given = Decoding(method="sample", n=60, forbid=(" not ",), max_length=6)
    words = {word for one in decode(toy, ["run"], given)[0] for word in one.text.split()}
    assert not [word for word in words if word.startswith("not") and "nothing" not in word]
    assert any("nothing" in word for word in words)


def test_nothing_left_to_say_is_counted() -> None:
    shortfalls: Counter[str] = Counter()
    toy = Toy((" a", " b"))
    given = Decoding(n=3, forbid=("a", "b"))
    assert decode(toy, ["a"], given, shortfalls=shortfalls) == [[]]
    assert shortfalls == {"every next sub-word is forbidden": 3}


def test_what_pieces_hide_is_still_refused() -> None:
    """A byte-level vocabulary has pieces that are no characters: the text itself has a last say."""

    class Bytes(Toy):
        def decode(self, ids: Any) -> list[str]:
            return [text.replace("?", "é") for text in super().decode(ids)]

    shortfalls: Counter[str] = Counter()
    toy = Bytes((" a", "?"), ending=1, seed=1)
    given = Decoding(method="sample", n=40, forbid=("é",), max_length=3)
    found = decode(toy, ["a"], given, shortfalls=shortfalls)[0]
    assert found
    assert all("é" not in candidate.text for candidate in found)
    assert len(found) + shortfalls["the text holds a forbidden string"] == 40


def test_survival_is_of_whole_words_and_numbers() -> None:
    assert survives("Martin", "Martin's car")
    assert not survives("Martin", "Martinez")
    assert survives("5", "It is 5.")
    assert not survives("5", "15 or 5.2 or 1,5")
    assert survives("3", "3月に")
    assert survives("`x = 1`", "so`x = 1`y")
    assert not survives("NATO", "nato")


WORDS = (" met", " Ann", " Lee", " 5", " in", ".", " L", "ee", " met")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method["method"])
def test_kept_strings_survive_or_are_named(method: dict[str, Any]) -> None:
    toy = Toy(WORDS, seed=2, ending=-0.5)
    sources = ["met Ann Lee in 5", "Ann in Ann", "met Lee", "in met"]
    given = Decoding(**method, keep=("Ann Lee", "5", "Ann"), protect=False, max_length=12)
    for source, candidates in zip(sources, decode(toy, sources, given), strict=True):
        wanted = [string for string in given.keep if survives(string, source)]
        for candidate in candidates:
            lost = tuple(string for string in wanted if not survives(string, candidate.text))
            assert candidate.missing == lost


def test_a_search_replaces_draws_that_lost_something() -> None:
    toy = Toy(WORDS, seed=2, ending=-0.5)
    options: dict[str, Any] = {"method": "sample", "n": 20, "max_length": 12, "protect": False}
    given = ("Lee", "5")
    plain = decode(toy, ["met Lee in 5"], Decoding(**options))[0]
    kept = decode(toy, ["met Lee in 5"], Decoding(**options, keep=given))[0]
    whole = [survives("Lee", c.text) and survives("5", c.text) for c in plain]
    assert 0 < sum(whole) < 10
    beams = Decoding(
        method="beam", n=REPLACING, beams=REPLACING, keep=given, protect=False, max_length=12
    )
    searched = [c.text for c in decode(toy, ["met Lee in 5"], beams)[0] if not c.missing]
    new = [b.text for a, b in zip(plain, kept, strict=True) if a.text != b.text]
    assert new[:2] == searched[:2]
    # what kept everything at once is left as it was drawn
    assert all(a == b for a, b, is_whole in zip(plain, kept, whole, strict=True) if is_whole)
    # and fewer draws are the first of more
    options["n"] = 7
    few = decode(toy, ["met Lee in 5"], Decoding(**options, keep=given))[0]
    assert few == kept[:7]


def test_whole_texts_come_first_among_beams() -> None:
    toy = Toy(WORDS, seed=2, ending=0)
    given = Decoding(method="beam", beams=8, n=8, keep=("Lee",), protect=False, max_length=8)
    found = decode(toy, ["met Lee in 5"], given)[0]
    flaws = [(not candidate.finished, len(candidate.missing)) for candidate in found]
    assert flaws == sorted(flaws)
    assert flaws[0] == (False, 0)


def test_what_the_model_cannot_write_is_marked_and_not_tried_again() -> None:
    toy = Toy(WORDS, seed=2)
    given = Decoding(method="sample", n=2, keep=("Zoë",), protect=False, max_length=5)
    found = decode(toy, ["met Zoë"], given)[0]
    assert [candidate.missing for candidate in found] == [("Zoë",), ("Zoë",)]
    assert toy.started == 1


def test_what_is_forbidden_is_not_protected() -> None:
    toy = Toy((" met", " Ann", "."), seed=1, ending=-2)
    given = Decoding(method="sample", n=5, forbid=("Ann",), max_length=4)
    for candidate in decode(toy, ["we met Ann in 5 hours"], given)[0]:
        assert "Ann" not in candidate.text
        assert "Ann" not in candidate.missing
