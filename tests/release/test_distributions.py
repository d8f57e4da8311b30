"""What would be uploaded: complete, installable into an empty environment, true to the README."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.release.conftest import PROJECTS, ROOT, Distribution, Environment

WEIGHTS = [name for name in PROJECTS if name != "paraphrast"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _examples() -> ModuleType:
    """docs/examples.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("readme_examples", ROOT / "docs" / "examples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


examples = _examples()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with what the README's commands read."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def _files(folder: Path) -> set[str]:
    """The files under a folder, by their paths; what Python compiled is left out."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in paths if "__pycache__" not in path.parts}


def test_the_wheel_holds_the_package_and_nothing_else(
    distribution: Callable[[str], Distribution],
) -> None:
    names = set(zipfile.ZipFile(distribution("paraphrast").wheel).namelist())
    package = {name for name in names if ".dist-info/" not in name}
    assert package == {f"paraphrast/{name}" for name in _files(ROOT / "src" / "paraphrast")}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_sdist_holds_what_the_tests_need(distribution: Callable[[str], Distribution]) -> None:
    with tarfile.open(distribution("paraphrast").sdist) as archive:
        names = {Path(*Path(name).parts[1:]).as_posix() for name in archive.getnames()}
    for name in ("pyproject.toml", "Makefile", "README.md", "CHANGELOG.md", "LICENSE"):
        assert name in names
    for folder in ("tests", "docs", "examples", "benchmarks", "recipes"):
        assert any(name.startswith(f"{folder}/") for name in names), folder


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_are_whole_in_wheel_and_sdist(
    name: str, distribution: Callable[[str], Distribution]
) -> None:
    built = distribution(name)
    wheel = {entry.filename: entry for entry in zipfile.ZipFile(built.wheel).infolist()}
    with tarfile.open(built.sdist) as archive:
        sdist = {Path(*Path(entry.name).parts[1:]).as_posix() for entry in archive}
    folder = PROJECTS[name] / name
    expected = {f"{name}/{path}" for path in _files(folder)}
    assert {path for path in wheel if ".dist-info/" not in path} == expected
    assert expected <= sdist
    for path in json.loads((folder / "card.json").read_text(encoding="utf-8"))["files"]:
        assert wheel[f"{name}/{path}"].file_size == (folder / path).stat().st_size


def test_the_installed_package_is_the_one_that_runs(environment: Environment, clone: Path) -> None:
    done = environment.run(
        "python", "-c", "import paraphrast as p; print(p.__file__)", folder=clone
    )
    assert Path(done.stdout.strip()).is_relative_to(environment.folder), done.stdout
    done = environment.run("python", "-c", "import pytest", folder=clone)
    assert "ModuleNotFoundError" in done.stdout


def test_every_shipped_model_is_found(environment: Environment, clone: Path) -> None:
    for model in ("mini", "base"):
        done = environment.run(
            "paraphrast", "tag", "He left.", "She left.", "--model", model, folder=clone
        )
        assert (done.returncode, "[He] left." in done.stdout) == (0, True), done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="the README's commands are for a POSIX shell")
def test_the_commands_of_the_readme_print_what_it_shows(
    environment: Environment, clone: Path
) -> None:
    commands = examples.outputs(README)
    assert len(commands) >= 4
    for command, shown in commands:
        done = environment.run("bash", "-c", command, folder=clone)
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        assert examples.same(done.stdout, shown), f"{command}\n{done.stdout}"


def test_the_python_of_the_readme_prints_what_it_shows(
    environment: Environment, clone: Path
) -> None:
    (program, shown), *others = examples.programs(README)
    assert not others
    done = environment.run("python", "-c", program, folder=clone)
    assert done.returncode == 0, done.stdout
    assert examples.same(done.stdout, shown)
