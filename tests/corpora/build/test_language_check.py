from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.build import language_check as language
from paraphrast.corpora.build.language_check import language_check, language_label
from paraphrast.errors import ConfigError, MissingExtra

SENTENCES = {
    "en": "I searched all over the internet, but I could not find one place that sells them.",
    "es": "Busqué por todas partes en internet, pero no pude encontrar ningún lugar que los venda.",
    "pt": "Procurei em toda a internet, mas não consegui encontrar nenhum lugar que os venda.",
    "de": "Ich habe im ganzen Internet gesucht, aber keinen Laden gefunden, der sie verkauft.",
    "ja": "インターネットで探しましたが、売っている店は見つかりませんでした。",
    "he": "חיפשתי בכל האינטרנט אבל לא מצאתי אפילו מקום אחד שמוכר אותם.",
    "ru": "Я искал по всему интернету, но не нашёл ни одного места, где их продают.",
}


@pytest.fixture
def cld2() -> None:
    pytest.importorskip("pycld2", reason="the extra language is not installed")


@pytest.mark.usefixtures("cld2")
@pytest.mark.parametrize("wanted", SENTENCES)
def test_the_model_tells_languages_apart(wanted: str) -> None:
    check = language_check(wanted, "model")
    assert [code for code, text in SENTENCES.items() if check(text) is None] == [wanted]


@pytest.mark.usefixtures("cld2")
def test_the_model_says_what_it_found() -> None:
    check = language_check("en", "model")
    assert check(SENTENCES["es"]) == "es"
    assert check("1 2 3 4 5") == "unknown"
    assert check("\uffff hello there, my dear friends") == "unknown"  # no UTF-8 to the detector


@pytest.mark.usefixtures("cld2")
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_is_too_strange_for_the_model(text: str) -> None:
    assert language_check("en", "model")(text) != ""


@pytest.mark.usefixtures("cld2")
def test_real_text_is_of_its_language(data: Callable[[str], Path]) -> None:
    files = {"en": "text/en_ud_ewt.jsonl.gz", "ja": "japanese/sentences_ud_gsd.jsonl.gz"}
    for code, name in files.items():
        with gzip.open(data(name), "rt", encoding="utf-8") as lines:
            texts = [json.loads(line)["text"] for line in lines][:1000]
        texts = [text for text in texts if len(text.split()) >= 6 or len(text) > 20]
        check = language_check(code, "model")
        assert sum(check(text) is None for text in texts) > 0.97 * len(texts)


@pytest.mark.parametrize(
    ("wanted", "text", "against"),
    [
        ("en", SENTENCES["de"], None),  # the same script
        ("en", SENTENCES["ru"], "other letters"),
        ("en", SENTENCES["ja"], "other letters"),
        ("en", "123 456 ... !", None),
        ("ru", SENTENCES["ru"], None),
        ("ru", SENTENCES["en"], "other letters"),
        ("ja", SENTENCES["ja"], None),
        ("ja", "我在网上到处找都没有找到", "no kana"),
        ("ja", SENTENCES["en"], "other letters"),
    ],
)
def test_the_script_rules_out_what_it_can(wanted: str, text: str, against: str | None) -> None:
    assert language_check(wanted, "script")(text) == against


def test_without_a_check_everything_passes() -> None:
    assert language_check("", "none")("что") is None


@pytest.mark.usefixtures("cld2")
@pytest.mark.parametrize(
    ("code", "how", "message"),
    [
        ("english", "model", "the detector knows no language 'english'"),
        ("xx", "script", "the script of the language 'xx' is not known here"),
        ("en", "modle", r"check must be one of model, script, none; got 'modle' \(did you mean"),
    ],
)
def test_wrong_requests_are_refused(code: str, how: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        language_check(code, how)


def test_without_the_extra_only_the_script_can_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycld2", None)
    language._cld2.cache_clear()
    language._known.cache_clear()
    with pytest.raises(MissingExtra, match=r"'pycld2'.*paraphrast\[language\]"):
        language_check("en", "model")
    assert language_check("en", "script")("a b") is None
    language._cld2.cache_clear()


@pytest.mark.usefixtures("cld2")
def test_labels_name_language_check_and_model() -> None:
    assert language_label("en", "model").startswith("en|model|cld2 ")
    assert language_label("en", "script") == "en|script"
