from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.text_store import normal_form
from paraphrast.corpora.word_ids import (
    WordSets,
    sentence_keys,
    shared_items,
    text_key,
    word_hashes,
    word_tokeniser,
)
from paraphrast.errors import ConfigError
from paraphrast.text.tokenise import Tokeniser

ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
TEXT = st.lists(st.sampled_from("a b c d é 犬 . a, B".split()), max_size=8).map(" ".join) | ANY


@given(texts=st.lists(ANY, min_size=1))
def test_keys_are_equal_where_normal_forms_are(texts: list[str]) -> None:
    keys = sentence_keys(texts)
    forms = [normal_form(text) or text for text in texts]
    for one, key in zip(forms, keys, strict=True):
        assert [key == other for other in keys] == [one == other for other in forms]


@given(text=st.text(st.characters(max_codepoint=127)))
def test_the_fast_normal_form_of_ascii_is_the_slow_one(text: str) -> None:
    form = normal_form(text) or text
    assert sentence_keys([text])[0] == text_key(form)


@given(texts=st.lists(TEXT, max_size=6), others=st.lists(TEXT, min_size=6, max_size=6))
def test_sets_share_what_the_words_do(texts: list[str], others: list[str]) -> None:
    others = others[: len(texts)]
    sets = WordSets("unicode")
    split = Tokeniser("unicode")
    shared = shared_items(sets(texts), sets(others))
    words = [(set(a), set(b)) for a, b in zip(split(texts), split(others), strict=True)]
    assert shared.tolist() == [len(a & b) for a, b in words]
    assert sets(texts).sizes.tolist() == [len(a) for a, _ in words]


def _shingles(words: list[str], size: int) -> set[tuple[str, ...]]:
    grams = [tuple(words[at : at + size]) for at in range(max(len(words) - size + 1, 1))]
    return set(grams) if words else set()


@given(texts=st.lists(TEXT, max_size=6), size=st.integers(2, 4))
def test_shingles_are_runs_of_words_and_short_texts_one(texts: list[str], size: int) -> None:
    sets, split = WordSets("unicode", shingle=size), Tokeniser("unicode")
    wanted = [_shingles(words, size) for words in split(texts)]
    assert sets(texts).sizes.tolist() == [len(grams) for grams in wanted]
    turned = list(reversed(texts))
    shared = shared_items(sets(texts), sets(turned))
    assert shared.tolist() == [len(a & b) for a, b in zip(wanted, reversed(wanted), strict=True)]


def test_hashes_are_the_same_in_every_process() -> None:
    code = (
        "from paraphrast.corpora.word_ids import *;"
        "print(word_hashes(['cat', 'é']).tolist(), WordSets('unicode', shingle=2)(['a b c'])"
        ".items.tolist())"
    )
    run = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert run[0] == run[1]
    assert str(word_hashes(["cat", "é"]).tolist()) in run[0]


def test_hundreds_of_thousands_of_words_do_not_meet() -> None:
    words = [f"w{n}" for n in range(100_000)] + [f"{n}w" for n in range(100_000)]
    hashes = word_hashes(words)
    assert len(np.unique(hashes >> np.uint64(20))) == len(words)


def test_words_beyond_the_memo_are_hashed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paraphrast.corpora.word_ids._MEMO", 2)
    sets = WordSets("unicode")
    first = sets(["a b c d"]).items.tolist()
    assert sets(["e f g h"]).sizes.tolist() == [4]
    assert sets(["d c b a"]).items.tolist() == first


def test_an_unknown_tokeniser_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"unknown tokeniser 'unicod'.*did you mean 'unicode'"):
        word_tokeniser("unicod")
