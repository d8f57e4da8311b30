"""`paraphrast judge`: say whether two texts say the same thing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Annotated, Any

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
from paraphrast.jobs.judge import JudgedRow, judge, judge_columns, judge_pairs
from paraphrast.meaning.assessment import RELATIONS
from paraphrast.render.pages.verdict_page import verdicts_html
from paraphrast.render.terminal.marked_text import wants_colour
from paraphrast.render.terminal.progress import progress
from paraphrast.render.terminal.verdict_text import verdict_table, verdict_text

UNMET = 3  # the exit code where a pair has not the relation that was required
_FORMATS = ("table", "jsonl", "tsv", "html")
_ENDINGS = {"txt": "table", "jsonl": "jsonl", "ndjson": "jsonl", "tsv": "tsv", "html": "html"}
_MOST_ON_A_PAGE = 1000


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
            cells = (_cells(row, form) for row in kept)
            write_table(target or STDIN, cells, format=form, safe_cells=safe_cells)
        else:
            text = _written(kept, form, notes, alone=alone, colour=_coloured(target))
            echo(text, stream) if target is None else write_text(text, target)
    show_notes(notes, quiet=quiet)
    unmet = [row.row for row in kept if require and row.verdict.relation != require]
    if unmet:
        _tell_unmet(unmet, len(kept), require)


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
    yield JudgedRow(1, judge(first, second, **place))


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


def _cells(row: JudgedRow, form: str) -> dict[str, Any]:
    """Return a row whole for JSONL, flat for a table."""
    whole = row.to_dict()
    if form == "jsonl":
        return whole
    named = {key: whole[key] for key in ("row", "id") if key in whole}
    plain = ("a", "b", "relation", "confidence")
    return {
        **named,
        **{key: whole[key] for key in plain},
        **whole["entailment"],
        "contradiction": whole["contradiction"],
        "score": whole["score"],
        "reasons": "; ".join(f"{one['kind']}: {one['a']} → {one['b']}" for one in whole["reasons"]),
    }


def _coloured(target: str | None) -> bool:
    return target is None and wants_colour(sys.stdout)


def _written(
    kept: list[JudgedRow], form: str, notes: list[str], *, alone: bool, colour: bool
) -> str:
    if form == "html":
        shown = kept[:_MOST_ON_A_PAGE]
        cut = f"The page shows the first {len(shown):,} of {len(kept):,} pairs."
        return verdicts_html(
            [row.verdict for row in shown],
            ids=[row.id if row.id is not None else row.row for row in shown] * (len(kept) > 1),
            notes=[*notes, *([cut] if len(shown) < len(kept) else [])],
            command=command_line(),
            version=_version.VERSION,
        )
    if alone:
        return verdict_text(kept[0].verdict, colour=colour)
    counts = {name: sum(row.verdict.relation == name for row in kept) for name in RELATIONS}
    told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    table = verdict_table(row.to_dict() for row in kept)
    return f"{table}\n\n{len(kept):,} pairs: {told}\n{kept[0].verdict.signature}"


def _tell_unmet(unmet: list[int], total: int, require: str | None) -> None:
    shown = ", ".join(map(str, unmet[:5])) + (", …" if len(unmet) > 5 else "")
    typer.echo(f"error: {len(unmet)} of {total} pairs are not {require!r}: row {shown}", err=True)
    raise typer.Exit(UNMET)
