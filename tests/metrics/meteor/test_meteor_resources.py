"""Finding the tables, and the small ones among them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paraphrast.errors import MissingExtra, ModelError
from paraphrast.metrics.meteor import resources
from paraphrast.metrics.meteor.synonyms import SynonymTable

TABLE = SynonymTable(
    synsets=[
        "car",
        "01 02",
        "auto",
        "01",
        "go",
        "05",
        "travel",
        "05 06",
        "box",
        "07",
        "class",
        "8",
    ],
    exceptions=["go", "went gone"],
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("car", {"01", "02"}),
        ("cars", {"01", "02"}),
        ("boxes", {"07"}),
        ("went", {"05"}),
        ("travels", {"05", "06"}),
        ("traveling", {"05", "06"}),
        ("class", {"8"}),
        ("go", {"05"}),
        ("unknown", set()),
        ("", set()),
    ],
)
def test_synsets_of_a_word_and_its_base(word: str, expected: set[str]) -> None:
    assert TABLE.of(word) == expected


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'paraphrast\[meteor\]'"):
        resources.package_file("meteor-1.5.jar")


def test_a_package_without_the_file_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "pycocoevalcap"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "pycocoevalcap", raising=False)
    with pytest.raises(ModelError, match=r"meteor/meteor-1\.5\.jar"):
        resources.package_file("meteor-1.5.jar")


def test_the_package_is_found_without_being_imported() -> None:
    code = (
        "import sys\n"
        "from paraphrast.metrics.meteor.resources import package_file\n"
        "package_file('meteor-1.5.jar')\n"
        "assert 'pycocoevalcap' not in sys.modules\n"
    )
    try:
        resources.package_file("meteor-1.5.jar")
    except MissingExtra as error:
        pytest.skip(str(error))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
