"""Pairs at the edges of what texts are: empty, long, in capitals, with words around them.

They need no people to tell what is right: a text says the same as itself at any length, and a
sentence that stands beside both texts of a pair changes nothing between them. Sentences are those
of the tuning half; the pairs that get words around them are those of the reporting half.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from paraphrast.meta.stress.suite import REPORTING, TUNING, StressPair, stress_pairs

EMPTY, ITSELF, CASE, CONTEXT = "empty texts", "a text against itself", "case", "added context"
LENGTHS = (5, 20, 50, 100, 200, 500, 1000, 2000)  # words
CHANGED, CAPITALS, UNCHANGED = "another meaning", "all capitals", "unchanged"
_PASSAGES = 3  # at each length
_SHOUTED = 8  # sentences in capitals
# Where only the case of letters tells the two meanings apart; the first is that of every day.
_CASE_PAIRS = (
    ("They sold us stocks.", "They sold US stocks."),
    ("He was never any good at it.", "He was never any good at IT."),
    ("She asked for a polish cloth.", "She asked for a Polish cloth."),
    ("They talked about turkey all evening.", "They talked about Turkey all evening."),
    ("He is writing a book about china.", "He is writing a book about China."),
    ("My uncle has catholic tastes.", "My uncle has Catholic tastes."),
    ("The paper tests apple products.", "The paper tests Apple products."),
    ("Does she still read the times?", "Does she still read the Times?"),
)
# Sentences before and after both texts of a pair.
_AROUND = {
    "1 before": (1, 0),
    "5 before": (5, 0),
    "5 after": (0, 5),
    "10 before and after": (10, 10),
}


@dataclass(frozen=True, slots=True)
class EdgeCase:
    """Two texts, and whether they say the same; `row` names the line of the result.

    `base` is the pair, of the suite or of these, with which the value is compared.
    """

    id: str
    group: str
    row: str
    same: bool
    text1: str
    text2: str
    base: str = ""


@cache
def edge_cases() -> tuple[EdgeCase, ...]:
    """Return all edge cases, row by row."""
    return (*_empty(), *_itself(), *_case(), *_context())


def edge_rows() -> dict[tuple[str, str], list[EdgeCase]]:
    """Return the edge cases of each group and row."""
    rows: dict[tuple[str, str], list[EdgeCase]] = {}
    for case in edge_cases():
        rows.setdefault((case.group, case.row), []).append(case)
    return rows


def _sentences() -> list[str]:
    return [pair.text1 for pair in stress_pairs(TUNING)]


def _empty() -> Iterator[EdgeCase]:
    text = _sentences()[0]
    yield EdgeCase("empty-both", EMPTY, "both", True, "", "")
    yield EdgeCase("empty-space", EMPTY, "white space, and nothing", True, "  ", "")
    yield EdgeCase("empty-first", EMPTY, "the first", False, "", text)
    yield EdgeCase("empty-second", EMPTY, "the second", False, text, "")


def _itself() -> Iterator[EdgeCase]:
    sentences = _sentences()
    for length in LENGTHS:
        for number in range(_PASSAGES):
            at = number * len(sentences) // _PASSAGES
            words = " ".join([*sentences[at:], *sentences[:at]]).split(" ")
            text = " ".join(words[:length])
            name = f"itself-{length}-{number + 1}"
            yield EdgeCase(name, ITSELF, f"{length:,} words", True, text, text)


def _case() -> Iterator[EdgeCase]:
    for number, (plain, other) in enumerate(_CASE_PAIRS, 1):
        base = f"case-unchanged-{number}"
        yield EdgeCase(base, CASE, UNCHANGED, True, plain, plain)
        yield EdgeCase(f"case-changed-{number}", CASE, CHANGED, False, plain, other, base)
    for number, text in enumerate(_sentences()[:: len(_sentences()) // _SHOUTED][:_SHOUTED], 1):
        yield EdgeCase(f"case-capitals-{number}", CASE, CAPITALS, True, text, text.upper())


def _context() -> Iterator[EdgeCase]:
    sentences = _sentences()
    for row, (before, after) in _AROUND.items():
        for number, pair in enumerate(_first_pairs()):
            at = 7 * number  # other sentences for each pair
            chosen = [sentences[(at + n) % len(sentences)] for n in range(before + after)]
            texts = [
                " ".join([*chosen[:before], text, *chosen[before:]])
                for text in (pair.text1, pair.text2)
            ]
            name = f"context-{row.replace(' ', '-')}-{number + 1}"
            yield EdgeCase(name, CONTEXT, row, pair.same, texts[0], texts[1], pair.id)


def _first_pairs() -> list[StressPair]:
    """Return the first pair of either label of each kind in the reporting half."""
    first: dict[tuple[str, bool], StressPair] = {}
    for pair in stress_pairs(REPORTING):
        first.setdefault((pair.kind, pair.same), pair)
    return list(first.values())
