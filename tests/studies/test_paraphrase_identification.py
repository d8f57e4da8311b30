"""Paraphrase or not: the threshold comes from training pairs alone, decisions are counted right."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from paraphrast.errors import InputError
from paraphrast.studies.paraphrase_identification import agreement, identify, labels
from paraphrast.text.words import WordText
from paraphrast.train.data.examples import Example


def write(path: Path, rows: list[tuple[str, str, int | None]]) -> Path:
    lines = [
        {"id": str(n), "text1": a, "text2": b} | ({} if label is None else {"label": label})
        for n, (a, b, label) in enumerate(rows)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


TRAIN: list[tuple[str, str, int | None]] = [
    ("the cat sat on the mat", "the cat sat on a mat", 1),
    ("he went home early today", "he went home early again", 1),
    ("prices fell on monday", "a dog ran through town", 0),
    ("she likes old books", "rain is due at noon", 0),
]
TEST: list[tuple[str, str, int | None]] = [
    ("they won the last game", "they won the last match", 1),
    ("the vote was put off", "nobody knows his name", 0),
    ("my car is red", "my car is red", 0),
]


def test_accuracy_and_f1_of_decisions() -> None:
    guess, gold = np.array([1, 1, 0, 0, 1], bool), np.array([1, 0, 0, 1, 1], bool)
    assert agreement(guess, gold) == (pytest.approx(3 / 5), pytest.approx(2 * 2 / (3 + 3)))
    assert agreement(np.zeros(2, bool), np.zeros(2, bool)) == (1, 0)


def test_metrics_decide_by_the_threshold_of_the_training_pairs(tmp_path: Path) -> None:
    train, test = write(tmp_path / "train.jsonl", TRAIN), write(tmp_path / "test.jsonl", TEST)
    higher, lower = identify(["chrf", "ter"], train, test)
    assert (higher.metric, lower.metric) == ("chrf", "ter")
    for found in (higher, lower):
        assert (found.pairs, found.accuracy, found.f1) == (3, pytest.approx(2 / 3), 2 / 3)


def test_training_pairs_with_a_text_of_the_test_set_do_not_count(tmp_path: Path) -> None:
    test = write(tmp_path / "test.jsonl", TEST)
    alone = identify(["chrf"], write(tmp_path / "train.jsonl", TRAIN), test)
    leaking = [("my car is red", "rain is due at noon", 1), *TRAIN]
    assert identify(["chrf"], write(tmp_path / "more.jsonl", leaking), test) == alone


def test_a_pair_without_a_label() -> None:
    with pytest.raises(InputError, match=r"^a pair has no label$"):
        labels([Example(a=WordText.of("a"), b=WordText.of("b"), group="g", score=1.0)])
