"""`paraphrast meta stress`: minimal pairs and edge cases against any metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, cast

import typer

from paraphrast.cli.meta.ratings import Metrics, Quiet
from paraphrast.cli.metric_flags import MetricFlags, requested
from paraphrast.cli.options import taking
from paraphrast.cli.shared import ReportTarget, command_line
from paraphrast.errors import ConfigError
from paraphrast.io import write_table
from paraphrast.jobs.stress import StressOptions, pairs_in_steps, request_names, run_stress
from paraphrast.meta.stress.edge_cases import EdgeCase, edge_cases
from paraphrast.meta.stress.stress_report import StressReport
from paraphrast.meta.stress.suite import StressPair, stress_pairs
from paraphrast.render.pages.stress_page import stress_html
from paraphrast.render.terminal.progress import progress

_FORMATS = ("table", "json", "tsv", "csv", "html")
_ENDINGS = {
    "txt": "table", "json": "json", "tsv": "tsv", "csv": "csv", "html": "html", "htm": "html",
}  # fmt: skip
_TABLES = ("tsv", "jsonl", "csv", "parquet")
_EXPORT = "Pairs for another tool"


@taking(StressOptions, MetricFlags)
def command(
    options: StressOptions,
    flags: MetricFlags,
    metrics: Metrics = None,
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs",
            help="Write the pairs (id, text1, text2) and score nothing.",
            rich_help_panel=_EXPORT,
        ),
    ] = False,
    edge_pairs: Annotated[
        bool,
        typer.Option("--edge-pairs", help="Write the edge cases, too.", rich_help_panel=_EXPORT),
    ] = False,
    output_format: Annotated[
        str | None,
        typer.Option("-f", "--format", help=f"{', '.join(_FORMATS)}; otherwise by the name of -o."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Write to this file.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Crash-test metrics: minimal pairs that share words or meaning, and edge cases.

    Each pair's text2 is the candidate, text1 the reference.
    """
    requests = requested(metrics)
    files = cast("Sequence[str] | None", options.scores) or ()
    if pairs or edge_pairs:
        if requests or files:
            raise ConfigError("--pairs and --edge-pairs score nothing: leave -m and --scores out")
        _write_pairs(output, output_format, suite=pairs, edges=edge_pairs)
        return
    if requests or flags.model is not None:
        flags.check(requests)
    target = ReportTarget.choose(
        output, output_format, formats=_FORMATS, endings=_ENDINGS, inputs=files
    )
    named = dict(zip(request_names(requests), flags.metrics(requests), strict=True))
    total = pairs_in_steps(len(named), edges=options.edges)
    with progress("scoring", quiet=quiet, total=total, unit="pairs") as advance:
        report = run_stress(named, options, advance)
    _write(report.with_command(command_line()), target)


def _write(report: StressReport, target: ReportTarget) -> None:
    if target.form in ("tsv", "csv"):
        write_table(target.path, report.rows(), format=target.form)
    elif target.form == "html":
        target.write(stress_html(report.to_dict()))
    else:
        target.write(report.to_json() if target.form == "json" else str(report))


def _write_pairs(output: str | None, form: str | None, *, suite: bool, edges: bool) -> None:
    target = ReportTarget.choose(
        output, form, formats=_TABLES, endings={name: name for name in _TABLES}, inputs=()
    )
    if target.form == "parquet" and target.path is None:
        raise ConfigError("--format parquet needs a file: add -o FILE.parquet")
    write_table(target.path, _pair_rows(suite=suite, edges=edges), format=target.form)


def _pair_rows(*, suite: bool, edges: bool) -> Iterator[dict[str, object]]:
    """Yield the pairs in the order in which scores without ids are taken; labels stay here."""
    chosen: list[StressPair | EdgeCase] = [*(stress_pairs() if suite else ())]
    chosen += edge_cases() if edges else ()
    for pair in chosen:
        yield {"id": pair.id, "text1": pair.text1, "text2": pair.text2}
