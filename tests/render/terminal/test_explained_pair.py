"""An explained pair as text and Markdown: the verdict first, then the metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from paraphrast.render.terminal.explained_pair import explanation_markdown, explanation_text
from tests.render.terminal.test_marked_text import Side, side
from tests.render.terminal.test_verdict_text import Verdict, verdict


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
    verdict: Verdict
    metrics: Measures
    notes: list[str]

    def to_dict(self) -> dict[str, Any]:
        return {"verdict": self.verdict.to_dict(), "notes": self.notes}


def explained(a: Side, b: Side, *, notes: Sequence[str] = ("a note",), **changes: Any) -> Explained:
    return Explained(verdict(a, b, **changes), Measures(), list(notes))


def test_everything_is_in_the_text() -> None:
    found = explained(side("the cat", 0, 1), side("the dog", 0, 1), notes=["of the pair"])
    assert explanation_text(found) == (
        "They contradict each other. (not the same: 93 % sure)\n"
        "\n"
        "reference  the [cat]\n"
        "candidate  the [dog]\n"
        "[word]: the other text does not say it\n"
        "\n"
        "changed: cat → dog\n"
        "\n"
        "reference ⇒ candidate   97 %  probability that the candidate follows\n"
        "candidate ⇒ reference   <1 %  probability that the reference follows\n"
        "contradiction           75 %  probability that both cannot be true\n"
        "ParaBLEU               0.512  above 78 % of human ratings (a set)\n"
        "\n"
        "ter ↓  66.67\n"
        "\n"
        "note: of the pair\n"
        "judge|version:1\n"
        "ter|version:1"
    )
    assert "note:" not in explanation_text(found, notes=False)
    assert "\x1b[1;4;31mcat\x1b[0m" in explanation_text(found, colour=True)


def test_markdown_marks_words_beside_punctuation() -> None:
    mat = Side("a mat, not", ((0, 1), (2, 5), (5, 6), (7, 10)), (0, 0, 1, 1))
    text = explanation_markdown(explained(mat, side("b", 0)))
    assert text.startswith("**They contradict each other. (not the same: 93 % sure)**\n")
    assert "| reference | a mat<b>, not</b> |" in text
    assert "\n- changed: cat → dog\n" in text
    assert "| reference ⇒ candidate | 97 % | probability that the candidate follows |" in text
    assert "| ter ↓ | 66.67 |" in text
    assert text.endswith("- a note\n- `judge|version:1`\n- `ter|version:1`")


def test_no_text_becomes_markdown() -> None:
    words = "a|b\n<b>*x*</b>[y](z)&lt;`c`\\"
    escaped = r"a\|b \<b\>\*x\*\</b\>\[y\]\(z\)&amp;lt;\`c\`\\"
    reason = {"kind": "missing", "a": words, "b": ""}
    text = explanation_markdown(explained(side(words, 0), side("b", 0), reasons=[reason]))
    row = next(line for line in text.splitlines() if line.startswith("| reference |"))
    assert row == f"| reference | {escaped} |"
    assert rf"- missing: {escaped} → \(nothing\)" in text
