"""Agreement of metrics with people, per group and on average, with intervals and pairwise tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paraphrast import stats
from paraphrast.errors import ConfigError, InputError
from paraphrast.meta import accuracy
from paraphrast.meta.accuracy import ResampledStatistic
from paraphrast.meta.alignment import Aligned, Scores, Whole, align
from paraphrast.meta.judgements import Judgements, Missing
from paraphrast.meta.pairs import ResampledAgreement, preference_draws
from paraphrast.meta.report import AgreementRow, Table
from paraphrast.stats.checks import check_rounds
from paraphrast.types import Floats

CORRELATIONS: dict[str, stats.Statistic] = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall": "kendall_b",
    "kendall_c": "kendall_c",
}
STATISTICS: dict[str, tuple[str, ...]] = {
    "segment": (*CORRELATIONS, "acc_eq"),
    "system": (*CORRELATIONS, "pairwise_accuracy", "soft_pairwise_accuracy"),
    "summary": tuple(CORRELATIONS),
    "pairwise": ("darr",),
}
_MOST_POINTS = 1500
_FEWEST_SOURCES = 3
_ACCURACIES: dict[str, Callable[[Aligned, int, int], ResampledStatistic]] = {
    "acc_eq": accuracy.calibrated,
    "pairwise_accuracy": accuracy.ranked,
    "soft_pairwise_accuracy": accuracy.soft,
}


@dataclass(frozen=True, slots=True)
class AgreementRequest:
    """What to compute: level, statistic, the human dimension, and how to resample.

    At segment level outputs of one source are drawn together, since they are not independent;
    `resample="output"` draws each on its own.
    """

    task: str
    title: str
    level: str
    statistic: str
    dimension: str = ""
    samples: int = 1000
    seed: int = 12345
    alpha: float = 0.05
    missing: Missing = "error"
    resample: str = "source"

    def __post_init__(self) -> None:
        if self.level not in STATISTICS:
            known = ", ".join(STATISTICS)
            raise ConfigError(f"level must be one of {known}; got {self.level!r}")
        if self.statistic not in STATISTICS[self.level]:
            known = ", ".join(STATISTICS[self.level])
            raise ConfigError(f"{self.level} level takes {known}; got {self.statistic!r}")
        if self.samples < 2:
            raise ConfigError(f"samples must be at least 2; got {self.samples}")
        check_rounds("samples", self.samples)
        if self.seed < 0:
            raise ConfigError(f"the seed must not be negative; got {self.seed}")
        if self.resample not in ("source", "output"):
            raise ConfigError(f"resample must be source or output; got {self.resample!r}")

    @property
    def unit(self) -> str:
        """What a resample draws."""
        return {
            "segment": f"{self.resample}s" if self.statistic in CORRELATIONS else "items",
            "system": "systems",
            "summary": "documents",
            "pairwise": "items",
        }[self.level]


def evaluate(judgements: Judgements, scores: Sequence[Scores], request: AgreementRequest) -> Table:
    """Return the table of all metrics for one statistic."""
    return tabulate(scores, *draw(judgements, scores, request), request)


def draw(
    judgements: Judgements, scores: Sequence[Scores], request: AgreementRequest
) -> tuple[ResampledAgreement, dict[str, dict[str, object]]]:
    """Return the statistic as observed and resampled, and the points of a scatter plot."""
    if request.level != "pairwise":
        return _averaged(judgements, scores, request)
    found = preference_draws(
        judgements,
        scores,
        samples=request.samples,
        seed=request.seed,
        missing=request.missing,
    )
    return found, {}


def _averaged(
    judgements: Judgements, scores: Sequence[Scores], request: AgreementRequest
) -> tuple[ResampledAgreement, dict[str, dict[str, object]]]:
    """Take the statistic in each group and average, in every resample too."""
    blocks, notes = align(judgements, request.dimension, scores, request.missing)
    if request.level != "system" and any(key[1] == "" for block in blocks for key in block.keys):
        raise InputError(
            f"{judgements.name} rates whole systems; {request.level} level needs ratings of "
            "single outputs, so choose the level 'system', or name the column of the items "
            "(--column item=id)"
        )
    kept: list[Aligned] = []
    found: list[ResampledStatistic] = []
    for block in blocks:
        if np.ptp(block.human) == 0:
            notes.append(
                f"{block.group or judgements.name}: the human scores are constant, left out"
            )
            continue
        found.append(_measure(block, request, notes))
        kept.append(block)
    if not kept:
        raise InputError(f"{judgements.name}: human scores are constant in every group")
    shortest = min(len(one.resampled) for one in found)
    draws = ResampledAgreement(
        tuple(block.group for block in kept),
        np.array([one.observed for one in found]),
        np.mean([one.resampled[:shortest] for one in found], axis=0),
        tuple(one.items for one in found),
        sum(one.units for one in found),
        tuple(dict.fromkeys(notes)),
    )
    return draws, _points(kept, scores, request.seed)


def _measure(block: Aligned, request: AgreementRequest, notes: list[str]) -> ResampledStatistic:
    if request.statistic in _ACCURACIES:
        return _ACCURACIES[request.statistic](block, request.samples, request.seed)
    correlate = _within_documents if request.level == "summary" else _correlated
    return correlate(block, request, notes)


def _correlated(block: Aligned, request: AgreementRequest, notes: list[str]) -> ResampledStatistic:
    """Correlate over all outputs of a group; constant metrics are undefined."""
    if len(block.human) < 3:
        what = "systems" if request.level == "system" else "outputs"
        raise InputError(
            f"{block.group or request.task}: {len(block.human)} rated {what}; "
            "a correlation needs at least three"
        )
    sources = _drawn_together(block, request, notes)
    varied = np.ptp(block.scores, axis=1) > 0
    observed = np.full(len(varied), np.nan)
    drawn = np.full((request.samples, len(varied)), np.nan)
    if varied.any():
        result = stats.bootstrap_correlations(
            block.scores[varied],
            block.human,
            statistics=(CORRELATIONS[request.statistic],),
            samples=request.samples,
            seed=request.seed,
            clusters=sources,
        )[CORRELATIONS[request.statistic]]
        observed[varied] = result.observed
        drawn = drawn[: len(result.values)]
        drawn[:, varied] = result.values
        if result.undefined:
            where = block.group or request.task
            notes.append(f"{where}: {result.undefined} resamples were constant, left out")
    units = len(block.human) if sources is None else int(sources.max()) + 1
    return ResampledStatistic(observed, drawn, len(block.human), units)


def _drawn_together(block: Aligned, request: AgreementRequest, notes: list[str]) -> Whole | None:
    """Return the sources whose outputs are resampled together; None where each is on its own."""
    if request.unit != "sources":
        return None
    count = int(block.sources.max()) + 1
    if count < _FEWEST_SOURCES:
        where = block.group or request.task
        notes.append(f"{where}: only {count} sources, so outputs were resampled one by one")
        return None
    return block.sources


def _within_documents(
    block: Aligned, request: AgreementRequest, notes: list[str]
) -> ResampledStatistic:
    """Correlate across systems within each document and average over documents.

    A document where a metric or the people give every system the same score has no correlation;
    it is left out for that metric and counted.
    """
    documents: dict[str, list[int]] = {}
    for position, key in enumerate(block.keys):
        documents.setdefault(key[1], []).append(position)
    rows = np.full((len(documents), len(block.scores)), np.nan)
    for number, positions in enumerate(documents.values()):
        human, scores = block.human[positions], block.scores[:, positions]
        defined = (np.ptp(scores, axis=1) > 0) & (len(positions) > 1) & bool(np.ptp(human) > 0)
        if defined.any():
            rows[number, defined] = stats.correlate(
                scores[defined],
                human,
                statistic=CORRELATIONS[request.statistic],
            )
    missing = int(np.isnan(rows).any(axis=1).sum())
    if missing:
        where = f"{block.group}: " if block.group else ""
        what = "documents with constant scores or one output, left out"
        notes.append(f"{where}{missing} of {len(rows)} {what}")
    return ResampledStatistic(
        _mean_rows(rows), _resampled_means(rows, request), len(rows), len(rows)
    )


def _mean_rows(rows: Floats) -> Floats:
    known = ~np.isnan(rows)
    counts = known.sum(axis=0)
    sums = np.where(known, rows, 0).sum(axis=0)
    means = np.full(len(sums), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _resampled_means(rows: Floats, request: AgreementRequest) -> Floats:
    known = ~np.isnan(rows)
    table = np.hstack([np.where(known, rows, 0), known.astype(np.float64)])
    sums, counts = np.split(stats.bootstrap_sums(table, request.samples, request.seed), 2, axis=1)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def tabulate(
    scores: Sequence[Scores],
    draws: ResampledAgreement,
    points: Mapping[str, Mapping[str, object]],
    request: AgreementRequest,
) -> Table:
    """Rank the metrics, test all pairs, and cut the ranking into clusters."""
    mean = draws.observed.mean(axis=0)
    order = sorted(range(len(scores)), key=lambda i: (np.isnan(mean[i]), -mean[i]))
    defined = [i for i in order if not np.isnan(mean[i])]
    matrix = _pairwise(mean[defined], draws.resampled[:, defined], draws.units)
    clusters = _clusters(matrix, request.alpha)
    rows = []
    for place, i in enumerate(order):
        by = {g: _number(draws.observed[n, i]) for n, g in enumerate(draws.groups)}
        known = place < len(defined)
        rows.append(
            AgreementRow(
                metric=scores[i].metric,
                signature=scores[i].signature,
                statistic=request.statistic,
                value=_number(mean[i]),
                by=by,
                ci=_interval(draws.resampled[:, i]) if known else None,
                cluster=clusters[place] if known else None,
                negated=scores[i].sign < 0,
            )
        )
    return Table(
        task=request.task,
        title=request.title,
        level=request.level,
        statistic=request.statistic,
        groups=draws.groups,
        items=sum(draws.items),
        items_by=dict(zip(draws.groups, draws.items, strict=True)),
        units=draws.units,
        unit=request.unit,
        rows=tuple(rows),
        p_metrics=tuple(scores[i].metric for i in defined) if len(defined) > 1 else (),
        p_matrix=matrix if len(defined) > 1 else (),
        points=points,
        notes=(*draws.notes, *_negated(scores), *_undefined(rows)),
    )


def _negated(scores: Sequence[Scores]) -> list[str]:
    fallen = [one.metric for one in scores if one.sign < 0]
    what = "lower is better, so correlations are of the negated scores; plots show the scores"
    return [f"{what}: {', '.join(fallen)}"] if fallen else []


def _undefined(rows: Sequence[AgreementRow]) -> list[str]:
    return [
        f"{row.metric}: undefined, because scores are constant or too few"
        + "".join(f" in {group}" for group, value in row.by.items() if group and value is None)
        for row in rows
        if row.value is None
    ]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _interval(values: Floats) -> tuple[float, float] | None:
    known = values[~np.isnan(values)]
    return stats.interval(known) if len(known) > 1 else None


def _pairwise(
    observed: Floats, resampled: Floats, units: int
) -> tuple[tuple[float | None, ...], ...]:
    """Return Holm-corrected two-sided p-values, from bootstrap standard errors, for all pairs."""
    size = len(observed)
    pairs = [(i, j) for i in range(size) for j in range(i)]
    raw = [
        stats.normal_p(
            resampled[:, i] - resampled[:, j], float(observed[i] - observed[j]), items=units
        )
        for i, j in pairs
    ]
    table: list[list[float | None]] = [[None] * size for _ in range(size)]
    for (i, j), p in zip(pairs, stats.holm(raw), strict=True):
        table[i][j] = table[j][i] = p
    return tuple(map(tuple, table))


def _clusters(matrix: Sequence[Sequence[float | None]], alpha: float) -> list[int]:
    """Number clusters down the ranking: a new one begins when its best differs significantly."""
    clusters: list[int] = []
    first = 0
    for place in range(len(matrix)):
        p = matrix[first][place]
        if place and p is not None and p < alpha:
            first = place
        clusters.append(clusters[-1] + (first == place) if clusters else 1)
    return clusters


def _points(
    blocks: Sequence[Aligned], scores: Sequence[Scores], seed: int
) -> dict[str, dict[str, object]]:
    """Return the points of a scatter plot per metric, a seeded sample where there are many."""
    human = np.concatenate([block.human for block in blocks])
    groups = np.concatenate([[block.group] * len(block.human) for block in blocks])
    keep = np.arange(len(human))
    if len(keep) > _MOST_POINTS:
        keep = np.sort(np.random.default_rng(seed).choice(keep, _MOST_POINTS, replace=False))
    found = {}
    for number, one in enumerate(scores):
        values = np.concatenate([block.scores[number] for block in blocks]) * one.sign
        found[one.metric] = {
            "x": values[keep].tolist(),
            "y": human[keep].tolist(),
            "group": groups[keep].tolist(),
            "sampled": len(keep),
            "of": len(human),
        }
    return found
