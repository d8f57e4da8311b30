"""The habits that no linter knows: small files and functions, no loose ends, no local paths."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 500
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < 60, f"{node.name} is too long"


def test_most_files_and_functions_are_very_small() -> None:
    lengths = sorted(path.read_text(encoding="utf-8").count("\n") for path in SOURCES)
    assert lengths[len(lengths) // 2] < 150
    functions = [
        node.end_lineno - node.lineno + 1
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.end_lineno
    ]
    assert sum(length <= 15 for length in functions) > len(functions) / 2


def test_there_are_no_drawers() -> None:
    names = {
        part for path in SOURCES for part in path.relative_to(ROOT / "src").with_suffix("").parts
    }
    assert not names & {"utils", "util", "common", "core", "helpers", "misc"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_there_are_no_loose_ends(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(TODO|FIXME|XXX|NotImplementedError)\b", text)
    assert str(Path.home()) not in text
    assert str(ROOT) not in text
