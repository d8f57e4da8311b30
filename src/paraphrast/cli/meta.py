"""`paraphrast meta`: judge metrics against human ratings."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Annotated, Any

import typer

from paraphrast.cli.shared import command_line
from paraphrast.errors import ConfigError
from paraphrast.io import atomic_writer, check_target
from paraphrast.jobs import meta, studies
from paraphrast.meta.report import MetaReport
from paraphrast.render.charts.curve import curve_html
from paraphrast.render.pages.meta_page import meta_html
from paraphrast.render.terminal.meta_tables import meta_csv, meta_markdown, meta_table
from paraphrast.render.terminal.progress import progress
from paraphrast.render.terminal.tables import align

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Which metric agrees with people, by how much, and is the difference real?",
)

_FORMATS: dict[str, Callable[[MetaReport], str]] = {
    "table": lambda report: meta_table(report.to_dict()),
    "json": MetaReport.to_json,
    "csv": lambda report: meta_csv(report.to_dict()),
    "markdown": lambda report: meta_markdown(report.to_dict()),
    "html": lambda report: meta_html(report.to_dict()),
}

Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "-m", "--metrics", metavar="NAME[.PART][:OPTION=VALUE,...]", help="Repeat for more metrics."
    ),
]
Statistics = Annotated[
    list[str] | None,
    typer.Option(
        "--statistic",
        help="pearson, spearman, kendall, kendall_c, acc_eq, pairwise_accuracy, "
        "soft_pairwise_accuracy or darr; repeat for more.",
    ),
]
Samples = Annotated[int, typer.Option(help="Bootstrap resamples.")]
Seed = Annotated[int, typer.Option(help="Seed of all resampling.")]
Jobs = Annotated[int, typer.Option("-j", "--jobs", help="Processes to use for scoring.")]
Threads = Annotated[int | None, typer.Option(help="Threads where a model runs; one for each core.")]
Device = Annotated[str, typer.Option(help="Where a model runs: cpu, cuda or cuda:N.")]
Cache = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Keep embeddings in this folder for later runs."),
]
Format = Annotated[str, typer.Option("-f", "--format", help="table, json, csv, markdown or html.")]
Output = Annotated[str | None, typer.Option("-o", "--output", help="Write to this file.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No progress.")]


def _check(
    output_format: str,
    output: str | None,
    known: tuple[str, ...] = tuple(_FORMATS),
    inputs: tuple[str, ...] = (),
) -> None:
    if output_format not in known:
        raise ConfigError(f"--format is one of {', '.join(known)}; got {output_format!r}")
    if output:
        check_target(output)
        for path in inputs:
            if os.path.realpath(path) == os.path.realpath(output):
                raise ConfigError(f"{path} is an input and would be written over")


def _write(text: str, output: str | None) -> None:
    if output is None or output == "-":
        typer.echo(text.rstrip("\n"))
        return
    with atomic_writer(output) as file:
        file.write(text if text.endswith("\n") else f"{text}\n")


@app.command()
def run(
    tasks: Annotated[list[str], typer.Argument(help="Named tasks; `meta tasks` lists them.")],
    metrics: Metrics = None,
    statistics: Statistics = None,
    level: Annotated[
        str | None, typer.Option(help="segment, system or summary; the task's own unless given.")
    ] = None,
    samples: Samples = 1000,
    seed: Seed = 12345,
    jobs: Jobs = 1,
    threads: Threads = None,
    device: Device = "cpu",
    cache: Cache = None,
    output_format: Format = "table",
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Score the judged outputs of named tasks and correlate with the people's ratings."""
    _check(output_format, output)
    with progress("scoring", quiet=quiet) as advance:
        report = meta.run_tasks(
            tasks,
            metrics or [],
            statistics=statistics or (),
            level=level,
            samples=samples,
            seed=seed,
            jobs=jobs,
            threads=threads,
            device=device,
            cache=cache,
            progress=advance,
        )
    _write(_FORMATS[output_format](report.with_command(command_line())), output)


@app.command()
def correlate(
    scores: Annotated[str, typer.Argument(help="Scores by item and system, any tool's.")],
    judgements: Annotated[str, typer.Argument(help="Human ratings or better/worse pairs.")],
    level: Annotated[str, typer.Option(help="segment, system, summary or pairwise.")] = "segment",
    dimension: Annotated[str | None, typer.Option(help="What was rated, if several.")] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="OURS=THEIRS", help="Name of a column in your file."),
    ] = None,
    lower: Annotated[
        list[str] | None, typer.Option(help="A metric whose lower values are better.")
    ] = None,
    missing: Annotated[str, typer.Option(help="'error', or 'drop' and count.")] = "error",
    threshold: Annotated[
        float, typer.Option(help="Pairwise: least difference of raw 0-100 ratings.")
    ] = 25.0,
    statistics: Statistics = None,
    samples: Samples = 1000,
    seed: Seed = 12345,
    output_format: Format = "table",
    output: Output = None,
) -> None:
    """Correlate scores in a file with judgements in a file."""
    _check(output_format, output, inputs=(scores, judgements))
    if missing not in ("error", "drop"):
        raise ConfigError(f"--missing is error or drop; got {missing!r}")
    report = meta.correlate_files(
        scores,
        judgements,
        level=level,
        dimension=dimension,
        columns=_pairs(columns or []),
        lower=lower or (),
        missing="drop" if missing == "drop" else "error",
        threshold=threshold,
        statistics=statistics or (),
        samples=samples,
        seed=seed,
    )
    _write(_FORMATS[output_format](report.with_command(command_line())), output)


def _pairs(specs: list[str]) -> dict[str, str]:
    found = {}
    for spec in specs:
        ours, equals, theirs = spec.partition("=")
        if not (equals and ours and theirs):
            raise ConfigError(f"--column takes OURS=THEIRS, e.g. value=score; got {spec!r}")
        found[ours] = theirs
    return found


@app.command()
def compare(
    task: Annotated[str, typer.Argument(help="A named task.")],
    first: Annotated[str, typer.Argument(metavar="METRIC_A")],
    second: Annotated[str, typer.Argument(metavar="METRIC_B")],
    statistic: Annotated[str | None, typer.Option(help="The task's own unless given.")] = None,
    samples: Samples = 1000,
    seed: Seed = 12345,
    jobs: Jobs = 1,
    threads: Threads = None,
    device: Device = "cpu",
    output_format: Annotated[str, typer.Option("-f", "--format", help="table or json.")] = "table",
    output: Output = None,
) -> None:
    """Compare two metrics on a task: Williams, bootstrap and permutation tests."""
    _check(output_format, output, ("table", "json"))
    found = studies.compare_metrics(
        task,
        first,
        second,
        statistic=statistic,
        samples=samples,
        seed=seed,
        jobs=jobs,
        threads=threads,
        device=device,
    )
    _write(found.to_json() if output_format == "json" else str(found), output)


@app.command()
def tasks(
    output_format: Annotated[str, typer.Option("-f", "--format", help="table or json.")] = "table",
) -> None:
    """List the named tasks and whether their data are there."""
    _check(output_format, None, ("table", "json"))
    rows = meta.task_rows()
    if output_format == "json":
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    header = ["task", "level", "statistics", "data", "title"]
    typer.echo(align([header, *([str(row[name]) for name in header] for row in rows)], left=5))


@app.command()
def references(
    task: Annotated[str, typer.Argument(help="A named task with references.")],
    extra: Annotated[
        str, typer.Argument(help="JSONL, TSV or Parquet: item, references (and group).")
    ],
    metrics: Metrics = None,
    samples: Samples = 1000,
    seed: Seed = 12345,
    jobs: Jobs = 1,
    threads: Threads = None,
    device: Device = "cpu",
    output_format: Annotated[str, typer.Option("-f", "--format", help="table or json.")] = "table",
    output: Output = None,
) -> None:
    """Measure what extra references change: correlation, decisions, matched n-grams."""
    _check(output_format, output, ("table", "json"), (extra,))
    found = studies.reference_study(
        task,
        extra,
        metrics or ["bleu"],
        samples=samples,
        seed=seed,
        jobs=jobs,
        threads=threads,
        device=device,
    )
    _write(found.to_json() if output_format == "json" else str(found), output)


@app.command()
def sizes(
    task: Annotated[str, typer.Argument(help="A named task at segment or system level.")],
    metrics: Metrics = None,
    size: Annotated[list[int] | None, typer.Option("--size", help="Outputs per group.")] = None,
    repeats: Annotated[int, typer.Option(help="Random subsets of each size.")] = 20,
    statistic: Annotated[str | None, typer.Option(help="The task's own unless given.")] = None,
    seed: Seed = 12345,
    jobs: Jobs = 1,
    threads: Threads = None,
    device: Device = "cpu",
    output_format: Annotated[
        str, typer.Option("-f", "--format", help="table, json or html.")
    ] = "table",
    output: Output = None,
) -> None:
    """Repeat an evaluation over subsets of growing size, with its curve."""
    _check(output_format, output, ("table", "json", "html"))
    found: Any = studies.size_study(
        task,
        metrics or [],
        sizes=size or (),
        repeats=repeats,
        statistic=statistic,
        seed=seed,
        jobs=jobs,
        threads=threads,
        device=device,
    )
    text = {
        "table": lambda: str(found),
        "json": found.to_json,
        "html": lambda: curve_html(
            found.curves,
            x_label="outputs per group",
            y_label=found.statistic,
            title=f"{found.task}: {found.statistic} by number of judged outputs",
            notes=found.notes,
        ),
    }[output_format]()
    _write(text, output)
