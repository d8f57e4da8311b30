"""What `score` and `compare` do with their options: check them, build the metrics, score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from paraphrast.cli.metric_flags import MetricFlags, counted_files, requested
from paraphrast.cli.output import ResultOutput
from paraphrast.errors import ConfigError, MissingInput
from paraphrast.jobs.scoring.score import default_metrics
from paraphrast.jobs.scoring.score_options import Options
from paraphrast.jobs.scoring.scored_files import Inputs, expected_segments, score_files
from paraphrast.metrics.base import REFERENCES, SOURCE, TREES
from paraphrast.render.terminal.progress import progress, shows_progress
from paraphrast.results import Comparison

_FLAGS = {REFERENCES: "-r", SOURCE: "-s", TREES: "--trees"}


def scored(
    inputs: Inputs, options: Options, output: ResultOutput, flags: MetricFlags
) -> Comparison:
    """Score the files, with a progress line on standard error."""
    requests = requested(cast("Sequence[str] | None", options.metrics))
    if requests or flags.model is not None:
        flags.check(requests)
    paths = [field.path for _, field in inputs.columns()]
    output.check([*paths, *counted_files(requests)])
    metrics = flags.metrics(requests or default_metrics(inputs.kinds()))
    chosen = replace(options, metrics=metrics, segments=output.segments is not None)
    total = expected_segments(inputs) if shows_progress(quiet=output.quiet) else None
    try:
        with progress("scoring", quiet=output.quiet, total=total) as advance:
            return score_files(inputs, options=chosen, progress=advance)
    except MissingInput as error:
        hint = f": add {_FLAGS[error.need]} FILE" if error.need in _FLAGS else ""
        raise ConfigError(f"{error}{hint}") from error
