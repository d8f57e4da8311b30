"""What meets a requirement, and how it is written."""

from __future__ import annotations

import pytest

from paraphrast.errors import ConfigError
from paraphrast.generation.decoding.requirements import Requirement, home, parse_all


@pytest.mark.parametrize(
    ("written", "text", "met"),
    [
        ("word", "a word here", True),
        ("word", "words", False),
        ("word", "Word for it", True),
        ("word", "Yes. Word for it", True),
        ("word", 'Yes. "Word for it', True),
        ("word", "a Word", False),
        ("Word", "a word", False),
        ("iPhone", "IPhone", False),
        ("x86", "X86", False),
        ("one|two", "two", True),
        ("one|two", "three", False),
        (r"one\|two", "one|two", True),
        (r"one\|two", "two", False),
        ("a phrase", "in a phrase, yes", True),
        ("a phrase", "a longer phrase", False),
        ("5", "15", False),
    ],
)
def test_what_meets_it(written: str, text: str, met: bool) -> None:
    assert Requirement.parse(written).met_by(text) is met


def test_what_is_kept_stays_exactly() -> None:
    assert not Requirement.kept("word").met_by("Word")
    assert Requirement.kept("a|b").met_by("a|b")


@pytest.mark.parametrize(
    ("must", "forbid", "said"),
    [
        (("",), (), "must='' holds an empty string"),
        (("a||b",), (), "must='a||b' holds an empty string"),
        (("a", " a"), (), "must=' a' is given twice; give it once"),
        (("a|b", "b|a"), (), "must='b|a' is given twice; give it once"),
        (("a b",), ("B",), "must='a b' and forbid='B' contradict each other; drop one of them"),
        (("ab|cb",), ("b",), "must='ab|cb' and forbid='b' contradict each other"),
    ],
)
def test_what_makes_no_sense(must: tuple[str, ...], forbid: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_all(must, forbid)
    assert said in str(caught.value)


def test_one_of_two_may_be_forbidden() -> None:
    assert [each.name for each in parse_all(["a|b"], ["a"])] == ["a|b"]


def test_a_passage_has_a_home_for_each() -> None:
    parts = ["It rained.", "The committees met on Monday.", "A very long last sentence follows."]
    assert home(Requirement.parse("rained"), parts) == 0
    assert home(Requirement.parse("committee"), parts) == 1
    assert home(Requirement.parse("zebra"), parts) == 2
