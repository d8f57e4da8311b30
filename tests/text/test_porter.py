"""The stemmer: literals from the 1980 paper and NLTK's comments, then NLTK as oracle."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.text.porter import stem

DATA = Path(os.environ.get("PARAPHRAST_DATA", Path(__file__).parents[2].joinpath("../shared/data")))
SUFFIXES = (
    "ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness "
    "fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al "
    "ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize ed "
    "ing eed ied ies sses ss s y yy ly ll e at bl iz *d "
).split()
GOLDEN = {
    # Porter 1980, section 2
    "caresses": "caress",
    "ponies": "poni",
    "cats": "cat",
    "feed": "feed",
    "agreed": "agre",
    "plastered": "plaster",
    "bled": "bled",
    "motoring": "motor",
    "sing": "sing",
    "hopping": "hop",
    "falling": "fall",
    "fizzed": "fizz",
    "filing": "file",
    "happy": "happi",
    "relational": "relat",
    "rational": "ration",
    "vietnamization": "vietnam",
    "triplicate": "triplic",
    "goodness": "good",
    "adoption": "adopt",
    "replacement": "replac",
    "cease": "ceas",
    "rate": "rate",
    "controlling": "control",
    "roll": "roll",
    "generalizations": "gener",
    "oscillators": "oscil",
    # NLTK's extensions: short -ies/-ied, y after a consonant, -logi, -fulli, -alli twice
    "ties": "tie",
    "died": "die",
    "flies": "fli",
    "spied": "spi",
    "enjoy": "enjoy",
    "enjoyment": "enjoy",
    "try": "tri",
    "geology": "geolog",
    "hopefully": "hope",
    "conditionally": "condit",
    # the irregular forms
    "skies": "sky",
    "dying": "die",
    "innings": "inning",
    "News": "news",
    "proceed": "proceed",
    # nothing to stem
    "": "",
    "AS": "as",
    "by": "by",
    "2003": "2003",
}

Oracle = Callable[[str], str]


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    porter = pytest.importorskip("nltk.stem.porter", reason="nltk is the oracle")
    stemmer: Oracle = porter.PorterStemmer().stem
    return stemmer


@pytest.mark.parametrize(("word", "expected"), GOLDEN.items())
def test_golden(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_long_run_of_y_alternates_consonant_and_vowel() -> None:
    assert stem("y" * 20_001) == "y" * 20_001
    assert stem("y" * 20_000) == "y" * 19_999 + "i"


@pytest.mark.parametrize(
    "word", ["a*ded", "b*ding", "byying", "ayying", "İİ", "İİİS", "xalli", "ſies"]
)
def test_odd_words_equal_nltk(oracle: Oracle, word: str) -> None:
    assert stem(word) == oracle(word)


@settings(max_examples=1500, deadline=None)
@given(word=st.text(st.characters(codec="ascii"), max_size=12))
def test_any_ascii_equals_nltk(oracle: Oracle, word: str) -> None:
    assert stem(word) == oracle(word)


@settings(max_examples=500, deadline=None)
@given(word=st.text(max_size=10))
def test_any_string_equals_nltk(oracle: Oracle, word: str) -> None:
    assert stem(word) == oracle(word)


@settings(max_examples=2000, deadline=None)
@given(
    root=st.text("aeiouybcdlstwxz*", max_size=6),
    endings=st.lists(st.sampled_from(SUFFIXES), min_size=1, max_size=3),
)
def test_built_words_equal_nltk(oracle: Oracle, root: str, endings: list[str]) -> None:
    word = root + "".join(endings)
    assert stem(word) == oracle(word)


def test_real_vocabulary_equals_nltk(oracle: Oracle) -> None:
    files = [DATA / "text/en_ud_ewt.jsonl.gz", *sorted(DATA.glob("pairs/mrpc.*.jsonl.gz"))]
    if not files[0].exists():
        pytest.skip(f"no data under PARAPHRAST_DATA ({DATA})")
    words: set[str] = set()
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                text = " ".join(str(value) for value in json.loads(line).values())
                words.update(text.split())
                words.update(re.findall(r"[a-z0-9]+", text.lower()))
    assert len(words) > 30_000
    assert [word for word in words if stem(word) != oracle(word)] == []
