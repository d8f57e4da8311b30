"""Tiny generators, written once: as transformers has them, and exported."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.generators import make_generator, make_network

Folders = Callable[[str], tuple[Path, Path]]


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """A function from "t5", "gpt2" or "llama" to the folders of network and generator."""
    pytest.importorskip("torch")

    @cache
    def made(kind: str) -> tuple[Path, Path]:
        place = tmp_path_factory.mktemp(kind)
        return make_network(place / "network", kind), make_generator(place / "generator", kind)

    return made
