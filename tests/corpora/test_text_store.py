from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.text_store import StoredTexts, examine, normal_form, store

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4) | st.sampled_from(
    ["a", "A ", " a", "", " ", "b.", "ﬁ"]
)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("The cat.", "the  CAT"),
        ("don't", "DONT"),
        ("“Yes!”", "yes"),
        ("Straße", "STRASSE"),
        ("ﬁne", "fine"),
        ("ＡＢＣ", "abc"),
        ("a\tb\u3000c", "A b\nc"),
        ("...", "!?"),
    ],
)
def test_case_white_space_and_punctuation_do_not_count(one: str, two: str) -> None:
    assert normal_form(one) == normal_form(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [("a part", "apart"), ("$5", "€5"), ("café", "cafe"), ("कि", "कु"), ("2 + 2", "2 2")],
)
def test_letters_marks_symbols_and_word_borders_do(one: str, two: str) -> None:
    assert normal_form(one) != normal_form(two)


@given(texts=st.lists(TEXT))
def test_the_first_of_equal_texts_is_kept_and_the_rest_counted(
    texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("texts")
    intake = store(iter(texts), folder)
    kept: dict[str, int] = {}
    for row, text in enumerate(texts, start=1):
        if text.strip():
            kept.setdefault(text.strip(), row)
    found = StoredTexts(folder)
    assert list(found.rows) == list(kept.values())
    assert found.many(range(len(found))) == [texts[row - 1] for row in kept.values()]
    keys = [normal_form(text) for text in kept]
    assert [list(found.keys).index(key) for key in found.keys] == [keys.index(k) for k in keys]
    assert intake.empty == sum(not text.strip() for text in texts)
    assert intake.texts == len(texts) == intake.empty + intake.repeated + len(kept)
    assert (intake.texts, intake.sha256) == examine(texts)


def test_the_hash_knows_where_texts_end(tmp_path: Path) -> None:
    assert examine(["ab", "c"]) != examine(["a", "bc"])
    assert examine(["ab"])[1] != examine(["ab", ""])[1]
