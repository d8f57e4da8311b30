"""The pairs of a study: sources with their references, from any table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from paraphrast.errors import InputError, did_you_mean
from paraphrast.meta.file_rows import FileRow, read_rows

LABEL = "label"
NOT_A_PARAPHRASE, EMPTY = "label other than 1", "empty source or reference"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Pairs in the order of the file, and how many rows were left out, by reason."""

    sources: list[str]
    references: list[str]
    rows: list[int]  # of the file, counted from 1
    left_out: dict[str, int]
    notes: list[str]


def read_corpus(path: str, source: str, reference: str, limit: int | None) -> Corpus:
    """Read the pairs of a table (JSONL, TSV, CSV or Parquet, gzipped or not), the first `limit`.

    A row whose `label` is there and is not 1 is no paraphrase and left out, as is one with an empty
    text; both are counted, up to the last row that is needed.
    """
    notes: list[str] = []
    rows = read_rows(path, notes)
    for column in (source, reference):
        _check(rows[0], column)
    corpus = Corpus([], [], [], {}, notes)
    left_out: Counter[str] = Counter()
    for number, row in enumerate(rows, 1):
        if len(corpus.rows) == limit:
            break
        if LABEL in row.cells and row.number(LABEL) != 1:
            left_out[NOT_A_PARAPHRASE] += 1
            continue
        pair = row.text(source), row.text(reference)
        if not all(text.strip() for text in pair):
            left_out[EMPTY] += 1
            continue
        corpus.sources.append(pair[0])
        corpus.references.append(pair[1])
        corpus.rows.append(number)
    corpus.left_out.update(left_out)
    if not corpus.rows:
        reasons = ", ".join(f"{count:,} for {reason}" for reason, count in left_out.items())
        raise InputError(f"{path}: no pair is left to study; left out: {reasons}")
    return corpus


def _check(first: FileRow, column: str) -> None:
    if column not in first.cells:
        near = did_you_mean(column, first.cells)
        raise InputError(
            f"{first.where}: no column {column!r}{near}; it has: {', '.join(first.cells)}; "
            "name them with --source and --reference"
        )
