"""The architecture page and the import contracts name the rooms that there are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "paraphrast"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOMS = {
    path.stem
    for path in PACKAGE.iterdir()
    if (path / "__init__.py").exists() or path.suffix == ".py"
} - {"__init__", "__main__"}

# Who may import the libraries that a contract keeps out of every other room.
HOMES = {
    "rich and typer stay in cli and render": {"cli", "render"},
    "the server's libraries stay in web": {"web"},
    "onnxruntime and tokenizers stay in models, torch in train": {"models", "train"},
}


def _block(heading: str) -> str:
    """The first fenced block below a heading of the page."""
    found = re.search(rf"^## {heading}\n.*?^```\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, heading
    return found[1]


def _contracts() -> Mapping[str, Mapping[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        contract["name"]: contract for contract in settings["tool"]["importlinter"]["contracts"]
    }


def _rows(lines: list[str]) -> list[set[str]]:
    return [{room.strip() for room in line.split("|")} for line in lines]


def test_the_page_shows_the_layers_of_the_contract() -> None:
    contract = _contracts()["Imports point one way"]
    assert _rows(_block("Imports point one way").splitlines()) == _rows(contract["layers"])


def test_the_contract_covers_every_room() -> None:
    contract = _contracts()["Imports point one way"]
    assert contract["exhaustive"] is True
    assert set().union(*_rows(contract["layers"])) == ROOMS


@pytest.mark.parametrize("name", HOMES)
def test_a_library_is_kept_out_of_every_room_but_its_home(name: str) -> None:
    sources = {
        module.removeprefix("paraphrast.") for module in _contracts()[name]["source_modules"]
    }
    assert sources == ROOMS - HOMES[name]


def test_the_page_describes_every_room_and_no_other() -> None:
    rooms = re.findall(r"^  (\w+)(?:/|\.py) ", _block("The rooms"), re.MULTILINE)
    assert len(rooms) == len(set(rooms))
    assert set(rooms) == ROOMS | {"__init__", "__main__"}


def test_the_page_names_the_folders_of_each_room() -> None:
    described: dict[str, str] = {}
    room = ""
    for line in _block("The rooms").splitlines():
        start = re.match(r"  (\w+)(?:/|\.py) ", line)
        room = start[1] if start else room
        described[room] = described.get(room, "") + line
    for folder in PACKAGE.glob("*/*/__init__.py"):
        parent, name = folder.parts[-3], folder.parts[-2]
        assert f"{name}/" in described[parent], f"{parent}/{name} is not on the page"
