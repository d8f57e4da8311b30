"""Write the pairs of a corpus: a file per split and format, each pair with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from paraphrast.corpora.manifest import MANIFEST, CorpusFile, Manifest, Provenance, described
from paraphrast.engine.step import Row
from paraphrast.errors import ConfigError, InputError, did_you_mean
from paraphrast.io import atomic_writer, write_table

JSONL, PARQUET = FORMATS = ("jsonl", "parquet")
SPLIT, WHOLE = "split", "pairs"

_SPOOL = ".paraphrast-"  # before the names of files that wait to become Parquet
_SCORES, _MADE = "scores", "made"


@dataclass(slots=True)
class _Written:
    """What went by: rows of each split, and the names of all columns and all scores."""

    rows: dict[str, int] = field(default_factory=dict)
    columns: dict[str, None] = field(default_factory=dict)
    scores: dict[str, None] = field(default_factory=dict)

    def add(self, row: Row, split: str) -> None:
        self.rows[split] += 1
        if not row.keys() <= self.columns.keys():
            self.columns.update(dict.fromkeys(row))
        found = row.get(_SCORES)
        if found and not found.keys() <= self.scores.keys():
            self.scores.update(dict.fromkeys(found))


def write_corpus(
    folder: str | Path,
    rows: Iterable[Row],
    provenance: Provenance,
    *,
    formats: Sequence[str] = (JSONL,),
    splits: Sequence[str] = (),
) -> Manifest:
    """Write pairs to FOLDER/SPLIT.jsonl and .parquet, by the `split` of each row, in their order.

    Rows without a split go to "pairs"; `splits` get a file even if they have no row. Each row gets
    `made`: version, recipe and steps. Files appear complete or not at all. A manifest of before is
    removed first; writing the new one is the caller's, when the card and the like are there too.
    """
    _check_formats(formats)
    home = Path(folder)
    _prepare(home)
    prefix = "" if JSONL in formats else _SPOOL
    try:
        written = _write_lines(home, prefix, rows, provenance, splits)
        files = []
        for name, count in written.rows.items():
            source = home / f"{prefix}{name}.jsonl"
            for form in formats:
                if form == PARQUET:
                    write_table(home / f"{name}.parquet", _table(source, written), format=PARQUET)
                files.append(described(home, f"{name}.{form}", rows=count, split=name))
    finally:
        for left in home.glob(f"{_SPOOL}*.jsonl"):
            left.unlink()
    return Manifest(provenance=provenance.to_dict(), files=_in_order(files))


def _check_formats(formats: Sequence[str]) -> None:
    if not formats:
        raise ConfigError(f"a corpus needs a format: {' or '.join(FORMATS)}")
    for name in formats:
        if name not in FORMATS:
            near = did_you_mean(name, FORMATS)
            raise ConfigError(f"unknown format {name!r}{near}; known: {', '.join(FORMATS)}")


def _prepare(home: Path) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
        (home / MANIFEST).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot write into {home}: {error.strerror or error}") from error


def _write_lines(
    home: Path, prefix: str, rows: Iterable[Row], provenance: Provenance, splits: Sequence[str]
) -> _Written:
    """Share the rows out over a file for each split, in one pass."""
    made = json.dumps(provenance.to_dict(), ensure_ascii=False)
    written = _Written()
    with ExitStack() as stack:
        files: dict[str, IO[str]] = {}

        def opened(split: str) -> IO[str]:
            _check_split(split, splits)
            written.rows[split] = 0
            path = home / f"{prefix}{split}.jsonl"
            files[split] = stack.enter_context(atomic_writer(path))
            return files[split]

        for split in splits:
            opened(split)
        for row in rows:
            split = row.get(SPLIT) or WHOLE
            file = files.get(split) or opened(split)
            file.write(_line(row, made, split, written))
            written.add(row, split)
    if not sum(written.rows.values()):
        raise InputError(f"no pair is left to write into {home}; see what the steps dropped")
    return written


def _check_split(split: object, splits: Sequence[str]) -> None:
    """Refuse a split that was not announced, or that is no name of a file."""
    if splits and split not in splits:
        raise InputError(f"a pair is of the split {split!r}; the splits are {', '.join(splits)}")
    if not isinstance(split, str) or not split.replace("-", "").replace("_", "").isalnum():
        raise ConfigError(f"a split is named in letters and digits; got {split!r}")


def _line(row: Row, made: str, split: str, written: _Written) -> str:
    """Return a row as JSON; what all rows share is encoded once and put at the end."""
    if _MADE in row:
        row = {name: value for name, value in row.items() if name != _MADE}
    try:
        body = json.dumps(row, ensure_ascii=False, allow_nan=False)
        body.encode()  # half a surrogate pair must not reach the file
    except (TypeError, ValueError) as error:
        where = f"pair {written.rows[split] + 1} of {split}"
        raise InputError(f"{where} cannot be written as JSON: {error}") from error
    return f'{body[:-1]}, "{_MADE}": {made}}}\n'


def _table(source: Path, written: _Written) -> Iterator[Mapping[str, Any]]:
    """Read rows back for Parquet: all have the same columns and the same scores."""
    blank, scores = dict.fromkeys(written.columns), dict.fromkeys(written.scores)
    with source.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            whole = {**blank, **row}
            if scores:
                whole[_SCORES] = {**scores, **(row.get(_SCORES) or {})}
            yield whole


def _in_order(files: Iterable[CorpusFile]) -> tuple[CorpusFile, ...]:
    """Put the files of one format together."""
    return tuple(sorted(files, key=lambda file: file.path.rpartition(".")[2] != JSONL))
