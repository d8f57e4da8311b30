"""What the data card is made from: counts by bin, and the examples."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from paraphrast.corpora.build.corpus_report import EXAMPLES, CorpusReport, PairTally, StepCounts


def pair(number: int, overlap: float, **more: Any) -> dict[str, Any]:
    row = {
        "id": f"{number:09d}",
        "text1": "um dois três",
        "text2": "um dois",
        "overlap": overlap,
        "quality": 0.5,
        "origin": "translation",
        "systems": ["a", "b"],
        "source": "one two three four",
        "label": None,
        "split": "train",
    }
    return row | more


def test_bins_by_hand() -> None:
    tally = PairTally()
    mined = pair(4, 0.3, origin="mined", quality=None, source=None, text1="um", label="negative")
    tally.add([pair(1, 0.29), pair(2, 0.3, quality=0.1), pair(3, 1.0, split="dev"), mined])
    bins = tally.bins(available=range(11), wanted=2)
    assert [one.sampled for one in bins] == [0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1]
    third = bins[3]
    assert (third.bin, third.available, third.mined, third.short) == ("[0.3, 0.4)", 3, 1, 1)
    assert third.words_text1 == 2  # of three words and of one
    assert third.words_source == 4  # the mined pair has no source
    assert third.quality == 0.1
    assert third.labels == {"negative": 1}
    assert bins[0].words_text1 is None
    assert bins[10].short == 0  # exact matches are not wanted
    assert tally.splits == {"train": 3, "dev": 1}


def test_bins_do_not_depend_on_pieces() -> None:
    texts = ("", "um", "“um”, dois!\ntrês", "um\0dois")
    rows = [
        pair(n, n % 11 / 10, text1=texts[n % 4], source=texts[n % 3] or None, quality=n % 5 / 4)
        | {"label": (None, "", "negative", "other")[n % 4], "split": ("dev", None)[n % 2]}
        for n in range(100)
    ]
    whole, pieces = PairTally(), PairTally()
    whole.add(rows)
    for at in range(0, len(rows), 7):
        pieces.add(rows[at : at + 7])
    pieces.add([])
    assert pieces.bins() == whole.bins()
    assert pieces.splits == whole.splits == {"dev": 50, "pairs": 50}
    first = whole.bins()[1]  # rows 1, 12, 23, …, 89 and 100 would be next
    chosen = rows[1::11]
    assert first.sampled == len(chosen)
    words = [len(re.findall(r"\w+", row["text1"])) for row in chosen if row["text1"]]
    assert first.words_text1 == sum(words) / len(words)
    assert first.quality == sum(row["quality"] for row in chosen) / len(chosen)
    assert sum(first.labels.values()) == sum(bool(row["label"]) for row in chosen)


def test_examples_depend_on_neither_order_nor_pieces() -> None:
    rows = [pair(n, (n % 11) / 11) for n in range(200)]
    one = PairTally(seed=1)
    one.add(rows)
    other = PairTally(seed=1)
    random.Random(3).shuffle(rows)
    for at in range(0, len(rows), 13):
        other.add(rows[at : at + 13])
    assert one.examples() == other.examples()
    assert len(one.examples()) == 10 * EXAMPLES  # no pair has an overlap of 1
    another = PairTally(seed=2)
    another.add(rows)
    assert another.examples() != one.examples()
    few = PairTally()
    few.add([pair(1, 0.5), pair(1, 0.5)])
    assert len(few.examples()) == 2


def test_a_report_is_json_and_adds_up() -> None:
    tally = PairTally()
    tally.add([pair(n, 0.5, label=("positive", None)[n % 2]) for n in range(6)])
    step = StepCounts(name="clean", rows_in=10, rows_out=6, dropped={"short": 4}, seconds=2)
    report = CorpusReport(
        name="x",
        seed=1,
        recipe_sha256="00",
        recipe_text="",
        steps=(step, StepCounts(name="split", rows_in=6, rows_out=6)),
        bins=tally.bins(),
        splits=tally.splits,
        examples=tally.examples(),
    )
    assert report.pairs == 6
    assert report.labels == {"positive": 3, "negative": 0, "unnatural": 0, "other": 0}
    found = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert [one["rate"] for one in found["steps"]] == [5, None]
    assert found["steps"][0]["dropped"] == {"short": 4}
    assert [one["name"] for one in found["definitions"]] == list(report.labels)
