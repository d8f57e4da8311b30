"""`paraphrast compare`: several systems, with intervals and paired tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from paraphrast.cli.metric_flags import MetricFlags
from paraphrast.cli.options import taking
from paraphrast.cli.output import ResultOutput
from paraphrast.cli.score_inputs import InputFiles
from paraphrast.cli.scoring import scored
from paraphrast.errors import ConfigError
from paraphrast.jobs.scoring.score_options import STATISTICS, CompareOptions


@taking(InputFiles, CompareOptions, ResultOutput, MetricFlags)
def command(
    files: InputFiles,
    options: CompareOptions,
    output: ResultOutput,
    flags: MetricFlags,
    paired_bs: Annotated[
        bool,
        typer.Option(
            "--paired-bs", "-pbs", help="Same as --test bootstrap.", rich_help_panel=STATISTICS
        ),
    ] = False,
    paired_ar: Annotated[
        bool,
        typer.Option(
            "--paired-ar", "-par", help="Same as --test randomisation.", rich_help_panel=STATISTICS
        ),
    ] = False,
) -> None:
    """Compare systems: confidence intervals and Holm-corrected paired tests."""
    options = replace(options, test=_test(options.test, paired_bs=paired_bs, paired_ar=paired_ar))
    inputs = files.inputs()
    if len(inputs.candidates) < 2:
        raise ConfigError("compare needs at least two systems: -c a=FILE -c b=FILE")
    output.show(scored(inputs, options, output, flags))


def _test(test: str | None, *, paired_bs: bool, paired_ar: bool) -> str | None:
    """Return the test that --test or sacrebleu's flags name; they may not contradict each other."""
    if paired_bs and paired_ar:
        raise ConfigError("choose one of --paired-bs and --paired-ar")
    flag = "bootstrap" if paired_bs else "randomisation" if paired_ar else None
    if flag and test not in (None, flag):
        short = "--paired-bs" if paired_bs else "--paired-ar"
        raise ConfigError(f"--test {test} and {short} contradict each other; choose one")
    return flag or test
