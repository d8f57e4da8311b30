"""The sentence splitter: cases, properties, boundary F1 on the English Web Treebank (UD EWT)."""

from __future__ import annotations

import gzip
import json
import os
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.text.sentences import split_sentences

DATA = Path(os.environ.get("PARAPHRAST_DATA", Path(__file__).parents[2].joinpath("../shared/data")))

# "|" marks the expected boundaries and is replaced by what stands between the sentences.
CASES = [
    "Mr. Smith went to Washington, D.C. in 1999.|He met J. R. R. Tolkien.|Yes!",
    "The U.S. economy grew 3.5 percent.|It cost $4.50.|See http://a.b.com/x.html.|Ok?",
    "Mail me at a.b@c.org.|Go to x.com or www.y.org/a?b=c.|bye",
    "Apple Inc. shares rose.|It was bought by Acme Inc.|He left at 5 p.m. on Friday.",
    "Smith et al. show this, e.g. in Fig. 3, i.e. on pp. 4 and 5.|We agree vs. Jones.",
    "No. 5 is alive.|No.|I won't.|On Jan. 3 he left, in Jan.|It was cold.",
    "Well... maybe not.|I see…|Then go.|He left . . . and came back.",
    '"Really?" he asked.|He said "Go."|Then (he left.)|She wept.',
    "What?!|No way!!!|you are mad!|never mind.",
    "1. Open the box.|2. Close it.|a) Not this.",
    "So am I.|But you, etc., are not.|I like it. :)",
    "lower case text has no capitals.|it is split all the same.",
    "the game . '|Merson said .|He left ( again . )|Then he slept .",
    "He waited. ...|And waited.|...or not.",
    "¿Qué?|¡Nada!|Über.|Ärger.|А. С. Пушкин и я.|Он.|이것이 그 것.|네.",
    "هل أنت بخير؟|نعم.|شكرا",
]
UNSPACED = [
    "「そうですか。」と彼は言った。|本当！？|はい。",
    "你好。|我很好！|“是吗？”|他说３．５米。",
    "यह एक वाक्य है।|दूसरा वाक्य।|तीसरा॥",
]


@pytest.mark.parametrize("case", CASES)
def test_cases(case: str) -> None:
    assert split_sentences(case.replace("|", " ")) == case.split("|")
    assert split_sentences(case.replace("|", " \t\u00a0 ")) == case.split("|")


@pytest.mark.parametrize("case", UNSPACED)
def test_scripts_without_spaces(case: str) -> None:
    assert split_sentences(case.replace("|", "")) == case.split("|")
    assert split_sentences(case.replace("|", " ")) == case.split("|")


def test_line_breaks_always_split() -> None:
    assert split_sentences("a\n\n Mr.\r\nB\u2028c, \x85 d") == ["a", "Mr.", "B", "c,", "d"]
    assert split_sentences("") == split_sentences(" \n\t\n") == []


ANY = st.text(max_size=60)
SCRAPS = [
    *" \t\n.!?…。！．।)'\"”」Aat1と,",
    "Mr.",
    " the",
    " The",
    "...",
    " . ",
    " '' ",
    " etc.",
    "1. ",
]
DENSE = st.lists(st.sampled_from(SCRAPS), max_size=14).map("".join)


@settings(max_examples=800, deadline=None)
@given(text=ANY | DENSE)
def test_nothing_is_lost(text: str) -> None:
    pieces = split_sentences(text)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece and piece == piece.strip() for piece in pieces)


@settings(max_examples=800, deadline=None)
@given(text=ANY | DENSE)
def test_a_sentence_is_not_split_again(text: str) -> None:
    assert all(split_sentences(piece) == [piece] for piece in split_sentences(text))


def test_boundary_f1_on_ewt() -> None:
    """Ten EWT sentences that end in a terminator are joined by spaces, and found again.

    Measured: precision .995, recall .993, F1 .994 (web text: mail, reviews, blogs, news groups).
    """
    found, gold = set(), set()
    for number, sentences in enumerate(_blocks(_ewt_sentences(), 10)):
        pieces = split_sentences(" ".join(sentences))
        found |= {(number, end) for end in _inner_ends(pieces)}
        gold |= {(number, end) for end in _inner_ends(sentences)}
    f1 = 2 * len(found & gold) / (len(found) + len(gold))
    assert len(gold) > 10_000
    assert f1 > 0.99


def _ewt_sentences() -> list[str]:
    path = DATA / "text/en_ud_ewt.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no data under PARAPHRAST_DATA ({DATA})")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [" ".join(json.loads(line)["text"].split()) for line in lines]
    return [text for text in texts if text.rstrip("\"')]”’").endswith((".", "!", "?", "…"))]


def _blocks(items: list[str], size: int) -> list[list[str]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _inner_ends(pieces: list[str]) -> list[int]:
    """Return how many non-space characters stand before each boundary inside a block."""
    return list(accumulate(len(piece.replace(" ", "")) for piece in pieces[:-1]))
