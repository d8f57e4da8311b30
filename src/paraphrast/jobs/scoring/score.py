"""Score one system or several: the function behind `paraphrast.score` and `paraphrast score`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ParamSpec, Protocol, cast, overload

import numpy as np

from paraphrast import stats
from paraphrast.errors import ConfigError
from paraphrast.jobs.scoring.paired_tests import paired_tests
from paraphrast.jobs.scoring.score_options import CompareOptions, Metrics, Options, ScoreOptions
from paraphrast.jobs.scoring.text_columns import TextColumn, Texts, python_chunks
from paraphrast.metrics import corpus_fitting as surveys
from paraphrast.metrics.base import REFERENCES, SOURCE, TREES, Metric
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.demands import check_inputs
from paraphrast.metrics.run import Plan, bootstrap, fit, report, tally
from paraphrast.options import takes_options
from paraphrast.results import Comparison, Report
from paraphrast.types import Chunk, Floats

__all__ = ["Options", "build_metrics", "compare", "default_metrics", "score", "score_chunks"]

P = ParamSpec("P")

_FEW = 30
_FEW_HINT = "bootstrap p-values are too small then; use the test 'randomisation'"


def check_baseline(options: Options, systems: Collection[str]) -> None:
    """Refuse a baseline that is not one of the systems, before any work."""
    baseline = options.baseline if isinstance(options, CompareOptions) else None
    if baseline is not None and baseline not in systems:
        known = ", ".join(systems)
        raise ConfigError(f"the baseline {baseline!r} is not one of the systems: {known}")


def default_metrics(given: frozenset[str]) -> tuple[str, ...]:
    """Return a sensible choice for the inputs at hand."""
    if REFERENCES in given:
        return ("bleu", "chrf++", "rougeL", *(("rouge_p",) if SOURCE in given else ()))
    return ("pinc", "self_bleu_source") if SOURCE in given else ("distinct_1", "distinct_2")


def build_metrics(requests: Metrics | None, given: frozenset[str]) -> tuple[Metric, ...]:
    """Build the metrics and check that their inputs are there."""
    if isinstance(requests, str | Metric):
        requests = [requests]
    if requests is not None and not isinstance(requests, Sequence):
        raise ConfigError(f"metrics must be a list of names; got {type(requests).__name__}")
    if requests is not None and not len(requests):
        raise ConfigError("metrics is an empty list; name at least one, or leave it out")
    metrics = tuple(make_metric(request) for request in requests or default_metrics(given))
    if len(set(metrics)) != len(metrics):
        raise ConfigError("a metric is listed twice with the same options")
    check_inputs(metrics, given)
    return metrics


def score_chunks(
    chunks: Iterable[Chunk],
    metrics: tuple[Metric, ...],
    options: Options,
    *,
    references: surveys.Texts | None = None,
    notes: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Score a stream of chunks; `notes` may still grow while the stream is read.

    `references` gives the references apart from the stream, for metrics that must have seen all of
    them before they score.
    """
    place = options.place()
    for metric in metrics:
        metric.prepare(place)
    mended: list[str] = []
    metrics = surveys.survey(metrics, place, references, mended)
    plan = Plan(
        metrics,
        keep_rows=options.intervals or options.segments,
        empty=options.empty,
        jobs=options.jobs,
        samples=options.samples,
        seed=options.seed,
        place=place,
    )
    seen = tally(chunks, plan, progress)
    notes = (*mended, *notes)
    fitted = {system: fit(found, plan) for system, found in seen.items()}
    draws = {s: bootstrap(f, plan) for s, f in fitted.items()} if options.intervals else {}
    reports = {
        system: report(
            seen[system],
            items,
            intervals=[_interval(d) for d in draws[system]] if options.intervals else None,
            segments=options.segments,
            method=f"bootstrap|samples:{options.samples}|seed:{options.seed}|level:0.95"
            if options.intervals
            else "",
            notes=notes if len(fitted) == 1 else (),
        )
        for system, items in fitted.items()
    }
    shared = notes if len(fitted) > 1 else ()
    if not isinstance(options, CompareOptions):
        return Comparison(reports, notes=shared)
    if options.method == "bootstrap" and reports[next(iter(reports))].segments < _FEW:
        shared = (*shared, f"fewer than {_FEW} segments: {_FEW_HINT}")
    if options.method == "bootstrap" and options.rounds != plan.samples:
        plan = replace(plan, samples=options.rounds)
        draws = {system: bootstrap(items, plan) for system, items in fitted.items()}
    return Comparison(reports, paired_tests(fitted, draws, options), _method(options), shared)


def _interval(values: Floats) -> tuple[float, float] | None:
    """Return the interval, or none where fewer than two resamples are defined."""
    return stats.interval(values) if np.isfinite(values).sum() > 1 else None


def _method(options: CompareOptions) -> str:
    chosen = {"trials": options.rounds, "seed": options.seed, "alpha": options.alpha}
    fields = [f"{key}:{value}" for key, value in chosen.items()]
    return "|".join([options.method, *fields, "correction:holm"])


def score_texts(candidates: Any, references: Any, sources: Any, options: Options) -> Comparison:
    """Score texts given in Python; a single system is called ""."""
    kinds = ((REFERENCES, references), (SOURCE, sources), (TREES, options.trees))
    given = frozenset(kind for kind, value in kinds if value is not None)
    built = build_metrics(options.metrics, given)
    systems, chunks = python_chunks(
        candidates, references, sources, options.trees, options.references_by
    )
    check_baseline(options, systems)
    return score_chunks(chunks, built, options, references=chunks.references)


class ScoreFunction(Protocol[P]):
    """The type of `score`: its inputs, then the fields of `ScoreOptions` as keywords."""

    @overload
    def __call__(
        self,
        candidates: Mapping[str, Texts],
        references: Texts | None = None,
        sources: TextColumn | None = None,
        *args: P.args,
        **options: P.kwargs,
    ) -> Comparison: ...
    @overload
    def __call__(
        self,
        candidates: Texts,
        references: Texts | None = None,
        sources: TextColumn | None = None,
        *args: P.args,
        **options: P.kwargs,
    ) -> Report: ...


class CompareFunction(Protocol[P]):
    """The type of `compare`: its inputs, then the fields of `CompareOptions` as keywords."""

    def __call__(
        self,
        candidates: Mapping[str, Texts],
        references: Texts | None = None,
        sources: TextColumn | None = None,
        *args: P.args,
        **options: P.kwargs,
    ) -> Comparison: ...


def _score_keywords(
    kind: Callable[P, ScoreOptions],
) -> Callable[[Callable[..., Report | Comparison]], ScoreFunction[P]]:
    """Give the function the options as keywords, for type checkers as for `help()`."""
    return cast("Any", takes_options(cast("type[ScoreOptions]", kind)))  # type: ignore[no-any-return]


def _compare_keywords(
    kind: Callable[P, CompareOptions],
) -> Callable[[Callable[..., Comparison]], CompareFunction[P]]:
    """Give the function the options as keywords, for type checkers as for `help()`."""
    return cast("Any", takes_options(cast("type[CompareOptions]", kind)))  # type: ignore[no-any-return]


@_score_keywords(ScoreOptions)
def score(
    candidates: Texts | Mapping[str, Texts],
    references: Texts | None = None,
    sources: TextColumn | None = None,
    *,
    options: ScoreOptions,
) -> Report | Comparison:
    """Score candidates; a mapping of systems gives one report per system.

    candidates: A text for each segment or, for the set metrics, a list of texts; or a mapping from
        the names of systems to such lists.
    references: The reference, or the list of references, of each segment.
    sources: The source of each segment.
    trees: A bracketed tree for each candidate, for ds_tree.
    references_by: "segment", or "reference" for one list per reference, as sacrebleu has them.
    segments: Keep the value of each segment in the report.
    """
    found = score_texts(candidates, references, sources, options)
    return found if isinstance(candidates, Mapping) else found.systems[""]


@_compare_keywords(CompareOptions)
def compare(
    candidates: Mapping[str, Texts],
    references: Texts | None = None,
    sources: TextColumn | None = None,
    *,
    options: CompareOptions,
) -> Comparison:
    """Compare systems: intervals and Holm-corrected paired tests against a baseline.

    candidates: A mapping from the names of two or more systems to their candidates.
    references: The reference, or the list of references, of each segment.
    sources: The source of each segment.
    trees: A bracketed tree for each candidate of each system, for ds_tree.
    references_by: "segment", or "reference" for one list per reference, as sacrebleu has them.
    segments: Keep the value of each segment in the reports.
    """
    if not isinstance(candidates, Mapping) or len(candidates) < 2:
        raise ConfigError(
            "compare needs a mapping of at least two systems: {'a': [...], 'b': [...]}"
        )
    return score_texts(candidates, references, sources, options)
