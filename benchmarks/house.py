"""Print the figures of the code itself: `python -m benchmarks.house`.

Files and folders, names that recur, modules with one importer, the files that one call of a verb
runs through, how long a start takes beside sacrebleu's, and the public names. The package measured
is the one that this Python imports, so `PYTHONPATH=OTHER/src` measures another checkout.
"""

from __future__ import annotations

import argparse
import ast
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import paraphrast
from benchmarks.house_calls import VERBS

ROOT = Path(paraphrast.__file__).parent
ROUNDS = 7


@dataclass(frozen=True)
class House:
    """The modules of a package by dotted name, with their syntax trees."""

    root: Path
    modules: Mapping[str, ast.Module]

    @classmethod
    def read(cls, root: Path) -> House:
        """Parse every file under the root."""
        paths = sorted(root.rglob("*.py"))
        return cls(root, {_dotted(path, root): ast.parse(path.read_bytes()) for path in paths})

    @property
    def folders(self) -> set[Path]:
        """The folders that hold a file."""
        return {path.parent for path in self.root.rglob("*.py")}

    @property
    def classes(self) -> dict[str, list[str]]:
        """The modules of each class name."""
        return _grouped(
            (node.name, module)
            for module, tree in self.modules.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
        )

    @property
    def file_names(self) -> dict[str, list[str]]:
        """The places of each file name, `__init__.py` left out."""
        paths = (path for path in self.root.rglob("*.py") if path.name != "__init__.py")
        return _grouped((path.name, str(path.relative_to(self.root))) for path in sorted(paths))

    @property
    def importers(self) -> dict[str, list[str]]:
        """The modules that import each module of the package, inside functions too."""
        found = {
            (name, module)
            for module, tree in self.modules.items()
            for name in self._imported(tree)
            if name != module
        }
        return _grouped(sorted(found))

    def _imported(self, tree: ast.Module) -> Iterator[str]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                names = [name if name in self.modules else node.module for name in inner]
            else:
                continue
            yield from (name for name in names if name in self.modules)


def _dotted(path: Path, root: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return dict(groups)


def _recurring(groups: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: places for name, places in groups.items() if len(places) > 1}


def _seconds(*arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def start_times() -> dict[str, float]:
    """Return median seconds of starts, taken in turn so that all meet the same machine."""
    commands = {
        "python": ("-c", "pass"),
        "import paraphrast": ("-c", "import paraphrast"),
        "import sacrebleu": ("-c", "import sacrebleu"),
        "paraphrast --help": ("-m", "paraphrast", "--help"),
        "sacrebleu --help": ("-m", "sacrebleu", "--help"),
    }
    rounds = [{name: _seconds(*words) for name, words in commands.items()} for _ in range(ROUNDS)]
    return {name: statistics.median(times[name] for times in rounds) for name in commands}


def _print_structure(house: House, *, names: bool) -> None:
    lonely = {name for name, places in house.importers.items() if len(places) == 1}
    recurring = {"class": _recurring(house.classes), "file": _recurring(house.file_names)}
    print(f"{'files':32} {len(house.modules):6}")
    print(f"{'folders':32} {len(house.folders):6}")
    print(f"{'modules with one importer':32} {len(lonely):6}")
    for kind, groups in recurring.items():
        print(f"{f'{kind} names that recur':32} {len(groups):6}")
    if names:
        for groups in recurring.values():
            for name, places in sorted(groups.items()):
                print(f"  {name}: {', '.join(places)}")


def _print_calls() -> None:
    print(f"\n{'one call of':32} {'switches':>8} {'files':>6} {'calls':>7}")
    for verb in VERBS:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.house_calls", verb],
            check=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        trail = json.loads(done.stdout.splitlines()[-1])
        print(f"{verb:32} {trail['switches']:8} {trail['files']:6} {trail['calls']:7}")


def _print_starts() -> None:
    times = start_times()
    print(f"\n{f'median of {ROUNDS} starts':32} {'ms':>6}")
    for name, seconds in times.items():
        print(f"{name:32} {seconds * 1000:6.0f}")
    ratio = times["paraphrast --help"] / times["sacrebleu --help"]
    print(f"{'paraphrast --help / sacrebleu':32} {ratio:6.2f}")


def main() -> None:
    """Print the figures of the package that is imported."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("--names", action="store_true", help="list the names that recur")
    parser.add_argument("--static", action="store_true", help="run nothing")
    arguments = parser.parse_args()
    _print_structure(House.read(ROOT), names=arguments.names)
    if not arguments.static:
        _print_calls()
        _print_starts()
    print(f"\n{len(paraphrast.__all__)} public names: {' '.join(paraphrast.__all__)}")


if __name__ == "__main__":
    main()
