from __future__ import annotations

import gzip
import json
import pickle
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.build.steps.intake import CleanStep, letter_share, normalise
from paraphrast.engine.step import Dropped, Row
from paraphrast.errors import ConfigError, InputError

ANY = st.text(st.characters(exclude_categories=["Cs"]))
LOOSE = {"check": "none", "min_words": 0, "min_chars": 0, "letters": 0.0}


def run(step: CleanStep, texts: list[str]) -> list[Row | Dropped]:
    rows = [{"id": str(n), "text": text, "from": "f", "row": n} for n, text in enumerate(texts)]
    with pickle.loads(pickle.dumps(step)).open() as work:
        return list(work(rows))


def reasons(step: CleanStep, texts: list[str]) -> list[str]:
    return [row.reason if isinstance(row, Dropped) else "" for row in run(step, texts)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("  a\t b\r\nc  ", "a b c"),
        ("cafe\u0301", "café"),
        ("\ufeffa\u200bb\u00adc\x07d", "abcd"),
        ("a\u0085b\u2028c\u3000d", "a b c d"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # a joiner is part of the word
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("\u202ea\u202c", "a"),
        ("a &amp; b", "a &amp; b"),
        ("", ""),
    ],
)
def test_texts_are_normalised(text: str, wanted: str) -> None:
    assert normalise(text) == wanted


def test_html_is_read_only_if_asked_for() -> None:
    assert normalise("a&nbsp;&amp;&lt;b&gt;&#39;", unescape=True) == "a &<b>'"


@given(text=ANY)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert once == once.strip()
    assert "  " not in once
    assert not any(unicodedata.category(letter) == "Cc" for letter in once)
    assert unicodedata.is_normalized("NFC", once)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("ab c", 1.0),
        ("a1", 0.5),
        ("", 0.0),
        ("12 34", 0.0),
        ("é!", 0.5),
        ("कि", 1.0),
        ("a — b", 2 / 3),
    ],
)
def test_letters_are_counted_with_their_marks(text: str, share: float) -> None:
    assert letter_share(text) == pytest.approx(share)


@given(text=st.text(st.characters(max_codepoint=127)).map(normalise))
def test_the_fast_count_of_ascii_is_the_slow_one(text: str) -> None:
    seen = [letter for letter in text if not letter.isspace()]
    wanted = sum(map(str.isalpha, seen)) / len(seen) if seen else 0.0
    assert letter_share(text) == wanted


def test_what_is_no_sentence_is_dropped_with_a_reason() -> None:
    step = CleanStep(language="en", check="script", max_words=8, max_chars=60)
    texts = [
        "A good sentence of words.",
        "  \u200b ",
        "Too few here",
        "a b c d",
        "one two three four five six seven eight nine",
        "extraordinarily " * 4 + "long",
        "08/10/2000 08:28",
        "7:00am - 5:00pm day",
        "Я искал по всему интернету",
    ]
    assert reasons(step, texts) == [
        *("", "empty", "too short", "too short", "too long", "too long", "no letters"),
        *("few letters", "not language en"),
    ]
    details = [row.detail for row in run(step, texts) if isinstance(row, Dropped)]
    assert details[1:] == [
        *("3 words", "7 characters", "9 words", "68 characters", "", "44%", "other letters")
    ]


def test_short_sentences_are_not_judged() -> None:
    step = CleanStep(language="en", check="script", min_words=1, min_chars=1)
    assert reasons(step, ["Я искал его", "Я искал его везде"]) == ["", "not language en"]


def test_rows_keep_what_else_they_hold_and_the_original_is_dropped() -> None:
    kept, same, dropped = run(CleanStep(**LOOSE), ["a  b", "a b", " "])
    assert kept == {"id": "0", "text": "a b", "from": "f", "row": 0}
    assert same == {"id": "1", "text": "a b", "from": "f", "row": 1}
    assert isinstance(dropped, Dropped)
    assert dropped.row == {"id": "2", "text": " ", "from": "f", "row": 2}


@given(texts=st.lists(ANY, max_size=8))
def test_a_row_is_judged_by_itself(texts: list[str]) -> None:
    step = CleanStep(language="en", check="script", min_words=1, min_chars=2)
    assert run(step, texts) == [
        row if isinstance(row, dict) else Dropped(row.row, row.reason, row.detail)
        for n, text in enumerate(texts)
        for row in [_renumbered(run(step, [text])[0], n)]
    ]


def _renumbered(row: Row | Dropped, number: int) -> Row | Dropped:
    own = {"id": str(number), "row": number}
    if isinstance(row, Dropped):
        return Dropped({**row.row, **own}, row.reason, row.detail)
    return {**row, **own}


def test_japanese_words_are_counted_by_unidic() -> None:
    pytest.importorskip("fugashi", reason="the extra ja is not installed")
    step = CleanStep(language="ja", check="script", tokenize="ja", min_words=6, min_chars=1)
    assert reasons(step, ["猫が魚を食べた。", "猫が食べた。"]) == ["", "too short"]


def test_the_english_web_treebank(data: Callable[[str], Path]) -> None:
    pytest.importorskip("pycld2", reason="the extra language is not installed")
    with gzip.open(data("text/en_ud_ewt.jsonl.gz"), "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    counts = Counter(reasons(CleanStep(language="en"), texts))
    assert counts[""] > 13_000
    assert counts["too short"] == sum(
        len(words) < 4 or len(normalise(text)) < 10
        for text, words in zip(texts, _words(texts), strict=True)
    )
    assert 0 < counts["not language en"] < 300


def _words(texts: list[str]) -> list[list[str]]:
    from paraphrast.text.tokenise import Tokeniser

    return Tokeniser("unicode")([normalise(text) for text in texts])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, 'name the language to check, or check = "none"'),
        (
            {"check": "none", "min_words": 9, "max_words": 8},
            "min_words must be between 0 and max_words, which is 8; got 9",
        ),
        ({"check": "none", "min_chars": -1}, "min_chars must be between 0 and max_chars"),
        ({"check": "none", "letters": 2}, "letters must be between 0 and 1; got 2"),
        ({"check": "none", "tokenize": "x"}, "unknown tokeniser 'x'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CleanStep(**options)


def test_a_row_without_text_is_named() -> None:
    with CleanStep(**LOOSE).open() as work, pytest.raises(InputError, match="row 7 has no text"):
        list(work([{"id": "7", "text": None}]))


def test_the_signature_holds_every_option() -> None:
    plain = json.dumps(CleanStep(**LOOSE).signature)
    for change in (
        {"check": "script", "language": "en"},
        *({name: 7} for name in ("min_words", "max_words", "min_chars", "max_chars")),
        *({"letters": 0.3}, {"unescape": True}, {"tokenize": "13a"}),
    ):
        assert json.dumps(CleanStep(**{**LOOSE, **change}).signature) != plain
