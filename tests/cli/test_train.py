"""`paraphrast train` at the command line."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from paraphrast.cli.main import run
from paraphrast.cli.train import app
from paraphrast.errors import ConfigError
from paraphrast.jobs import train as job
from paraphrast.jobs.export import train_export
from paraphrast.options import declared_fields
from paraphrast.train.export.export_options import FORMS, ExportOptions
from paraphrast.train.sitting_options import RunOptions, SittingOptions

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    def call(*arguments: object) -> tuple[int, str, str]:
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """A folder with a log, as a run leaves one."""
    lines: list[dict[str, Any]] = [
        {"kind": "training", "step": 10, "loss": 2.0, "tags": 2.0, "rate": 1.0},
        {"kind": "validation", "step": 10, "selected": 0.5, "a.f1": 0.5},
    ]
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "log.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
    return tmp_path / "first"


def test_the_curve_lands_in_the_run(finished: Path, cli: Cli) -> None:
    assert cli("train", "plot", finished) == (0, f"{finished / 'curve.html'}\n", "")
    page = (finished / "curve.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "a.f1" in page


def test_several_runs_in_one_picture(finished: Path, tmp_path: Path, cli: Cli) -> None:
    other = tmp_path / "second"
    other.mkdir()
    (other / "log.jsonl").write_bytes((finished / "log.jsonl").read_bytes())
    out = tmp_path / "curve.svg"
    assert cli("train", "plot", finished, other, "-o", out) == (0, f"{out}\n", "")
    assert "second tags" in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("{run}", "-o", "{tmp}/x.png"),
            2,
            "the curve is an .html page or an .svg picture; got {tmp}/x.png",
        ),
        (("{run}", "{run}"), 2, "a run is named twice: {run}, {run}"),
        (("{tmp}",), 1, "{tmp} holds no log.jsonl: it is not a training run"),
        (
            ("{run}", "-o", "{tmp}/no/x.svg"),
            1,
            "cannot write {tmp}/no/x.svg: there is no folder {tmp}/no",
        ),
    ],
)
def test_plots_that_cannot_be_drawn(
    finished: Path, tmp_path: Path, cli: Cli, arguments: tuple[str, ...], code: int, message: str
) -> None:
    places = {"run": finished, "tmp": tmp_path}
    given = [argument.format(**places) for argument in arguments]
    assert cli("train", "plot", *given) == (code, "", f"error: {message.format(**places)}\n")


def test_an_empty_log_is_no_curve(finished: Path, cli: Cli) -> None:
    (finished / "log.jsonl").write_text("")
    code, _, err = cli("train", "plot", finished)
    assert (code, err) == (
        1,
        f"error: {finished / 'log.jsonl'} is empty: the run has made no 10 steps yet\n",
    )


def test_without_torch_the_error_says_what_to_install(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(job, "find_spec", lambda name: None if name == "torch" else real(name))
    error = (
        "error: this needs the package 'torch', which is not installed; "
        "run: pip install 'paraphrast[train]'\n"
    )
    assert cli("train", "run", tmp_path / "x.toml") == (1, "", error)
    assert cli("train", "resume", tmp_path) == (1, "", error)
    assert cli("train", "export", tmp_path, "-o", tmp_path / "out") == (1, "", error)


def test_wrong_use_is_exit_code_2(tmp_path: Path, cli: Cli) -> None:
    pytest.importorskip("torch")
    missing = tmp_path / "x.toml"
    assert cli("train", "run", missing) == (2, "", f"error: there is no recipe {missing}\n")
    assert cli("train", "run", missing, "--minutes", "-1") == (
        2,
        "",
        "error: minutes is -1; it must be 0 or more\n",
    )
    assert cli("train", "resume", tmp_path) == (
        2,
        "",
        f"error: {tmp_path} is not a training run: it has no recipe.toml\n",
    )


RECIPE = """
name = "made"
seed = 1
model.backbone = "b"
optimiser.rate = 1e-4

[[source]]
name = "s"
reader = "pairs"
files = ["f"]
"""


def test_export_passes_on_what_it_is_told(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from paraphrast.train.export.encoder import encoder_export as export
    from paraphrast.train.export.encoder.encoder_parity import Parity

    (tmp_path / "recipe.toml").write_text(RECIPE)

    seen: list[Any] = []

    def export_run(run: Path, out: Path, options: Any, *, tell: Callable[[str], None]) -> Parity:
        seen.append((run, out, options))
        tell("comparing")
        return Parity(1000, 0.99912, 0.9951, 1e-7)

    monkeypatch.setattr(export, "export_run", export_run)
    monkeypatch.setattr(sys, "argv", ["paraphrast", "train", "export", "RUN"])
    out = tmp_path / "out"
    named = ("--name", "my-encoder", "--model", "base", "--version", "1.2", "--data", "here")
    more = ("--average", "one", "--average", "two")
    code, printed, err = cli("train", "export", tmp_path, "-o", out, *named, *more)
    assert (code, err) == (0, "comparing\n")
    assert printed == (
        f"{out}: against the full file on 1,000 pairs, score r 0.9991, 99.5% of the tags equal\n"
    )
    expected = ExportOptions(
        name="my-encoder",
        model="base",
        version="1.2",
        data=Path("here"),
        average=[Path("one"), Path("two")],
        command="paraphrast train export RUN",
    )
    assert seen == [(tmp_path, out, expected)]
    assert expected.languages == ("en",)


def test_the_export_of_an_encoder_passes_on_what_it_is_told(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from paraphrast.models.embedder.embedder_card import EmbedderCard
    from paraphrast.train.export.embedder import embedder_export as module
    from paraphrast.train.export.embedder.embedder_parity import EmbedParity
    from tests.embedders import make_embedder

    card = EmbedderCard.read(make_embedder(tmp_path / "made"))
    seen: list[Any] = []

    def export(
        folder: str, out: Path, options: Any, *, tell: Callable[[str], None]
    ) -> module.Embedded:
        seen.append((folder, out, options))
        tell("tracing")
        return module.Embedded(
            card, EmbedParity(500, 1, 0.9, 0.00234, 0.1, 0.99912, 0.0), 23_456_789
        )

    monkeypatch.setattr(module, "export_embedder", export)
    monkeypatch.setattr(sys, "argv", ["paraphrast", "train", "export", "some/encoder"])
    named = ("--name", "my-encoder", "--model", "mine", "--version", "1.2", "--data", "here")
    more = ("--language", "de", "--language", "fr", "--layer", "3", "--texts", "de.txt")
    last = ("--form", "stored", "--pairs", "100")
    code, printed, err = cli("train", "export", "some/encoder", "-o", "out", *named, *more, *last)
    assert (code, err) == (0, "tracing\n")
    assert printed == (
        "out: float32, 23.5 MB, layer 1 of 2; against the full file on 500 pairs, BERTScore F "
        "differs by 0.0023 on average, r 0.9991\n"
    )
    expected = ExportOptions(
        name="my-encoder",
        model="mine",
        version="1.2",
        languages=("de", "fr"),
        layer=3,
        texts="de.txt",
        form="stored",
        pairs=100,
        data=Path("here"),
        command="paraphrast train export some/encoder",
    )
    assert seen == [("some/encoder", Path("out"), expected)]
    cli("train", "export", "some/encoder", "-o", "out")
    usual = seen[1][2]
    assert (usual.random_pairs, usual.forms, usual.languages) == (20_000, FORMS["auto"], ("en",))
    cli("train", "export", "some/encoder", "-o", "out", "--no-baseline")
    assert seen[2][2].random_pairs is None


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (
            "recipe.toml",
            ("--layer", "3"),
            "{folder} is a training run; --layer can be given for an encoder of transformers only",
        ),
        (
            "recipe.toml",
            ("--form", "auto", "--no-baseline"),
            "{folder} is a training run; --form and --no-baseline can be given for an encoder of "
            "transformers only",
        ),
        (
            "config.json",
            ("--average", "other"),
            "{folder} is not a training run; --average can be given for runs only",
        ),
        (
            "config.json",
            ("--pairs", "10", "--no-baseline"),
            "--pairs is for the baseline, which --no-baseline leaves out",
        ),
        ("config.json", ("--pairs", "0"), "pairs must be at least 1; got 0"),
        (
            "config.json",
            ("--form", "int4"),
            "form must be auto, float32, static, stored; got 'int4'",
        ),
        (
            "README.md",
            (),
            "{folder} is neither a training run (it has no recipe.toml) nor an encoder of "
            "transformers (it has no config.json)",
        ),
    ],
)
def test_options_that_make_no_sense_for_what_is_exported(
    tmp_path: Path, cli: Cli, kind: str, options: tuple[str, ...], message: str
) -> None:
    pytest.importorskip("torch")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / kind).write_text(RECIPE if kind == "recipe.toml" else "{}")
    code, out, err = cli("train", "export", folder, "-o", tmp_path / "out", *options)
    assert (code, out, err) == (2, "", f"error: {message.format(folder=folder)}\n")


def test_an_export_of_what_is_not_there(tmp_path: Path, cli: Cli) -> None:
    pytest.importorskip("torch")
    missing = tmp_path / "nowhere"
    code, out, err = cli("train", "export", missing, "-o", tmp_path / "out")
    assert (code, out, err) == (2, "", f"error: there is no folder {missing}\n")


def test_a_terminated_export_leaves_no_temporary_folder(tmp_path: Path) -> None:
    code = """
import os, signal, sys, tempfile
from paraphrast.cli import main, train
def export(source, output, options):
    with tempfile.TemporaryDirectory(dir="."):
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
train.export_weights = export
main.main(["train", "export", "run", "-o", "out"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (143, "error: interrupted\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("verb", "function", "kind"),
    [
        ("run", job.train_run, RunOptions),
        ("resume", job.train_resume, SittingOptions),
        ("plot", job.train_plot, job.PlotOptions),
        ("export", train_export, ExportOptions),
    ],
)
def test_command_line_and_python_take_the_same_options(
    verb: str, function: Callable[..., Any], kind: type[Any]
) -> None:
    """Each option is a field of one class; what Python takes besides has no flag."""
    command = typer.main.get_command(app).commands[verb]  # type: ignore[attr-defined]
    flags = {one.name: one for one in command.params}
    keywords = inspect.signature(function).parameters
    for field in declared_fields(kind):
        assert keywords[field.name].default == field.default
        assert re.search(rf"^{field.name}: \S", function.__doc__ or "", re.MULTILINE), field.name
        assert (field.name in flags) == (field.option is not None)
        if field.option is not None:
            assert flags[field.name].help == field.option.help
    with pytest.raises(ConfigError, match=f"^train_{verb} has no option 'nonsense'"):
        function(Path("x"), nonsense=1)


def test_the_module_is_the_command_and_loads_no_torch() -> None:
    code = "import sys, runpy; sys.argv = ['paraphrast', 'train', '--help']\n"
    code += "try: runpy.run_module('paraphrast', run_name='__main__')\n"
    code += "except SystemExit as end: print(end.code, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "Usage: paraphrast train" in done.stdout
    assert done.stdout.endswith("0 False\n")
