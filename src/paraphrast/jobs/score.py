"""Score one system or several: the function behind `paraphrast.score` and `paraphrast score`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import overload

import numpy as np

from paraphrast import stats
from paraphrast.errors import ConfigError
from paraphrast.jobs.inputs import Order, Texts, python_chunks
from paraphrast.metrics import corpus_fitting as surveys
from paraphrast.metrics.base import REFERENCES, SOURCE, TREES, Metric, Place
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.demands import check_inputs
from paraphrast.metrics.run import (
    Fitted,
    Plan,
    bootstrap,
    corpus_values,
    fit,
    report,
    tally,
)
from paraphrast.models.session import check_place
from paraphrast.results import Comparison, PairedTest, Report
from paraphrast.types import Chunk, Floats

_TESTS = ("bootstrap", "randomisation")
_FEW = 30
_FEW_HINT = "bootstrap p-values are too small then; use the test 'randomisation'"
TRIALS = {"bootstrap": 1000, "randomisation": 10_000}


@dataclass(frozen=True, slots=True)
class Options:
    """What every door offers beside the data."""

    ci: bool = False
    segments: bool = True
    samples: int = 1000
    seed: int = 12345
    jobs: int = 1
    empty: str = "score"
    test: str | None = None
    trials: int | None = None
    baseline: str | None = None
    alpha: float = 0.05
    threads: int | None = None
    device: str = "cpu"
    cache: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        if self.empty not in ("score", "error"):
            raise ConfigError(f"empty must be 'score' or 'error'; got {self.empty!r}")
        if self.test not in (None, *_TESTS):
            raise ConfigError(f"test must be 'bootstrap' or 'randomisation'; got {self.test!r}")
        for name in ("samples", "seed", "jobs", "trials"):
            value = getattr(self, name)
            if not isinstance(value, Integral) and (value is not None or name != "trials"):
                raise ConfigError(f"{name} must be a whole number; got {value!r}")
        if not isinstance(self.alpha, Real):
            raise ConfigError(f"alpha must be a number; got {self.alpha!r}")
        if self.samples < 2 or (self.trials is not None and self.trials < 2):
            raise ConfigError("a resampling test needs at least 2 samples")
        if self.seed < 0:
            raise ConfigError(f"the seed must not be negative; got {self.seed}")
        if not 0 < self.alpha < 1:
            raise ConfigError(f"alpha must lie between 0 and 1; got {self.alpha}")
        check_place(self.threads, self.device)
        self.place()

    def place(self) -> Place:
        """Return where models run; a cache that cannot be a folder's name is refused."""
        cache = self.cache
        if cache is None:
            return Place(self.threads, self.device)
        if not isinstance(cache, str | os.PathLike) or not os.fspath(cache):
            raise ConfigError(f"cache must be the name of a folder; got {cache!r}")
        return Place(self.threads, self.device, os.fspath(cache))


def check_baseline(options: Options, systems: Collection[str]) -> None:
    """Refuse a baseline that is not one of the systems, before any work."""
    if options.baseline is not None and options.baseline not in systems:
        known = ", ".join(systems)
        raise ConfigError(f"the baseline {options.baseline!r} is not one of the systems: {known}")


def default_metrics(given: frozenset[str]) -> tuple[str, ...]:
    """Return a sensible choice for the inputs at hand."""
    if REFERENCES in given:
        return ("bleu", "chrf++", "rougeL", *(("rouge_p",) if SOURCE in given else ()))
    return ("pinc", "self_bleu_source") if SOURCE in given else ("distinct_1", "distinct_2")


def build_metrics(
    requests: Sequence[str | Metric] | str | None, given: frozenset[str]
) -> tuple[Metric, ...]:
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
    intervals = options.ci or options.test is not None
    place = options.place()
    for metric in metrics:
        metric.prepare(place)
    mended: list[str] = []
    metrics = surveys.survey(metrics, place, references, mended)
    plan = Plan(
        metrics,
        keep_rows=intervals or options.segments,
        empty=options.empty,
        jobs=options.jobs,
        samples=options.samples,
        seed=options.seed,
        place=place,
    )
    seen = tally(chunks, plan, progress)
    notes = (*mended, *notes)
    fitted = {system: fit(found, plan) for system, found in seen.items()}
    draws = {s: bootstrap(items, plan) for s, items in fitted.items()} if intervals else {}
    reports = {
        system: report(
            seen[system],
            items,
            intervals=[_interval(d) for d in draws[system]] if intervals else None,
            segments=options.segments,
            method=f"bootstrap|samples:{options.samples}|seed:{options.seed}|level:0.95"
            if intervals
            else "",
            notes=notes if len(fitted) == 1 else (),
        )
        for system, items in fitted.items()
    }
    shared = notes if len(fitted) > 1 else ()
    if options.test == "bootstrap" and reports[next(iter(reports))].segments < _FEW:
        shared = (*shared, f"fewer than {_FEW} segments: {_FEW_HINT}")
    if options.test is None:
        return Comparison(reports, notes=shared)
    trials = options.trials or (
        options.samples if options.test == "bootstrap" else TRIALS[options.test]
    )
    if options.test == "bootstrap" and trials != plan.samples:
        draws = {s: bootstrap(i, replace(plan, samples=trials)) for s, i in fitted.items()}
    options = replace(options, trials=trials)
    return Comparison(reports, _tests(fitted, draws, options), _method(options), shared)


def _interval(values: Floats) -> tuple[float, float] | None:
    """Return the interval, or none where fewer than two resamples are defined."""
    return stats.interval(values) if np.isfinite(values).sum() > 1 else None


def _method(options: Options) -> str:
    chosen = {"trials": options.trials, "seed": options.seed, "alpha": options.alpha}
    fields = [f"{key}:{value}" for key, value in chosen.items()]
    return "|".join([str(options.test), *fields, "correction:holm"])


def _tests(
    fitted: Mapping[str, list[Fitted]], draws: Mapping[str, list[Floats]], options: Options
) -> tuple[PairedTest, ...]:
    """Compare each system with the baseline on each metric; Holm over all of them."""
    names = list(fitted)
    base = names[0] if options.baseline is None else options.baseline
    rows: list[tuple[str, str, float, float]] = []
    for system in names:
        if system == base:
            continue
        p_values = (
            _bootstrap_ps(fitted[system], fitted[base], draws[system], draws[base])
            if options.test == "bootstrap"
            else _exchange_ps(fitted[system], fitted[base], options)
        )
        for mine, theirs, p in zip(fitted[system], fitted[base], p_values, strict=True):
            rows.append((system, mine.metric.name, _gap(mine, theirs), p))
    corrected = stats.holm([row[3] for row in rows])
    return tuple(
        PairedTest(system, base, metric, gap, p, p_holm, p_holm < options.alpha)
        for (system, metric, gap, p), p_holm in zip(rows, corrected, strict=True)
    )


def _gap(mine: Fitted, base: Fitted) -> float:
    return float(corpus_values(mine)[0, 0] - corpus_values(base)[0, 0])


def _bootstrap_ps(
    mine: Sequence[Fitted],
    base: Sequence[Fitted],
    draws: Sequence[Floats],
    others: Sequence[Floats],
) -> list[float]:
    """Every system sees the same resamples, so differences of draws are paired."""
    return [
        stats.bootstrap_p(a - b, _gap(x, y), items=len(x.points))
        for x, y, a, b in zip(mine, base, draws, others, strict=True)
    ]


def _exchange_ps(mine: Sequence[Fitted], base: Sequence[Fitted], options: Options) -> list[float]:
    p_values = []
    for x, y in zip(mine, base, strict=True):
        left, right = stats.exchange_sums(x.points, y.points, options.trials or 0, options.seed)
        differences = corpus_values(x, left)[:, 0] - corpus_values(y, right)[:, 0]
        p_values.append(stats.exchange_p(differences, _gap(x, y)))
    return p_values


def _python(
    candidates: Texts | Mapping[str, Texts],
    references: Texts | None,
    sources: Sequence[str] | None,
    metrics: Sequence[str | Metric] | str | None,
    trees: Texts | Mapping[str, Texts] | None,
    references_by: Order,
    options: Options,
) -> Comparison:
    kinds = ((REFERENCES, references), (SOURCE, sources), (TREES, trees))
    given = frozenset(kind for kind, value in kinds if value is not None)
    built = build_metrics(metrics, given)
    systems, chunks = python_chunks(candidates, references, sources, trees, references_by)
    check_baseline(options, systems)
    return score_chunks(chunks, built, options, references=chunks.references)


@overload
def score(
    candidates: Mapping[str, Texts],
    references: Texts | None = ...,
    sources: Sequence[str] | None = ...,
    *,
    metrics: Sequence[str | Metric] | str | None = ...,
    trees: Texts | Mapping[str, Texts] | None = ...,
    references_by: Order = ...,
    ci: bool = ...,
    samples: int = ...,
    seed: int = ...,
    jobs: int = ...,
    empty: str = ...,
    threads: int | None = ...,
    device: str = ...,
    cache: str | os.PathLike[str] | None = ...,
) -> Comparison: ...
@overload
def score(
    candidates: Texts,
    references: Texts | None = ...,
    sources: Sequence[str] | None = ...,
    *,
    metrics: Sequence[str | Metric] | str | None = ...,
    trees: Texts | Mapping[str, Texts] | None = ...,
    references_by: Order = ...,
    ci: bool = ...,
    samples: int = ...,
    seed: int = ...,
    jobs: int = ...,
    empty: str = ...,
    threads: int | None = ...,
    device: str = ...,
    cache: str | os.PathLike[str] | None = ...,
) -> Report: ...
def score(
    candidates: Texts | Mapping[str, Texts],
    references: Texts | None = None,
    sources: Sequence[str] | None = None,
    *,
    metrics: Sequence[str | Metric] | str | None = None,
    trees: Texts | Mapping[str, Texts] | None = None,
    references_by: Order = "segment",
    ci: bool = False,
    samples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
    empty: str = "score",
    threads: int | None = None,
    device: str = "cpu",
    cache: str | os.PathLike[str] | None = None,
) -> Report | Comparison:
    """Score candidates; a mapping of systems gives one report per system.

    `references[i]` is the reference, or the list of references, of segment i (with
    `references_by="reference"`, one list per reference instead, as sacrebleu nests them).
    `candidates[i]` is a text or, for the set metrics, a list of texts. `metrics` are names such as
    `"bleu"` or `"rouge1:preset=google,stemmer=true"`, or metric objects. `ci=True` adds 95 %
    bootstrap intervals. `empty="error"` rejects empty texts instead of scoring and noting them.
    `threads` and `device` ("cpu", "cuda", "cuda:1") are for metrics that run a model; `cache` is a
    folder in which embeddings are kept for later calls.
    """
    options = Options(
        ci=ci,
        samples=samples,
        seed=seed,
        jobs=jobs,
        empty=empty,
        threads=threads,
        device=device,
        cache=cache,
    )
    result = _python(candidates, references, sources, metrics, trees, references_by, options)
    return result if isinstance(candidates, Mapping) else result.systems[""]


def compare(
    candidates: Mapping[str, Texts],
    references: Texts | None = None,
    sources: Sequence[str] | None = None,
    *,
    metrics: Sequence[str | Metric] | str | None = None,
    trees: Mapping[str, Texts] | None = None,
    references_by: Order = "segment",
    baseline: str | None = None,
    test: str = "bootstrap",
    trials: int | None = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
    empty: str = "score",
    threads: int | None = None,
    device: str = "cpu",
    cache: str | os.PathLike[str] | None = None,
) -> Comparison:
    """Compare systems with a baseline (the first one): intervals and Holm-corrected paired tests.

    `test` is "bootstrap" (1,000 resamples) or "randomisation" (10,000 exchanges).
    """
    if not isinstance(candidates, Mapping) or len(candidates) < 2:
        raise ConfigError(
            "compare needs a mapping of at least two systems: {'a': [...], 'b': [...]}"
        )
    options = Options(
        ci=True,
        samples=samples,
        seed=seed,
        jobs=jobs,
        empty=empty,
        test=test,
        trials=trials,
        baseline=None if baseline is None else str(baseline),
        alpha=alpha,
        threads=threads,
        device=device,
        cache=cache,
    )
    return _python(candidates, references, sources, metrics, trees, references_by, options)
