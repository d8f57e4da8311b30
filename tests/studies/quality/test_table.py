"""The quality table on tiny encoders and tiny data: every task, and again from what is kept."""

from __future__ import annotations

import gzip
import importlib.util
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from paraphrast.errors import ConfigError
from paraphrast.jobs.meta import evaluate_metrics
from paraphrast.studies import encoder_quality
from paraphrast.studies.quality import first_reasons, itself, table
from paraphrast.studies.quality.agreement import SUMMARIES
from paraphrast.studies.quality.chances import Answered, reliability
from paraphrast.studies.quality.figures import Bench, Findings, Line
from paraphrast.train.data.readers import read
from tests.encoders import install_encoder

CAT, DOG, RED = "The cat sat on the mat.", "Big dogs never said bad!", "He bought an old red car."
BENCH = Bench(evaluate_metrics)


@pytest.fixture(params=[1, 2], ids=["format 1", "format 2"])
def mini(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return install_encoder(tmp_path / "site", monkeypatch, format=request.param)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    monkeypatch.setenv("PARAPHRAST_DATA", str(tmp_path / "data"))

    def rows(name: str, *many: dict[str, Any]) -> Path:
        path = tmp_path / "data" / f"{name}.jsonl.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(row) + "\n" for row in many)
        return path

    return rows


def nli(a: str, b: str, label: str) -> dict[str, Any]:
    return {"text1": a, "text2": b, "nli": label}


def by_figure(found: Findings) -> dict[str, float]:
    return {line.figure: line.value for line in found.lines}


def test_entailment_and_its_calibration(mini: Path, write: Callable[..., Path]) -> None:
    rows = [nli(CAT, CAT, "entailment"), nli(CAT, DOG, "neutral"), nli(RED, DOG, "contradiction")]
    write("pairs/nli_hard.dev", *rows)
    (line,) = table.TASKS["nli_hard"]("mini", BENCH).lines
    assert (line.system, line.value) == ("mini", 1.0)
    (line,) = table.TASKS["nli_hard"]("baseline", BENCH).lines
    assert (line.system, line.value) == ("always no", pytest.approx(2 / 3))
    found = table.TASKS["calibration_entailment"]("mini", BENCH)
    assert 0 < found.lines[0].value < 0.5
    (points,) = found.curves.values()
    assert [point[0] for point in points] == sorted(point[0] for point in points)


def test_reliability_has_a_point_for_each_bin_that_holds_any() -> None:
    import numpy as np

    chance = np.array([0.05, 0.07, 0.93, 1.0])
    points = reliability(Answered(chance, np.array([False, True, True, True])))
    assert [point[:2] for point in points] == [
        (pytest.approx(0.06), 0.5), (pytest.approx(0.965), 1.0)
    ]  # fmt: skip


def test_minimal_pairs(mini: Path) -> None:
    for system, name in (("mini", "mini"), ("baseline", "chrf++")):
        found = table.TASKS["stress"](system, BENCH)
        assert {line.system for line in found.lines} == {name}
        assert set(by_figure(found)) == {"accuracy", "AUC"}
        assert all(line.low is not None and line.low <= line.value for line in found.lines)


def test_paraphrases(
    mini: Path, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"text1": CAT, "text2": "The cat sat on a mat.", "label": 1},
        {"text1": RED, "text2": DOG, "label": 0},
    ]
    known = read("pairs", write("pairs/mrpc.train", *rows))
    monkeypatch.setattr(encoder_quality, "_held_out", lambda _name: known)
    write("pairs/mrpc.test", *rows)
    for system in ("mini", "baseline"):
        assert by_figure(table.TASKS["mrpc"](system, BENCH)) == {"accuracy": 1.0, "F1": 1.0}


def test_tags(mini: Path, write: Callable[..., Path]) -> None:
    words = CAT.split()
    row = {"tokens1": words, "tokens2": [*words, "today"], "tags1": [0] * 6, "tags2": [0] * 6 + [1]}
    write("tags/etpc.dev", row)
    for system, name in (("mini", "mini"), ("baseline", "word absent")):
        (line,) = table.TASKS["etpc"](system, BENCH).lines
        assert line.system == name
        assert 0 < line.value <= 1


def test_a_text_against_itself(
    mini: Path, write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("text/en_ud_ewt", *({"text": text} for text in (CAT, DOG, RED, "never")))
    held = tmp_path / "held_out.json"
    held.write_text(json.dumps([{"id": f"ewt-{n}"} for n in range(3)] + [{"id": "wmt-1"}]))
    monkeypatch.setattr(itself, "HELD_OUT", held)
    monkeypatch.setattr(itself, "TEXTS", {5: 2, 15: 2, 900: 1})
    found = itself.sentences(held, tmp_path / "data")
    assert found == [CAT, DOG, RED]
    assert [len(text) for text in itself.self_texts(found)] == [5, 5, 15, 15]
    figures = by_figure(table.TASKS["itself"]("mini", BENCH))
    assert figures["the same, 5 to 50 words"] == figures["called same, network alone"]
    assert 0 <= figures["called same, sentences looked up"] <= 1
    assert table.TASKS["itself"]("baseline", BENCH).lines == ()


def test_first_reasons(
    mini: Path, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    altered = {
        "text1": "The cat sat on the mat.", "text2": "The dog sat on the mat.",
        "altered": [[4, 7], [4, 7]], "reason": "changed",
    }  # fmt: skip
    away = {**altered, "altered": [[19, 22], [19, 22]]}
    held = {"text1": CAT, "text2": CAT, "altered": None, "reason": None}
    path = write("altered", altered, away, held)
    monkeypatch.setattr(first_reasons, "ALTERED", path)
    monkeypatch.setattr("paraphrast.meaning.assessment._EVEN", 1.1)  # nothing is the same
    found = by_figure(table.TASKS["reasons"]("mini", BENCH))
    assert found == {"the altered word": 0.5, "its kind": 0.5}


@pytest.mark.parametrize(("task", "name"), [("qags", "qags_cnn"), ("realsumm", "realsumm")])
def test_summaries(task: str, name: str, mini: Path, write: Callable[..., Path]) -> None:
    dimension = {"qags": "fact", "realsumm": "litepyramid_recall"}[task]
    texts = [CAT, DOG, f"{CAT} {DOG}", "The cat sat."]
    rows = [
        {
            "doc_id": number, "source": f"{CAT} {RED} {number}", "references": [f"{CAT} {RED}"],
            "systems": [
                {"system": f"s{at}", "hypothesis": texts[at], "human": {dimension: at + number / 9}}
                for at in range(4)
            ],
        }
        for number in range(4)
    ]  # fmt: skip
    file = {"qags": "sum_qags_cnn", "realsumm": "sum_realsumm"}[task]
    write(f"judgements/{file}", *rows)
    found = table.TASKS[task]("mini", BENCH)
    names = {line.task for line in found.lines}
    assert names == {
        f"{SUMMARIES[name]}, {what}"
        for what in ("faithfulness", "paratag P, logit", "paratag P, probability")
    }
    assert all(line.low is not None for line in found.lines)


def test_what_was_measured_is_kept_and_new_weights_are_measured_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_encoder(tmp_path / "site", monkeypatch)
    asked: list[str] = []

    def measured(system: str, bench: Bench) -> Findings:
        asked.append(system)
        bench.advance(1)
        line = Line("t", "f", system, 0.5, 0.1, 0.9)
        return Findings((line,), {"c": [(0.1, 0.2, None, None)]})

    done: list[int] = []

    @contextmanager
    def watch(task: str, system: str) -> Iterator[Callable[[int], None]]:
        yield done.append

    monkeypatch.setattr(table, "TASKS", {"t": measured})

    def run() -> list[Findings]:
        folder = tmp_path / "kept"
        return list(table.measure(["t"], ["mini"], evaluate_metrics, folder=folder, watch=watch))

    first = run()
    assert asked == ["baseline", "mini"]
    assert done == [1, 1]
    assert run() == first
    assert asked == ["baseline", "mini"]
    next((tmp_path / "kept").glob("t-mini-*.json")).write_text("damaged")
    assert run() == first
    assert asked == ["baseline", "mini", "mini"]
    install_encoder(tmp_path / "site", monkeypatch, seed=9)
    run()
    assert asked[3:] == ["mini"]


def test_some_tasks_by_name() -> None:
    assert table.chosen_tasks("stress, snli") == ["stress", "snli"]
    assert table.chosen_tasks(None) == list(table.TASKS)
    with pytest.raises(ConfigError, match="did you mean 'stress'"):
        table.chosen_tasks("stres")


@pytest.fixture(scope="module")
def page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_quality", Path("docs/quality.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_a_column_for_each_model_and_what_others_get(page: ModuleType) -> None:
    task = "QAGS-CNN factuality, faithfulness"
    lines = [
        Line(task, "pearson", "ROUGE-2", 0.4, 0.3, 0.5), Line(task, "pearson", "mini", 0.6),
        Line("t", "f", "mini", 0.25, 0.2, 0.3),
    ]  # fmt: skip
    head, _, first, second = page.table(lines, ["mini", "base"]).splitlines()
    assert head == "| task | figure | mini | base | baseline | published |"
    assert first.startswith(f"| {task} | pearson | 0.600 |  | ROUGE-2 0.400 [0.300, 0.500] | ")
    assert "bart_score_cnn_src_hypo 0.735" in first
    assert second == "| t | f | 0.250 [0.200, 0.300] |  |  |  |"


def test_the_reliability_curve_stands_alone(page: ModuleType, tmp_path: Path) -> None:
    curves = {"same, x": [(0.1, 0.2, 0.1, 0.3), (0.9, 0.8, 0.7, 0.9)]}
    page.write_reliability(tmp_path / "r.svg", "mini", curves)
    drawn = (tmp_path / "r.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "same, x" in drawn


def test_the_page_the_curve_and_the_card_are_written(
    page: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    weights = install_encoder(tmp_path / "site", monkeypatch)
    card = weights / "MODEL_CARD.md"
    card.write_text("# Card\n<!-- results -->\nold\n<!-- /results -->\n", encoding="utf-8")

    def measured(system: str, bench: Bench) -> Findings:
        return Findings((Line("t", "f", system, 0.5, 0.1, 0.9),), {"c": [(0.1, 0.2, None, None)]})

    monkeypatch.setattr(table, "TASKS", {"t": measured})
    monkeypatch.setattr(page, "DOCS", tmp_path)
    monkeypatch.setattr(page, "PAGE", tmp_path / "quality.md")
    monkeypatch.setattr(page, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(page, "MODELS", ("mini", "not-there"))
    row = "| t | f | 0.500 [0.100, 0.900] | baseline 0.500 [0.100, 0.900] |  |"
    page.main(["--only", "t", "mini"])
    assert row in capsys.readouterr().out
    assert not (tmp_path / "quality.md").exists()
    page.main([])
    assert "not-there is not installed: left out" in capsys.readouterr().out
    assert row in (tmp_path / "quality.md").read_text(encoding="utf-8")
    assert row in card.read_text(encoding="utf-8")
    assert "old" not in card.read_text(encoding="utf-8")
    assert (tmp_path / "reliability-mini.svg").exists()
