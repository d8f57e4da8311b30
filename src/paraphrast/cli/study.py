"""`paraphrast study`: what decoding and selection do to paraphrases."""

from __future__ import annotations

import json
import os
from typing import Annotated

import typer

from paraphrast.cli.shared import Device, Quiet, Report, Threads, command_line
from paraphrast.errors import ConfigError, InputError
from paraphrast.jobs.study import StudyOptions, decoding_study
from paraphrast.jobs.study_presets import PRESETS
from paraphrast.jobs.study_report import DecodingStudy
from paraphrast.render.pages.study_page import study_html
from paraphrast.render.terminal.progress import progress
from paraphrast.render.terminal.tables import align

_FORMATS = ("table", "json", "html")
_ENDINGS = {"html": "html", "htm": "html", "json": "json"}

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Study how decoding and selection change what a generator writes.",
)


@app.callback()
def _root() -> None:
    """Study how decoding and selection change what a generator writes."""


File = Annotated[
    str, typer.Argument(metavar="FILE", help="Pairs: JSONL, TSV, CSV or Parquet, also .gz.")
]
Source = Annotated[str, typer.Option(help="Column of the texts to paraphrase.")]
Reference = Annotated[str, typer.Option(help="Column of people's paraphrases.")]
Limit = Annotated[int | None, typer.Option(help="Take the first so many pairs.")]
Model = Annotated[str, typer.Option(help="Generator: paraphraser, a directory or org/name.")]
Settings = Annotated[
    str | None, typer.Option(metavar="NAME,…", help="Of `study settings`; all unless given.")
]
Seed = Annotated[int, typer.Option(help="Of all draws.")]
Encoder = Annotated[
    str, typer.Option(help="Edit encoder: mini, base, a directory, org/name; or none.")
]
Floor = Annotated[
    float | None, typer.Option(help="Least adequacy of a selected output; none unless given.")
]
Quality = Annotated[
    float | None, typer.Option(help="Least score of a selected output by the judge; try 0.5.")
]
Support = Annotated[
    float | None, typer.Option(help="Least support of a selected output's content words; try 0.75.")
]
Check = Annotated[
    str | None, typer.Option(help="A second edit encoder that has to agree on what is selected.")
]
Examiner = Annotated[
    str | None, typer.Option(help="Edit encoder that measures the outputs; --judge unless given.")
]
Protect = Annotated[
    bool, typer.Option("--protect/--no-protect", help="Make names and numbers survive.")
]
Shown = Annotated[int, typer.Option(help="Outputs in the report.")]
Work = Annotated[
    str | None, typer.Option(metavar="DIR", help="Keep outputs here, to go on after a stop.")
]
Format = Annotated[
    str | None, typer.Option("-f", "--format", help="table, json or html; otherwise by -o's name.")
]
Output = Annotated[str | None, typer.Option("-o", "--output", help="Write to this file.")]


@app.command()
def decoding(
    file: File,
    source: Source = "text1",
    reference: Reference = "text2",
    limit: Limit = None,
    model: Model = "paraphraser",
    settings: Settings = None,
    seed: Seed = 12345,
    judge: Encoder = "mini",
    floor: Floor = None,
    quality: Quality = None,
    support: Support = None,
    check: Check = None,
    examiner: Examiner = None,
    protect: Protect = True,
    samples_shown: Shown = 50,
    work: Work = None,
    threads: Threads = None,
    device: Device = "cpu",
    output_format: Format = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Compare decoding settings on a corpus of paraphrases: the ROUGE-P paper's tables."""
    report = Report.asked(output, output_format, formats=_FORMATS, endings=_ENDINGS, inputs=[file])
    if file != "-" and not os.path.exists(file):
        raise InputError(f"cannot read {file}: No such file or directory")
    options = StudyOptions(
        source=source,
        reference=reference,
        limit=limit,
        model=model,
        settings=None if settings is None else [name.strip() for name in settings.split(",")],
        seed=seed,
        judge=judge,
        floor=floor,
        quality=quality,
        support=support,
        check=check,
        examiner=examiner,
        protect=protect,
        samples_shown=samples_shown,
        work=work,
        threads=threads,
        device=device,
    )
    found = decoding_study(
        file,
        options,
        stage=lambda name, total: progress(name, quiet=quiet, total=total, unit="sentences"),
    )
    report.write(_written(found.with_command(command_line()), report.form))


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


def _written(found: DecodingStudy, form: str) -> str:
    if form == "json":
        return found.to_json()
    return study_html(found.to_dict()) if form == "html" else str(found)
