"""Score files: columns of text, TSV, JSONL or Parquet, streamed in chunks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, Rows, Value
from paraphrast.jobs.scoring.score import build_metrics, check_baseline, score_chunks
from paraphrast.jobs.scoring.score_options import Options, ScoreOptions
from paraphrast.jobs.scoring.text_columns import CHUNK, check_trees
from paraphrast.metrics.base import REFERENCES, SOURCE, TREES
from paraphrast.metrics.corpus_fitting import check_twice, field_texts
from paraphrast.results import Comparison
from paraphrast.types import Chunk

Fields = Sequence[Field]
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Inputs:
    """Where everything is: the fields of each system (several form a set), and what they share."""

    candidates: Mapping[str, Fields]
    references: Fields = ()
    source: Field | None = None
    trees: Mapping[str, Fields] | None = None

    def kinds(self) -> frozenset[str]:
        """Return the kinds of input that are there."""
        found = ((REFERENCES, self.references), (SOURCE, self.source), (TREES, self.trees))
        return frozenset(kind for kind, value in found if value)

    def columns(self) -> list[tuple[str, Field]]:
        """List every field with the slot its values go to."""
        columns = [
            (f"candidates {name}", f) for name, many in self.candidates.items() for f in many
        ]
        columns += [("references", field) for field in self.references]
        columns += [("source", self.source)] if self.source else []
        return columns + [(f"trees {n}", f) for n, many in (self.trees or {}).items() for f in many]


def score_files(
    inputs: Inputs,
    *,
    options: Options | None = None,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Score the systems in files; nothing is returned before every file was read to its end."""
    if inputs.trees is not None and set(inputs.trees) != set(inputs.candidates):
        raise ConfigError("give trees for every system, in the order of the candidates")
    options = options or ScoreOptions()
    check_baseline(options, inputs.candidates)
    built = build_metrics(options.metrics, inputs.kinds())
    check_twice(built, inputs.references)
    rows = Rows([field for _, field in inputs.columns()])
    return score_chunks(
        file_chunks(inputs, rows),
        built,
        options,
        references=field_texts(inputs.references) if inputs.references else None,
        notes=rows.notes,
        progress=progress,
    )


def expected_segments(inputs: Inputs) -> int | None:
    """Count the lines of the first file of candidates, for the time left; None if that is slow.

    A quoted text of CSV may have several lines, a compressed file or a pipe has to be read to be
    counted, and a Parquet file is read in a moment: they are not counted.
    """
    field = next(iter(inputs.candidates.values()))[0]
    countable = field.layout in ("text", "tsv", "jsonl") and not field.path.endswith(".gz")
    if not countable or not os.path.isfile(field.path):
        return None
    with open(field.path, "rb") as file:
        lines = sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
    return lines - (field.layout == "tsv")


def file_chunks(inputs: Inputs, rows: Rows) -> Iterator[Chunk]:
    """Cut rows of values into chunks, checking that each cell holds what its role needs."""
    columns = inputs.columns()
    stream = iter(rows)
    start = 0
    while block := list(islice(stream, CHUNK)):
        cells: dict[str, list[list[str]]] = {slot: [] for slot, _ in columns}
        for (slot, field), values in zip(columns, zip(*block, strict=True), strict=True):
            lists = [_texts(value, field, start + row) for row, value in enumerate(values, 1)]
            known = cells[slot]
            cells[slot] = [a + b for a, b in zip(known, lists, strict=True)] if known else lists
        yield _chunk(inputs, cells, start)
        start += len(block)


def _texts(value: Value, field: Field, row: int) -> list[str]:
    """Return the texts of a cell: a list column has several, a missing reference none."""
    if isinstance(value, str):
        return [value]
    if value is None:
        if field.role == "reference":
            return []
        raise InputError(f"{_place(field, row)}: the {field.role} is missing (null)")
    if field.role == "source":
        raise InputError(f"{_place(field, row)}: the source must be one text, not a list")
    return value


def _place(field: Field, row: int) -> str:
    name = "standard input" if field.path == "-" else field.path
    return f"{name}, row {row}" + (f", column {field.column!r}" if field.column else "")


def _chunk(inputs: Inputs, cells: dict[str, list[list[str]]], start: int) -> Chunk:
    candidates = {name: cells[f"candidates {name}"] for name in inputs.candidates}
    trees = {name: cells[f"trees {name}"] for name in inputs.trees} if inputs.trees else None
    for name, parsed in (trees or {}).items():
        check_trees(name, candidates[name], parsed, start)
    return Chunk(
        start,
        candidates,
        cells["references"] if inputs.references else None,
        [texts[0] for texts in cells["source"]] if inputs.source else None,
        trees,
    )
