"""Texts of several sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.generation.decoding.requirements import parse_all
from paraphrast.generation.paraphraser import WHOLE, complete, cut, joined, shared_out
from paraphrast.generation.selection.candidate_choice import Choice, Paraphrase, Rejected

LONG = "The first sentence is here. " * 6 + "\n\nThe second paragraph follows. It ends here."
LONG += " And so it goes on and on, until it is long enough to be cut. That is all there is."


def kept(text: str, **scores: float) -> Paraphrase:
    return Paraphrase(text, -2.0, scores, "first of 1 by logprob")


def choice(source: str, *found: Paraphrase) -> Choice:
    return Choice(source, found, (Rejected("x", "drawn before"),), None if found else "no output")


@given(st.text(max_size=600))
def test_nothing_is_lost_where_a_text_is_cut(text: str) -> None:
    parts = cut(text)
    whole = "".join(part.before + part.text for part in parts)
    assert whole == text if len(parts) == 1 else text.startswith(whole)
    assert not text[len(whole) :].strip()


def test_short_texts_are_one_sentence() -> None:
    assert len(LONG) > WHOLE
    assert len(cut(LONG)) > 8
    assert [part.text for part in cut("One. Two.")] == ["One. Two."]
    assert [part.text for part in cut("word " * 200)] == ["word " * 200]


def test_sentences_are_joined_and_the_weakest_counts() -> None:
    parts = cut(LONG)[:3]
    choices = [
        choice(parts[0].text, kept("A.", support=0.8, quality=1.0), kept("B.", support=0.9)),
        choice(parts[1].text),
        choice(parts[2].text, kept("C.", support=0.9, quality=0.5)),
    ]
    found = joined(LONG, parts, choices, 2)
    assert [one.text for one in found.candidates] == [
        f"A. {parts[1].text} C.",
        f"B. {parts[1].text} C.",
    ]
    assert found.candidates[0].scores == {"support": 0.8, "quality": pytest.approx(0.75)}
    assert found.candidates[0].logprob == -4
    assert found.candidates[0].why == "2 of 3 sentences are new, each chosen by itself"
    assert found.note == "1 of 3 sentences stay as they were: 2"
    assert len(found.rejected) == 3
    few = joined(LONG, parts, choices, 3)
    assert few.note == "2 of 3 outputs; 1 of 3 sentences stay as they were: 2"


def test_a_passage_without_any_paraphrase_has_no_output() -> None:
    parts = cut(LONG)[:2]
    found = joined(LONG, parts, [choice(part.text) for part in parts], 1)
    assert found.candidates == ()
    assert found.note == "no output: none of 2 sentences has a paraphrase; no output"


def test_one_sentence_is_its_own_choice() -> None:
    one = choice("One.", kept("Uno."))
    assert joined("One.", cut("One."), [one], 1) is one


def test_one_sentence_of_a_passage_has_what_the_passage_must_have() -> None:
    required = parse_all(["paragraphs", "word"], ())
    parts = cut(LONG)
    (home,) = (place for place, part in enumerate(parts) if "second paragraph" in part.text)
    shared = shared_out(required, parts)
    assert shared[home] == ["paragraphs"]
    assert sum(map(len, shared)) == 2
    assert shared_out(required, parts[:1]) == [["paragraphs", "word"]]


def test_a_passage_without_it_is_refused_and_named() -> None:
    required = parse_all(["word"], ())
    found = complete(choice("x", kept("A word."), kept("None.")), required)
    assert [one.text for one in found.candidates] == ["A word."]
    assert found.rejected[-1] == Rejected("None.", "lacks: word")
    assert found.note == "an output lacks: word"
    assert complete(choice("x", kept("No.")), required).note == "no output; an output lacks: word"
    whole = choice("x", kept("Word."))
    assert complete(whole, required) is whole
