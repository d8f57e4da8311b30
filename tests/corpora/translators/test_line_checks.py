"""Lines for translators, and translations that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.translators.line_checks import (
    check_echoes,
    echoes,
    one_line,
    words_of_letters,
)
from paraphrast.errors import InputError


def test_a_line_is_one_line() -> None:
    assert one_line(" a\nb\r\n\tc\0d\u2028e\x1bf\uffffg ") == "a b c d e f g"
    assert one_line(" \n\t\0") == ""
    assert one_line("half \ud800 a pair") is None
    assert one_line("I like 😀 and é") == "I like 😀 and é"


@given(st.text())
def test_a_line_stays_as_it_is(text: str) -> None:
    line = one_line(text)
    if line is not None:
        assert one_line(line) == line
        assert not set(line) & set("\n\r\0\t")
        assert len(line.splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("My brother lives here.", 4),
        ("http://www.example.com/a/b/c see here", 2),
        ("12 34 5,6 --- 7", 0),
        ("New York", 2),
        ("don't well-known “quoted”", 3),
        ("私は犬が好きです。", 4),
        ("x@y.org", 0),
    ],
)
def test_words_of_letters_are_counted(text: str, words: int) -> None:
    assert words_of_letters(text) == words


def test_an_echo_is_a_text_of_four_words_that_came_back() -> None:
    assert echoes("My brother lives here.", "my brother LIVES here")
    assert echoes("私は犬が好きです。", "私は犬が好きです。")
    assert not echoes("My brother lives here.", "Meu irmão mora aqui.")
    assert not echoes("New York City", "New York City")
    assert not echoes("http://a.b 12 34 56 78", "http://a.b 12 34 56 78")


def test_a_system_that_echoes_more_than_half_of_its_texts_is_broken() -> None:
    texts = [f"this is sentence number {n}" for n in range(20)]
    check_echoes("moses", texts, [True] * 10 + [False] * 10)
    check_echoes("moses", texts[:19], [True] * 19)
    check_echoes("moses", [*texts[:10], *["12"] * 30], [True] * 10 + [False] * 30)
    with pytest.raises(InputError) as error:
        check_echoes("moses", texts, [False] * 9 + [True] * 11)
    assert str(error.value) == (
        "moses does not translate: 11 of 20 texts came back as they were, such as "
        "'this is sentence number 9'; check its languages and modes"
    )
