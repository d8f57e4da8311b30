"""What is counted while tagged rows pass by."""

from __future__ import annotations

import pytest

from paraphrast.errors import InputError
from paraphrast.meaning.tag_tally import TaggedRow, Tally
from paraphrast.meaning.tagged_pair import TaggedPair, TaggedText


def side(text: str, *tags: int) -> TaggedText:
    spans, start = [], 0
    for word in text.split():
        spans.append((start, start + len(word)))
        start += len(word) + 1
    return TaggedText(text, tuple(spans), tags, (0.5,) * len(tags))


def row(number: int, *, windows: int = 1, limited: bool = False, judged: bool = True) -> TaggedRow:
    pair = TaggedPair(side("the cat", 0, 0), side("THE dog", 1, 1), windows, limited)
    return TaggedRow(f"line {number}", pair, ((0, 1), (0, 1)) if judged else None, number)


def test_rows_pass_unchanged_and_some_are_kept() -> None:
    rows, tally = [row(number) for number in range(5)], Tally(keep=2)
    assert list(tally.watch(rows)) == rows
    assert (tally.pairs, tally.kept) == (5, rows[:2])


def test_both_sides_are_judged_beside_the_baseline() -> None:
    tally = Tally()
    list(tally.watch([row(1), row(2)]))
    assert tally.evaluation().to_dict() == {
        "pairs": 2,
        "words": 8,
        "gold": 4,
        "tagger": {"precision": 0.5, "recall": 0.5, "f1": 0.5},
        "baseline": {"precision": 1.0, "recall": 1.0, "f1": 1.0},
    }


def test_rows_that_were_not_judged_give_no_evaluation() -> None:
    tally = Tally()
    list(tally.watch([row(1, judged=False)]))
    with pytest.raises(InputError) as error:
        tally.evaluation()
    expected = "no word is to be tagged 1, so recall and F1 are undefined"
    assert str(error.value) == expected


def test_windowed_rows_are_named_up_to_three() -> None:
    tally = Tally()
    assert tally.notes() == []
    list(tally.watch([row(1, windows=3), row(2)]))
    begins = "too long to be read at once, and read in windows"
    assert tally.notes() == [f"1 pair was {begins}: line 1"]
    list(tally.watch(row(number, windows=900, limited=True) for number in (5, 6, 7)))
    assert tally.notes() == [
        f"4 pairs were {begins}: line 1; line 5; line 6; …; in 3 of them only windows near each "
        "other were compared"
    ]


def test_an_id_stands_first_in_the_exported_row() -> None:
    assert list(row(3).to_dict()) == ["id", "a", "b"]
    nameless = TaggedRow("line 1", row(1).pair)
    assert nameless.to_dict() == row(1).pair.to_dict()
