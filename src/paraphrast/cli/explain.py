"""`paraphrast explain`: everything there is to say of one pair."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from paraphrast import _version
from paraphrast.cli.shared import Device, Quiet, Threads, command_line, echo, write_text
from paraphrast.cli.tag import Model, Output, Page, check_outputs, format_beside_page
from paraphrast.errors import ConfigError
from paraphrast.jobs.explain import Explanation, explain
from paraphrast.render.pages.explain_page import explanation_html
from paraphrast.render.terminal.explained_pair import explanation_markdown, explanation_text
from paraphrast.render.terminal.marked_text import wants_colour

_FORMATS = ("table", "json", "markdown")
_ENDINGS = {"txt": "table", "json": "json", "md": "markdown", "markdown": "markdown"}


def command(
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="What should be said.")],
    candidate: Annotated[str, typer.Argument(metavar="CANDIDATE", help="What is said.")],
    model: Model = "mini",
    threads: Threads = None,
    device: Device = "cpu",
    output_format: Annotated[
        str | None,
        typer.Option("-f", "--format", help="table, json or markdown; otherwise by -o's name."),
    ] = None,
    output: Output = None,
    html: Page = None,
    quiet: Quiet = False,
) -> None:
    """Explain one pair: the verdict, the words it turns on, and metrics."""
    if output_format not in (None, *_FORMATS):
        known = ", ".join(_FORMATS)
        raise ConfigError(f"--format is one of {known}; got {output_format!r}")
    form = output_format or format_beside_page(output, _ENDINGS, usual="table")
    target = None if output == "-" else output
    check_outputs(None, target, html)
    found = explain(reference, candidate, model=model, threads=threads, device=device)
    if html:
        page = explanation_html(found, command=command_line(), version=_version.VERSION)
        write_text(page, html)
    colour = target is None and wants_colour(sys.stdout)
    text = _formatted(found, form, colour=colour, notes=not quiet)
    if target is None:
        echo(text, sys.stdout)
    else:
        write_text(text, target)


def _formatted(found: Explanation, form: str, *, colour: bool, notes: bool) -> str:
    if form == "json":
        return found.to_json()
    if form == "markdown":
        return explanation_markdown(found)
    return explanation_text(found, colour=colour, notes=notes)
