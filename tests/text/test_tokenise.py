"""Tokenisers against sacrebleu 2.6 and rouge_score 0.1.2, whose tokens they promise."""

from __future__ import annotations

import importlib.util
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rouge_score.tokenizers import DefaultTokenizer
from sacrebleu.metrics import CHRF, bleu

from paraphrast.errors import ConfigError, MissingExtra
from paraphrast.text import tokenise
from paraphrast.text.tokenise import BLEU_TOKENISERS, WORD_TOKENISERS, Tokeniser

# Whatever the patterns look at, what Python calls white space, and what a batch is joined with.
PIECES = [
    *"aB5.,-!&;\"'()[]{}<>_~`^%$#@*/\\|+=:? \t",
    *["&quot;", "&amp;", "&lt;", "&gt;", "<skipped>", "<ski", "pped>", "..", ",,", ".,", "10", "0"],
    *["\n", "-\n", "\r", "\0", "\x1c", "\x1f", "\x85", "\xa0", "\u2028", "\u3000", "\ufeff"],
    *[
        "\ue000",
        "\ue001",
        "\U0010ffff",
        "\ud800",
        "\udfff",
        "é",
        "e\u0301",
        "²",
        "¼",
        "«",
        "€",
        "—",
    ],
    *["İ", "ß", "ﬁ", "漢", "字", "ひ", "ー", "ก", "ि", "न", "،", "٣", "。", "，", "Ⅷ", "😀"],
]
TRICKY = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
BATCHES = st.lists(TRICKY | st.text(max_size=12), min_size=1, max_size=5)
many = settings(max_examples=250, deadline=None)


def sacrebleu_tokens(name: str, text: str) -> list[str]:
    tokens: list[str] = bleu._get_tokenizer(name)()(text.rstrip()).split()
    return tokens


@pytest.mark.parametrize("name", ["13a", "intl", "char", "none"])
def test_own_tokenisers_are_sacrebleus(name: str) -> None:
    @given(texts=BATCHES)
    @example(texts=["<ski<skipped>pped>", "two\nlines"])
    @example(texts=["<skip-\nped> a&amp;quot;", "1.,5 .,.1 1..2 3-4 -5-"])
    @example(texts=["", "\0", "\ue000 \0", " \n "])
    @many
    def check(texts: list[str]) -> None:
        expected = [sacrebleu_tokens(name, text) for text in texts]
        assert Tokeniser(name)(texts) == expected
        lower = [sacrebleu_tokens(name, text.lower()) for text in texts]
        assert Tokeniser(name, lowercase=True)(texts) == lower

    check()


@pytest.mark.parametrize("name", ["13a", "intl"])
def test_every_pair_of_pieces_is_split_as_sacrebleu_does(name: str) -> None:
    texts = [f"{a}{b}{c}" for a in PIECES for b in PIECES for c in ("", "1", "x", ".")]
    for text, tokens in zip(texts, Tokeniser(name)(texts), strict=True):
        assert tokens == sacrebleu_tokens(name, text), repr(text)


@pytest.mark.parametrize("name", ["zh", "ja-mecab"])
@given(texts=st.lists(st.text(alphabet="漢字ひらがなカタ。、，abc 12.-!", max_size=12), max_size=4))
@settings(max_examples=60, deadline=None)
def test_borrowed_tokenisers_are_sacrebleus(name: str, texts: list[str]) -> None:
    assert Tokeniser(name)(texts) == [sacrebleu_tokens(name, text) for text in texts]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("zh", "pip install 'paraphrast[sacrebleu]'"),
        ("ja-mecab", "pip install 'paraphrast[ja]'"),
        ("ko-mecab", "pip install 'paraphrast[ko]'"),
        ("flores200", "pip install 'paraphrast[spm]'"),
    ],
)
def test_a_missing_extra_names_the_command(
    monkeypatch: pytest.MonkeyPatch, name: str, command: str
) -> None:
    def no_module(module: str) -> Any:
        raise ModuleNotFoundError(f"No module named {module!r}")

    monkeypatch.setattr(tokenise, "import_module", no_module)
    tokenise._borrowed.cache_clear()
    with pytest.raises(MissingExtra) as caught:
        Tokeniser(name)(["text"])
    assert str(caught.value).endswith(f"which is not installed; run: {command}")


def test_korean_without_its_dictionary_names_the_command() -> None:
    if importlib.util.find_spec("mecab_ko"):
        pytest.skip("mecab_ko is installed")
    with pytest.raises(MissingExtra, match=r"pip install 'paraphrast\[ko\]'"):
        Tokeniser("ko-mecab")(["text"])


@pytest.mark.parametrize("stemmer", [False, True])
def test_google_is_rouge_scores(stemmer: bool) -> None:
    oracle = DefaultTokenizer(use_stemmer=stemmer)
    words = st.sampled_from(["running ", "Flies_", "die", "ponies-", "relational", "generally "])

    @given(texts=st.lists(TRICKY | st.lists(words).map("".join), min_size=1, max_size=5))
    @many
    def check(texts: list[str]) -> None:
        expected = [oracle.tokenize(text) for text in texts]
        assert Tokeniser("google", stemmer=stemmer)(texts) == expected

    check()


@given(texts=BATCHES)
@many
def test_chrf_words_are_sacrebleus(texts: list[str]) -> None:
    oracle = CHRF(word_order=2)
    assert Tokeniser("chrf")(texts) == [oracle._remove_punctuation(text) for text in texts]


@given(texts=st.lists(st.text(alphabet=st.characters(max_codepoint=127), max_size=20), max_size=4))
@settings(max_examples=100, deadline=None)
def test_unicode_is_google_on_ascii(texts: list[str]) -> None:
    assert Tokeniser("unicode")(texts) == Tokeniser("google")(texts)
    # and beside a text that is not ASCII
    assert Tokeniser("unicode")([*texts, "é"])[:-1] == Tokeniser("google")(texts)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("यह हिन्दी है।", ["यह", "हिन्दी", "है"]),
        ("猫が好き", ["猫", "が", "好", "き"]),
        ("ภาษาไทย", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]),
        ("Élan vital, déjà-vu!", ["élan", "vital", "déjà", "vu"]),
        ("Straße ﬁn", ["strasse", "fin"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("Москва—столица", ["москва", "столица"]),
        ("x² 5٣", ["x2", "5٣"]),
    ],
)
def test_unicode_words_of_any_script(text: str, tokens: list[str]) -> None:
    assert Tokeniser("unicode")([text]) == [tokens]


@given(texts=st.lists(TRICKY | st.text(alphabet="éàüñÅがぎहिक़กำ Ωaz.", max_size=9), max_size=4))
@many
def test_unicode_does_not_see_how_a_text_is_composed(texts: list[str]) -> None:
    tokens = Tokeniser("unicode")(texts)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert Tokeniser("unicode")([unicodedata.normalize(form, t) for t in texts]) == tokens
    assert Tokeniser("unicode")([t.upper().lower() for t in texts if t.isascii()]) == [
        words for words, t in zip(tokens, texts, strict=True) if t.isascii()
    ]


@pytest.mark.parametrize("name", [n for n in WORD_TOKENISERS if n[:2] not in ("ko", "sp", "fl")])
def test_a_batch_is_its_texts_one_by_one(name: str) -> None:
    @given(texts=BATCHES)
    @settings(max_examples=60, deadline=None)
    def check(texts: list[str]) -> None:
        if name in ("ja-mecab", "zh"):  # mecab takes no surrogates and ends at a NUL
            texts = ["".join(c for c in t if c.isprintable() or c == " ") for t in texts]
        split = Tokeniser(name)
        assert split(texts) == [split([text])[0] for text in texts]
        flat, mark = split.marked(texts)
        assert flat.count(mark) == len(texts)

    check()


@pytest.mark.parametrize("name", ["13a", "none", "unicode", "chrf"])
def test_no_texts_give_no_tokens(name: str) -> None:
    assert Tokeniser(name)([]) == []


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"unknown tokeniser '13b' \(did you mean '13a'\?\)"):
        Tokeniser("13b")
    assert "13a" in BLEU_TOKENISERS


def test_real_text_is_split_as_sacrebleu_does(mrpc: tuple[list[str], list[str]]) -> None:
    texts = mrpc[0]
    checks: dict[str, Callable[[str], list[str]]] = {
        "13a": lambda text: sacrebleu_tokens("13a", text),
        "intl": lambda text: sacrebleu_tokens("intl", text),
    }
    for name, oracle in checks.items():
        assert Tokeniser(name)(texts) == [oracle(text) for text in texts]
