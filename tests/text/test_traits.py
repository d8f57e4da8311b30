"""What a corpus is written in."""

from __future__ import annotations

from paraphrast.text.traits import TextTraits, text_traits


def test_letters_are_counted_by_script() -> None:
    assert text_traits(["Über 12 cats."], ["ねこ猫 a"]) == TextTraits(
        letters=12, latin=9, spaceless=3, candidates=1, detached=0
    )
    assert text_traits([], []) == TextTraits()
    assert text_traits(["Да 5"], []).latin == 0


def test_detached_stops_are_those_of_candidates() -> None:
    found = text_traits(["The cat sat .", "The cat sat.", "."], ["It sat ."])
    assert (found.candidates, found.detached) == (3, 1)


def test_parts_of_a_corpus_are_added() -> None:
    texts = ["a b c .", "猫 .", "é"]
    one = text_traits(texts[:1], texts[:1]) + text_traits(texts[1:], texts[1:])
    assert one == text_traits(texts, texts)
