"""Write the pairs of a corpus: a file per split and format, each pair with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from paraphrast.corpora.build.manifest import MANIFEST, Manifest, Provenance, described
from paraphrast.engine.step import Row
from paraphrast.errors import ConfigError, InputError, did_you_mean
from paraphrast.io import atomic_writer
from paraphrast.io.parquet import BATCH_ROWS, Layout, ParquetSpool, inner

JSONL, PARQUET = FORMATS = ("jsonl", "parquet")
SPLIT, WHOLE = "split", "pairs"

_SCORES, _MADE = "scores", "made"
_TYPES = {
    **dict.fromkeys(("id", "text1", "text2", "origin", "source", "label", SPLIT), "string"),
    **dict.fromkeys(("overlap", "quality"), "double"),
    **dict.fromkeys(("systems", "sources", "from"), "list<string>"),
    "row": "list<int64>",
}  # of Parquet's columns, whatever the rows of a split hold
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False)  # dumps would make one for each row


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
    removed when all rows are written, not earlier: what fails leaves a corpus of before as it was.
    Writing the new manifest is the caller's, when the card and the like are there too.
    """
    lines = ((row, "") for row in rows)
    return write_lines(folder, lines, provenance, formats=formats, splits=splits)


def write_lines(
    folder: str | Path,
    rows: Iterable[tuple[Row, str]],
    provenance: Provenance,
    *,
    formats: Sequence[str] = (JSONL,),
    splits: Sequence[str] = (),
) -> Manifest:
    """Do as `write_corpus` with rows that were just read, each with its line of a shard.

    The line is what making JSON of the row would give again.
    """
    check_formats(formats)
    home = Path(folder)
    _prepare(home)
    made = provenance.to_dict()
    with ExitStack() as stack:
        parts = _Parts(home, formats, stack)
        written = _share_out(parts, rows, made, splits)
        if not sum(written.rows.values()):
            raise InputError(f"no pair is left to write into {home}; see what the steps dropped")
        if PARQUET in formats:
            parts.write_tables(written, made)
        _remove(home / MANIFEST)  # before the files get their names
    files = (
        described(home, f"{name}.{form}", rows=count, split=name)
        for form in FORMATS
        if form in formats
        for name, count in written.rows.items()
    )
    return Manifest(provenance=made, files=tuple(files))


def check_formats(formats: Sequence[str]) -> None:
    """Refuse formats that are none."""
    if not formats:
        raise ConfigError(f"a corpus needs a format: {' or '.join(FORMATS)}")
    for name in formats:
        if name not in FORMATS:
            near = did_you_mean(name, FORMATS)
            raise ConfigError(f"unknown format {name!r}{near}; known: {', '.join(FORMATS)}")


def _prepare(home: Path) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write into {home}: {error.strerror or error}") from error


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot remove {path}: {error.strerror or error}") from error


class _Parts:
    """The files of each split: lines are written at once, columns when all their types are known.

    All of them appear under their names when `stack` ends well.
    """

    def __init__(self, home: Path, formats: Sequence[str], stack: ExitStack) -> None:
        self._home, self._formats, self._stack = home, formats, stack
        self._lines: dict[str, IO[bytes]] = {}
        self._spools: dict[str, ParquetSpool] = {}
        self._waiting: dict[str, list[Row]] = {}

    def open(self, split: str) -> None:
        enter, path = self._stack.enter_context, self._home / f"{split}.{JSONL}"
        if JSONL in self._formats:
            self._lines[split] = enter(atomic_writer(path, binary=True))
        if PARQUET in self._formats:
            self._spools[split], self._waiting[split] = enter(ParquetSpool()), []

    def add(self, split: str, row: Row, line: bytes, written: _Written) -> None:
        if split in self._lines:
            self._lines[split].write(line)
        if split in self._waiting:
            self._waiting[split].append(row)
            if len(self._waiting[split]) == BATCH_ROWS:
                self._set_aside(split, written)

    def _set_aside(self, split: str, written: _Written) -> None:
        if waiting := self._waiting[split]:
            self._spools[split].add(_columns(waiting, written))
            waiting.clear()

    def write_tables(self, written: _Written, made: Mapping[str, Any]) -> None:
        """Write the Parquet files: all have the same columns and the same scores."""
        for split in self._spools:
            self._set_aside(split, written)
        names = [name for name in written.columns if name != _MADE]
        known = {name: kind for name, kind in _TYPES.items() if name in names}
        known |= {inner(_SCORES, name): "double" for name in written.scores}
        layout = Layout(names, {_SCORES: tuple(written.scores)}, {_MADE: made})
        layout = layout.typed([*self._spools.values()], known)
        for split, spool in self._spools.items():
            path = self._home / f"{split}.{PARQUET}"
            spool.write(self._stack.enter_context(atomic_writer(path, binary=True)), layout)


def _columns(rows: Sequence[Row], written: _Written) -> dict[str, list[Any]]:
    """Turn rows into columns, and their scores too: arrow is slow to look into each row's own."""
    names = [name for name in written.columns if name not in (_SCORES, _MADE)]
    found = [row.get(_SCORES) or {} for row in rows]
    return {name: [row.get(name) for row in rows] for name in names} | {
        inner(_SCORES, name): [each.get(name) for each in found] for name in written.scores
    }


def _share_out(
    parts: _Parts, rows: Iterable[tuple[Row, str]], made: Mapping[str, Any], splits: Sequence[str]
) -> _Written:
    """Share the rows out over the splits, in one pass."""
    written = _Written()
    end = f', "{_MADE}": {_JSON.encode(made)}}}\n'.encode()  # what all rows share

    def opened(split: str) -> None:
        if splits and split not in splits:
            said = ", ".join(splits)
            raise InputError(f"a pair is of the split {split!r}; the splits are {said}")
        check_split(split)
        written.rows[split] = 0
        parts.open(split)

    for split in splits:
        opened(split)
    for row, line in rows:
        split = row.get(SPLIT) or WHOLE
        if split not in written.rows:
            opened(split)
        body = _as_read(row, line) or _body(row, split, written)
        written.add(row, split)
        parts.add(split, row, body[:-1] + end, written)
    return written


def check_split(split: object) -> None:
    """Refuse a split whose name is none of a file."""
    if not isinstance(split, str) or not split.replace("-", "").replace("_", "").isalnum():
        raise ConfigError(f"a split is named in letters and digits; got {split!r}")


def _as_read(row: Row, line: str) -> bytes:
    """Return the JSON that a row was read from, or nothing if it must be made anew.

    A shard may hold numbers that JSON has not; making it anew tells which pair has them.
    """
    fit = line and _MADE not in row and "NaN" not in line and "Infinity" not in line
    return line.rstrip("\n").encode() if fit else b""


def _body(row: Row, split: str, written: _Written) -> bytes:
    """Return a row as JSON, to which `made` is yet to be added."""
    if _MADE in row:
        row = {name: value for name, value in row.items() if name != _MADE}
    try:
        return _JSON.encode(row).encode()  # half a surrogate pair must not reach the file
    except (TypeError, ValueError) as error:
        where = f"pair {written.rows[split] + 1} of {split}"
        raise InputError(f"{where} cannot be written as JSON: {error}") from error
