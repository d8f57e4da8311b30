"""`paraphrast meta` and human ratings: run, correlate, compare, tasks, references, sizes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from paraphrast.cli.shared import command_line, show_notes
from paraphrast.errors import ConfigError
from paraphrast.io import atomic_writer, check_target
from paraphrast.io.atomic import is_stream
from paraphrast.io.data_folder import folder_fault
from paraphrast.jobs import meta
from paraphrast.meta.judgements import Missing
from paraphrast.meta.report import MetaReport
from paraphrast.metrics.catalogue import names_beginning
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
_RATINGS, _SCORES = "A file of ratings", "Files of scores"
_RESAMPLING, _PLACE, _RESULT = "Resampling", "Where metrics run", "Result"
_ENDINGS = {
    "txt": "table", "json": "json", "csv": "csv", "md": "markdown", "markdown": "markdown",
    "html": "html", "htm": "html",
}  # fmt: skip

Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metrics",
        metavar="NAME[.PART][:OPTION=VALUE,...]",
        help="Repeat for more metrics.",
        autocompletion=names_beginning,
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
Statistic = Annotated[str | None, typer.Option(help="The task's own unless given.")]
Level = Annotated[
    str | None,
    typer.Option(help="segment, system, summary or pairwise; the task's own unless given."),
]
Dimension = Annotated[
    str | None, typer.Option(help="What was rated, if several.", rich_help_panel=_RATINGS)
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="OURS=THEIRS",
        help="Name of a column in your ratings.",
        rich_help_panel=_RATINGS,
    ),
]
Drop = Annotated[
    str,
    typer.Option(
        "--missing",
        help="Judgements without a value or score: 'error', or 'drop'.",
        rich_help_panel=_RATINGS,
    ),
]
Scores = Annotated[
    list[str] | None,
    typer.Option(
        "--scores",
        metavar="FILE",
        help="Take the scores from this file; repeat.",
        rich_help_panel=_SCORES,
    ),
]
Lower = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="A metric of the files whose lower values are better.",
        rich_help_panel=_SCORES,
    ),
]
Signatures = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="`score -f json` of the scores, for their directions.",
        rich_help_panel=_SCORES,
    ),
]
Resample = Annotated[
    str,
    typer.Option(
        help="Segment level: resample by 'source', or each 'output' alone.",
        rich_help_panel=_RESAMPLING,
    ),
]
Samples = Annotated[int, typer.Option(help="Bootstrap resamples.", rich_help_panel=_RESAMPLING)]
Seed = Annotated[int, typer.Option(help="Seed of all resampling.", rich_help_panel=_RESAMPLING)]
Jobs = Annotated[
    int, typer.Option("-j", "--jobs", help="Processes to use for scoring.", rich_help_panel=_PLACE)
]
Threads = Annotated[
    int | None,
    typer.Option(help="Threads where a model runs; one for each core.", rich_help_panel=_PLACE),
]
Device = Annotated[
    str, typer.Option(help="Where a model runs: cpu, cuda or cuda:N.", rich_help_panel=_PLACE)
]
Cache = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Keep embeddings in this folder for later runs.", rich_help_panel=_PLACE
    ),
]
Data = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Folder of the named tasks; PARAPHRAST_DATA unless given."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "-f",
        "--format",
        help="table, json, csv, markdown or html; otherwise by the name of -o.",
        rich_help_panel=_RESULT,
    ),
]
TextOrJson = Annotated[
    str | None,
    typer.Option(
        "-f",
        "--format",
        help="table or json; otherwise by the name of -o.",
        rich_help_panel=_RESULT,
    ),
]
Output = Annotated[
    str | None, typer.Option("-o", "--output", help="Write to this file.", rich_help_panel=_RESULT)
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No progress.", rich_help_panel=_RESULT)]
Task = Annotated[str, typer.Argument(help="A named task, or a file of judgements.")]


def _form(
    chosen: str | None,
    output: str | None,
    known: Sequence[str] = tuple(_FORMATS),
    inputs: Sequence[str] = (),
) -> str:
    """Return the format chosen, or that of the output's name; refuse what cannot be written."""
    if chosen is not None and chosen not in known:
        raise ConfigError(f"--format is one of {', '.join(known)}; got {chosen!r}")
    if output is None or output == "-":
        return chosen or known[0]
    check_target(output)
    for path in inputs:
        if os.path.realpath(path) == os.path.realpath(output):
            raise ConfigError(f"{path} is an input and would be written over")
    return chosen or _named_form(output, known)


def _named_form(output: str, known: Sequence[str]) -> str:
    """Return the format that the output's name tells; a table where it has no ending."""
    ending = os.path.splitext(output.lower().removesuffix(".gz"))[1].removeprefix(".")
    if not ending or is_stream(output):
        return known[0]
    if _ENDINGS.get(ending) not in known:
        endings = ", ".join(f".{name}" for name, form in _ENDINGS.items() if form in known)
        raise ConfigError(
            f"{output}: the name tells no format that is written here; end it in one of {endings}, "
            "or add -f"
        )
    return _ENDINGS[ending]


def _write(text: str, output: str | None) -> None:
    if output is None or output == "-":
        typer.echo(text.rstrip("\n"))
        return
    with atomic_writer(output) as file:
        file.write(text if text.endswith("\n") else f"{text}\n")


def _missing(chosen: str) -> Missing:
    if chosen not in ("error", "drop"):
        raise ConfigError(f"--missing is error or drop; got {chosen!r}")
    return "drop" if chosen == "drop" else "error"


def _pairs(specs: list[str] | None) -> dict[str, str]:
    found = {}
    for spec in specs or []:
        ours, equals, theirs = spec.partition("=")
        if not (equals and ours and theirs):
            raise ConfigError(f"--column takes OURS=THEIRS, e.g. value=score; got {spec!r}")
        found[ours] = theirs
    return found


@app.command()
def run(
    tasks: Annotated[
        list[str], typer.Argument(help="Named tasks (`meta tasks` lists them), or judgement files.")
    ],
    metrics: Metrics = None,
    statistics: Statistics = None,
    level: Level = None,
    dimension: Dimension = None,
    columns: Columns = None,
    missing: Drop = "error",
    resample: Resample = "source",
    samples: Samples = 1000,
    seed: Seed = 12345,
    jobs: Jobs = 1,
    threads: Threads = None,
    device: Device = "cpu",
    cache: Cache = None,
    data: Data = None,
    output_format: Format = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Score the judged outputs of tasks and correlate with the people's ratings."""
    form = _form(output_format, output)
    with progress("scoring", quiet=quiet) as advance:
        report = meta.evaluate_metrics(
            tasks,
            metrics or [],
            statistics=statistics or (),
            level=level,
            dimension=dimension,
            columns=_pairs(columns),
            missing=_missing(missing),
            resample=resample,
            samples=samples,
            seed=seed,
            jobs=jobs,
            threads=threads,
            device=device,
            cache=cache,
            progress=advance,
            data=data,
        )
    _write(_FORMATS[form](report.with_command(command_line())), output)


@app.command()
def correlate(
    scores: Annotated[
        list[str],
        typer.Argument(help="Scores: tables, or files of comet-score, sacrebleu, mt-metrics-eval."),
    ],
    judgements: Annotated[str, typer.Argument(help="Human ratings or better/worse pairs.")],
    metrics: Annotated[
        list[str] | None,
        typer.Option("-m", "--metrics", metavar="NAME", help="Judge this one only; repeat."),
    ] = None,
    level: Annotated[str, typer.Option(help="segment, system, summary or pairwise.")] = "segment",
    dimension: Dimension = None,
    columns: Columns = None,
    lower: Lower = None,
    signatures: Signatures = None,
    missing: Drop = "error",
    threshold: Annotated[
        float, typer.Option(help="Pairwise: least difference of raw 0-100 ratings.")
    ] = 25.0,
    statistics: Statistics = None,
    resample: Resample = "source",
    samples: Samples = 1000,
    seed: Seed = 12345,
    output_format: Format = None,
    output: Output = None,
) -> None:
    """Correlate scores in files with judgements in a file."""
    form = _form(output_format, output, inputs=(*scores, judgements))
    report = meta.correlate(
        scores,
        judgements,
        metrics=metrics or (),
        level=level,
        dimension=dimension,
        columns=_pairs(columns),
        lower=lower or (),
        signatures=signatures,
        missing=_missing(missing),
        threshold=threshold,
        statistics=statistics or (),
        resample=resample,
        samples=samples,
        seed=seed,
    )
    _write(_FORMATS[form](report.with_command(command_line())), output)


@app.command()
def compare(
    task: Task,
    first: Annotated[str, typer.Argument(metavar="METRIC_A")],
    second: Annotated[str, typer.Argument(metavar="METRIC_B")],
    scores: Scores = None,
    lower: Lower = None,
    signatures: Signatures = None,
    level: Level = None,
    dimension: Dimension = None,
    columns: Columns = None,
    missing: Drop = "error",
    statistic: Statistic = None,
    resample: Resample = "source",
    samples: Samples = 1000,
    seed: Seed = 12345,
    jobs: Jobs = 1,
    threads: Threads = None,
    device: Device = "cpu",
    data: Data = None,
    output_format: TextOrJson = None,
    output: Output = None,
) -> None:
    """Compare two metrics on a task: Williams, bootstrap and permutation tests."""
    form = _form(output_format, output, ("table", "json"), (task, *(scores or ())))
    found = meta.compare_metrics(
        task,
        first,
        second,
        scores=scores or (),
        lower=lower or (),
        signatures=signatures,
        level=level,
        dimension=dimension,
        columns=_pairs(columns),
        missing=_missing(missing),
        statistic=statistic,
        resample=resample,
        samples=samples,
        seed=seed,
        jobs=jobs,
        threads=threads,
        device=device,
        data=data,
    )
    _write(found.to_json() if form == "json" else str(found), output)


@app.command()
def tasks(data: Data = None, output_format: TextOrJson = None) -> None:
    """List the named tasks and whether their data are there."""
    form = _form(output_format, None, ("table", "json"))
    rows = meta.judgement_tasks(data)
    show_notes(list(filter(None, [folder_fault(data)])), quiet=False)
    if form == "json":
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    header = ["task", "level", "statistics", "data", "title"]
    typer.echo(align([header, *([str(row[name]) for name in header] for row in rows)], left=5))


@app.command()
def references(
    task: Annotated[
        str, typer.Argument(help="A named task, or a file of judgements, with references.")
    ],
    extra: Annotated[
        str, typer.Argument(help="JSONL, TSV or Parquet: item, references (and group).")
    ],
    metrics: Metrics = None,
    level: Level = None,
    dimension: Dimension = None,
    columns: Columns = None,
    missing: Drop = "error",
    statistic: Statistic = None,
    resample: Resample = "source",
    samples: Samples = 1000,
    seed: Seed = 12345,
    jobs: Jobs = 1,
    threads: Threads = None,
    device: Device = "cpu",
    data: Data = None,
    output_format: TextOrJson = None,
    output: Output = None,
) -> None:
    """Measure what extra references change: correlation, decisions, matched n-grams."""
    form = _form(output_format, output, ("table", "json"), (task, extra))
    found = meta.reference_study(
        task,
        extra,
        metrics or ["bleu"],
        level=level,
        dimension=dimension,
        columns=_pairs(columns),
        missing=_missing(missing),
        statistic=statistic,
        resample=resample,
        samples=samples,
        seed=seed,
        jobs=jobs,
        threads=threads,
        device=device,
        data=data,
    )
    _write(found.to_json() if form == "json" else str(found), output)


@app.command()
def sizes(
    task: Task,
    metrics: Metrics = None,
    size: Annotated[list[int] | None, typer.Option("--size", help="Outputs per group.")] = None,
    repeats: Annotated[int, typer.Option(help="Random subsets of each size.")] = 20,
    scores: Scores = None,
    lower: Lower = None,
    signatures: Signatures = None,
    level: Level = None,
    dimension: Dimension = None,
    columns: Columns = None,
    missing: Drop = "error",
    statistic: Statistic = None,
    seed: Seed = 12345,
    jobs: Jobs = 1,
    threads: Threads = None,
    device: Device = "cpu",
    data: Data = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            "-f",
            "--format",
            help="table, json or html; otherwise by the name of -o.",
            rich_help_panel=_RESULT,
        ),
    ] = None,
    output: Output = None,
) -> None:
    """Repeat an evaluation over subsets of growing size, with its curve."""
    form = _form(output_format, output, ("table", "json", "html"), (task, *(scores or ())))
    found = meta.size_study(
        task,
        metrics or [],
        sizes=size or (),
        repeats=repeats,
        scores=scores or (),
        lower=lower or (),
        signatures=signatures,
        level=level,
        dimension=dimension,
        columns=_pairs(columns),
        missing=_missing(missing),
        statistic=statistic,
        seed=seed,
        jobs=jobs,
        threads=threads,
        device=device,
        data=data,
    ).with_command(command_line())
    _write({"table": found.__str__, "json": found.to_json, "html": found.to_html}[form](), output)
