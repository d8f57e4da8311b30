"""An explained pair as text and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from paraphrast.render.terminal.explained_pair import (
    answer_rows,
    explanation_markdown,
    explanation_text,
)
from tests.render.terminal.test_marked_text import Pair, Side, side


class Measured(NamedTuple):
    metric: str = "ter"
    score: float = 66.6667
    better: str = "lower"
    digits: int = 2
    signature: str = "ter|version:1"


class Measures(NamedTuple):
    scores: Sequence[Measured] = (Measured(),)


@dataclass(frozen=True)
class Explained:
    tags: Pair
    metrics: Measures
    values: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return self.values


def explained(a: Side, b: Side, **changes: Any) -> Explained:
    values = {
        "score": 0.5124,
        "percentile": 78.2,
        "rated_on": "a set",
        "entailed": 0.97,
        "entailing": 0.004,
        "precision": 0.999,
        "recall": 0.5,
        "f": 1.0,
        "paraphrase": {
            "score": {"threshold": 0.0336, "yes": True},
            "entailed": {"threshold": 0.9745, "yes": False},
        },
        "signature": "explain|version:1",
        "notes": ["a note"],
    }
    return Explained(Pair(a, b), Measures(), values | changes)


def test_everything_is_in_the_text() -> None:
    found = explained(side("the cat", 0, 1), side("the dog", 0, 1))
    assert explanation_text(found) == (
        "reference  the [cat]\n"
        "candidate  the [dog]\n"
        "[word]: the other text does not say it\n"
        "\n"
        "score                     0.512  above 78 % of human ratings (a set)\n"
        "reference ⇒ candidate      97 %  probability that the candidate follows\n"
        "candidate ⇒ reference      <1 %  probability that the reference follows\n"
        "candidate's words         >99 %  P: mean probability of being paraphrased\n"
        "reference's words          50 %  R: mean probability of being paraphrased\n"
        "all words                 100 %  F: mean probability of being paraphrased\n"
        "paraphrase by score         yes  the score is above the model's threshold, 0.034\n"
        "paraphrase by entailment     no  reference ⇒ candidate is not above the model's "
        "threshold, 97.5 %\n"
        "\n"
        "ter ↓  66.67\n"
        "\n"
        "note: a note\n"
        "explain|version:1\n"
        "ter|version:1"
    )
    assert "note:" not in explanation_text(found, notes=False)
    assert "\x1b[1;4;31mcat\x1b[0m" in explanation_text(found, colour=True)


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
    found = explained(side("a", 0), side("b", 0), entailed=share).to_dict()
    assert answer_rows(found)[1][1] == expected


def test_markdown_marks_words_beside_punctuation() -> None:
    mat = Side("a mat, not", ((0, 1), (2, 5), (5, 6), (7, 10)), (0, 0, 1, 1))
    text = explanation_markdown(explained(mat, side("b", 0)))
    assert "| reference | a mat<b>, not</b> |" in text
    assert "| reference ⇒ candidate | 97 % | probability that the candidate follows |" in text
    assert "| ter ↓ | 66.67 |" in text
    assert "| paraphrase by score | yes | the score is above the model's threshold, 0.034 |" in text
    assert text.endswith("- a note\n- `explain|version:1`\n- `ter|version:1`")


def test_no_text_becomes_markdown() -> None:
    hostile = side("a|b\n<b>*x*</b>[y](z)&lt;`c`\\", 0)
    text = explanation_markdown(explained(hostile, side("b", 0)))
    row = next(line for line in text.splitlines() if line.startswith("| reference |"))
    assert row == (r"| reference | a\|b \<b\>\*x\*\</b\>\[y\]\(z\)&amp;lt;\`c\`\\ |")
