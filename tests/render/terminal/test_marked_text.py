"""Marks in a terminal: what is marked, what is made harmless, when colours are used."""

from __future__ import annotations

import io
from typing import NamedTuple

import pytest

from paraphrast.render.terminal.marked_text import (
    evaluation_text,
    legend,
    marked,
    pair_text,
    printable,
    runs,
    wants_colour,
)


class Side(NamedTuple):
    text: str
    spans: tuple[tuple[int, int], ...]
    tags: tuple[int, ...]
    probabilities: tuple[float, ...] = ()


class Pair(NamedTuple):
    a: Side
    b: Side
    windows: int = 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def side(text: str, *tags: int) -> Side:
    """Cut at spaces."""
    spans, start = [], 0
    for word in text.split(" "):
        spans.append((start, start + len(word)))
        start += len(word) + 1
    return Side(text, tuple(spans), tags)


def test_neighbours_stand_under_one_mark() -> None:
    words = side("a b c d e", 0, 1, 1, 0, 1)
    assert runs(words) == [(2, 5), (8, 9)]
    assert marked(words) == "a [b c] d [e]"
    assert marked(words, colour=True) == "a \x1b[1;4;31mb c\x1b[0m d \x1b[1;4;31me\x1b[0m"


def test_texts_without_marks_are_left_alone() -> None:
    assert marked(side("a b", 0, 0)) == "a b"
    assert marked(Side("", (), ())) == ""
    assert marked(Side(" \n ", (), ())) == ""


def test_braces_are_ordinary_characters() -> None:
    assert marked(side("{0} {}", 1, 0)) == "[{0}] {}"


def test_nothing_commands_the_terminal() -> None:
    hostile = Side("a\x1b[31m\x07\nb\x9bc\x85d\ud800", ((0, 1), (8, 9)), (1, 1))
    assert marked(hostile) == "[a\ufffd[31m\ufffd b]\ufffdc d\ufffd"
    assert printable("\u2028\t\r") == "   "


def test_names_are_lined_up() -> None:
    pair = Pair(side("x", 1), side("y", 0))
    assert pair_text(pair, names=("reference", "b")) == "reference  [x]\nb          y"
    assert legend() == "[word]: the other text does not say it"


@pytest.mark.parametrize(
    ("stream", "environment", "expected"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),  # as no-color.org has it
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
        (None, {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    stream: io.StringIO | None,
    environment: dict[str, str],
    expected: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(stream) is expected


def test_an_evaluation_is_a_table() -> None:
    values = {"precision": 0.5, "recall": 0.25, "f1": 1 / 3}
    found = {"pairs": 1200, "words": 34567, "gold": 8, "tagger": values, "baseline": values}
    assert evaluation_text(found) == (
        "tag 1                            precision  recall    F1\n"
        "tagger                                .500    .250  .333\n"
        "word absent from the other text       .500    .250  .333\n"
        "\n"
        "1,200 pairs, 34,567 words, 8 of them to be tagged 1"
    )
