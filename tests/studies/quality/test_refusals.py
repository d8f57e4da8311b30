"""What share of pairs `generate` would refuse."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from paraphrast.errors import InputError
from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.generation.selection.adequacy import AdequacyJudge
from paraphrast.studies.quality import refusals as room
from paraphrast.studies.quality.figures import BASELINE, Bench
from paraphrast.studies.quality.refusals import ScreenedSet, screened, screened_sets, screening
from tests.generation.made import judged_by

ROWS = [
    {"text1": "Ann Lee sat.", "text2": "There sat Ann Lee.", "label": 1},
    {"text1": "It rained.", "text2": "it rained", "label": 1},
    {"text1": "It rained.", "text2": "It snowed.", "label": 0},
]
HEAD = "sid\treference\tparaphrase1\tparaphrase2\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for folder in ("pairs", "judgements"):
        (tmp_path / folder).mkdir()
    for name in room.LABELLED.values():
        with gzip.open(tmp_path / "pairs" / f"{name}.test.jsonl.gz", "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(row) + "\n" for row in ROWS)
    rows = '1\tHe said "no.\tHe "refused.\tNo, he said.\n2\tIt rained.\t \tRain fell.\n'
    (tmp_path / room.PEOPLE).write_text(HEAD + rows, encoding="utf-8")
    return tmp_path


def test_copies_and_blank_cells_are_left_out(data: Path) -> None:
    found = {each.task: each for each in screened_sets(data)}
    assert len(found) == 7
    paraphrases = found["screening, PAWS-Wiki test, paraphrases"]
    assert paraphrases.pairs == (("Ann Lee sat.", "There sat Ann Lee."),)
    people = found["screening, people's paraphrases of WMT19 de-en"]
    assert people.pairs == (
        ('He said "no.', 'He "refused.'),
        ('He said "no.', "No, he said."),
        ("It rained.", "Rain fell."),
    )
    assert people.clusters == (0, 0, 1)


def test_a_file_without_references_is_an_error(data: Path) -> None:
    (data / room.PEOPLE).write_text("a\tb\n1\t2\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column 'reference'"):
        room.rewordings(data)


def test_shares_are_those_of_the_judge_and_of_what_is_lost() -> None:
    pairs = (("Tim saw Ann.", "Tim met Ann."), ("Tim saw Ann.", "He saw her."), ("Ann", "no"))
    with judged_by(lambda _a, b: 0.1 if b == "no" else 0.9):
        judge = AdequacyJudge()
        judge.load()
        asked = GenerateOptions().selection()
        by_judge, whole = screened(ScreenedSet("t", pairs, (0, 0, 1)), judge, asked, "mini")
    assert (by_judge.figure, by_judge.value) == (room.JUDGED, pytest.approx(1 / 3))
    assert (whole.figure, whole.value) == (room.WHOLE, pytest.approx(2 / 3))
    # two clusters: drawn twice, the first alone gives 0 and the second alone 1
    assert (by_judge.low, by_judge.high) == (0.0, 1.0)


def test_only_a_judge_refuses() -> None:
    bench = Bench(evaluate_metrics=None)  # type: ignore[arg-type]  # it correlates nothing
    assert screening(BASELINE, bench).lines == ()
