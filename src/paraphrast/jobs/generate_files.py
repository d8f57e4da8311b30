"""Paraphrase the texts of a file: streaming in and out, and going on after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import PurePath
from typing import Any

from paraphrast import _version
from paraphrast.errors import ConfigError, InputError
from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.generation.paraphraser import AT_ONCE, Paraphraser, ShortfallCount
from paraphrast.generation.selection.adequacy import installed_signature
from paraphrast.io import Field, Rows, atomic_writer, check_target, chunks, write_table
from paraphrast.io.fields import STDIN, format_of_name, label
from paraphrast.io.journal import Journal, open_journal
from paraphrast.jobs.generate import tagged_choices

FORMATS = ("text", "jsonl", "tsv", "lines")
_UNWRITTEN = frozenset(".csv .parquet .xlsx .xls .html .xml .yaml .yml".split())
JsonRow = dict[str, Any]
Render = Callable[[Iterable[JsonRow]], Iterator[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where the rows go: `output` None is standard output; `rejected` is a table of its own.

    `safe_cells` is that of `write_table`.
    """

    output: str | None = None
    format: str | None = None
    rejected: str | None = None
    safe_cells: bool = False

    @property
    def layout(self) -> str:
        if self.format is not None:
            return self.format
        if self.output is None or self.output == STDIN:
            return "text"
        ending = PurePath(self.output.lower().removesuffix(".gz")).suffix
        if ending in _UNWRITTEN:
            raise ConfigError(
                f"{self.output}: {ending} is not written; end the name in .jsonl, .tsv or .txt, "
                f"or choose one of {', '.join(FORMATS)} with -f"
            )
        return format_of_name(self.output) or "text"

    def check(self, inputs: Iterable[str], options: GenerateOptions) -> None:
        """Refuse what can be seen to be wrong before any work."""
        if self.format is not None and self.format not in FORMATS:
            raise ConfigError(f"--format is {', '.join(FORMATS)}; got {self.format!r}")
        if self.layout == "lines" and options.n != 1:
            raise ConfigError(f"lines hold one paraphrase for each source; n={options.n} is more")
        paths = [path for path in (self.output, self.rejected) if path not in (None, STDIN)]
        for path, table in ((self.output, False), (self.rejected, True)):
            if path is not None and path != STDIN:
                check_target(path, table=table)
        if self.rejected == STDIN or (self.rejected and self.output in (None, STDIN)):
            raise ConfigError("--rejected names a file, and goes with -o, which names another")
        real = [os.path.realpath(str(path)) for path in paths]
        if len(set(real)) < len(real):
            raise ConfigError("-o and --rejected name the same file")
        for path in inputs:
            if path != STDIN and os.path.realpath(path) in real:
                raise ConfigError(f"{path} is an input and would be written over")


def _counted(rows: Iterable[JsonRow], shortfall: ShortfallCount) -> Iterator[JsonRow]:
    for row in rows:
        shortfall.add(len(row["candidates"]))
        yield row


def generate_files(
    texts: Field | str,
    target: Target,
    options: GenerateOptions,
    *,
    explain: bool = False,
    render: Render,
    advance: Callable[[int], None] | None = None,
    show: Callable[[str], None],
) -> list[str]:
    """Paraphrase a column of texts, or one text, and return the notes.

    Rows go to standard output as they are made (`show` takes lines of text). A file is written
    when all are made; until then they lie beside it, and the same command goes on from there.
    `render` makes text of rows.
    """
    target.check([texts.path] if isinstance(texts, Field) else [], options)
    if isinstance(texts, Field) and texts.path != STDIN and not os.path.exists(texts.path):
        raise InputError(f"cannot read {texts.path}: No such file or directory")
    notes: list[str] = []
    sources = _sources(texts, notes)
    shortfall = ShortfallCount(options.n)
    writer = Paraphraser(options)
    if target.output is None or target.output == STDIN:
        choices = tagged_choices(writer, sources, explain=explain, advance=advance)
        rows: Iterator[JsonRow] = (each.to_dict() for each in choices)
        _put(_counted(rows, shortfall), target, render, show)
    else:
        identity = _identity(writer, explain)
        with open_journal(target.output, identity) as journal:
            _finish(journal, sources, writer, explain, advance)
            if target.rejected is not None:
                refused = _rejected(journal.rows())
                write_table(target.rejected, refused, safe_cells=target.safe_cells)
            rows = _without_rejected(journal.rows(), target.rejected is not None)
            _put(_counted(rows, shortfall), target, render, show)
    return [*notes, *writer.notes(), *shortfall.notes()]


def _identity(writer: Paraphraser, explain: bool) -> dict[str, Any]:
    """Return all that rows depend on: what the options come to, and the weights that are there."""
    options = writer.options
    selection = options.selection()
    judges = [options.judge] if selection.judged or explain else []
    judges += [options.check] if options.check else []
    return {
        "version": _version.VERSION,
        "decoding": asdict(options.decoding()),
        "selection": asdict(selection),
        "model": options.model,
        "weights": writer.model.fingerprint,
        "judges": [installed_signature(name, checked=options.protect) for name in judges],
        "explain": explain,
    }


def _sources(texts: Field | str, notes: list[str]) -> Iterator[str]:
    if isinstance(texts, str):
        yield texts
        return
    rows = Rows([texts])
    for number, (value,) in enumerate(rows, start=1):
        if isinstance(value, list):
            raise InputError(f"{label(texts.path)}, row {number}: one text is needed, not a list")
        yield value or ""
    notes += rows.notes


def _finish(
    journal: Journal,
    sources: Iterator[str],
    writer: Paraphraser,
    explain: bool,
    advance: Callable[[int], None] | None,
) -> None:
    """Go through the sources that are done already, which must be the same, and do the others.

    A stop may leave a part of a block of AT_ONCE sources. That block is paraphrased again as a
    whole, for which texts are read together shows in the last digits of their figures.
    """
    done = journal.done
    begun: list[str] = []  # sources of the block that is done in part
    for number, row in enumerate(journal.rows(), start=1):
        writer.note_source(row["source"])
        begun = [*begun, row["source"]] if number % AT_ONCE else []
        if next(sources, None) != row["source"]:
            raise ConfigError(
                f"row {number} of the input is not what it was when this job was stopped; remove "
                f"{journal.path} to begin anew"
            )
    first = next(sources, None)
    again = begun if first is not None else []
    if advance is not None and done > len(again):
        advance(done - len(again))
    if first is None:
        return
    left = chain(again, [first], sources)
    choices = tagged_choices(writer, left, explain=explain, advance=advance)
    for block in chunks(choices, AT_ONCE):
        journal.add([each.to_dict() for each in block[len(begun) :]])
        begun = []


def _without_rejected(rows: Iterable[JsonRow], apart: bool) -> Iterator[JsonRow]:
    for row in rows:
        yield {key: value for key, value in row.items() if not (apart and key == "rejected")}


def _rejected(rows: Iterable[JsonRow]) -> Iterator[Mapping[str, object]]:
    for row in rows:
        for each in row["rejected"]:
            yield {"source": row["source"], "text": each["text"], "reason": each["reason"]}


def _put(
    rows: Iterator[JsonRow], target: Target, render: Render, show: Callable[[str], None]
) -> None:
    layout, path = target.layout, target.output or STDIN
    if layout == "jsonl":
        write_table(path, rows, format="jsonl")
    elif layout == "tsv":
        write_table(path, _flat(rows), format="tsv", safe_cells=target.safe_cells)
    else:
        lines = _lines(rows) if layout == "lines" else render(rows)
        if path == STDIN:
            for line in lines:
                show(line)
        else:
            with atomic_writer(path) as file:
                file.writelines(f"{line}\n" for line in lines)


def _lines(rows: Iterable[JsonRow]) -> Iterator[str]:
    """Yield a line for each source, empty where there is no paraphrase."""
    for row in rows:
        best = next((each["text"] for each in row["candidates"]), "")
        yield " ".join(best.split())


def _flat(rows: Iterable[JsonRow]) -> Iterator[Mapping[str, object]]:
    """Yield a row for each paraphrase, and one with rank 0 for a source that has none."""
    for row in rows:
        nothing = {"text": "", "logprob": None, "scores": {}, "why": row.get("note", "")}
        for rank, each in enumerate(row["candidates"] or [nothing], bool(row["candidates"])):
            yield {"source": row["source"], "rank": rank, **_cells(each)}


def _cells(each: Mapping[str, Any]) -> dict[str, object]:
    return {
        "text": each["text"],
        "logprob": each["logprob"],
        "scores": json.dumps(each["scores"]),
        "why": each["why"],
    }
