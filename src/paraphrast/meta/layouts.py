"""Judgements in files: our own format, a user's tables, and the layouts of the public sets.

Our own format is a table, JSONL or Parquet (TSV and CSV are read too), with three kinds of rows:

- a rating: `item, system, dimension, value`, with `rater` and `group` where there are any;
- a text: `item, system, candidate`, with `references` (a list, or one text) and `source`. A rating
  may carry its texts; they need to stand in one row only, or nowhere if nothing is to be scored;
- a preference: `item, better, worse`, with `group`; better and worse name systems.

A rating without an item is one of the whole system. Other columns are passed over.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from paraphrast.errors import ConfigError, InputError, MissingExtra, did_you_mean
from paraphrast.io import write_table
from paraphrast.io.cells import table_layout
from paraphrast.io.fields import format_of_name, repeated
from paraphrast.io.streams import Lines, Source, open_source
from paraphrast.meta.judgements import (
    Collector,
    Judgements,
    Key,
    Missing,
    Output,
    Preference,
    Rating,
)

_COLUMNS = (
    *("group", "item", "system", "source", "references", "candidate"),
    *("rater", "dimension", "value", "better", "worse"),
)
_ALIASES = {"group": "lp", "source": "src", "references": "reference", "candidate": "hypothesis"}
StrPath = str | Path


@dataclass(frozen=True, slots=True)
class Row:
    """Cells with their place; each getter demands what the column must hold.

    `titles` are the columns' names in the file, where they differ.
    """

    where: str
    cells: Mapping[str, Any]
    titles: Mapping[str, str] = field(default_factory=dict)

    def name(self, column: str) -> str:
        """An identifier: text or a whole number; "" when missing."""
        value = self.cells.get(column)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # a column of whole numbers with a gap is one of floats
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return "" if value is None else self._text(value, column, "text or a whole number")

    def named(self, column: str) -> str:
        """An identifier that must be there."""
        if not (name := self.name(column)):
            raise self._wrong(column, None, "a name")
        return name

    def text(self, column: str) -> str:
        return self._text(self.cells.get(column), column, "text")

    def texts(self, column: str) -> tuple[str, ...]:
        """A list of texts, one text, or none when missing."""
        value = self.cells.get(column)
        many = value if isinstance(value, list) else [] if value is None else [value]
        return tuple(self._text(one, column, "text or a list of texts") for one in many)

    def number(self, column: str) -> float:
        """A number, also written as text; NaN when missing."""
        value = self.cells.get(column)
        if value is None or value == "":
            return math.nan
        with suppress(ValueError, TypeError, OverflowError):
            if not isinstance(value, bool) and "_" not in str(value):
                return float(value)
        raise self._wrong(column, value, "a number")

    def within(self, column: str) -> Row:
        """The cells of an object in this row."""
        value = self.cells.get(column)
        if not isinstance(value, dict):
            raise self._wrong(column, value, "an object")
        return Row(f"{self.where}, {column}", value)

    def each(self, column: str) -> list[Row]:
        """The objects of a list in this row."""
        value = self.cells.get(column)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self._wrong(column, value, "a list of objects")
        return [Row(f"{self.where}, {column} {n}", one) for n, one in enumerate(value, 1)]

    def _text(self, value: Any, column: str, needed: str) -> str:
        if not isinstance(value, str):
            raise self._wrong(column, value, needed)
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise self._wrong(column, value, "text without half a surrogate pair") from error
        return value

    def _wrong(self, column: str, value: object, needed: str) -> InputError:
        found = "nothing" if value is None else ascii(value)
        found = found if len(found) <= 40 else f"{found[:37]}..."
        title = self.titles.get(column, column)
        return InputError(f"{self.where}: column {title!r} holds {found}; {needed} is needed")


def read_rows(path: StrPath, notes: list[str]) -> list[Row]:
    """Read all rows of a JSONL, TSV, CSV or Parquet file, gzipped or not; "-" is JSONL."""
    name = str(path)
    layout = table_layout(name)
    with open_source(name, notes) as source:
        rows = list(_READERS[layout](source))
    if not rows:
        raise InputError(f"{source.label} is empty: there are no rows in it")
    return rows


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    blocks = Lines(source)
    for block in blocks:
        yield from enumerate(block, blocks.first)


def _jsonl(source: Source) -> Iterator[Row]:
    for number, line in _lines(source):
        where = f"{source.label}, line {number}"
        if not line.strip():
            continue
        try:
            cells = json.loads(line, object_pairs_hook=_unique)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not valid JSON: {error}") from error
        if not isinstance(cells, dict):
            raise InputError(f"{where}: JSONL holds one object, {{...}}, per line")
        yield Row(where, cells)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if (key := repeated(key for key, _ in pairs)) is not None:
        raise ValueError(f"the key {key!r} occurs twice in one object")
    return dict(pairs)


def _flat(source: Source, delimiter: str) -> Iterator[Row]:
    """A header, then rows; in CSV fields may be quoted and hold line ends, in TSV they may not."""
    lines = (f"{line}\n" for _, line in _lines(source))
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL,
        strict=True,
    )
    try:
        header = next(reader, [])
        if (name := repeated(header)) is not None:
            raise InputError(f"{source.label}, line 1: two columns are named {name!r}; rename one")
        for cells in filter(None, reader):
            where = f"{source.label}, line {reader.line_num}"
            if len(cells) != len(header):
                raise InputError(f"{where}: {len(cells)} fields where the header has {len(header)}")
            yield Row(where, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise InputError(f"{source.label}, line {reader.line_num}: {error}") from error


def _parquet(source: Source) -> Iterator[Row]:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtra("parquet", "pyarrow") from error
    with source.seekable() as file:
        try:
            table = parquet.ParquetFile(file)
            if (name := repeated(table.schema_arrow.names)) is not None:
                raise InputError(f"{source.label}: two columns are named {name!r}; rename one")
            rows = table.read(use_threads=False).to_pylist()
        except (arrow.ArrowException, OSError, ValueError) as error:
            why = str(error).partition("\n")[0]
            raise InputError(f"{source.label}: not a Parquet file, or damaged ({why})") from error
    yield from (Row(f"{source.label}, row {n}", cells) for n, cells in enumerate(rows, 1))


_READERS: dict[str, Callable[[Source], Iterator[Row]]] = {
    "jsonl": _jsonl,
    "tsv": partial(_flat, delimiter="\t"),
    "csv": partial(_flat, delimiter=","),
    "parquet": _parquet,
}


def read_judgements(
    path: StrPath, columns: Mapping[str, str] | None = None, *, missing: Missing = "error"
) -> Judgements:
    """Read a table in our format; `columns` maps our names to the table's own.

    Without a `dimension` the ratings are in the dimension that the column of values is named
    after. Without an `item` each row with a text is an item of its own, named by its number.
    """
    notes: list[str] = []
    rows = read_rows(path, notes)
    names = _chosen(rows, columns or {}, str(path))
    if "item" not in names and "candidate" in names:
        notes.append("no column 'item': every row with a text is an item of its own")
    is_flat = table_layout(str(path)) in ("tsv", "csv")
    into = Collector(_stem(path), missing=missing)
    for number, row in enumerate(rows, 1):
        _take(_renamed(row, names, is_flat), number, names, into)
    return into.done(notes)


def _chosen(rows: list[Row], columns: Mapping[str, str], path: str) -> dict[str, str]:
    """Map our names to the columns of the table, as far as it has them."""
    known = dict.fromkeys(column for row in rows for column in row.cells)
    listed = f"it has: {', '.join(known)}"
    for ours, theirs in columns.items():
        if ours not in _COLUMNS:
            near = did_you_mean(ours, _COLUMNS)
            raise ConfigError(f"unknown column {ours!r}{near}; known: {', '.join(_COLUMNS)}")
        if theirs not in known:
            near = did_you_mean(theirs, known)
            raise InputError(f"{path}: no column {theirs!r}{near} for the {ours}; {listed}")
    usual = {**{ours: alias for ours, alias in _ALIASES.items() if ours not in known}, **columns}
    names = {ours: usual.get(ours, ours) for ours in _COLUMNS if usual.get(ours, ours) in known}
    if "value" not in names and not {"better", "worse"} <= set(names):
        raise InputError(
            f"{path}: no column 'value', nor 'better' and 'worse'; {listed}; "
            "name yours, e.g. columns={'value': 'score'}"
        )
    return names


def _renamed(row: Row, names: Mapping[str, str], is_flat: bool) -> Row:
    """The row under our names; an empty cell of TSV or CSV is null, save that texts may be ''."""
    cells = {ours: row.cells.get(theirs) for ours, theirs in names.items()}
    if is_flat:
        cells = {
            name: value or (value if name == "candidate" else None) for name, value in cells.items()
        }
        cells["references"] = _listed(cells.get("references"))
    return Row(row.where, cells, names)


def _listed(cell: str | None) -> list[str] | str | None:
    """The texts of a cell that holds a JSON list of them; any other cell is one text."""
    if cell is None or not cell.startswith("["):
        return cell
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return cell
    return found if all(isinstance(one, str) for one in found) else cell


def _take(row: Row, number: int, names: Mapping[str, str], into: Collector) -> None:
    """Add what a row of ours holds: a preference, or a text, a rating or both."""
    group, item, system = row.name("group"), row.name("item"), row.name("system")
    better, worse, candidate = row.name("better"), row.name("worse"), row.cells.get("candidate")
    is_rated = any(row.cells.get(column) is not None for column in ("dimension", "value", "rater"))
    if better or worse or (candidate is None and "value" not in names):
        if is_rated:
            raise InputError(f"{row.where}: a rating and a preference; give each a row of its own")
        into.preference(Preference(group, item, better, worse), row.where)
        return
    if candidate is not None and "item" not in names:
        item = str(number)
    if candidate is not None and (item or candidate):
        source = None if row.cells.get("source") is None else row.text("source")
        texts = row.text("candidate"), row.texts("references"), source
        into.output(Output(group, item, system, *texts), row.where)
    if is_rated or candidate is None or ("value" in names and "dimension" not in names):
        dimension = row.name("dimension") if "dimension" in names else names.get("value", "")
        value, rater = row.number("value"), row.name("rater")
        into.rating(Rating(group, item, system, dimension, value, rater), row.where)


def write_judgements(path: StrPath, judgements: Judgements) -> int:
    """Write our format, to JSONL or Parquet by the name, and return the number of rows.

    The texts come first, once each; then ratings and preferences. The name and the notes are not
    written.
    """
    layout = format_of_name(str(path))
    if layout not in ("jsonl", "parquet"):
        raise ConfigError(f"{path}: judgements are written to .jsonl or .parquet")
    every = (judgements.outputs, judgements.ratings, judgements.preferences)
    rows = [_plain(one) for kind in every for one in kind]
    if layout == "jsonl":
        rows = [{name: value for name, value in row.items() if value is not None} for row in rows]
    return write_table(path, rows)


def _plain(one: object) -> dict[str, object]:
    cells = {name: getattr(one, name, None) for name in _COLUMNS}
    cells["references"] = list(cells["references"]) if cells["references"] else None
    empty = [n for n, value in cells.items() if value == "" and n not in ("candidate", "source")]
    return cells | dict.fromkeys(empty)


def wmt_segment(path: StrPath) -> Judgements:
    """WMT's segments with z-scored direct assessment: dimension "da", a group per language pair.

    Items are the rows of a language pair; 2015 and 2016 do not name the systems.
    """
    into, notes = Collector(_stem(path)), list[str]()
    for row in read_rows(path, notes):
        names = row.named("lp"), row.named("item"), row.name("system")
        texts = row.text("hypothesis"), (row.text("reference"),), row.text("source")
        into.output(Output(*names, *texts), row.where)
        into.rating(Rating(*names, "da", row.number("human")), row.where)
    return into.done(notes)


def wmt_system(
    outputs: StrPath, scores: StrPath, *, group: str | None = None, first: int | None = None
) -> Judgements:
    """WMT's outputs of whole systems, rated as systems: dimension "da", item "".

    `group` keeps one language pair, `first` its first segments. A system in one file only is left
    out, with a note.
    """
    notes: list[str] = []
    segments = [row for row in read_rows(outputs, notes) if group in (None, row.named("lp"))]
    segments = [row for row in segments if first is None or row.number("sid") <= first]
    rated = [row for row in read_rows(scores, notes) if group in (None, row.named("lp"))]
    scored = dict.fromkeys((row.name("lp"), row.named("system")) for row in rated)
    with_outputs = (
        (row.name("lp"), system) for row in segments for system in row.within("outputs").cells
    )
    present = dict.fromkeys(with_outputs)
    notes += _left_out("outputs but no human score", present, scored)
    notes += _left_out("a human score but no outputs", scored, present)
    into = Collector(_stem(outputs))
    for row in segments:
        _add_outputs(row, into, lambda key: (key[0], key[2]) in scored)
    for row in rated:
        if (row.name("lp"), row.name("system")) in present:
            rating = Rating(row.name("lp"), "", row.name("system"), "da", row.number("human_da_z"))
            into.rating(rating, row.where)
    return into.done(notes)


def _left_out(what: str, these: Iterable[tuple[str, str]], those: Container[object]) -> list[str]:
    return [
        f"{group}: system {system!r} has {what}: left out"
        for group, system in these
        if (group, system) not in those
    ]


def _add_outputs(row: Row, into: Collector, wanted: Callable[[Key], bool]) -> int:
    """Add the wanted outputs of a segment's systems and return the number of the others."""
    group, item, texts = row.named("lp"), row.named("sid"), row.within("outputs")
    kept = [system for system in texts.cells if wanted((group, item, system))]
    references, source = (row.text("reference"),), row.text("source")
    for system in kept:
        output = Output(group, item, system, texts.text(system), references, source)
        into.output(output, row.where)
    return len(texts.cells) - len(kept)


def darr(outputs: StrPath, pairs: StrPath) -> Judgements:
    """WMT's relative ranking made from direct assessment (DARR): preferences, and their outputs."""
    notes: list[str] = []
    into, judged = Collector(_stem(pairs)), set[Key]()
    for row in read_rows(pairs, notes):
        names = row.named("lp"), row.named("sid"), row.name("better"), row.name("worse")
        into.preference(Preference(*names), row.where)
        judged.update(Preference(*names).keys)
    left = sum(_add_outputs(row, into, judged.__contains__) for row in read_rows(outputs, notes))
    if left:
        notes.append(f"outputs without a preference: {left:,}, left out")
    return into.done(notes)


def summaries(path: StrPath) -> Judgements:
    """Many systems per document, e.g. SummEval and REALSumm; every key of `human` is a dimension.

    QAGS has one system per document, and the document itself as its reference.
    """
    into, notes = Collector(_stem(path)), list[str]()
    for document in read_rows(path, notes):
        for row in document.each("systems"):
            names = "", document.named("doc_id"), row.name("system")
            _add_rated(names, row, document, into)
    return into.done(notes)


qags = summaries


def data_to_text(path: StrPath) -> Judgements:
    """One hypothesis per row, e.g. BAGEL and SFRES; every key of `human` is a dimension.

    References that repeat another are kept, and counted: they change a mean over references, not
    the best one.
    """
    into, notes = Collector(_stem(path)), list[str]()
    again = 0
    for row in read_rows(path, notes):
        _add_rated(("", row.named("doc_id"), ""), row, row, into)
        references = row.texts("references")
        again += len(references) - len(set(references))
    if again:
        notes.append(f"references that repeat another of their item: {again:,}, kept")
    return into.done(notes)


def _add_rated(names: Key, row: Row, document: Row, into: Collector) -> None:
    texts = row.text("hypothesis"), document.texts("references"), document.text("source")
    into.output(Output(*names, *texts), row.where)
    human = row.within("human")
    for dimension in human.cells:
        into.rating(Rating(*names, dimension, human.number(dimension)), row.where)


class ExtraReferences(NamedTuple):
    """More references per item, and notes that count what was left out."""

    references: dict[str, list[str]]
    notes: tuple[str, ...]


def bawden_references(path: StrPath) -> ExtraReferences:
    """Human paraphrases of references by segment number; blank cells are left out and counted."""
    notes: list[str] = []
    found: dict[str, list[str]] = {}
    blank = 0
    for row in read_rows(path, notes):
        sid, cells = (
            row.named("sid"),
            [text for name, text in row.cells.items() if "paraphrase" in name],
        )
        if sid in found:
            raise InputError(f"{row.where}: segment {sid!r} occurs twice")
        found[sid] = [cell for cell in cells if cell.strip()]
        blank += len(cells) - len(found[sid])
    if blank:
        notes.append(f"blank paraphrases: {blank:,}, left out")
    return ExtraReferences(found, tuple(notes))


def _stem(path: StrPath) -> str:
    return Path(path).name.partition(".")[0]
