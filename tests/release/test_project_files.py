"""The files around the package agree with it: the Makefile, the workflows, the quick tests."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.release.conftest import PROJECTS, ROOT

WORKFLOWS = ROOT / ".github" / "workflows"
SYSTEMS = ["ubuntu-latest", "macos-latest", "windows-latest"]
PYTHONS = ["3.11", "3.12", "3.13"]


def _workflow(name: str) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    found: dict[str, Any] = yaml.safe_load((WORKFLOWS / name).read_text(encoding="utf-8"))
    return found


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    done = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    listed = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert sorted(listed) == sorted(phony[1].split())
    assert {"check", "test", "generator-pairs"} <= listed.keys()


def test_the_quick_tests_are_there() -> None:
    paths = (ROOT / "tests" / "quick.txt").read_text(encoding="utf-8").splitlines()
    assert len(paths) == len(set(paths))
    assert not [path for path in paths if not (ROOT / path).exists()]


@pytest.mark.parametrize(("workflow", "job"), [("tests.yml", "quick"), ("wheels.yml", "try")])
def test_every_system_and_python_is_tried(workflow: str, job: str) -> None:
    matrix = _workflow(workflow)["jobs"][job]["strategy"]["matrix"]
    assert matrix == {"os": SYSTEMS, "python": PYTHONS}
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'requires-python = ">={PYTHONS[0]}"' in project


def test_every_distribution_is_built() -> None:
    matrix = _workflow("wheels.yml")["jobs"]["build"]["strategy"]["matrix"]
    projects = {path.parent for path in (ROOT / "weights").glob("*/pyproject.toml")} | {ROOT}
    assert {(ROOT / name).resolve() for name in matrix["project"]} == projects
    assert set(PROJECTS.values()) == projects


def test_workflows_may_only_read() -> None:
    paths: list[Path] = sorted(WORKFLOWS.glob("*.yml"))
    assert paths
    assert all(_workflow(path.name)["permissions"] == {"contents": "read"} for path in paths)
