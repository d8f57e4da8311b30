"""`paraphrast compare`: several systems, with intervals and paired tests."""

from __future__ import annotations

from typing import Annotated

import typer

from paraphrast.cli.options import taking
from paraphrast.cli.output import show
from paraphrast.cli.request import Request
from paraphrast.errors import ConfigError


@taking(Request)
def command(
    request: Request,
    baseline: Annotated[
        str | None, typer.Option(help="Name of the system to compare with; the first one.")
    ] = None,
    test: Annotated[str, typer.Option(help="bootstrap or randomisation.")] = "bootstrap",
    paired_bs: Annotated[
        bool, typer.Option("--paired-bs", "-pbs", help="Same as --test bootstrap.")
    ] = False,
    paired_ar: Annotated[
        bool, typer.Option("--paired-ar", "-par", help="Same as --test randomisation.")
    ] = False,
    trials: Annotated[
        int | None,
        typer.Option(
            "--trials",
            "--paired-bs-n",
            "--paired-ar-n",
            help="1,000 resamples or 10,000 exchanges.",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of significance.")] = 0.05,
) -> None:
    """Compare systems with a baseline: confidence intervals and Holm-corrected paired tests."""
    if paired_bs and paired_ar:
        raise ConfigError("choose one of --paired-bs and --paired-ar")
    chosen = "bootstrap" if paired_bs else "randomisation" if paired_ar else test
    options = request.options(ci=True, test=chosen, trials=trials, alpha=alpha, baseline=baseline)
    inputs = request.inputs()
    if len(inputs.candidates) < 2:
        raise ConfigError("compare needs at least two systems: -c a=FILE -c b=FILE")
    show(request.run(options, inputs), request)
