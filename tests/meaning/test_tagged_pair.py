"""Tags from logits: thresholds, probabilities, spans, and the exported form."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.meaning.tagged_pair import TaggedPair, TaggedText, tagged_pair
from paraphrast.models.encoder.pair_reading import Reading
from paraphrast.text.words import WordText

LOGITS = np.array([[2.0, 0.0], [0.0, 1.0], [0.5, 0.0]])
TEXT = WordText.of("We don't.")


def test_a_word_below_the_threshold_is_tagged() -> None:
    assert TaggedText.of(TEXT, LOGITS, threshold=0.0).tags == (0, 1, 0)
    assert TaggedText.of(TEXT, LOGITS, threshold=0.5).tags == (0, 1, 0)  # below, not at
    assert TaggedText.of(TEXT, LOGITS, threshold=0.6).tags == (0, 1, 1)
    assert TaggedText.of(TEXT, LOGITS, threshold=-1.0).tags == (0, 0, 0)


def test_probabilities_are_those_of_tag_0() -> None:
    found = TaggedText.of(TEXT, LOGITS, threshold=9.0).probabilities
    expected = [math.exp(g0) / (math.exp(g0) + math.exp(g1)) for g0, g1 in LOGITS]
    assert found == pytest.approx(expected, abs=1e-6)


def test_a_word_the_model_never_saw_is_not_tagged() -> None:
    unseen = np.zeros((3, 2))
    found = TaggedText.of(TEXT, unseen, threshold=1.0)
    assert found.tags == (0, 0, 0)
    assert found.probabilities == (0.5, 0.5, 0.5)


def test_the_exported_form_is_exactly_as_documented() -> None:
    b = WordText.from_words(["New York", "."])
    reading = Reading(0.0, 0.0, LOGITS, LOGITS[1:], windows=2, limited=True)
    pair = tagged_pair((TEXT, b), reading, threshold=0.0)
    assert (pair.windows, pair.limited) == (2, True)
    assert pair.to_dict() == {
        "a": {
            "words": ["We", "don't", "."],
            "tags": [0, 1, 0],
            "probabilities": [0.880797, 0.268941, 0.622459],
            "spans": [[0, 2], [3, 8], [8, 9]],
        },
        "b": {
            "words": ["New York", "."],
            "tags": [1, 0],
            "probabilities": [0.268941, 0.622459],
            "spans": [[0, 8], [9, 10]],
        },
    }
    assert json.loads(json.dumps(pair.to_dict())) == pair.to_dict()
    assert pair.a.unparaphrased == ["don't"]
    assert len(pair.a) == 3


def test_it_prints_itself_with_marks() -> None:
    side = TaggedText.of(TEXT, LOGITS, threshold=0.0)
    empty = TaggedText("", (), (), ())
    expected = "a  We [don't].\nb\n[word]: the other text does not say it"
    assert str(TaggedPair(side, empty)) == expected


@given(st.text(max_size=30))
def test_spans_point_into_the_text_given(text: str) -> None:
    words = WordText.of(text)
    found = TaggedText.of(words, np.ones((len(words), 2)), threshold=0.0)
    exported = found.to_dict()
    assert found.text == text
    assert exported["words"] == [text[start:end] for start, end in exported["spans"]]
    assert all(len(values) == len(words) for values in exported.values())
