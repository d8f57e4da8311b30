"""The grammar of altered copies: forms of verbs, families, and what a pair is told of."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from recipes.altered.grammar import Lexicon, drawn, families  # noqa: E402
from recipes.altered.pairs import KINDS, Pair, chrf, difference, row, tokens  # noqa: E402
from recipes.altered.senses import sense_pairs, senses  # noqa: E402


@pytest.mark.parametrize(
    ("phrase", "name", "form"),
    [
        ("lock the door", "past", "locked the door"),
        ("write a will", "past", "wrote a will"),
        ("hug", "ing", "hugging"),
        ("tie", "ing", "tying"),
        ("carry", "s", "carries"),
        ("be caused by", "past", "was caused by"),
        ("cancel the meeting", "part", "cancelled the meeting"),
    ],
)
def test_verbs_are_inflected(phrase: str, name: str, form: str) -> None:
    assert Lexicon().verbs.form(phrase, name) == form


def test_every_kind_has_families_to_train_on_and_others_held_out() -> None:
    for kind in set(KINDS) - {"sense"}:
        mine = [family for family in families() if family.kind == kind]
        assert {family.aside for family in mine} == {True, False}
        assert sum(len(family.one) for family in mine) >= 30
        assert sum(len(family.two) for family in mine) >= 30


def test_the_splits_share_no_entry_of_a_long_list() -> None:
    lexicon = Lexicon()
    for name in ("profession", "city", "action", "reversible", "first_name"):
        assert not set(lexicon.part(name, aside=True)) & set(lexicon.part(name, aside=False))


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"sense"}))
def test_pairs_are_whole_sentences(kind: str) -> None:
    found = list(drawn(1, 60, aside=False, kind=kind))
    assert {pair.same for pair in found} == {True, False}
    for pair in found:
        assert pair.text1 != pair.text2
        for text in (pair.text1, pair.text2):
            assert text[0].isupper() or text[0] in '"$€£' or text[0].isdigit()
            assert text[-1] in '.?"'
            assert not re.search(r"[{}|()~]|  |\.\.", text)


def test_the_same_seed_gives_the_same_pairs() -> None:
    one = list(drawn(3, 20, aside=True, kind="roles"))
    assert one == list(drawn(3, 20, aside=True, kind="roles"))


def test_senses_are_glossed_in_and_out_of_place() -> None:
    words = {(sense.word, sense.right, sense.wrong) for sense in senses()}
    assert ("turn down", "reject", "lower") in words
    assert ("turn down", "lower", "reject") in words
    assert all(not set("_~{}") & set(p.text1 + p.text2) for p in sense_pairs(1, 50, aside=False))


def test_a_turned_pair_has_its_labels_turned() -> None:
    pair = Pair("detail", False, "A b c.", "A b.", "x", "entailment", "neutral", reason="missing")
    back = pair.turned()
    assert (back.text1, back.nli, back.nli_back, back.reason) == (
        "A b.",
        "neutral",
        "entailment",
        "added",
    )


def test_tags_mark_what_differs() -> None:
    tags1, tags2, span1, span2 = difference("We sold 40 cars.", "We sold fifty cars.")
    assert tags1 == tags2 == [0, 0, 1, 0, 0]
    assert (span1, span2) == ((8, 10), (8, 13))


def test_unchanged_rows_are_entailed_both_ways_and_untagged() -> None:
    made = row(Pair("number", True, "We sold 12.", "We sold twelve.", "x"), "k")
    assert made["nli"] == made["nli_back"] == "entailment"
    assert made["tags1"] == [0] * 4
    assert made["reason"] is None


def test_words_are_cut_as_in_the_tagged_corpora() -> None:
    cut = [found[0] for found in tokens("The U.S. firm's $30.65 don't cross-check.")]
    assert cut == ["The", "U.S.", "firm", "'s", "$", "30.65", "do", "n't", "cross-check", "."]


def test_chrf_is_symmetric_and_one_for_equals() -> None:
    assert chrf("a cat sat", "a cat sat") == 1.0
    assert chrf("a cat", "the cat sat") == chrf("the cat sat", "a cat")
