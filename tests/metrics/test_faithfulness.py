"""Faithfulness: its parts, its notes, and judging it on a task of summaries."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import paraphrast
from paraphrast.errors import ConfigError
from paraphrast.jobs.meta import evaluate_metrics
from paraphrast.metrics.faithfulness import Faithfulness
from tests.encoders import install_encoder

SOURCE = "The cat sat on the mat. He bought an old car."
HELD, LACKING = "The cat sat on the mat.", "Big dogs never said bad!"


@pytest.fixture(autouse=True)
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_encoder(tmp_path / "site", monkeypatch, format=2)


def score(texts: list[str], sources: list[str], metric: str = "faithfulness") -> paraphrast.Report:
    found = paraphrast.score(texts, sources=sources, metrics=[metric], threads=1)
    assert isinstance(found, paraphrast.Report)
    return found


def test_parts_are_the_mean_the_least_and_half_of_both() -> None:
    report = score([f"{HELD} {LACKING}"], [SOURCE])
    (weak,) = score([LACKING], [SOURCE]).segment_values["faithfulness"]
    parts = report["faithfulness"].parts
    expected = {"mean": (1 + weak) / 2, "least": weak, "both": ((1 + weak) / 2 + weak) / 2}
    assert parts == pytest.approx(expected, abs=1e-4)
    for part in expected:
        chosen = score([f"{HELD} {LACKING}"], [SOURCE], f"faithfulness:part={part}")
        (found,) = chosen.scores
        assert found.score == pytest.approx(expected[part], abs=1e-4)


def test_empty_texts_are_defined() -> None:
    report = score(["", HELD, "", "..."], [SOURCE, "", "", SOURCE])
    assert report.segment_values["faithfulness"].tolist() == [1, 0, 1, 1]


def test_a_note_counts_what_is_not_supported() -> None:
    report = score([f"{HELD} {LACKING}", LACKING, HELD], [SOURCE] * 3)
    note = "faithfulness: 2 of 4 sentences, in 2 candidates, do not follow from the source"
    assert any(one.startswith(note) for one in report.notes)
    assert not score([HELD], [SOURCE]).notes


def test_other_scripts_are_noted() -> None:
    report = score(["犬は走った。"], ["猫はマットの上に座った。"])
    assert any("scripts that the weights" in note for note in report.notes)


@pytest.mark.parametrize("option", ["chunk=0", "reach=0", "part=middle"])
def test_bad_options_are_refused(option: str) -> None:
    with pytest.raises(ConfigError):
        score([HELD], [SOURCE], f"faithfulness:{option}")


def test_every_option_is_in_the_signature() -> None:
    made = [
        Faithfulness(),
        Faithfulness(chunk=7),
        Faithfulness(reach=2),
        Faithfulness(part="least"),
    ]
    assert len({one.signature() for one in made}) == 4


@pytest.mark.parametrize(
    ("task", "file", "dimension"),
    [
        ("qags_cnn", "sum_qags_cnn", "fact"),
        ("summeval_consistency", "sum_summeval", "consistency"),
        ("realsumm", "sum_realsumm", "litepyramid_recall"),
    ],
)
def test_tasks_of_summaries_give_their_sources(
    task: str, file: str, dimension: str, tmp_path: Path
) -> None:
    folder = tmp_path / "judgements"
    folder.mkdir()
    texts = [HELD, LACKING, f"{HELD} {LACKING}", "The cat sat."]
    with gzip.open(folder / f"{file}.jsonl.gz", "wt", encoding="utf-8") as out:
        for number in range(4):
            source = f"{SOURCE} It ran {number} days."
            systems = [
                {"system": f"s{at}", "hypothesis": texts[at], "human": {dimension: at - number / 5}}
                for at in ([number] if task == "qags_cnn" else range(4))
            ]
            row = {"doc_id": number, "source": source, "references": ["a cat"], "systems": systems}
            out.write(json.dumps(row) + "\n")
    report = evaluate_metrics(
        task, "faithfulness", statistics="pearson", samples=20, data=tmp_path, threads=1
    )
    values = report["faithfulness", "pearson"]
    assert values.value is not None
    assert np.isfinite(values.value)
