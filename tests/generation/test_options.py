"""Options that are wrong, or contradict each other, are refused with a message that helps."""

from __future__ import annotations

import re
from typing import Any

import pytest

from paraphrast.errors import ConfigError
from paraphrast.generation.options import METHODS, Decoding

WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"method": "top-pp"},
        "no decoding method is called 'top-pp' (did you mean 'top-p'?); there are greedy, sample, "
        "top-k, top-p, typical, beam, diverse-beam",
    ),
    ({"n": 0}, "n=0 is wrong: it must be a whole number from 1"),
    ({"n": 2.0}, "n=2.0 is wrong: it must be a whole number from 1"),
    ({"n": True}, "n=True is wrong: it must be a whole number from 1"),
    ({"top_p": 0.0}, "top_p=0.0 is wrong: it must be above 0 and at most 1"),
    ({"top_p": 1.5}, "top_p=1.5 is wrong: it must be above 0 and at most 1"),
    ({"top_p": float("nan")}, "top_p=nan is wrong: it must be above 0 and at most 1"),
    (
        {"method": "typical", "typical": -1},
        "typical=-1 is wrong: it must be above 0 and at most 1",
    ),
    ({"method": "top-k", "top_k": 0}, "top_k=0 is wrong: it must be a whole number from 1"),
    ({"temperature": 0}, "temperature=0 is wrong: it must be a number above 0"),
    ({"repetition_penalty": 0.5}, "repetition_penalty=0.5 is wrong: it must be a number from 1"),
    ({"repetition_window": 0}, "repetition_window=0 is wrong: it must be a whole number from 1"),
    ({"no_repeat": -1}, "no_repeat=-1 is wrong: it must be a whole number from 0"),
    ({"seed": -1}, "seed=-1 is wrong: it must be a whole number from 0"),
    ({"reverse": -0.1}, "reverse=-0.1 is wrong: it must be a number from 0"),
    (
        {"method": "beam", "shorten": 0.0},
        "shorten=0.0 is wrong: it must be a share above 0",
    ),
    ({"method": "beam", "patience": 0.5}, "patience=0.5 is wrong: it must be a number from 1"),
    (
        {"min_length": 9, "max_length": 3},
        "min_length=9 is above max_length=3; lower the one or raise the other",
    ),
    (
        {"min_length": 0.9, "max_length": 0.5},
        "min_length=0.9 is above max_length=0.5; lower the one or raise the other",
    ),
    (
        {"max_length": 0},
        "max_length=0 is wrong: it must be a number of sub-words or a share above 0",
    ),
    ({"forbid": "word"}, "forbid takes several strings; write forbid=('…',)"),
    ({"keep": ("",)}, "keep holds an empty string; give it a word or leave it out"),
    (
        {"keep": ("Ann",), "forbid": ("ann",)},
        "keep='Ann' and forbid='ann' contradict each other; drop one of them",
    ),
    (
        {"keep": ("Ann Lee",), "forbid": ("lee",)},
        "keep='Ann Lee' and forbid='lee' contradict each other; drop one of them",
    ),
    ({"method": "greedy", "n": 2}, "n=2: greedy gives one output; choose a sampled method or beam"),
    ({"method": "beam", "n": 6}, "n=6 is above beams=5; search with more beams"),
    (
        {"method": "diverse-beam", "beams": 6, "groups": 4},
        "groups=4 does not part beams=6 into equal groups of beams, at least 2; "
        "choose a divisor of the number of beams",
    ),
    (
        {"method": "diverse-beam", "groups": 1},
        "groups=1 does not part beams=5 into equal groups of beams, at least 2; "
        "choose a divisor of the number of beams",
    ),
    (
        {"method": "beam", "temperature": 0.7},
        "temperature=0.7 has no effect with method 'beam'; leave it out, or choose "
        "sample or top-k or top-p or typical",
    ),
    (
        {"method": "top-p", "top_k": 5},
        "top_k=5 has no effect with method 'top-p'; leave it out, or choose top-k",
    ),
    (
        {"method": "greedy", "shorten": 0.5},
        "shorten=0.5 has no effect with method 'greedy'; leave it out, or choose "
        "beam or diverse-beam",
    ),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=lambda value: str(value)[:40])
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        Decoding(**options)


def test_a_word_may_be_kept_whose_part_is_forbidden_as_a_word() -> None:
    Decoding(keep=("the other",), forbid=(" he ",))


def test_an_absolute_and_a_relative_length_do_not_contradict_each_other() -> None:
    Decoding(min_length=30, max_length=1.2)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_defaults_that_hold(method: str) -> None:
    given = Decoding(method=method)
    assert given.parts == (5 if method == "diverse-beam" else 1)
