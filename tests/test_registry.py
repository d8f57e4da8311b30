"""Metrics from other packages: a real distribution on the path, found by its entry point."""

from __future__ import annotations

from pathlib import Path

import pytest

import paraphrast
from paraphrast.errors import ConfigError
from paraphrast.metrics.catalogue import METRICS, metric_class
from paraphrast.registry import Registry

MODULE = '''
"""A metric that somebody else wrote."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paraphrast import Batch, Card, MeanMetric


@dataclass(frozen=True, kw_only=True)
class FirstWord(MeanMetric):
    """Whether the first words agree."""

    ignore_case: bool = False
    name: ClassVar[str] = "{name}"
    card: ClassVar[Card] = Card(
        title="First word",
        summary="Whether candidate and reference begin alike.",
        formula="mean over segments of [first word equal]",
        paper="none",
        range=(0, 1),
        better="higher",
        empty="an empty text agrees with nothing",
    )

    def stats(self, batch: Batch) -> np.ndarray:
        assert batch.references is not None
        starts = batch.references.offsets[:-1].tolist()
        pairs = zip(batch.candidates.texts, (batch.references.texts[i] for i in starts))
        return np.array([[1.0, self.same(a, b)] for a, b in pairs])

    def same(self, one: str, other: str) -> float:
        if self.ignore_case:
            one, other = one.lower(), other.lower()
        return float(one.split()[:1] == other.split()[:1] != [])


class NotAMetric:
    pass
'''


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, points: str, *, name: str = "first_word"
) -> None:
    """Lay down what pip would: a module and its metadata."""
    package = f"firstword_{folder.name}"
    (folder / f"{package}.py").write_text(MODULE.replace("{name}", name), encoding="utf-8")
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    text = f"[paraphrast.metrics]\n{points.replace('MODULE', package)}\n"
    (info / "entry_points.txt").write_text(text)
    monkeypatch.syspath_prepend(folder)


def test_a_metric_of_another_package_is_scored_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "first_word = MODULE:FirstWord")
    assert METRICS.names()[-1] == "first_word"
    report = paraphrast.score(
        ["The cat", "A dog", ""],
        ["the cat", "A cat", "x"],
        metrics=["first_word", "first_word:ignore_case=yes", "bleu"],
        ci=True,
    )
    plain, folded, _ = report.scores
    assert plain.score == pytest.approx(1 / 3)
    assert folded.score == pytest.approx(2 / 3)
    assert plain.ci is not None
    assert plain.signature == (
        f"first_word|nrefs:1|ignore_case:no|version:{paraphrast.__version__}"
    )
    assert report.segment_values["first_word"].tolist() == [0, 1, 0]
    assert report.segment_values["first_word#2"].tolist() == [1, 1, 0]
    result = paraphrast.compare(
        {"a": ["x y"] * 5, "b": ["y x"] * 5}, ["x y"] * 5, metrics="first_word"
    )
    assert result.tests[0].difference == -1


def test_a_taken_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "bleu = MODULE:FirstWord", name="bleu")
    with pytest.raises(ConfigError, match=r"provides metric 'bleu' .* reuses a name that is taken"):
        METRICS.names()
    # ours still means what it always did
    assert metric_class("bleu").__module__ == "paraphrast.metrics.bleu"


def test_two_packages_with_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in ("one", "two"):
        (tmp_path / part).mkdir()
        install(tmp_path / part, monkeypatch, "first_word = MODULE:FirstWord")
    with pytest.raises(ConfigError, match=r"provides metric 'first_word' .* reuses a name"):
        paraphrast.score(["a"], ["a"], metrics="first_word")


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ("gone = no_such_module_at_all:X", "metric 'gone' .*: No module named 'no_such_module"),
        ("gone = MODULE:Missing", "metric 'gone' .*: .* has no attribute 'Missing'"),
        ("gone = MODULE:NotAMetric", "metric 'gone' is not a subclass of"),
    ],
)
def test_a_broken_plug_in_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, message: str
) -> None:
    install(tmp_path, monkeypatch, point)
    with pytest.raises(ConfigError, match=message):
        paraphrast.score(["a"], ["a"], metrics="gone")
    assert paraphrast.score(["a"], ["a"], metrics="rouge1")["rouge1"].score == 1


def test_an_unknown_name_suggests_plug_ins_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "first_word = MODULE:FirstWord")
    with pytest.raises(
        ConfigError, match=r"unknown metric 'first_wrd' \(did you mean 'first_word'"
    ):
        paraphrast.score(["a"], ["a"], metrics="first_wrd")


def test_a_table_resolves_lazily() -> None:
    registry = Registry("thing", "paraphrast.no_such_group", {"join": "os.path:join", "x": "no:x"})
    assert registry.names() == ["join", "x"]
    import os.path

    assert registry.load("join") is os.path.join
