"""Shortened and reversed paraphrases of the shipped generator really are."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median

import pytest

from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.models.generator.generator_loading import load_generator, told_to_copy
from paraphrast.models.generator.language_model import LanguageModel
from paraphrast.studies.decoding.decoding_settings import REVERSE, SHORTEN

COPIED = 0.75  # so much that the generator does not change the order of itself
SENTENCES = [
    "The committee rejected the proposal after a long debate on Tuesday.",
    "According to the report, consumers were less optimistic than a month earlier.",
    "The police arrested two men because they had tried to steal a car.",
    "In September, the company signed a marketing deal with a small software firm.",
    "The old bridge was closed for repairs when the river rose last spring.",
    "If it rains tomorrow, the children will play inside the school.",
    "Although the team played well, it lost the final match by one goal.",
    "The new law will take effect next year, officials said in a statement.",
    "He was driving home from work when he saw the fire near the station.",
    "Prices rose sharply last month as demand for fuel grew across the country.",
]


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return told_to_copy(load_generator("paraphraser", threads=1), COPIED)


def _written(model: LanguageModel, **how: float) -> list[str]:
    given = Decoding(method="beam", beams=5, protect=False, **how)  # type: ignore[arg-type]
    return [found[0].text for found in decode(model, SENTENCES, given)]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _length(source: str, text: str) -> float:
    return len(_words(text)) / len(_words(source))


def _turned(source: str, text: str) -> float:
    """Return the share of pairs of common words that stand the other way round."""
    there, here = _words(source), _words(text)
    places = [here.index(word) for word in there if there.count(word) == here.count(word) == 1]
    pairs = [(a, b) for n, a in enumerate(places) for b in places[n + 1 :]]
    return sum(a > b for a, b in pairs) / max(1, len(pairs))


def test_shortened_texts_are_shorter_the_smaller_the_share(model: LanguageModel) -> None:
    plain, some, more = (
        median(map(_length, SENTENCES, _written(model, **how)))
        for how in ({}, {"shorten": SHORTEN}, {"shorten": SHORTEN / 2})
    )
    assert plain > 0.9
    assert some < plain - 0.1
    assert more < some - 0.1


def test_shortened_texts_still_close(model: LanguageModel) -> None:
    texts = _written(model, shorten=SHORTEN)
    assert all(text.endswith(".") and not text.endswith("..") for text in texts), texts


def test_reversed_texts_say_last_what_the_source_says_first(model: LanguageModel) -> None:
    plain, turned = (
        list(map(_turned, SENTENCES, _written(model, **how))) for how in ({}, {"reverse": REVERSE})
    )
    assert median(turned) > median(plain) + 0.2
    assert sum(share > 0.3 for share in turned) >= 6


def test_reversed_texts_repeat_no_word_and_stay_whole(model: LanguageModel) -> None:
    for source, text in zip(SENTENCES, _written(model, reverse=REVERSE), strict=True):
        words = _words(text)
        assert all(a != b for a, b in pairwise(words)), text
        assert _length(source, text) > 0.5, text
