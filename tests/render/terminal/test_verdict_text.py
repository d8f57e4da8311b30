"""A verdict as text: the answer, the marked words, the reasons, the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from paraphrast.render.terminal.verdict_text import (
    answer,
    number_rows,
    percent,
    reason_line,
    verdict_table,
    verdict_text,
)
from tests.render.terminal.test_marked_text import Pair, Side, side

REASON = {"kind": "changed", "a": "cat", "b": "dog", "weight": 0.9, "words_a": [1], "words_b": [1]}


@dataclass(frozen=True)
class Verdict:
    """What a page needs of a verdict."""

    tags: Pair
    values: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return self.values


def verdict(a: Side, b: Side, **changes: Any) -> Verdict:
    values = {
        "relation": "contradiction",
        "same": False,
        "confidence": 0.93,
        "entailment": {"forward": 0.97, "backward": 0.004},
        "contradiction": 0.75,
        "score": 0.5124,
        "percentile": 78.2,
        "rated_on": "a set",
        "reasons": [REASON],
        "signature": "judge|version:1",
        "notes": ["a note"],
    }
    return Verdict(Pair(a, b), values | changes)


def test_everything_is_in_the_text() -> None:
    found = verdict(side("the cat", 0, 1), side("the dog", 0, 1))
    assert verdict_text(found) == (
        "They contradict each other. (not the same: 93 % sure)\n"
        "\n"
        "a  the [cat]\n"
        "b  the [dog]\n"
        "[word]: the other text does not say it\n"
        "\n"
        "changed: cat → dog\n"
        "\n"
        "a ⇒ b           97 %  probability that b follows\n"
        "b ⇒ a           <1 %  probability that a follows\n"
        "contradiction   75 %  probability that both cannot be true\n"
        "ParaBLEU       0.512  above 78 % of human ratings (a set)\n"
        "note: a note\n"
        "\n"
        "judge|version:1"
    )
    assert "note:" not in verdict_text(found, notes=False)
    assert "judge|" not in verdict_text(found, signature=False)
    assert "\x1b[1;4;31mcat\x1b[0m" in verdict_text(found, colour=True)


def test_texts_that_say_the_same_need_no_legend_and_no_reasons() -> None:
    found = verdict(side("a", 0), side("a", 0), relation="same", same=True, reasons=[])
    text = verdict_text(found)
    assert text.startswith("They say the same. (the same: 93 % sure)\n\na  a\nb  a\n\na ⇒ b")


@pytest.mark.parametrize(
    ("relation", "plain", "named"),
    [
        ("same", "They say the same.", "They say the same."),
        (
            "a_entails_b",
            "b follows from a, which says more.",
            "The candidate follows from the reference, which says more.",
        ),
        (
            "b_entails_a",
            "a follows from b, which says more.",
            "The reference follows from the candidate, which says more.",
        ),
        ("contradiction", "They contradict each other.", "They contradict each other."),
        ("different", "They say different things.", "They say different things."),
    ],
)
def test_relations_in_words(relation: str, plain: str, named: str) -> None:
    found = {"relation": relation, "same": relation == "same", "confidence": 0.5}
    sure = f"({'' if relation == 'same' else 'not '}the same: 50 % sure)"
    assert answer(found) == f"{plain} {sure}"
    assert answer(found, ("reference", "candidate")) == f"{named} {sure}"


def test_what_the_weights_do_not_say_has_no_row() -> None:
    found = verdict(side("a", 0), side("b", 0), contradiction=None, rated_on="none").to_dict()
    rows = number_rows(found)
    assert [name for name, *_ in rows] == ["a ⇒ b", "b ⇒ a", "ParaBLEU"]
    assert rows[-1][2] == "on no known scale: the model was not calibrated"


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.0, "0 %"),
        (0.0049, "<1 %"),
        (0.006, "1 %"),
        (0.994, "99 %"),
        (0.996, ">99 %"),
        (1.0, "100 %"),
    ],
)
def test_only_what_is_certain_is_0_or_100_percent(share: float, expected: str) -> None:
    assert percent(share) == expected


def test_reasons_are_one_line_each_harmless_and_few() -> None:
    assert reason_line(REASON | {"b": ""}) == "changed: cat → (nothing)"
    assert reason_line(REASON | {"a": "", "kind": "added"}) == "added: (nothing) → dog"
    assert reason_line(REASON | {"a": "x\ny\x1b[31m"}) == "changed: x y\ufffd[31m → dog"
    long = reason_line(REASON | {"a": "word " * 10_000})
    assert long == f"changed: {('word ' * 16).rstrip()}… → dog"
    found = verdict(side("a", 0), side("b", 0), reasons=[REASON] * 8)
    assert verdict_text(found).count("changed: cat → dog\n") == 5
    assert "\nand 3 more\n" in verdict_text(found)


def test_several_verdicts_are_a_table() -> None:
    one = {"row": 1, **verdict(side("a", 0), side("b", 0)).to_dict()}
    same = one | {"row": 2, "relation": "same", "confidence": 1.0, "reasons": []}
    lines = [line.rstrip() for line in verdict_table([one, same]).splitlines()]
    assert [line.split() for line in lines] == [
        "row relation sure first reason".split(),
        "1 contradiction 93 % changed: cat → dog".split(),
        "2 same 100 %".split(),
    ]
