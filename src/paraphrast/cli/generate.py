"""`paraphrast generate`: write paraphrases of texts."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from paraphrast.cli.options import taking
from paraphrast.cli.shared import Quiet, SafeCells, echo, goes_on, show_notes
from paraphrast.errors import ConfigError
from paraphrast.generation.generate_options import CHOICE, GenerateOptions
from paraphrast.generation.paraphraser import AT_ONCE
from paraphrast.io import Field
from paraphrast.jobs.generate_files import Target, generate_files
from paraphrast.render.paraphrase_listing import paraphrase_lines
from paraphrast.render.terminal.progress import progress

NoFloor = Annotated[
    bool,
    typer.Option("--no-floor", help="Refuse none for what it says.", rich_help_panel=CHOICE),
]
_FLOORS = ("floor", "support", "quality")


@taking(GenerateOptions)
def command(
    options: GenerateOptions,
    context: typer.Context,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="A text, in place of -i.")
    ] = None,
    input: Annotated[
        str | None,
        typer.Option(
            "-i",
            "--input",
            help="Texts, or FILE:COLUMN of a table; '-' is standard input. They are taken "
            f"{AT_ONCE} at a time.",
        ),
    ] = None,
    input_format: Annotated[
        str | None, typer.Option(help="text, tsv, jsonl or parquet; otherwise by the file name.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write to this file.")
    ] = None,
    output_format: Annotated[
        str | None,
        typer.Option("-f", "--format", help="text, jsonl, tsv or lines; otherwise by -o's name."),
    ] = None,
    rejected: Annotated[
        str | None, typer.Option(help="Write what was rejected to this table, with the reason.")
    ] = None,
    safe_cells: SafeCells = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show which words were changed.")
    ] = False,
    no_floor: NoFloor = False,
    quiet: Quiet = False,
) -> None:
    """Write paraphrases of texts, choose the best and say why."""
    options = _judged(options, context, no_floor=no_floor)
    stream = sys.stdout  # the progress line puts itself in its place
    kept = input is not None and output not in (None, "-")
    with goes_on(kept=kept), progress("writing", quiet=quiet, unit="texts") as advance:
        notes = generate_files(
            _texts(text, input, input_format),
            Target(output=output, format=output_format, rejected=rejected, safe_cells=safe_cells),
            options,
            explain=explain,
            render=paraphrase_lines,
            advance=advance,
            show=lambda line: echo(line, stream),
        )
    show_notes(notes, quiet=quiet)


def _judged(options: GenerateOptions, context: typer.Context, *, no_floor: bool) -> GenerateOptions:
    """Switch the floor off; one that is named on the command line asks for the judge's weights."""
    sources = {name: context.get_parameter_source(name) for name in _FLOORS}
    named = {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}
    if no_floor and "floor" in named:
        raise ConfigError("--floor and --no-floor contradict each other")
    changed: dict[str, Any] = {"floor": None} if no_floor else {}
    return replace(options, **changed, required=bool(named))


def _texts(text: str | None, input: str | None, form: str | None) -> Field | str:
    if input is not None and text is None:
        return Field.parse(input, role="text", format=form)
    if text is None or input is not None:
        raise ConfigError("give a TEXT, or a file of texts with -i")
    if form is not None:
        raise ConfigError("--input-format goes with -i")
    return text
