from __future__ import annotations

import pickle
import sys

import pytest

from paraphrast.errors import MissingExtra
from paraphrast.text import japanese
from paraphrast.text.japanese import JapaneseTokeniser, japanese_label


@pytest.fixture(scope="module")
def split() -> JapaneseTokeniser:
    pytest.importorskip("fugashi", reason="the extra ja is not installed")
    pytest.importorskip("unidic_lite", reason="the extra ja is not installed")
    return JapaneseTokeniser()


@pytest.mark.parametrize(
    ("text", "words"),
    [  # units as UniDic has them, looked at by hand
        ("猫が魚を食べた。", "猫 が 魚 を 食べ た"),
        ("私は、２０２０年にＥＤを見ました！", "私 は 2020 年 に ed を 見 まし た"),
        ("猫 が\n好き\0です", "猫 が 好き です"),
        ("「…」", ""),
        ("", ""),
    ],
)
def test_words_are_those_of_unidic_without_punctuation(
    split: JapaneseTokeniser, text: str, words: str
) -> None:
    assert split([text, "犬"]) == [words.split(), ["犬"]]


def test_it_travels_to_other_processes_and_names_its_dictionary(split: JapaneseTokeniser) -> None:
    assert pickle.loads(pickle.dumps(split))(["猫が"]) == [["猫", "が"]]
    assert japanese_label().startswith("ja-fugashi")
    assert "unidic_lite" in japanese_label()


@pytest.mark.parametrize("package", ["fugashi", "unidic_lite"])
def test_without_the_extra_the_command_that_installs_it_is_named(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    if package == "unidic_lite":
        pytest.importorskip("fugashi", reason="the extra ja is not installed")
    japanese._parser.cache_clear()
    with pytest.raises(MissingExtra, match=rf"needs the package '{package}'.*paraphrast\[ja\]"):
        JapaneseTokeniser()
