"""`paraphrast annotate`: projects in which people label pairs and mark spans."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, Any

import typer

from paraphrast import _version
from paraphrast.cli.shared import (
    Device,
    Quiet,
    ReportTarget,
    Threads,
    command_line,
    show_notes,
)
from paraphrast.cli.tag import Model
from paraphrast.errors import ConfigError
from paraphrast.jobs.annotation import projects, transfer
from paraphrast.jobs.annotation.projects import OWNER, AnnotationProject
from paraphrast.jobs.annotation.transfer import IMPORTS, LAYOUTS
from paraphrast.render.pages.annotation_page import annotation_html
from paraphrast.render.terminal.annotation_tables import annotation_markdown, annotation_text
from paraphrast.render.terminal.progress import progress
from paraphrast.render.terminal.tables import align

_FORMATS = ("table", "json", "markdown", "html")
_ENDINGS = {"txt": "table", "json": "json", "md": "markdown", "html": "html", "htm": "html"}
_PASSWORD = "PARAPHRAST_PASSWORD"

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Projects in which people label pairs and mark spans: make, fill, watch and export them.",
)

Folder = Annotated[str, typer.Argument(metavar="PROJECT", help="The project's folder.")]
Store = Annotated[
    str | None,
    typer.Option(metavar="URL", help="A PostgreSQL database; without it, a file in the folder."),
]
Pairs = Annotated[
    str,
    typer.Option(metavar="FILE", help="Pairs: a table, what build wrote, or tag -f jsonl."),
]


@app.command()
def init(
    folder: Folder,
    pairs: Pairs,
    task: Annotated[
        str | None, typer.Option(help="labels, spans, both or rating; labels unless said.")
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="TOML: labels, keys, edits, alarm and all other rules."),
    ] = None,
    annotators: Annotated[
        int | None, typer.Option(help="How many people answer a shared pair.")
    ] = None,
    shared: Annotated[
        float | None, typer.Option(help="The share of pairs that they share.")
    ] = None,
    order: Annotated[
        str | None, typer.Option(help="seed, file, 'no tags first' or 'least sure'.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of order, shares and draws.")] = None,
    store: Store = None,
    quiet: Quiet = False,
) -> None:
    """Make a project of a table of pairs."""
    chosen: dict[str, Any] = {} if rules is None else projects.read_settings(rules)
    given = {
        "task": task, "annotators": annotators, "shared": shared, "order": order, "seed": seed,
    }  # fmt: skip
    chosen |= {key: value for key, value in given.items() if value is not None}
    notes: list[str] = []
    count = projects.init_annotation(folder, pairs, rules=chosen, store=store, notes=notes)
    show_notes(notes, quiet=quiet)
    typer.echo(f"{folder}: a project of {count:,} pairs; its guidelines are {folder}/guidelines.md")


@app.command()
def add(
    folder: Folder,
    pairs: Pairs,
    revise: Annotated[
        bool, typer.Option("--revise", help="Change pairs whose texts differ; label them again.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Add pairs to a project."""
    notes: list[str] = []
    found = projects.add_pairs(folder, pairs, revise=revise, notes=notes)
    show_notes(notes, quiet=quiet)
    typer.echo(f"pairs: {found.new:,} new, {found.same:,} as they were, {found.changed:,} changed")


@app.command()
def account(
    folder: Folder,
    name: Annotated[str | None, typer.Argument(help="Whose account; without it, list all.")] = None,
    role: Annotated[
        str | None, typer.Option(help="annotator, adjudicator or admin; makes the account.")
    ] = None,
    password: Annotated[
        bool, typer.Option("--password", help=f"Ask for a password, or take ${_PASSWORD}.")
    ] = False,
    close: Annotated[bool, typer.Option("--close", help="Close the account.")] = False,
) -> None:
    """List accounts, make one, change its role or password, or close it."""
    with AnnotationProject.open(folder) as project:
        accounts = project.accounts
        known = {one.name for one in accounts.all(OWNER)}
        if name is not None:
            secret = _password() if password else None
            if close:
                accounts.close(OWNER, name)
            elif name in known and role is not None:
                accounts.change_role(OWNER, name, role)
            elif name not in known:
                accounts.add(OWNER, name, role or "annotator", secret)
                secret = None
            if secret is not None:
                accounts.set_password(OWNER, name, secret)
        rows = [
            [one.name, one.role, "open" if one.is_open else "closed"] for one in accounts.all(OWNER)
        ]
    typer.echo(align([["name", "role", "state"], *rows], left=3))


@app.command()
def guidelines(folder: Folder) -> None:
    """Record guidelines.md as the guidelines that annotators see from now on."""
    with AnnotationProject.open(folder) as project:
        version = project.change_guidelines(OWNER)
    typer.echo(f"{folder}: the guidelines are version {version}")


@app.command()
def suggest(
    folder: Folder,
    model: Model = "mini",
    threads: Threads = None,
    device: Device = "cpu",
    quiet: Quiet = False,
) -> None:
    """Let the judge or the tagger suggest answers, and order the pairs by them if asked to."""
    with progress("suggesting", quiet=quiet) as advance:
        notes = projects.suggest_answers(
            folder, model=model, threads=threads, device=device, progress=advance
        )
    show_notes(notes, quiet=quiet)


@app.command()
def merge(folder: Folder) -> None:
    """Give shared pairs whose answers agree, or are close enough, their final answer."""
    with AnnotationProject.open(folder) as project:
        found = project.adjudication.merge(OWNER)
        waiting = len(project.adjudication.queue(OWNER))
    typer.echo(f"agreed: {found.agreed:,}; drawn from close ones: {found.drawn:,}")
    typer.echo(f"waiting for an adjudicator: {waiting:,}")


@app.command()
def export(
    folder: Folder,
    layout: Annotated[str, typer.Option("--as", help=f"{', '.join(LAYOUTS)}.")] = "answers",
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write to this file.")
    ] = None,
) -> None:
    """Write answers or outcomes; `log` is the whole project and can be restored from."""
    transfer.export_annotations(folder, output, layout)


@app.command(name="import")
def import_(
    folder: Folder,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Answers.")],
    layout: Annotated[str, typer.Option("--as", help=f"{', '.join(IMPORTS)}.")] = "answers",
    annotator: Annotated[str | None, typer.Option(help="Whose answers they are.")] = None,
    quiet: Quiet = False,
) -> None:
    """Add answers from a file, all of them or none."""
    notes: list[str] = []
    found = transfer.import_annotations(folder, file, layout, annotator=annotator, notes=notes)
    if found.accounts:
        notes.append(f"accounts without a password were made: {', '.join(found.accounts)}")
    show_notes(notes, quiet=quiet)
    typer.echo(f"answers: {found.new:,} new, {found.same:,} there already")


@app.command()
def restore(
    folder: Folder,
    log: Annotated[str, typer.Argument(metavar="LOG", help="A log that export wrote.")],
    store: Store = None,
) -> None:
    """Make a project from an exported log, with every event as it was."""
    count = transfer.restore_annotations(folder, log, store=store)
    typer.echo(f"{folder}: {count:,} events; passwords are not in a log: set them anew")


@app.command()
def rebuild(folder: Folder) -> None:
    """Make all tables of a project anew from its log."""
    with AnnotationProject.open(folder) as project:
        before = project.snapshot()
        count = project.rebuild()
        same = project.snapshot() == before
    as_before = "the tables are as they were" if same else "the tables differed and are mended"
    typer.echo(f"{folder}: {count:,} events; {as_before}")


@app.command()
def report(
    folder: Folder,
    output_format: Annotated[
        str | None,
        typer.Option("-f", "--format", help=f"{', '.join(_FORMATS)}; otherwise by -o's name."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write to this file.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Show agreement, labels by word overlap, time, and what suggestions do."""
    target = ReportTarget.choose(
        output, output_format, formats=_FORMATS, endings=_ENDINGS, inputs=()
    )
    with AnnotationProject.open(folder) as project:
        found = project.report(OWNER).with_command(command_line(), _version.VERSION)
        notes = project.notes()
    target.write(_formatted(found.to_dict(), target.form))
    show_notes(notes, quiet=quiet)


def _formatted(found: dict[str, Any], form: str) -> str:
    if form == "json":
        return json.dumps(found, ensure_ascii=False, indent=2)
    render = {"html": annotation_html, "markdown": annotation_markdown, "table": annotation_text}
    return render[form](found)


def _password() -> str:
    """Take a password from the environment, or ask; an argument would stand in the history."""
    given = os.environ.get(_PASSWORD)
    if given is not None:
        return given
    if sys.stdin is None or not sys.stdin.isatty():
        raise ConfigError(f"there is no terminal to ask at; put the password into {_PASSWORD}")
    return str(typer.prompt("password", hide_input=True, confirmation_prompt=True))
