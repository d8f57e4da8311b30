"""Content words."""

from __future__ import annotations

import pytest

from paraphrast.text.content import is_content


@pytest.mark.parametrize(
    "word", "cat Paris 40 not didn't won't U.S 10% кошка 猫 don’t never".split()
)
def test_words_with_content(word: str) -> None:
    assert is_content(word)


@pytest.mark.parametrize("word", "The of , . — it's he’s they'll Said Mr. 's ’ was would".split())
def test_words_without(word: str) -> None:
    assert not is_content(word)
