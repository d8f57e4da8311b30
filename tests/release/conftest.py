"""Wheels and sdists of every distribution, and an empty environment that holds the wheels.

The environment is a venv outside the repository, without pip and without a path back to this one.
Its libraries come from the package registry (or pip's cache), as a user's would.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ROOT = Path(__file__).parents[2]
PROJECTS = {
    "paraphrast": ROOT,
    "paraphrast_encoder": ROOT / "weights" / "encoder",
    "paraphrast_encoder_base": ROOT / "weights" / "encoder-base",
    "paraphrast_generator": ROOT / "weights" / "generator",
}


@dataclass(frozen=True)
class Distribution:
    """What `python -m build` makes of one project; the wheel is built from the sdist."""

    wheel: Path
    sdist: Path


@dataclass(frozen=True)
class Environment:
    """A venv into which the wheels are installed."""

    folder: Path

    @property
    def binaries(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    def run(self, *command: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Run a command with this environment's programs first, and no other Python's modules."""
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        variables |= {"PATH": f"{self.binaries}{os.pathsep}{os.environ['PATH']}", "PYTHONUTF8": "1"}
        return subprocess.run(
            command,
            cwd=folder,
            env=variables,
            encoding="utf-8",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
        )


def _succeed(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=600)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"


@pytest.fixture(scope="session")
def distribution() -> Iterator[Callable[[str], Distribution]]:
    """A function from the name of a distribution to its files; each is built once."""
    pytest.importorskip("build")
    built: dict[str, Distribution] = {}

    def find(name: str) -> Distribution:
        if name not in built:
            folder, project = Path(root, name), str(PROJECTS[name])
            build = (sys.executable, "-m", "build", "--no-isolation")
            _succeed(*build, "--outdir", str(folder), project)
            (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
            built[name] = Distribution(wheel, sdist)
        return built[name]

    with TemporaryDirectory() as root:  # pytest would keep the last three: over a gigabyte
        yield find


@pytest.fixture(scope="session")
def environment(distribution: Callable[[str], Distribution]) -> Iterator[Environment]:
    """The wheels of all distributions, with the extra `encoder`, in an environment of their own."""
    wheels = [str(distribution(name).wheel) for name in PROJECTS]
    wheels[0] += "[encoder]"
    with TemporaryDirectory() as folder:
        venv.create(folder, with_pip=False)
        empty = Environment(Path(folder))
        pip = (sys.executable, "-m", "pip", "--python", str(empty.binaries / "python"))
        _succeed(*pip, "install", "--quiet", "--no-compile", *wheels)
        yield empty
