"""What metrics say of the texts reaches the reader of every meta-evaluation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paraphrast.cli.main import run
from paraphrast.jobs.meta import evaluate_metrics
from paraphrast.jobs.scoring import judged_scores as job
from paraphrast.jobs.scoring.judged_scores import judge_scores
from paraphrast.meta import tasks
from paraphrast.meta.judgements import Judgements, Output, Rating, collect
from paraphrast.meta.tasks import EvaluationTask, Level
from paraphrast.metrics.base import Place
from paraphrast.models.encoder.edit_encoder import EditEncoder
from tests.encoders import install_encoder

LONG = "the cat sat on a red mat " * 20
WINDOWS = "2 of 12 pairs were longer than 64 sub-words and were read in windows"
TEXTS = ["the cat sat", "a cat sat", LONG, "a dog ran", "he saw two dogs", "the old man"]


def judgements() -> Judgements:
    systems = {"a": TEXTS, "b": [text.replace("cat", "dog") for text in TEXTS]}
    outputs = [
        Output("", str(n), name, text, ("the cat sat",))
        for name, texts in systems.items()
        for n, text in enumerate(texts)
    ]
    return collect(
        "toy", outputs, [Rating("", o.item, o.system, "da", _rating(o)) for o in outputs]
    )


def _rating(output: Output) -> float:
    return (int(output.item) * 7 + ord(output.system)) % 5 + int(output.item) / 10


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Level], str]:
    """A function that makes a named task of that level, with an encoder to judge."""
    install_encoder(tmp_path / "site", monkeypatch)
    monkeypatch.chdir(tmp_path)

    def make(level: Level) -> str:
        task = EvaluationTask("toy", "A toy", level, "da", ("pearson",), (), judgements)
        monkeypatch.setattr(tasks, "TASKS", {"toy": task})
        return "toy"

    return make


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def call(*arguments: str) -> str:
        assert run(["meta", *arguments]) == 0
        return capsys.readouterr().out

    return call


def test_windows_are_noted_in_every_format(toy: Any, cli: Any) -> None:
    name = toy("segment")
    arguments = ["run", name, "-m", "parableu", "-m", "paratag", "--samples", "20"]
    assert json.loads(cli(*arguments, "-f", "json"))["notes"] == [WINDOWS]
    assert f"\nnote: {WINDOWS}\n" in cli(*arguments)
    for form in ("markdown", "html"):
        assert "and were read in windows" in cli(*arguments, "-f", form)


def test_systems_are_told_apart_and_many_notes_are_shortened(
    toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "1 of 6 pairs was longer than 64 sub-words and was read in windows"
    notes: list[str] = []
    toy("system")
    judge_scores(judgements(), ["parableu"], "system", notes=notes)
    assert notes == [f"a: {said}", f"b: {said}"]
    monkeypatch.setattr(job, "_MOST_NOTES", 1)
    notes.clear()
    judge_scores(judgements(), ["parableu"], "system", notes=notes)
    assert notes == [f"a: {said}", "1 more note of this kind, on other systems"]


def test_a_metric_without_notes_adds_none(toy: Any) -> None:
    assert evaluate_metrics([toy("segment")], ["chrf"], samples=20).tables[0].notes == ()


@pytest.mark.parametrize("form", ["table", "json"])
def test_studies_have_the_notes_too(toy: Any, cli: Any, form: str) -> None:
    name = toy("segment")
    row = {"item": "0", "references": ["a cat was sitting"]}
    Path("extra.jsonl").write_text(json.dumps(row) + "\n")
    more = WINDOWS.replace("12 pairs", "14 pairs")
    expected = {
        ("compare", name, "parableu", "chrf", "--samples", "20"): [WINDOWS],
        ("sizes", name, "-m", "parableu", "--size", "6", "--repeats", "2"): [WINDOWS],
        ("references", name, "extra.jsonl", "-m", "parableu", "--samples", "20"): [
            WINDOWS,
            f"with the extra references: {more}",
        ],
    }
    for arguments, notes in expected.items():
        out = cli(*arguments, "--threads", "1", "-f", form)
        said = json.loads(out)["notes"] if form == "json" else out.splitlines()
        assert said[-len(notes) :] == [f"note: {one}" if form == "table" else one for one in notes]


def test_the_page_of_sizes_has_the_notes(toy: Any, cli: Any) -> None:
    arguments = ["sizes", toy("segment"), "-m", "parableu", "--size", "6", "--repeats", "2"]
    assert "read in windows" in cli(*arguments, "-f", "html")


def test_studies_run_where_they_are_told(toy: Any, cli: Any, capsys: Any) -> None:
    name = toy("segment")
    Path("extra.jsonl").write_text(json.dumps({"item": "0", "references": ["x"]}) + "\n")
    for arguments in (
        ["run", name, "-m", "parableu"],
        ["compare", name, "parableu", "chrf"],
        ["references", name, "extra.jsonl", "-m", "parableu"],
        ["sizes", name, "-m", "parableu"],
    ):
        assert run(["meta", *arguments, "--threads", "0"]) == 2
        assert "threads must be a whole number, at least 1; got 0" in capsys.readouterr().err
        assert run(["meta", *arguments, "--device", "tpu"]) == 2
        assert "device must be cpu, cuda or cuda:N; got 'tpu'" in capsys.readouterr().err


def test_threads_reach_the_model(toy: Any, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    places = []
    real = EditEncoder.load

    def load(name: str = "mini", **place: Any) -> EditEncoder:
        places.append(Place(**place))
        return real(name, **place)

    monkeypatch.setattr(EditEncoder, "load", load)
    cli("compare", toy("segment"), "parableu", "chrf", "--samples", "20", "--threads", "1")
    assert set(places) == {Place(1, "cpu")}
