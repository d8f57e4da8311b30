"""Judgements in files: our own format, a user's tables, and the layouts of the public sets.

Our own format is a table, JSONL or Parquet (TSV and CSV are read too), with three kinds of rows:

- a rating: `item, system, dimension, value`, with `rater` and `group` where there are any;
- a text: `item, system, candidate`, with `references` (a list, or one text) and `source`. A rating
  may carry its texts; they need to stand in one row only, or nowhere if nothing is to be scored;
- a preference: `item, better, worse`, with `group`; better and worse name systems.

A rating without an item is one of the whole system. A column `segment`, as `score --segments`
writes it, stands for `item` where there is none. Other columns are passed over.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from paraphrast.errors import ConfigError, InputError, did_you_mean
from paraphrast.io import write_table
from paraphrast.io.cells import table_layout
from paraphrast.io.fields import format_of_name
from paraphrast.meta.file_rows import FileRow, StrPath, read_rows
from paraphrast.meta.foreign_scores import LEVELS, metric_of_file, mt_metrics_eval
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
_ALIASES = {
    "group": "lp", "item": "segment", "source": "src", "references": "reference",
    "candidate": "hypothesis",
}  # fmt: skip


def read_judgements(
    path: StrPath, columns: Mapping[str, str] | None = None, *, missing: Missing = "error"
) -> Judgements:
    """Read a table in our format, or human scores of mt-metrics-eval (`.seg.score`, `.sys.score`).

    `columns` maps our names to the table's own.

    Without a `dimension` the ratings are in the dimension that the column of values is named
    after. Without an `item` each row with a text is an item of its own, named by its number.
    """
    notes: list[str] = []
    if str(path).removesuffix(".gz").endswith(LEVELS):
        return _mt_metrics_eval(str(path), notes)
    rows = read_rows(path, notes)
    names = _chosen(rows, columns or {}, str(path))
    if "item" not in names and "candidate" in names:
        notes.append("no column 'item': every row with a text is an item of its own")
    is_flat = table_layout(str(path)) in ("tsv", "csv")
    into = Collector(_stem(path), missing=missing)
    for number, row in enumerate(rows, 1):
        _take(_renamed(row, names, is_flat), number, names, into)
    return into.done(notes)


def _mt_metrics_eval(path: str, notes: list[str]) -> Judgements:
    """Read human scores; the dimension is the file's name, and what was not rated is counted."""
    dimension, unrated = metric_of_file(Path(path).name.removesuffix(".gz")), 0
    into = Collector(_stem(path))
    for key, value, where in mt_metrics_eval(path, notes):
        if math.isnan(value):
            unrated += 1
        else:
            into.rating(Rating(*key, dimension, value), where)
    if unrated:
        notes.append(f"outputs that nobody rated: {unrated:,}, left out")
    return into.done(notes)


def _chosen(rows: list[FileRow], columns: Mapping[str, str], path: str) -> dict[str, str]:
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
            "name yours, e.g. --column value=score"
        )
    if not {"item", "system", "candidate"} & set(names):
        raise InputError(
            f"{path}: no column 'item' (or 'segment') or 'system' says what was rated; {listed}; "
            "name yours, e.g. --column item=id"
        )
    return names


def _renamed(row: FileRow, names: Mapping[str, str], is_flat: bool) -> FileRow:
    """The row under our names; an empty cell of TSV or CSV is null, save that texts may be ''."""
    cells = {ours: row.cells.get(theirs) for ours, theirs in names.items()}
    if is_flat:
        cells = {
            name: value or (value if name == "candidate" else None) for name, value in cells.items()
        }
        cells["references"] = _listed(cells.get("references"))
    return FileRow(row.where, cells, names)


def _listed(cell: str | None) -> list[str] | str | None:
    """The texts of a cell that holds a JSON list of them; any other cell is one text."""
    if cell is None or not cell.startswith("["):
        return cell
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return cell
    return found if all(isinstance(one, str) for one in found) else cell


def _take(row: FileRow, number: int, names: Mapping[str, str], into: Collector) -> None:
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


def wmt_segment(path: StrPath, *, dimension: str = "da") -> Judgements:
    """WMT's segments with one rating each, direct assessment as a rule; a group per language pair.

    Items are the rows of a language pair; 2015 and 2016, and MLQE-PE, do not name the systems.
    """
    into, notes = Collector(_stem(path)), list[str]()
    for row in read_rows(path, notes):
        names = row.named("lp"), row.named("item"), row.name("system")
        source = row.text("source") if row.cells.get("source") is not None else None
        output = Output(*names, row.text("hypothesis"), (row.text("reference"),), source)
        into.output(output, row.where)
        into.rating(Rating(*names, dimension, row.number("human")), row.where)
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


def _add_outputs(row: FileRow, into: Collector, wanted: Callable[[Key], bool]) -> int:
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


def _add_rated(names: Key, row: FileRow, document: FileRow, into: Collector) -> None:
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
