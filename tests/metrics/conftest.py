"""A tiny generator, exported once, that a test can find by its name as if it were installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.generators import make_generator

PACKAGE = "paraphrast_generator"


@pytest.fixture(scope="session")
def generator_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the package of the weights, as site-packages would."""
    pytest.importorskip("torch")
    site = tmp_path_factory.mktemp("site")
    made = make_generator(site / PACKAGE, "t5", model="paraphraser")
    (made / "__init__.py").write_text("", encoding="utf-8")
    return site


@pytest.fixture
def install_generator(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Path]:
    """A function that makes the generator found by its name ("paraphraser") for one test."""

    def install() -> Path:
        site: Path = request.getfixturevalue("generator_site")
        monkeypatch.syspath_prepend(str(site))
        monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
        return site / PACKAGE

    return install
