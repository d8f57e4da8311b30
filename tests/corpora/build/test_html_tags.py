from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.build.html_tags import without_tags
from paraphrast.corpora.build.steps.intake import CleanStep, normalise
from paraphrast.engine.step import Row


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It was <b>very</b> good.", "It was very good."),
        ("<i>Un</i>likely<sup>2</sup>: <EM>so</EM>", "Unlikely2: so"),
        ("one<br>two<br/>three<BR />four", "one two three four"),
        ("<p class='a b'>one</p><p>two</p>", " one  two "),
        ('see <a href="http://x.org/?a=1>2" target=_blank>here</a>.', "see here."),
        ("<input type=text disabled> <hr noshade/>", "   "),
        ("a<!-- not - seen -- <b> --> b<!doctype html>", "a b"),
        ("<script type='x'>if (a<b) c();</script>so <style>p {}</style>it is", "so it is"),
        ("<td\n  width = 3\n>x</td >", " x "),
    ],
)
def test_tags_are_taken_out(text: str, wanted: str) -> None:
    assert without_tags(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d",
        "if x <b and c> d then",
        "I <3 you, and you <33 me >.<",
        "mail <ann@example.org> or <http://example.org/a?b=c>",
        "fill in <your name> and <NAME>",
        "List<String> of <ibid.> < b > </ b> <b",
        "1<2>1, 5 <p <6, ->, <-, <>, </>, <!>",
        "<bread> <brother> <a.b> <i'm here> <u know=",
        "<< File: report.doc >> <<b5>>",
    ],
)
def test_what_only_looks_like_a_tag_stays(text: str) -> None:
    assert without_tags(text) == text


@given(text=st.text("<>/!-=\"' abp\n"))
def test_nothing_but_what_is_in_angle_brackets_goes(text: str) -> None:
    left = without_tags(text)
    assert len(left) <= len(text)
    if "<" not in text or ">" not in text:
        assert left == text


@pytest.mark.parametrize(
    "part", ["<", "<a ", '<a b="', "<a b='<a b=\"", "<!--", "<!-- -", "<script>", "<p a=b c=d "]
)
def test_no_text_takes_long(part: str) -> None:
    started = time.process_time()
    without_tags(part * (200_000 // len(part)))
    assert time.process_time() - started < 2


def test_entities_are_read_before_tags() -> None:
    text = "&lt;b&gt;a &amp;lt; b&lt;/b&gt;"
    assert normalise(text, unescape=True, strip_tags=True) == "a &lt; b"
    assert normalise(text, strip_tags=True) == text


def test_intake_takes_tags_out_unless_told_not_to() -> None:
    row: Row = {"id": "0", "text": "It was <b>very</b> good."}
    loose = {"check": "none", "letters": 0.0}
    for step, wanted in (
        (CleanStep(**loose), "It was very good."),
        (CleanStep(**loose, strip_tags=False), row["text"]),
    ):
        with step.open() as work:
            assert list(work([row])) == [{"id": "0", "text": wanted}]
    assert CleanStep(**loose).signature != CleanStep(**loose, strip_tags=False).signature
