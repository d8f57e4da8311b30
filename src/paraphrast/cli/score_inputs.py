"""The files that `score` and `compare` read, as options."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated

from paraphrast.errors import ConfigError
from paraphrast.io import FORMATS, Field
from paraphrast.jobs.scoring.score_options import INPUT
from paraphrast.jobs.scoring.scored_files import Fields, Inputs
from paraphrast.options import Option


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFiles:
    """Where candidates, references and sources are; each field is an option of both commands."""

    candidates: Annotated[
        list[str] | None,
        Option(
            "A system's candidates: FILE, FILE:COLUMN, NAME=FILE, or - for standard input; repeat "
            "for more systems.",
            "-c", "--candidates", "-i", "--input",
            metavar="FILE",
        ),
    ] = None  # fmt: skip
    references: Annotated[
        list[str] | None,
        Option(
            "The references; repeat for several per segment.",
            "-r", "--references",
            metavar="FILE",
        ),
    ] = None  # fmt: skip
    source: Annotated[
        list[str] | None,
        Option("The sources, one a segment.", "-s", "--source", metavar="FILE"),
    ] = None
    trees: Annotated[
        list[str] | None,
        Option(
            "Bracketed trees, one option per -c, for ds_tree.",
            panel=INPUT,
            metavar="FILE",
        ),
    ] = None
    as_set: Annotated[
        bool, Option("All -c are one system: a set of candidates a segment.", panel=INPUT)
    ] = False
    input_format: Annotated[
        str | None,
        Option(f"{', '.join(FORMATS)}; otherwise by the file name.", panel=INPUT),
    ] = None

    def __post_init__(self) -> None:
        if self.source and len(self.source) > 1:
            raise ConfigError(
                f"-s is given {len(self.source)} times; a segment has one source, so give it once"
            )

    def inputs(self) -> Inputs:
        """Turn the file options into fields, with a name for each system."""
        if not self.candidates and _nothing_piped():
            raise ConfigError("no candidates: give -c FILE, or pipe them to standard input")
        named = [self._named(spec) for spec in self.candidates or ["-"]]
        trees = [self._field(spec, "trees") for spec in self.trees or ()]
        if trees and len(trees) != len(named):
            raise ConfigError(
                f"give one --trees for each -c: {len(named)} -c, {len(trees)} --trees"
            )
        if self.as_set:
            candidates, parsed = _one_set(named, trees)
        else:
            candidates = _unique(named)
            parsed = {n: [t] for n, t in zip(candidates, trees, strict=True)} if trees else None
        references = [self._field(spec, "reference") for spec in self.references or ()]
        source = self._field(self.source[0], "source") if self.source else None
        return Inputs(candidates, references, source, parsed)

    def _field(self, spec: str, role: str) -> Field:
        return Field.parse(spec, role=role, format=self.input_format)

    def _named(self, spec: str) -> tuple[str, Field, bool]:
        """Split NAME=FILE; without a name the file's stem, or its column, is the name."""
        name, equals, rest = spec.partition("=")
        if equals and name and "/" not in name and not os.path.exists(spec):
            return name, self._field(rest, "candidate"), True
        field = self._field(spec, "candidate")
        stem = PurePath(field.path).name.removesuffix(".gz")
        return field.column or PurePath(stem).stem or "-", field, False


def _nothing_piped() -> bool:
    """Tell whether standard input is a terminal, or at its end before the first character."""
    if sys.stdin is None or sys.stdin.isatty():
        return True
    return isinstance(sys.stdin.buffer, io.BufferedReader) and not sys.stdin.buffer.peek(1)


def _one_set(
    named: list[tuple[str, Field, bool]], trees: list[Field]
) -> tuple[dict[str, Fields], dict[str, Fields] | None]:
    """Return all fields as those of one system."""
    names = dict.fromkeys(name for name, _, explicit in named if explicit)
    name = next(iter(names), "")
    if len(names) > 1:
        raise ConfigError(f"--as-set makes one system, but -c names {', '.join(names)}")
    return {name: [field for _, field, _ in named]}, {name: trees} if trees else None


def _unique(named: list[tuple[str, Field, bool]]) -> dict[str, Fields]:
    found: dict[str, Fields] = {}
    for name, field, _ in named:
        if name in found:
            raise ConfigError(f"two systems are named {name!r}; write -c NAME={field.path}")
        found[name] = [field]
    return found
