"""`paraphrast score`: corpus values, and segment values on request."""

from __future__ import annotations

from typing import Annotated

import typer

from paraphrast.cli.metric_flags import MetricFlags
from paraphrast.cli.options import taking
from paraphrast.cli.output import ResultOutput
from paraphrast.cli.score_inputs import InputFiles
from paraphrast.cli.scoring import scored
from paraphrast.errors import ConfigError
from paraphrast.jobs.scoring.score_options import ScoreOptions


@taking(InputFiles, ScoreOptions, ResultOutput, MetricFlags)
def command(
    files: InputFiles,
    options: ScoreOptions,
    output: ResultOutput,
    flags: MetricFlags,
    score_only: Annotated[
        bool, typer.Option("-b", "--score-only", help="Print the bare scores, one a line.")
    ] = False,
) -> None:
    """Score candidates against references, sources, or on their own."""
    if score_only and output.output_format not in (None, "table"):
        raise ConfigError("--score-only prints bare numbers; leave --format out")
    result = scored(files.inputs(), options, output, flags)
    if score_only:
        output.show_bare(result)
    else:
        output.show(result)
