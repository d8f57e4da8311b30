"""`paraphrast judge`: say whether two texts say the same thing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import typer

from paraphrast import _version
from paraphrast.cli.shared import (
    Device,
    Quiet,
    SafeCells,
    Threads,
    check_stdout,
    command_line,
    echo,
    format_by_name,
    show_notes,
    write_text,
)
from paraphrast.cli.tag import Model, Output, check_outputs
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.io import Field, write_table
from paraphrast.io.fields import STDIN
from paraphrast.jobs.judge import JudgedRow, judge_columns, judge_pairs, judge_texts
from paraphrast.meaning.assessment import RELATIONS
from paraphrast.render.pages.verdict_page import verdicts_html
from paraphrast.render.terminal.marked_text import wants_colour
from paraphrast.render.terminal.progress import progress
from paraphrast.render.terminal.verdict_text import reason_line, verdict_table, verdict_text

UNMET = 3  # the exit code where a pair has not the relation that was required
_FORMATS = ("table", "jsonl", "tsv", "html")
_ENDINGS = {"txt": "table", "jsonl": "jsonl", "ndjson": "jsonl", "tsv": "tsv", "html": "html"}
_MOST_ON_A_PAGE = 1000
_MOST_NAMED = 5  # rows that lack what was required


def command(
    first: Annotated[
        str,
        typer.Argument(
            metavar="TEXT|FILE",
            help="A text, or FILE or FILE:COLUMN of texts; alone, a file of pairs.",
        ),
    ],
    second: Annotated[
        str | None, typer.Argument(metavar="TEXT|FILE", help="What to hold it against.")
    ] = None,
    require: Annotated[
        str | None,
        typer.Option(
            metavar="RELATION",
            help=f"Exit with {UNMET} unless every pair is {', '.join(RELATIONS)}.",
        ),
    ] = None,
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
    """Say whether two texts say the same thing, and which words tell."""
    form, target = _form(output_format, output), None if output == STDIN else output
    _check_relation(require)
    check_stdout(needed=target is None)
    place: dict[str, Any] = {"model": model, "threads": threads, "device": device}
    notes: list[str] = []
    stream = sys.stdout  # the progress line puts itself in its place
    with progress("judging", quiet=quiet) as advance:
        kept = list(_rows(first, second, input_format, target, advance, notes, place))
        alone = second is not None and len(kept) == 1 and not _is_file(first)
        if form in ("jsonl", "tsv"):
            ids = any(row.id is not None for row in kept)
            cells = (row.to_dict() if form == "jsonl" else _cells(row, ids=ids) for row in kept)
            write_table(target or STDIN, cells, format=form, safe_cells=safe_cells)
        else:
            shown = _Shown(alone, _coloured(target), quiet)
            text = _formatted(kept, form, notes, shown)
            echo(text, stream) if target is None else write_text(text, target)
    show_notes(notes, quiet=quiet)
    unmet = [row for row in kept if require and row.verdict.relation != require]
    if unmet:
        typer.echo(f"error: {_unmet(unmet, len(kept), require)}", err=True)
        raise typer.Exit(UNMET)


def _rows(
    first: str,
    second: str | None,
    form: str | None,
    target: str | None,
    advance: Any,
    notes: list[str],
    place: dict[str, Any],
) -> Iterator[JudgedRow]:
    """Judge two texts, two columns, or a file of pairs."""
    if second is None:
        _check_pairs(first)
        check_outputs(first, target, None)
        yield from judge_pairs(first, format=form, progress=advance, notes=notes, **place)
        return
    files = [_is_file(spec) for spec in (first, second)]
    if all(files):
        a, b = (Field.parse(spec, role="text", format=form) for spec in (first, second))
        for field in (a, b):
            check_outputs(field.path, target, None)
        yield from judge_columns(a, b, progress=advance, notes=notes, **place)
        return
    if any(files):
        file, text = (first, second) if files[0] else (second, first)
        raise ConfigError(
            f"{file} is a file and {text!r:.60} is not; give two files, two texts, or one file "
            "of pairs"
        )
    if form is not None:
        raise ConfigError("--input-format goes with files, not with two texts")
    check_outputs(None, target, None)
    yield from judge_texts(first, second, notes=notes, **place)


def _is_file(spec: str) -> bool:
    return spec == STDIN or os.path.isfile(spec) or os.path.isfile(spec.rpartition(":")[0])


def _check_pairs(path: str) -> None:
    """Refuse what is no file: most likely a text without its other."""
    if path != STDIN and not os.path.exists(path):
        raise ConfigError(
            f"{path!r:.80} is not a file; give two texts, two files, or a file of pairs"
        )


def _form(form: str | None, output: str | None) -> str:
    if form is not None and form not in _FORMATS:
        raise ConfigError(
            f"--format is one of {', '.join(_FORMATS)}; got {form!r}{did_you_mean(form, _FORMATS)}"
        )
    if form is not None or output is None or output == STDIN:
        return form or "table"
    return format_by_name(output, _ENDINGS, usual="table")


def _check_relation(require: str | None) -> None:
    if require is not None and require not in RELATIONS:
        raise ConfigError(
            f"--require is one of {', '.join(RELATIONS)}; got {require!r}"
            f"{did_you_mean(require, RELATIONS)}"
        )


def _cells(row: JudgedRow, *, ids: bool) -> dict[str, Any]:
    """Return a row flat, for a table; `ids` says that some row has one."""
    whole = row.to_dict()
    plain = ("a", "b", "relation", "confidence")
    return {
        "row": row.row,
        **({"id": row.id} if ids else {}),
        **{key: whole[key] for key in plain},
        **whole["entailment"],
        "contradiction": whole["contradiction"],
        "score": whole["score"],
        "reasons": "; ".join(map(reason_line, whole["reasons"])),
    }


def _coloured(target: str | None) -> bool:
    return target is None and wants_colour(sys.stdout)


class _Shown(NamedTuple):
    """How verdicts are shown in a terminal: two texts stand `alone`, and whole."""

    alone: bool
    colour: bool
    quiet: bool


def _formatted(kept: list[JudgedRow], form: str, notes: list[str], shown: _Shown) -> str:
    if form == "html":
        first = kept[:_MOST_ON_A_PAGE]
        cut = f"The page shows the first {len(first):,} of {len(kept):,} pairs."
        return verdicts_html(
            [row.verdict for row in first],
            ids=[row.id if row.id is not None else row.row for row in first] * (len(kept) > 1),
            notes=[*notes, *([cut] if len(first) < len(kept) else [])],
            command=command_line(),
            version=_version.VERSION,
        )
    if shown.alone:
        return verdict_text(kept[0].verdict, colour=shown.colour, notes=not shown.quiet)
    counts = {name: sum(row.verdict.relation == name for row in kept) for name in RELATIONS}
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    table = verdict_table(row.to_dict() for row in kept)
    total = "1 pair" if len(kept) == 1 else f"{len(kept):,} pairs"
    return f"{table}\n\n{total}: {told}\n{kept[0].verdict.signature}"


def _unmet(unmet: list[JudgedRow], total: int, require: str | None) -> str:
    """Say which pairs have another relation than the one that was required."""
    if total == 1:
        return f"the pair is {unmet[0].verdict.relation!r}, not {require!r}"
    rows = ", ".join(str(row.row) for row in unmet[:_MOST_NAMED])
    more = ", …" if len(unmet) > _MOST_NAMED else ""
    return f"{len(unmet):,} of {total:,} pairs not {require!r}: row {rows}{more}"
