"""`paraphrast score`: corpus values, and segment values on request."""

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
    ci: Annotated[
        bool, typer.Option("--ci", "--confidence", "-ci", help="Add 95 % bootstrap intervals.")
    ] = False,
    score_only: Annotated[
        bool, typer.Option("-b", "--score-only", help="Print the bare scores, one a line.")
    ] = False,
) -> None:
    """Score candidates against references, sources, or on their own."""
    if score_only and request.output_format not in (None, "table"):
        raise ConfigError("--score-only prints bare numbers; leave --format out")
    show(request.run(request.options(ci=ci), request.inputs()), request, bare=score_only)
