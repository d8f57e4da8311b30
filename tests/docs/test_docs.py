"""The documentation: a page per metric, examples that run, and names of things that exist."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

from paraphrast import __version__
from paraphrast.cli.main import run
from paraphrast.jobs.scoring.cards import metric_card, metric_names

ROOT = Path(__file__).parents[2]
PROSE = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def _load(name: str) -> ModuleType:
    """Import a script of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


generate, examples = _load("generate"), _load("examples")


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    pages: dict[str, str] = generate.pages()
    return pages


@pytest.mark.parametrize("name", metric_names())
def test_a_metric_page_tells_all_that_the_metric_declares(name: str, made: dict[str, str]) -> None:
    card, page = metric_card(name), made[generate.file_name(name)]
    for key in ("title", "formula", "paper", "needs", "range", "better", "empty", "signature"):
        assert str(card[key]), f"{name} declares no {key}"
        assert str(card[key]).replace("|", "\\|") in page or str(card[key]) in page
    for option in (*card["options"], *card["parts"]):  # type: ignore[misc]
        assert f"`{option}`" in page
    assert f"]({generate.file_name(name)})" in made["index.md"]


def test_page_names_are_distinct_and_safe(made: dict[str, str]) -> None:
    assert len(made) == len(metric_names()) + 1
    assert all(re.fullmatch(r"[\w-]+\.md", name) for name in made)


def test_pages_of_lost_metrics_are_removed(tmp_path: Path) -> None:
    (tmp_path / "lost.md").write_text("# A metric that is gone\n")
    generate.write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(generate.pages())


def test_the_navigation_lists_every_metric() -> None:
    config = generate.on_config({"nav": [{"Home": "index.md"}, {"Metrics": []}]})
    assert len(config["nav"][1]["Metrics"]) == len(metric_names()) + 1


@pytest.mark.parametrize("path", examples.PAGES, ids=lambda path: path.name)
def test_examples_print_what_the_page_shows(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert examples.same(examples.refreshed(page), page), "run: .venv/bin/python docs/examples.py"


def test_an_example_that_prints_something_else_is_noticed() -> None:
    page = "```console\n$ paraphrast --version\n0.0.0\n```\n"
    assert examples.refreshed(page) == page.replace("0.0.0", __version__)
    page = "```python\nprint(1)\n```\n\n```text\n2\n```\n"
    assert examples.refreshed(page) == page.replace("2", "1")


def test_commands_and_programs_are_read_with_their_outputs() -> None:
    page = "```console\n$ a \\\n  b\none\ntwo\n$ c\n```\n\n```python\nd\n```\n\n```text\ne\n```\n"
    assert examples.outputs(page) == [("a \\\n  b", "one\ntwo\n"), ("c", "")]
    assert examples.programs(page) == [("d\n", "e\n")]
    assert examples.programs("```python\nd\n```\n") == [("d\n", "")]


def test_only_the_last_digits_of_long_numbers_may_differ() -> None:
    assert examples.same("x 27.318053483402366 y", "x 27.318053483402373 y")
    assert not examples.same("x 27.318053483402366 y", "x 27.318053483502366 y")
    assert not examples.same("27.32", "27.33")


def _options(command: list[str], capsys: pytest.CaptureFixture[str]) -> set[str]:
    assert run([*command, "--help"]) == 0, f"paraphrast has no command {command}"
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", capsys.readouterr().out))


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.name)
def test_commands_use_options_that_exist(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = path.read_text(encoding="utf-8").replace("\\\n", "")
    blocks = re.findall(r"^```(?:console|sh|bash)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    for line in "\n".join(blocks).splitlines():
        found = re.search(
            r"(?:^|[ /])paraphrast ((?:score|compare|judge|metrics|tag|explain|mine|train \w+) .*)",
            line,
        )
        if line.startswith(("error:", "Usage:", "Try")) or found is None:
            continue
        words = shlex.split(found[1].partition(" | ")[0], comments=True)
        depth = 2 if words[0] == "train" else 1
        known = _options(words[:depth], capsys)
        for argument in words[depth:]:
            if re.match(r"--?[a-zA-Z]", argument):
                assert argument.partition("=")[0] in known, f"{argument} in: {line}"


@pytest.mark.parametrize("path", PROSE, ids=lambda path: path.name)
def test_paths_that_are_named_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:src|tests|docs|examples|benchmarks)/[\w./-]+)`", text):
        assert (ROOT / name).exists(), f"{path.name} names {name}"


def test_the_changelog_and_the_citation_know_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, _, entry = changelog.partition(f"\n## [{__version__}] - ")
    assert re.match(r"\d{4}-\d\d-\d\d\n", entry)
    assert "\n### Scores changed\n" in entry.partition("\n## [")[0]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation
