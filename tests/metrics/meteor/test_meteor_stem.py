"""The frozen Snowball stemmer; stems recorded from the METEOR 1.5 jar's ``Stemmer`` class."""

from __future__ import annotations

import re

import pytest

from paraphrast.metrics.meteor.stem import stem

GOLDEN = {
    "": "",
    "as": "as",
    "'s": "'s",
    "'re": "re",
    "sky": "sky",
    "skies": "sky",
    "only": "onli",
    "news": "news",
    "proceeds": "proceed",
    "inning": "inning",
    "cats": "cat",
    "gas": "gas",
    "gaps": "gap",
    "kiwis": "kiwi",
    "classes": "class",
    "ties": "tie",
    "cries": "cri",
    "cat's": "cat",
    "cats'": "cat",
    "agreed": "agre",
    "feed": "feed",
    "hopped": "hop",
    "hoping": "hope",
    "luxuriated": "luxuri",
    "bled": "bled",
    "cry": "cri",
    "by": "by",
    "say": "say",
    "youthful": "youth",
    "sayyid": "sayyid",
    "generously": "generous",
    "communism": "communism",
    "organizations": "organ",
    "adding": "ad",
    "neurologist": "neurologist",
    "internationally": "intern",
    "relational": "relat",
    "rationalization": "ration",
    "happily": "happili",
    "apologized": "apolog",
    "analogously": "analog",
    "negative": "negat",
    "representative": "repres",
    "adoption": "adopt",
    "controlled": "control",
    "falling": "fall",
    "replacement": "replac",
    "na\u00efve": "na\u00efv",
}

# -ogist, inter-, univers-, organiz-, emerg- and a few whole words are newer than the jar
CHANGED = (
    "added adding anthropologist emergencies emergency evening internal international "
    "interstate interval organization organized organizers psychologist universal "
    "university vying "
)


@pytest.mark.parametrize(("word", "expected"), GOLDEN.items())
def test_stems_are_the_jars(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_todays_snowball_differs_only_where_its_rules_have_changed(
    mrpc: tuple[list[str], list[str]],
) -> None:
    snowball = pytest.importorskip("snowballstemmer", reason="the extra `dev` is not installed")
    words = sorted({word for side in mrpc for text in side for word in _words(text)})
    today = snowball.stemmer("english").stemWords(words)
    changed = {word for word, other in zip(words, today, strict=True) if stem(word) != other}
    assert len(words) > 6000
    assert changed == set(CHANGED.split())


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())
