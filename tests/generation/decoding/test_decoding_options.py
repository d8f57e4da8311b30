"""Options that are wrong, or contradict each other, are refused with a message that helps."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from paraphrast.errors import ConfigError
from paraphrast.generation.decoding.decode import decode
from paraphrast.generation.decoding.decoding_options import (
    METHODS,
    SLACK,
    Bounds,
    Decoding,
    bounds,
)
from tests.generation.toy import Toy

WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"method": "top-pp"},
        "no decoding method is called 'top-pp' (did you mean 'top-p'?); there are greedy, sample, "
        "top-k, top-p, typical, beam, diverse-beam",
    ),
    ({"n": 0}, "n=0 is wrong: it must be a whole number from 1 to 10,000"),
    ({"n": 2.0}, "n=2.0 is wrong: it must be a whole number from 1 to 10,000"),
    ({"n": True}, "n=True is wrong: it must be a whole number from 1 to 10,000"),
    ({"top_p": 0.0}, "top_p=0.0 is wrong: it must be above 0 and at most 1"),
    ({"top_p": 1.5}, "top_p=1.5 is wrong: it must be above 0 and at most 1"),
    ({"top_p": float("nan")}, "top_p=nan is wrong: it must be above 0 and at most 1"),
    (
        {"method": "typical", "typical": -1},
        "typical=-1 is wrong: it must be above 0 and at most 1",
    ),
    ({"method": "top-k", "top_k": 0}, "top_k=0 is wrong: it must be a whole number from 1"),
    ({"temperature": 0}, "temperature=0 is wrong: it must be a number from 0.01 to 100"),
    (
        {"repetition_penalty": 0.5},
        "repetition_penalty=0.5 is wrong: it must be a number from 1 to 1e+06",
    ),
    ({"repetition_window": 0}, "repetition_window=0 is wrong: it must be a whole number from 1"),
    ({"no_repeat": -1}, "no_repeat=-1 is wrong: it must be a whole number from 0"),
    ({"seed": -1}, "seed=-1 is wrong: it must be a whole number from 0"),
    ({"reverse": -0.1}, "reverse=-0.1 is wrong: it must be a number from 0 to 50"),
    (
        {"method": "beam", "shorten": 0.0},
        "shorten=0.0 is wrong: it must be a share above 0 and at most 10",
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
    ({"temperature": 1e-40}, "temperature=1e-40 is wrong: it must be a number from 0.01 to 100"),
    ({"temperature": 1e300}, "temperature=1e+300 is wrong: it must be a number from 0.01 to 100"),
    ({"temperature": "0.7"}, "temperature='0.7' is wrong: it must be a number from 0.01 to 100"),
    ({"temperature": None}, "temperature=None is wrong: it must be a number from 0.01 to 100"),
    ({"top_p": "x"}, "top_p='x' is wrong: it must be above 0 and at most 1"),
    ({"reverse": 1000}, "reverse=1000 is wrong: it must be a number from 0 to 50"),
    (
        {"method": "beam", "shorten": 1e300},
        "shorten=1e+300 is wrong: it must be a share above 0 and at most 10",
    ),
    (
        {"method": "beam", "shorten": "a"},
        "shorten='a' is wrong: it must be a share above 0 and at most 10",
    ),
    (
        {"method": "beam", "beams": 100_000},
        "beams=100000 is wrong: it must be a whole number from 1 to 1,000",
    ),
    ({"groups": 10**9}, "groups=1000000000 is wrong: it must be a whole number from 1 to 1,000"),
    (
        {"groups": 2, "diversity": None},
        "diversity=None is wrong: it must be a number from 0 to 100",
    ),
    (
        {"method": "beam", "length_penalty": 1e300},
        "length_penalty=1e+300 is wrong: it must be a number from 0 to 10",
    ),
    (
        {"min_length": "3"},
        "min_length='3' is wrong: it must be a number of sub-words or a share from 0",
    ),
    (
        {"max_length": True},
        "max_length=True is wrong: it must be a number of sub-words or a share above 0",
    ),
    (
        {"max_length": 1e300},
        "max_length=1e+300 is wrong: it must be at most 1,000,000, or 10 shares",
    ),
    ({"diversity": 5}, "diversity=5 has no effect without groups; give groups too"),
    (
        {"repetition_window": 9},
        "repetition_window=9 has no effect without repetition_penalty; give both",
    ),
    ({"keep": 5}, "keep takes several strings; write keep=('…',)"),
    ({"forbid": "word"}, "forbid takes several strings; write forbid=('…',)"),
    ({"must": "word"}, "must takes several strings; write must=('…',)"),
    ({"must": ("a", "a")}, "must='a' is given twice; give it once"),
    ({"must": ("",)}, "must holds an empty string; give it a word or leave it out"),
    (
        {"must": tuple(map(str, range(51)))},
        "must holds 51 strings; at most 50 are allowed",
    ),
    (
        {"must": ("Ann",), "forbid": ("ann",)},
        "must='Ann' and forbid='ann' contradict each other; drop one of them",
    ),
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
    assert given.group_count == (5 if method == "diverse-beam" else 1)


def test_numbers_of_numpy_are_numbers() -> None:
    given = Decoding(
        seed=np.int64(3),  # type: ignore[arg-type]
        min_length=np.int64(4),  # type: ignore[arg-type]
        max_length=np.float32(2),  # type: ignore[arg-type]
        temperature=np.float64(0.5),
    )
    assert given == Decoding(seed=3, min_length=4, max_length=2.0, temperature=0.5)
    assert isinstance(given.min_length, int)
    assert not isinstance(given.max_length, int)


@pytest.mark.parametrize("how", [{"temperature": 0.01}, {"temperature": 100}, {"reverse": 50}])
def test_the_farthest_values_decode_without_a_warning(how: dict[str, float]) -> None:
    (found,) = decode(Toy(), ["a b c"], Decoding(method="sample", n=3, **how))  # type: ignore[arg-type]
    assert len(found) == 3


@pytest.mark.parametrize(
    ("least", "most", "length", "expected"),
    [
        (0, 1.8, 10, (1, 18 + SLACK)),
        (0, 7, 10, (1, 7)),
        (0.5, 1.0, 9, (5, 9 + SLACK)),
        (4, 6, 100, (4, 6)),
        (30, 1.0, 10, (30, 30)),  # the absolute one holds
        (0.9, 12, 100, (12, 12)),
        (0, 1.8, 1000, (1, 63)),  # what the model can write
        (0.9, 1.8, 1000, (63, 63)),
    ],
)
def test_bounds(
    least: int | float, most: int | float, length: int, expected: tuple[int, int]
) -> None:
    given = Decoding(min_length=least, max_length=most)
    assert bounds(given, length, room=63) == Bounds(*expected, free=63)


def test_absolute_lengths_are_shared_out_among_parts() -> None:
    given = Decoding(min_length=10, max_length=21)
    found = bounds(given, 5, room=63, share=0.25)
    assert (found.least, found.most) == (3, 6)


def test_more_than_the_model_can_write_is_an_error() -> None:
    with pytest.raises(ConfigError, match="min_length=70 is more than the 63 sub-words"):
        decode(Toy(), ["a b"], Decoding(min_length=70, max_length=90))


def test_the_free_length_is_the_share_that_shorten_names() -> None:
    given = Decoding(method="beam", shorten=0.7)
    assert bounds(given, 10, room=63).free == 7
