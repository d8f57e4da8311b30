"""Two texts as one sequence: special tokens, types, and where each word begins."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import MissingExtra, ModelError
from paraphrast.models.encoder.pair_encoding import LOST, Joined, PairTokeniser
from paraphrast.text.words import WordText
from tests.encoders import make_encoder


@pytest.fixture(scope="module")
def tokeniser(tmp_path_factory: pytest.TempPathFactory) -> PairTokeniser:
    made = make_encoder(tmp_path_factory.mktemp("models") / "tiny")
    return PairTokeniser.from_file(made / "tokenizer.json")


def join(tokeniser: PairTokeniser, a: WordText, b: WordText) -> Joined:
    return tokeniser.join(*tokeniser.sides([a, b]))


def tokens(tokeniser: PairTokeniser, joined: Joined) -> list[str | None]:
    return [tokeniser.tokeniser.id_to_token(number) for number in joined.ids.tolist()]


def test_a_pair_is_joined_as_the_tokeniser_itself_would(tokeniser: PairTokeniser) -> None:
    a, b = "The cat sat.", "it didn't"
    joined = join(tokeniser, WordText.of(a), WordText.of(b))
    whole = tokeniser.tokeniser.encode(a, b)
    assert joined.ids.tolist() == whole.ids
    assert joined.types.tolist() == whole.type_ids
    assert tokeniser.overhead == 3


def test_words_are_found_by_their_first_sub_word(tokeniser: PairTokeniser) -> None:
    joined = join(tokeniser, WordText.of("The catty, sat"), WordText.of("don't"))
    found = tokens(tokeniser, joined)
    assert [found[place] for place in joined.first_a] == ["the", "cat", ",", "sat"]
    assert [found[place] for place in joined.first_b] == ["don"]


def test_given_words_and_raw_text_give_the_same_sub_words(tokeniser: PairTokeniser) -> None:
    raw, given_ = WordText.of("the cat sat ."), WordText.from_words(["the cat", "sat", "."])
    one, two = tokeniser.sides([raw, given_])
    assert one.ids.tolist() == two.ids.tolist()
    assert one.first.tolist() == [0, 1, 2, 3]
    assert two.first.tolist() == [0, 2, 3]


def test_words_that_are_dropped_are_lost(tokeniser: PairTokeniser) -> None:
    words = WordText.from_words(["\0", "cat", "\x07", "", "mat", "\0"])
    joined = join(tokeniser, words, WordText.of(""))
    assert joined.first_a.tolist() == [LOST, 1, LOST, LOST, 2, LOST]
    assert joined.first_b.tolist() == []


@given(
    words=st.lists(st.sampled_from(["the", "Catty", "don't", "1,5", "猫", "😀", "."]), max_size=9)
)
@settings(deadline=None)
def test_the_first_sub_words_rise_and_lie_in_their_words(
    tokeniser: PairTokeniser, words: list[str]
) -> None:
    text = WordText.from_words(words)
    (side,) = tokeniser.sides([text])
    offsets = tokeniser.tokeniser.encode(text.text, add_special_tokens=False).offsets
    assert side.first.tolist() == sorted(set(side.first.tolist()))
    for place, (start, end) in zip(side.first.tolist(), text.spans, strict=True):
        assert start == offsets[place][0] < end


def test_what_is_no_tokeniser_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("[]")
    with pytest.raises(ModelError, match=re.escape(f"{path} is not a tokeniser: ")):
        PairTokeniser.from_file(path)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'paraphrast\[encoder\]'"):
        PairTokeniser.from_file(path)


def test_a_tokeniser_that_cannot_join_is_refused(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models

    path = tmp_path / "tokenizer.json"
    Tokenizer(models.BPE({}, [])).save(str(path))  # it drops every character
    message = f"{path} is not a tokeniser: the tokeniser cannot join two texts"
    with pytest.raises(ModelError, match=f"^{re.escape(message)}$"):
        PairTokeniser.from_file(path)
