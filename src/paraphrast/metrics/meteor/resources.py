"""The tables METEOR needs, read from the jar inside the installed ``pycocoevalcap`` package.

The package is located but never imported (its modules pull in much we do not need), and nothing
of it is copied into this project.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from paraphrast.errors import MissingExtra, ModelError
from paraphrast.metrics.meteor.paraphrases import ParaphraseTable, open_table
from paraphrast.metrics.meteor.synonyms import SynonymTable

_EXTRA = "meteor"
_PACKAGE = "pycocoevalcap"


@dataclass(frozen=True, slots=True)
class Resources:
    """English tables of METEOR 1.5: what the matchers and the normaliser look words up in."""

    function_words: frozenset[str]
    prefixes: Mapping[str, bool]
    synonyms: SynonymTable
    paraphrases: ParaphraseTable


def package_file(name: str) -> Path:
    """Return the path of a file of the package's ``meteor`` directory.

    Raises ``MissingExtra`` when the package is absent, ``ModelError`` when it lacks the file.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(extra=_EXTRA, package=_PACKAGE)
    path = Path(spec.submodule_search_locations[0]) / "meteor" / name
    if not path.is_file():
        raise ModelError(f"the installed package '{_PACKAGE}' has no file meteor/{name}")
    return path


@lru_cache(maxsize=1)
def load() -> Resources:
    """Load the tables once per process; see ``paraphrases.open_table`` for what the first costs."""
    with zipfile.ZipFile(package_file("meteor-1.5.jar")) as jar:
        return Resources(
            function_words=frozenset(_lines(jar, "function/english.words")),
            prefixes=dict(_prefixes(_lines(jar, "nonbreaking/english.prefixes"))),
            synonyms=SynonymTable(
                synsets=_lines(jar, "synonym/english.synsets"),
                exceptions=_lines(jar, "synonym/english.exceptions"),
            ),
            paraphrases=open_table(package_file("data/paraphrase-en.gz")),
        )


def _lines(jar: zipfile.ZipFile, name: str) -> list[str]:
    # Not str.splitlines, which would also cut at characters such as U+2028.
    return jar.read(name).decode("utf-8").replace("\r\n", "\n").removesuffix("\n").split("\n")


def _prefixes(lines: list[str]) -> Iterator[tuple[str, bool]]:
    for line in lines:
        fields = line.split()
        if fields and not fields[0].startswith("#"):
            yield fields[0], "#NUMERIC_ONLY#" in fields[1:2]
