"""Judge metrics against people: score the judged outputs or read scores, then correlate."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paraphrast.errors import ConfigError
from paraphrast.jobs.scoring.judged_scores import (
    JudgedMetric,
    judge_scores,
    judged_metrics,
    judged_outputs,
    ready_metrics,
)
from paraphrast.jobs.scoring.score_direction import score_direction
from paraphrast.jobs.scoring.score_options import Options
from paraphrast.meta.alignment import Scores, system_level, system_means
from paraphrast.meta.evaluate import AgreementRequest, evaluate
from paraphrast.meta.file_rows import StrPath
from paraphrast.meta.judgements import Judgements, Missing
from paraphrast.meta.published import beside_published
from paraphrast.meta.report import MetaReport, Table
from paraphrast.meta.score_files import read_scores, with_systems_of
from paraphrast.meta.tasks import (
    EvaluationTask,
    JudgementFile,
    find_task,
    is_there,
    open_task,
    task_names,
)
from paraphrast.metrics.base import REFERENCES
from paraphrast.studies.judgement_sizes import SizeStudy, measure_sizes
from paraphrast.studies.metric_comparison import MetricComparison, compare_scores
from paraphrast.studies.reference_gain import (
    ReferenceStudy,
    measure_gain,
    read_extra,
    rewarded_ngrams,
)

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class _ScoreOrigin:
    """Where scores come from: files of scores, or our metrics on the judged texts."""

    files: tuple[StrPath, ...] = ()
    lower: Collection[str] = ()
    signatures: StrPath | None = None
    jobs: int = 1
    threads: int | None = None
    device: str = "cpu"
    cache: str | None = None
    progress: Progress | None = None

    def place(self) -> dict[str, Any]:
        """Return where our metrics run, as `judge_scores` takes it."""
        names = ("jobs", "threads", "device", "cache", "progress")
        return {name: getattr(self, name) for name in names}


def evaluate_metrics(
    tasks: str | Sequence[str],
    metrics: Sequence[str],
    *,
    statistics: Sequence[str] = (),
    level: str | None = None,
    dimension: str | None = None,
    columns: Mapping[str, str] | None = None,
    missing: Missing = "error",
    resample: str = "source",
    samples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    cache: str | None = None,
    progress: Progress | None = None,
    data: StrPath | None = None,
) -> MetaReport:
    """Score the judged outputs of tasks and correlate with the people's ratings.

    tasks: names of tasks, or files of judgements that hold the texts.
    metrics: `name`, `name.part` or `name.part:option=value`.
    statistics: the task's own unless given.
    level: the task's own unless given; at system level ratings of outputs are averaged.
    dimension: what was rated, for a file that holds several.
    columns: our names of columns to those of a file.
    missing: "error", or "drop" to leave out ratings without a value and count them.
    resample: at segment level draw whole sources ("source") or single outputs ("output").
    samples, seed: of the bootstrap.
    jobs, threads, device, cache: where scoring runs, as in `score`.
    progress: is told the number of scored segments.
    data: the folder of the named tasks' files; PARAPHRAST_DATA unless given.
    """
    names = [tasks] if isinstance(tasks, str) else list(tasks)
    origin = _ScoreOrigin((), (), None, jobs, threads, device, cache, progress)
    notes: list[str] = []
    place = Options(threads=threads, device=device, cache=cache).place()
    ready = ready_metrics(_names(metrics), place, notes)  # errors come before any data are read
    own = JudgementFile(columns or {}, level, dimension, missing)
    resampling = AgreementRequest("", "", "segment", "pearson", "", samples, seed, 0.05, missing,
                                  resample)  # fmt: skip
    tables: list[Table] = []
    for name in dict.fromkeys(names):
        task, judgements = open_task(name, own, data=data)
        tables += _task_tables(
            task, judgements, ready, statistics, level, resampling, origin, notes
        )
    return _report(", ".join(names), tables, samples, seed)


def _task_tables(
    task: EvaluationTask,
    judgements: Judgements,
    metrics: Sequence[JudgedMetric],
    statistics: Sequence[str],
    level: str | None,
    resampling: AgreementRequest,
    origin: _ScoreOrigin,
    notes: Sequence[str],
) -> list[Table]:
    """Return a table per statistic; texts are scored once, or twice for soft accuracies."""
    scored: dict[bool, list[Scores]] = {}
    text_notes: dict[bool, list[str]] = {True: [*notes], False: [*notes]}
    tables = []
    for statistic in dict.fromkeys(_names(statistics) or task.statistics):
        request = replace(
            resampling, task=task.name, title=task.title, level=level or task.level,
            statistic=statistic, dimension=task.dimension,
        )  # fmt: skip
        singly = statistic == "soft_pairwise_accuracy"
        if singly not in scored:
            at = "segment" if singly else request.level
            scored[singly] = judge_scores(
                judgements, metrics, at, notes=text_notes[singly], **origin.place()
            )
        rated = judgements if singly or request.level != "system" else system_means(judgements)
        table = evaluate(rated, scored[singly], request)
        table = replace(table, notes=(*table.notes, *text_notes[singly]))
        tables.append(beside_published(table, task.name, task.level, task.published))
    return tables


def correlate(
    scores: StrPath | Sequence[StrPath],
    judgements: StrPath | Judgements,
    *,
    metrics: Sequence[str] = (),
    level: str = "segment",
    dimension: str | None = None,
    columns: Mapping[str, str] | None = None,
    lower: Collection[str] = (),
    signatures: StrPath | None = None,
    missing: Missing = "error",
    threshold: float = 25.0,
    statistics: Sequence[str] = (),
    resample: str = "source",
    samples: int = 1000,
    seed: int = 12345,
) -> MetaReport:
    """Correlate scores in files, ours or another tool's, with judgements.

    scores: one file or several: tables, or what comet-score, sacrebleu and mt-metrics-eval write.
    judgements: a file of ratings or of better/worse pairs, or `Judgements`.
    metrics: which to judge; all unless given, less parts such as `bleu.bp`.
    level: segment, system, summary or pairwise.
    dimension: what was rated, if several.
    columns: our names of columns to those of the file of judgements.
    lower: metrics whose lower values are better; a signature says so by itself.
    signatures: a report of `score -f json` with the signatures of the scores.
    missing: "error", or "drop" to leave out judgements without a score and count them.
    threshold: at pairwise level, the least difference of raw 0–100 ratings that makes a pair.
    statistics: pearson unless given; darr at pairwise level.
    resample: at segment level draw whole sources ("source") or single outputs ("output").
    samples, seed: of the bootstrap.
    """
    own = JudgementFile(columns or {}, level, dimension, missing, threshold)
    task, judged = open_task(judgements, own)
    origin = _ScoreOrigin(_listed(scores), lower, signatures)
    found, notes = _file_scores(judged, metrics, origin)
    tables = []
    for statistic in _names(statistics) or task.statistics:
        request = AgreementRequest(
            task.name, task.title, level, statistic, task.dimension, samples, seed, 0.05, missing,
            resample,
        )  # fmt: skip
        people, mine = judged, found
        if level == "system" and statistic != "soft_pairwise_accuracy":
            people, mine = system_level(judged, task.dimension, found, missing)
        tables.append(evaluate(people, mine, request))
    return _report(judged.name, tables, samples, seed, notes)


def _listed(paths: StrPath | Sequence[StrPath]) -> tuple[StrPath, ...]:
    """Return the files, one or several; a table in memory is refused."""
    if isinstance(paths, str | Path):
        return (paths,)
    listed = tuple(paths) if isinstance(paths, Sequence) else (paths,)
    for one in listed:
        if not isinstance(one, str | Path):
            raise ConfigError(
                f"scores are names of files; got {type(one).__name__}: write the table to a file, "
                "e.g. scores.csv, and give its name"
            )
    return listed


def _names(chosen: str | Collection[str]) -> tuple[str, ...]:
    """Return names, one or several: a single one is not taken letter by letter."""
    return (chosen,) if isinstance(chosen, str) else tuple(chosen)


def _file_scores(
    judgements: Judgements, metrics: Sequence[str], origin: _ScoreOrigin
) -> tuple[list[Scores], list[str]]:
    """Read scores, under the names of the judged systems and with the direction they have."""
    found, notes = read_scores(
        origin.files,
        metrics=_names(metrics),
        lower=_names(origin.lower),
        signatures=origin.signatures,
    )
    found, renamed = with_systems_of(found, judgements)
    return [_directed(one, notes) for one in found], notes + renamed


def _directed(scores: Scores, notes: list[str]) -> Scores:
    """Turn scores so that the sign tells which are better."""
    better = score_direction(scores, notes)
    if better == "near 1":
        return replace(scores, values={key: -abs(v - 1) for key, v in scores.values.items()})
    return replace(scores, sign=-1) if better == "lower" else scores


def _report(
    title: str, tables: Sequence[Table], samples: int, seed: int, notes: Sequence[str] = ()
) -> MetaReport:
    units = " and ".join(dict.fromkeys(table.unit for table in tables))
    how = (
        f"Intervals are 95 % bootstrap intervals over {units} ({samples:,} samples, seed {seed}); "
        "p-values of pairs come from the bootstrap standard error of the difference."
    )
    return MetaReport(f"Meta-evaluation: {title}", tuple(tables), (*notes, how))


def compare_metrics(
    task: str,
    first: str,
    second: str,
    *,
    scores: StrPath | Sequence[StrPath] = (),
    lower: Collection[str] = (),
    signatures: StrPath | None = None,
    level: str | None = None,
    dimension: str | None = None,
    columns: Mapping[str, str] | None = None,
    missing: Missing = "error",
    statistic: str | None = None,
    resample: str = "source",
    samples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    data: StrPath | None = None,
) -> MetricComparison:
    """Compare two metrics on a task: Williams, bootstrap and permutation tests.

    task: the name of a task, or a file of judgements.
    first, second: metrics as in `evaluate_metrics`, or names of metrics in `scores`.
    scores: files of scores, as in `correlate`; without them the judged texts are scored.
    lower, signatures: the direction of the scores in files, as in `correlate`.
    level, dimension, columns, missing: how to take a file of judgements, as in `correlate`.
    statistic: the task's own unless given.
    resample, samples, seed: of bootstrap and permutation.
    jobs, threads, device: where scoring runs.
    data: the folder of the named tasks' files; PARAPHRAST_DATA unless given.
    """
    if first == second:
        raise ConfigError(f"{first!r} is compared with itself; name two metrics")
    chosen, judgements = open_task(
        task, JudgementFile(columns or {}, level, dimension, missing), data=data
    )
    request = _request(chosen, statistic, samples, seed, missing, resample)
    origin = _ScoreOrigin(_listed(scores), lower, signatures, jobs, threads, device)
    people, found, notes = _answers(judgements, [first, second], request, origin)
    result = compare_scores(people, found, request)
    return replace(result, notes=(*result.notes, *notes))


def _request(
    task: EvaluationTask,
    statistic: str | None,
    samples: int,
    seed: int,
    missing: Missing = "error",
    resample: str = "source",
) -> AgreementRequest:
    chosen = statistic or task.statistic
    return AgreementRequest(
        task.name, task.title, task.level, chosen, task.dimension, samples, seed, 0.05, missing,
        resample,
    )  # fmt: skip


def _answers(
    judgements: Judgements, metrics: Sequence[str], request: AgreementRequest, origin: _ScoreOrigin
) -> tuple[Judgements, list[Scores], list[str]]:
    """Return ratings and scores at the level asked for, and notes."""
    singly = request.statistic == "soft_pairwise_accuracy"
    if origin.files:
        found, notes = _file_scores(judgements, metrics, origin)
        if request.level == "system" and not singly:
            judgements, found = system_level(judgements, request.dimension, found, request.missing)
        return judgements, found, notes
    notes = []
    at = "segment" if singly else request.level
    found = judge_scores(judgements, _names(metrics), at, notes=notes, **origin.place())
    is_system = request.level == "system" and not singly
    return system_means(judgements) if is_system else judgements, found, notes


def reference_study(
    task: str,
    extra: StrPath,
    metrics: Sequence[str] = ("bleu",),
    *,
    level: str | None = None,
    dimension: str | None = None,
    columns: Mapping[str, str] | None = None,
    missing: Missing = "error",
    statistic: str | None = None,
    resample: str = "source",
    samples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    data: StrPath | None = None,
) -> ReferenceStudy:
    """Score a task with and without extra references (Bawden et al. 2020) and compare.

    task: the name of a task, or a file of judgements that holds the texts.
    extra: rows of `item`, `references` and, with several groups, `group`.
    metrics: as in `evaluate_metrics`; each must use references.
    The other parameters are those of `compare_metrics`.
    """
    chosen, judgements = open_task(
        task, JudgementFile(columns or {}, level, dimension, missing), data=data
    )
    more, notes = read_extra(str(extra), judgements)
    request = _request(chosen, statistic, samples, seed, missing, resample)
    metrics = _names(metrics)
    for one in judged_metrics(metrics):
        if REFERENCES not in one.metric.required():
            raise ConfigError(f"metric {one.name!r} uses no references, so more change nothing")
    origin = _ScoreOrigin((), (), None, jobs, threads, device)
    people, before, early = _answers(judgements, metrics, request, origin)
    late: list[str] = []
    after = judge_scores(
        judgements, metrics, request.level, extra=more, notes=late, **origin.place()
    )
    notes += early + [f"with the extra references: {note}" for note in late if note not in early]
    return ReferenceStudy(
        chosen.name,
        chosen.level,
        request.statistic,
        measure_gain(people, before, after, request),
        rewarded_ngrams(judged_outputs(judgements), more),
        tuple(notes),
    )


def size_study(
    task: str,
    metrics: Sequence[str] = (),
    *,
    sizes: Sequence[int] = (),
    repeats: int = 20,
    scores: StrPath | Sequence[StrPath] = (),
    lower: Collection[str] = (),
    signatures: StrPath | None = None,
    level: str | None = None,
    dimension: str | None = None,
    columns: Mapping[str, str] | None = None,
    missing: Missing = "error",
    statistic: str | None = None,
    seed: int = 12345,
    jobs: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    data: StrPath | None = None,
) -> SizeStudy:
    """Repeat an evaluation over random subsets of growing size.

    metrics: as in `compare_metrics`; with `scores`, all of its metrics unless given.
    sizes: outputs per group; 10, 20, 50, … 500 unless given.
    repeats: random subsets of each size.
    The other parameters are those of `compare_metrics`.
    """
    chosen, judgements = open_task(
        task, JudgementFile(columns or {}, level, dimension, missing), data=data
    )
    request = _request(chosen, statistic, 2, seed, missing)
    origin = _ScoreOrigin(_listed(scores), lower, signatures, jobs, threads, device)
    people, found, notes = _answers(judgements, metrics, request, origin)
    study = measure_sizes(people, found, request, sizes, repeats=repeats)
    return replace(study, notes=tuple(notes))


def judgement_tasks(data: StrPath | None = None) -> list[dict[str, object]]:
    """Return what `paraphrast meta tasks` lists: every named task, and whether its data are there.

    data: the folder of their files; PARAPHRAST_DATA unless given.
    """
    return [
        {
            "task": task.name,
            "level": task.level,
            "statistics": ", ".join(task.statistics),
            "data": "there" if is_there(task, data=data) else "missing",
            "title": task.title,
        }
        for task in map(find_task, task_names())
    ]


_FORMER_NAMES = {"run_tasks": "evaluate_metrics", "correlate_files": "correlate"}


def __getattr__(name: str) -> Any:
    if name not in _FORMER_NAMES:
        raise AttributeError(f"module 'paraphrast.jobs.meta' has no attribute {name!r}")
    now = _FORMER_NAMES[name]
    warnings.warn(f"{name} is now {now}", DeprecationWarning, stacklevel=2)
    return globals()[now]
