"""`paraphrast build`: a corpus of pairs from a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paraphrast.cli.shared import Quiet, command_line, goes_on, show_notes
from paraphrast.jobs.build import BuildOptions, build_corpus, verify_work
from paraphrast.render.pages.corpus_card import bins_table, shortfall, steps_table
from paraphrast.render.terminal.progress import progress
from paraphrast.render.terminal.tables import align

Recipe = Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="Which steps to run.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="Folder of the corpus.")]
Work = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Keep the steps' rows here; OUTPUT.work unless given."),
]
EngineName = Annotated[str, typer.Option(help="local (processes) or ray.")]
Jobs = Annotated[int | None, typer.Option(help="Workers; one for each core unless given.")]
Address = Annotated[
    str | None, typer.Option(help="Of a Ray cluster; a Ray of this machine unless given.")
]
Data = Annotated[
    Path | None,
    typer.Option(help="Folder of the data; PARAPHRAST_DATA unless given."),
]

Verify = Annotated[
    bool, typer.Option("--verify", help="Check the rows in the work folder; build nothing.")
]


def command(
    recipe: Recipe,
    output: Output,
    work: Work = None,
    engine: EngineName = "local",
    jobs: Jobs = None,
    address: Address = None,
    data: Data = None,
    verify: Verify = False,
    quiet: Quiet = False,
) -> None:
    """Build a corpus of paraphrase pairs; a run that was stopped goes on."""
    if verify:
        found = verify_work(output, work)
        rest = f", {found.unfinished} to go on with" if found.unfinished else ""
        typer.echo(f"{found.folder}: as written ({found.steps} steps, {found.shards} shards{rest})")
        return
    options = BuildOptions(
        work=work, engine=engine, jobs=jobs, address=address, data=data, command=command_line()
    )
    stage = lambda name, total: progress(name, quiet=quiet, total=total, unit="rows")  # noqa: E731
    with goes_on():
        report = build_corpus(recipe, output, options, stage=stage).to_dict()
    for table in (steps_table(report), bins_table(report)):
        typer.echo(align(table))
        typer.echo()
    short = [f"missing of the {said}"] if (said := shortfall(report)) else []
    show_notes([*short, *report["notes"]], quiet=quiet)
    typer.echo(f"{report['pairs']:,} pair{'' if report['pairs'] == 1 else 's'} in {output}")
