"""Crash-test metrics on minimal pairs: the function behind `stress_metrics` and `meta stress`.

Each pair is scored once, the second text as the candidate and the first as the reference or, for a
metric that needs a source only, as the source. A metric that depends on which text is which is
judged in this order alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ParamSpec, Protocol, cast

import numpy as np

from paraphrast.errors import ConfigError, InputError, ParaphrastError
from paraphrast.jobs.scoring.score_direction import score_direction
from paraphrast.jobs.scoring.score_options import SPEED, STATISTICS, Metrics, Options
from paraphrast.meta.file_rows import StrPath
from paraphrast.meta.stress.edge_cases import EdgeCase, edge_cases, edge_rows
from paraphrast.meta.stress.pair_scores_file import check_lower, in_suite_order, read_pair_scores
from paraphrast.meta.stress.stress_report import PairValues, StressReport, stress_report
from paraphrast.meta.stress.suite import StressPair, stress_pairs
from paraphrast.metrics.base import REFERENCES, SOURCE, Metric, Place
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.corpus_fitting import survey
from paraphrast.metrics.pair_scores import SegmentTexts, score_pairs
from paraphrast.options import Option, takes_options
from paraphrast.types import Direction, Floats

P = ParamSpec("P")
NamedMetrics = Metrics | Mapping[str, str | Metric]
"""Names or metric objects, or a mapping from names of your own to such."""
ScoresOfPairs = StrPath | Sequence[StrPath] | Mapping[str, Sequence[float]]
"""Files of scores, or a mapping from names of metrics to values in the suite's order."""

_FILES = "Files of scores"
# What a metric, a plug-in's too, may raise on a text that it did not expect.
_FAILURES = (
    ParaphrastError, ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError,
    TypeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class StressOptions:
    """The options of `stress_metrics`."""

    scores: Annotated[
        ScoresOfPairs | None,
        Option(
            "Take another tool's scores of the pairs from this file; repeat.",
            metavar="FILE",
            panel=_FILES,
            typed=list[str] | None,
        ),
    ] = None
    lower: Annotated[
        str | Sequence[str] | None,
        Option(
            "A metric of the files whose lower values are better; repeat.",
            metavar="NAME",
            panel=_FILES,
            typed=list[str] | None,
        ),
    ] = None
    edges: Annotated[
        bool,
        Option(
            "Also run empty, long and capitalised texts, and added context.", "--edges/--no-edges"
        ),
    ] = True
    samples: Annotated[int, Option("Bootstrap resamples.", panel=STATISTICS)] = 1000
    seed: Annotated[int, Option("Seed of all resampling.", panel=STATISTICS)] = 12345
    threads: Annotated[
        int | None, Option("Threads where a model runs; one for each core.", panel=SPEED)
    ] = None
    device: Annotated[str, Option("Where a model runs: cpu, cuda or cuda:N.", panel=SPEED)] = "cpu"

    def __post_init__(self) -> None:
        Options(samples=self.samples, seed=self.seed, threads=self.threads, device=self.device)

    def place(self) -> Place:
        """Return where models run."""
        return Place(self.threads, self.device)


class StressFunction(Protocol[P]):
    """The type of `stress_metrics`: the metrics, then the fields of `StressOptions`."""

    def __call__(
        self, metrics: NamedMetrics | None = None, *args: P.args, **options: P.kwargs
    ) -> StressReport: ...


def _stress_keywords(
    kind: Callable[P, StressOptions],
) -> Callable[[Callable[..., StressReport]], StressFunction[P]]:
    """Give the function the options as keywords, for type checkers as for `help()`."""
    return cast("Any", takes_options(cast("type[StressOptions]", kind)))  # type: ignore[no-any-return]


@_stress_keywords(StressOptions)
def stress_metrics(metrics: NamedMetrics | None = None, *, options: StressOptions) -> StressReport:
    """Measure how well metrics tell pairs that say the same from those that share the words.

    The threshold of a metric is chosen on the tuning half of the suite; AUC and accuracy are those
    of the reporting half. In each pair the second text is the candidate, the first the reference.

    metrics: Names such as "chrf++" or "paratag.P", metric objects, or a mapping from names of your
        own to these.
    """
    return run_stress(metrics, options)


def run_stress(
    metrics: NamedMetrics | None,
    options: StressOptions,
    progress: Callable[[int], None] | None = None,
) -> StressReport:
    """Do the same; `progress` is told how many pairs more were scored."""
    notes: list[str] = []
    named = _named(metrics)
    from_files = _file_values(options, notes)
    if not named and not from_files:
        raise ConfigError("nothing to test: name a metric with -m, or a file with --scores")
    for one in from_files:
        if one.name in named:
            raise ConfigError(
                f"{one.name!r} is a metric and the name of scores in a file; rename the latter"
            )
    ours = _scored(named, options, notes, progress or _silent)
    return stress_report(
        [*ours, *from_files], samples=options.samples, seed=options.seed, notes=notes
    )


def pairs_in_steps(named: int, *, edges: bool) -> int:
    """Return how many pairs so many metrics score in all."""
    return named * (len(stress_pairs()) + edges * len(edge_cases()))


def _silent(_: int) -> None:
    pass


def _named(metrics: NamedMetrics | None) -> dict[str, Metric]:
    """Build the metrics under their names, and refuse those that a pair of texts cannot feed."""
    if metrics is None:
        return {}
    if isinstance(metrics, str | Metric):
        metrics = [metrics]
    if isinstance(metrics, Mapping):
        built = {name: make_metric(request) for name, request in metrics.items()}
    else:
        built = dict(zip(request_names(metrics), map(make_metric, metrics), strict=True))
    for metric in built.values():
        _check_inputs(metric)
    return built


def request_names(requests: Sequence[str | Metric]) -> list[str]:
    """Name metrics by what comes before their options, or by all of it where two would share that.

    The same metric twice is an error.
    """
    whole = [one if isinstance(one, str) else one.label for one in requests]
    if twice := next((name for at, name in enumerate(whole) if name in whole[:at]), None):
        raise ConfigError(f"the metric {twice!r} is listed twice")
    short = [name.partition(":")[0] for name in whole]
    return [
        name if short.count(name) == 1 else full for name, full in zip(short, whole, strict=True)
    ]


def _check_inputs(metric: Metric) -> None:
    needs = metric.required()
    if len(needs) != 1 or not needs <= {REFERENCES, SOURCE}:
        why = f"needs {' and '.join(sorted(needs))}" if needs else "looks at one text alone"
        raise ConfigError(
            f"metric {metric.name!r} {why}, and the stress suite has pairs of texts: it tests "
            "metrics that hold a candidate against references, or against a source"
        )


def _scored(
    named: Mapping[str, Metric],
    options: StressOptions,
    notes: list[str],
    progress: Callable[[int], None],
) -> list[PairValues]:
    place = options.place()
    for metric in named.values():
        metric.prepare(place)
    references = [pair.text1 for pair in stress_pairs()]
    ready = survey(list(named.values()), place, lambda: [references], notes)
    found = []
    for name, metric in zip(named, ready, strict=True):
        values = _values(metric, stress_pairs(), place)
        _check_defined(name, values)
        progress(len(values))
        edges, errors = _edges(metric, place, progress) if options.edges else ({}, {})
        is_part = metric.label != metric.name  # a part is taken as it is
        better = "higher" if is_part else metric.card.better
        signature = metric.signature("1" if REFERENCES in metric.required() else None)
        found.append(PairValues(name, values.tolist(), better, signature, edges, errors))
    return found


def _values(metric: Metric, pairs: Sequence[StressPair | EdgeCase], place: Place) -> Floats:
    texts = [SegmentTexts(pair.text2, pair.text1, pair.text1) for pair in pairs]
    return next(iter(score_pairs([metric], texts, place).values()))


def _check_defined(name: str, values: Floats) -> None:
    undefined = np.flatnonzero(~np.isfinite(values))
    if len(undefined):
        first = stress_pairs()[int(undefined[0])].id
        raise InputError(
            f"{name} is undefined for {len(undefined)} of {len(values)} pairs of the stress suite, "
            f"the first of which is {first}"
        )


def _edges(
    metric: Metric, place: Place, progress: Callable[[int], None]
) -> tuple[dict[str, float], dict[str, str]]:
    """Return the values of the edge cases and, of rows where the metric failed, what it said."""
    values: dict[str, float] = {}
    errors: dict[str, str] = {}
    for cases in edge_rows().values():
        ids = [case.id for case in cases]
        try:
            found = _values(metric, cases, place)
        except _FAILURES as error:
            kind = "" if isinstance(error, ParaphrastError) else f"{type(error).__name__}: "
            said = f"{kind}{error}".rstrip(": ") or type(error).__name__
            errors |= dict.fromkeys(ids, said)
        else:
            values |= dict(zip(ids, found.tolist(), strict=True))
        progress(len(cases))
    return values, errors


def _file_values(options: StressOptions, notes: list[str]) -> list[PairValues]:
    lower = [options.lower] if isinstance(options.lower, str) else list(options.lower or ())
    given = options.scores
    if isinstance(given, Mapping):
        check_lower(lower, given)
        return [_given_values(name, values, lower) for name, values in given.items()]
    found = []
    for one in read_pair_scores(_paths(given), lower, notes):
        better = score_direction(one.scores, notes)
        edges = one.edges if options.edges else {}
        found.append(PairValues(one.scores.metric, one.suite, better, one.scores.signature, edges))
    return found


def _paths(given: StrPath | Sequence[StrPath] | None) -> list[StrPath]:
    paths = [given] if isinstance(given, str | Path) else list(given or ())
    for path in paths:
        if not isinstance(path, str | Path):
            raise ConfigError(
                f"scores are names of files, or a mapping from names to values, {{'mine': [...]}}; "
                f"got {type(path).__name__}"
            )
    return paths


def _given_values(name: str, values: Sequence[float], lower: Sequence[str]) -> PairValues:
    better: Direction = "lower" if name in lower else "higher"
    return PairValues(name, in_suite_order(values, name), better)
