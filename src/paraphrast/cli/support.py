"""`paraphrast support`: name the sentences of a text that its source does not support."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from paraphrast.cli.shared import (
    Device,
    Quiet,
    SafeCells,
    Threads,
    check_stdout,
    echo,
    format_by_name,
    show_notes,
    write_text,
)
from paraphrast.cli.tag import Model, Output, check_outputs
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.io import Field, write_table
from paraphrast.io.fields import STDIN
from paraphrast.jobs.support import SupportedRow, support, support_columns
from paraphrast.meaning.source_chunks import REACH, WORDS
from paraphrast.render.terminal.marked_text import wants_colour
from paraphrast.render.terminal.progress import progress
from paraphrast.render.terminal.support_text import support_text

UNMET = 3  # the exit code where support was required and is lacking
_FORMATS = ("table", "jsonl", "tsv")
_ENDINGS = {"txt": "table", "jsonl": "jsonl", "ndjson": "jsonl", "tsv": "tsv"}


def command(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="The source: a text, or FILE or FILE:COLUMN.")
    ],
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What may follow from it, given likewise.")
    ],
    require: Annotated[
        bool,
        typer.Option("--require", help=f"Exit with {UNMET} unless all sentences are supported."),
    ] = False,
    chunk: Annotated[int, typer.Option(help="Words of the source read at once.")] = WORDS,
    reach: Annotated[int, typer.Option(help="Chunks that a sentence is read against.")] = REACH,
    input_format: Annotated[
        str | None, typer.Option(help="The format of the files; otherwise by their names.")
    ] = None,
    model: Model = "mini",
    threads: Threads = None,
    device: Device = "cpu",
    output_format: Annotated[
        str | None,
        typer.Option("-f", "--format", help=f"{', '.join(_FORMATS)}; otherwise by -o's name."),
    ] = None,
    output: Output = None,
    safe_cells: SafeCells = False,
    quiet: Quiet = False,
) -> None:
    """Name the sentences of a text that its source does not support, and their words."""
    form, target = _form(output_format, output), None if output == STDIN else output
    check_stdout(needed=target is None)
    options: dict[str, Any] = {"chunk": chunk, "reach": reach, "model": model}
    options |= {"threads": threads, "device": device}
    notes: list[str] = []
    stream = sys.stdout  # the progress line puts itself in its place
    with progress("checking", quiet=quiet, unit="texts") as advance:
        kept = list(_rows(source, text, input_format, target, advance, notes, options))
        if form == "table":
            table = _shown(kept, colour=target is None and wants_colour(sys.stdout))
            echo(table, stream) if target is None else write_text(table, target)
        else:
            cells = (cell for row in kept for cell in _cells(row, form))
            write_table(target or STDIN, cells, format=form, safe_cells=safe_cells)
    show_notes(notes, quiet=quiet)
    lacking = [row.row for row in kept if not row.report]
    if require and lacking:
        shown = ", ".join(map(str, lacking[:5])) + (", …" if len(lacking) > 5 else "")
        typer.echo(
            f"error: {len(lacking)} of {len(kept)} texts are not supported: row {shown}", err=True
        )
        raise typer.Exit(UNMET)


def _rows(
    source: str,
    text: str,
    form: str | None,
    target: str | None,
    advance: Any,
    notes: list[str],
    options: dict[str, Any],
) -> Iterator[SupportedRow]:
    """Check a text, or two columns of files."""
    files = [_is_file(spec) for spec in (source, text)]
    if all(files):
        fields = [Field.parse(spec, role="text", format=form) for spec in (source, text)]
        for field in fields:
            check_outputs(field.path, target, None)
        yield from support_columns(*fields, progress=advance, notes=notes, **options)
        return
    if any(files):
        file, other = (source, text) if files[0] else (text, source)
        raise ConfigError(f"{file} is a file and {other!r:.60} is not; give two files or two texts")
    if form is not None:
        raise ConfigError("--input-format goes with files, not with two texts")
    check_outputs(None, target, None)
    yield SupportedRow(1, support(source, text, **options))


def _is_file(spec: str) -> bool:
    return spec == STDIN or os.path.isfile(spec) or os.path.isfile(spec.rpartition(":")[0])


def _form(form: str | None, output: str | None) -> str:
    if form is not None and form not in _FORMATS:
        raise ConfigError(
            f"--format is one of {', '.join(_FORMATS)}; got {form!r}{did_you_mean(form, _FORMATS)}"
        )
    if form is not None or output is None or output == STDIN:
        return form or "table"
    return format_by_name(output, _ENDINGS, usual="table")


def _cells(row: SupportedRow, form: str) -> Iterator[dict[str, Any]]:
    """Yield a row whole for JSONL, and a row for each sentence for a table."""
    whole = row.to_dict()
    if form == "jsonl":
        yield whole
        return
    for number, claim in enumerate(whole["claims"], 1):
        words = "; ".join(claim["words"])
        yield {"row": row.row, "sentence": number, **claim, "words": words}


def _shown(kept: list[SupportedRow], *, colour: bool) -> str:
    """Lay one report out whole; of several, the sentences that are not supported."""
    if len(kept) == 1:
        return support_text(kept[0].report, colour=colour)
    pieces = []
    for row in kept:
        if not row.report:
            text = support_text(row.report, colour=colour, all_claims=False, signature=False)
            pieces.append(f"row {row.row}: {text}")
    claims = sum(len(row.report.claims) for row in kept)
    lacking = sum(len(row.report.unsupported) for row in kept)
    score = sum(row.report.score for row in kept) / len(kept)
    last = (
        f"{len(kept):,} texts, {claims:,} sentences, {lacking:,} not supported; "
        f"faithfulness {score:.4f}\n{kept[0].report.signature}"
    )
    return "\n\n".join([*pieces, last])
