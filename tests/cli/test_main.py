"""The list of verbs: quick to show, in panels, and complete."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest

import paraphrast
from paraphrast.cli.main import VERBS, _load, run

DOORS = {  # each command, and the function of the package that does the same
    "score": "score", "compare": "compare", "judge": "judge", "support": "support",
    "tag": "tag", "explain": "explain",
    "metrics": "metric_card", "generate": "generate", "mine": "mine", "build": "build",
    "corpus evaluate": "evaluate_corpora", "corpus verify": "verify_corpus",
    "annotate init": "init_annotation", "annotate add": "add_pairs",
    "annotate suggest": "suggest_answers", "annotate export": "export_annotations",
    "annotate import": "import_annotations", "annotate restore": "restore_annotations",
    "annotate account": "AnnotationProject", "annotate guidelines": "AnnotationProject",
    "annotate merge": "AnnotationProject", "annotate rebuild": "AnnotationProject",
    "annotate report": "AnnotationProject",
    "meta run": "evaluate_metrics", "meta correlate": "correlate",
    "meta compare": "compare_metrics", "meta tasks": "judgement_tasks",
    "meta references": "reference_study", "meta sizes": "size_study",
    "meta stress": "stress_metrics",
    "study decoding": "decoding_study", "study settings": "decoding_study",
    "train run": "train_run", "train resume": "train_resume", "train plot": "train_plot",
    "train export": "train_export",
}  # fmt: skip
HEAVY = ("numpy", "onnxruntime", "pyarrow", "paraphrast.jobs")


def leaves(name: str) -> dict[str, Any]:
    """Return the commands of a verb."""
    loaded = _load(name)
    return getattr(loaded, "commands", {}) or {name: loaded}


@pytest.mark.parametrize("argument", ["--help", "--version", "nonsense"])
def test_a_list_of_verbs_imports_no_verb(argument: str) -> None:
    code = (
        "import sys; from paraphrast.cli.main import run; run([sys.argv[1]]); "
        f"print([m for m in sys.modules if m.startswith({HEAVY})], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, argument], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_the_verbs_stand_in_panels_on_one_line_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run([])
    found = capsys.readouterr()
    lines = (found.out + found.err).splitlines()
    places = [next(n for n, line in enumerate(lines) if line.startswith("│ " + v)) for v in VERBS]
    assert places == sorted(places)
    for place, verb in zip(places, VERBS.values(), strict=True):
        assert verb.summary in lines[place]
        assert any(verb.panel in line for line in lines[:place])


@pytest.mark.parametrize("name", VERBS)
def test_each_verb_is_the_module_of_its_name(name: str) -> None:
    module = import_module(f"paraphrast.cli.{name}")
    assert hasattr(module, "app") != hasattr(module, "command")
    assert _load(name).name == name


@pytest.mark.parametrize("name", VERBS)
def test_no_help_text_is_taken_for_markup(name: str) -> None:
    for command in leaves(name).values():
        texts = [command.help or "", *(getattr(p, "help", "") or "" for p in command.params)]
        assert not [text for text in texts if "[" in text]


def test_common_options_stand_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert run(["score", "--help"]) == 0
    shown = capsys.readouterr().out
    order = ["--candidates", "--references", "--source", "--metrics", "--format", "--trees"]
    order += ["Statistics", "--ci", "Models and speed", "--jobs", "as in sacrebleu", "--tokenize"]
    places = [shown.index(text) for text in order]
    assert places == sorted(places)


def test_wrong_usage_is_a_plain_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["scor"]) == 2
    assert "No such command 'scor'. Did you mean 'score'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("paraphrast c", {"compare", "corpus"}),
        ("paraphrast score --se", {"--seed", "--segments"}),
        ("paraphrast score -m ble", {"bleu"}),
        ("paraphrast meta run x -m chr", {"chrf", "chrf++"}),
        ("paraphrast metrics wo", {"wor"}),
    ],
)
def test_the_shell_completes(words: str, expected: set[str]) -> None:
    environment = {
        "_PARAPHRAST_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "paraphrast"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    assert set(done.stdout.split()) == expected


def test_every_command_has_a_function_of_the_package() -> None:
    commands = {
        name if name == leaf else f"{name} {leaf}" for name in VERBS for leaf in leaves(name)
    }
    assert commands - {"serve"} == set(DOORS)  # which opens a door itself
    assert set(DOORS.values()) <= set(paraphrast.__all__)
    assert all(callable(getattr(paraphrast, name)) for name in DOORS.values())


@pytest.mark.parametrize("asked", [["--help"], ["score", "--help"], ["train", "--help"]])
def test_no_switch_shows_a_type(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(asked)
    out = capsys.readouterr().out
    assert "--help" in out
    assert "<bool>" not in out
