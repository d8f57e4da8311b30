"""`paraphrast study`: what decoding and selection do to paraphrases."""

from __future__ import annotations

import json
import os
from typing import Annotated

import typer

from paraphrast.cli.options import taking
from paraphrast.cli.shared import Quiet, ReportTarget, command_line, goes_on
from paraphrast.errors import ConfigError, InputError
from paraphrast.render.pages.study_page import study_html
from paraphrast.render.terminal.progress import progress
from paraphrast.render.terminal.tables import align
from paraphrast.studies.decoding.decoding_report import DecodingStudy
from paraphrast.studies.decoding.decoding_settings import PRESETS, StudyOptions
from paraphrast.studies.decoding.decoding_study import run_decoding_study

_FORMATS = ("table", "json", "html")
_ENDINGS = {"txt": "table", "html": "html", "htm": "html", "json": "json"}

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Study how decoding and selection change what a generator writes.",
)


@app.callback()
def _root() -> None:
    """Study how decoding and selection change what a generator writes."""


@app.command("decoding")
@taking(StudyOptions)
def decoding(
    options: StudyOptions,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Pairs: JSONL, TSV, CSV or Parquet, also .gz.")
    ],
    output_format: Annotated[
        str | None,
        typer.Option("-f", "--format", help="table, json or html; otherwise by -o's name."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write to this file.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Compare decoding settings on a corpus of paraphrases: the ROUGE-P paper's tables."""
    report = ReportTarget.choose(
        output, output_format, formats=_FORMATS, endings=_ENDINGS, inputs=[file]
    )
    if file != "-" and not os.path.exists(file):
        raise InputError(f"cannot read {file}: No such file or directory")
    with goes_on(kept=options.work is not None):
        found = run_decoding_study(
            file,
            options,
            stage=lambda name, total: progress(name, quiet=quiet, total=total, unit="sentences"),
        )
    report.write(_text(found.with_command(command_line()), report.form))


@app.command("settings")
def list_settings(
    output_format: Annotated[str, typer.Option("-f", "--format", help="table or json.")] = "table",
) -> None:
    """List the settings that `study decoding` knows."""
    if output_format not in ("table", "json"):
        raise ConfigError(f"--format is table or json; got {output_format!r}")
    rows = [
        {"setting": p.name, "pool": p.pool, "select": p.select, "about": p.about}
        for p in PRESETS.values()
    ]
    if output_format == "json":
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    head = list(rows[0])
    cells = [["" if cell is None else str(cell) for cell in row.values()] for row in rows]
    typer.echo(align([head, *cells], left=len(head)))


def _text(found: DecodingStudy, form: str) -> str:
    if form == "json":
        return found.to_json()
    return study_html(found.to_dict()) if form == "html" else str(found)
