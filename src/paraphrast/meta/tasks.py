"""What metrics are judged on: named sets in the data folder, and files of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast, get_args

from paraphrast.errors import ConfigError, InputError, did_you_mean
from paraphrast.io.data_folder import data_file
from paraphrast.meta.judgements import Judgements, Missing
from paraphrast.meta.layouts import (
    darr,
    data_to_text,
    qags,
    read_judgements,
    summaries,
    wmt_segment,
    wmt_system,
)
from paraphrast.meta.pairs import with_preferences
from paraphrast.meta.published import PUBLISHED, Published

Level = Literal["segment", "system", "summary", "pairwise"]


@dataclass(frozen=True, slots=True)
class EvaluationTask:
    """What to correlate and how: the first of `statistics` is the one the field reports.

    `dimension` is "" for preferences. `files` are relative to the data folder, in the order the
    loader takes them. `outliers` names how outlying systems are treated.
    """

    name: str
    title: str
    level: Level
    dimension: str
    statistics: tuple[str, ...]
    files: tuple[str, ...]
    loader: Callable[..., Judgements]
    outliers: str = "none"
    notes: tuple[str, ...] = ()

    @property
    def published(self) -> tuple[Published, ...]:
        """What papers print for it."""
        return PUBLISHED.get(self.name, ())

    @property
    def statistic(self) -> str:
        return self.statistics[0]


def task_names() -> tuple[str, ...]:
    """The names `load_task` knows."""
    return tuple(TASKS)


def find_task(name: str) -> EvaluationTask:
    """Return a task by name; an unknown one is a ConfigError with the nearest."""
    if name not in TASKS:
        near = did_you_mean(name, TASKS)
        raise ConfigError(
            f"unknown task {name!r}{near}; known: {', '.join(TASKS)}; "
            "or give a file of judgements, such as ratings.jsonl"
        )
    return TASKS[name]


def load_task(name: str, *, data: str | Path | None = None) -> tuple[EvaluationTask, Judgements]:
    """Return a task and its judgements, read from the data folder."""
    task = find_task(name)
    files = [data_file(file, f"task {name!r}", data) for file in task.files]
    return task, task.loader(*files)


@dataclass(frozen=True, slots=True)
class JudgementFile:
    """How to take a file of judgements of one's own as a task.

    `columns` maps our names to the file's. `level` None is the level of what was judged: whole
    systems, pairs, or single outputs. `dimension` may be None where only one was rated. With
    `missing="drop"`, ratings without a value are left out and counted. At pairwise level ratings
    on 0–100 that differ by `threshold` make pairs, where the file holds none.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    level: str | None = None
    dimension: str | None = None
    missing: Missing = "error"
    threshold: float = 25.0

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 100:
            raise ConfigError(f"the threshold lies between 0 and 100; got {self.threshold:g}")


def open_task(
    chosen: str | Path | Judgements, own: JudgementFile, *, data: str | Path | None = None
) -> tuple[EvaluationTask, Judgements]:
    """Return a named task, or one made of a file of judgements or of judgements at hand."""
    if isinstance(chosen, Judgements):
        return _own_task(chosen, own)
    if not isinstance(chosen, str | Path):
        raise ConfigError(
            f"judgements are a task's name, the name of a file, or Judgements; got "
            f"{type(chosen).__name__}: write the table to a file, e.g. ratings.csv, and give its "
            "name"
        )
    name = str(chosen)
    is_file = name == "-" or Path(name).suffix != "" or Path(name).exists()
    if is_file and name not in TASKS:
        return _own_task(read_judgements(name, own.columns, missing=own.missing), own)
    if own.columns or own.dimension:
        raise ConfigError(f"the task {name!r} has its own columns and dimension; choose none")
    return load_task(name, data=data)


def _own_task(judged: Judgements, own: JudgementFile) -> tuple[EvaluationTask, Judgements]:
    level = own.level or _level_of(judged)
    if level not in get_args(Level):
        raise ConfigError(f"level must be one of {', '.join(get_args(Level))}; got {level!r}")
    dimension = "" if level == "pairwise" else chosen_dimension(judged, own.dimension)
    if level == "pairwise" and not judged.preferences:
        rated = chosen_dimension(judged, own.dimension)
        judged = with_preferences(judged, rated, own.threshold)
    statistics = ("darr",) if level == "pairwise" else ("pearson",)
    task = EvaluationTask(
        judged.name, judged.name, cast(Level, level), dimension, statistics, (), lambda: judged
    )
    return task, judged


def _level_of(judgements: Judgements) -> str:
    if not judgements.ratings:
        return "pairwise"
    return "segment" if any(rating.item for rating in judgements.ratings) else "system"


def chosen_dimension(judgements: Judgements, dimension: str | None) -> str:
    """Return the dimension chosen, or the only one; InputError where there is a choice to make.

    A dimension that nobody rated is a ConfigError: the choice is wrong, not the data.
    """
    known = judgements.dimensions()
    if dimension is not None and dimension not in known:
        near, listed = did_you_mean(dimension, known), ", ".join(known) or "none"
        raise ConfigError(f"{judgements.name}: nobody rated {dimension!r}{near}; rated: {listed}")
    if dimension is not None:
        return dimension
    if not known:
        raise InputError(
            f"{judgements.name} holds better/worse pairs and no ratings; use --level pairwise"
        )
    if len(known) > 1:
        raise InputError(f"{judgements.name} rates {', '.join(known)}; choose one with --dimension")
    return known[0]


def is_there(task: EvaluationTask, *, data: str | Path | None = None) -> bool:
    """Tell whether all files of a task are in the data folder."""
    try:
        return all(data_file(file, task.name, data) for file in task.files)
    except (InputError, ConfigError):
        return False


_SUMMARY = ("spearman", "kendall", "pearson")
_OUTPUTS = "judgements/wmt19_to-en_outputs.jsonl.gz"
_SCORES = "judgements/wmt19_da_sys_to-en.tsv"


def _wmt(year: str, *notes: str) -> EvaluationTask:
    return EvaluationTask(
        f"wmt{year}",
        f"WMT{year} to English, segments, direct assessment",
        "segment",
        "da",
        ("pearson", "kendall"),
        (f"judgements/wmt{year}_segment_da.jsonl.gz",),
        wmt_segment,
        notes=notes,
    )


def _summeval(dimension: str) -> EvaluationTask:
    return EvaluationTask(
        f"summeval_{dimension}",
        f"SummEval, {dimension}",
        "summary",
        dimension,
        _SUMMARY,
        ("judgements/sum_summeval.jsonl.gz",),
        summaries,
    )


def _data_to_text(name: str, dimension: str) -> EvaluationTask:
    return EvaluationTask(
        f"{name.lower()}_{dimension}",
        f"{name}, {dimension}",
        "segment",
        dimension,
        ("spearman", "kendall", "pearson"),
        (f"judgements/d2t_{name.lower()}.jsonl.gz",),
        data_to_text,
        notes=("published numbers take the best reference",),
    )


_WMT17_NOTES = (
    "560 segments per pair are at hand; the paper counts 4,132 in all",
    "the text is lowercased and tokenised as released",
)
_TASKS = (
    _wmt("15"),
    _wmt("16"),
    _wmt("17", *_WMT17_NOTES),
    EvaluationTask(
        "mqm21",
        "WMT21 Chinese to English, segments, expert MQM scores",
        "segment",
        "mqm",
        ("pearson", "kendall"),
        ("judgements/mqm21_zh-en.jsonl.gz",),
        partial(wmt_segment, dimension="mqm"),
        notes=("one rater; the source texts are not at hand",),
    ),
    EvaluationTask(
        "mlqe",
        "MLQE-PE test to English, segments, direct assessment",
        "segment",
        "da",
        ("pearson", "kendall"),
        ("judgements/mlqe_segment_da.test.jsonl.gz",),
        wmt_segment,
        notes=(
            "the reference is the human post-edit of the rated output, closer to it than a free "
            "reference; the source texts are not at hand",
        ),
    ),
    EvaluationTask(
        "wmt19_system",
        "WMT19 to English, systems, direct assessment",
        "system",
        "da",
        ("pearson",),
        (_OUTPUTS, _SCORES),
        wmt_system,
    ),
    EvaluationTask(
        "wmt19_darr",
        "WMT19 Lithuanian to English, segments, better or worse (DARR)",
        "pairwise",
        "",
        ("darr",),
        (_OUTPUTS, "judgements/wmt19_darr_lt-en.jsonl.gz"),
        darr,
        notes=("other language pairs' preferences are not at hand in full",),
    ),
    EvaluationTask(
        "deen500",
        "WMT19 German to English, systems, the first 500 segments",
        "system",
        "da",
        ("pearson",),
        (_OUTPUTS, _SCORES),
        partial(wmt_system, group="de-en", first=500),
    ),
    *(_summeval(name) for name in ("coherence", "consistency", "fluency", "relevance")),
    EvaluationTask(
        "realsumm",
        "REALSumm, litePyramid recall",
        "summary",
        "litepyramid_recall",
        _SUMMARY,
        ("judgements/sum_realsumm.jsonl.gz",),
        summaries,
    ),
    EvaluationTask(
        "qags_cnn",
        "QAGS on CNN/DailyMail, factual consistency",
        "segment",
        "fact",
        ("pearson", "spearman", "kendall"),
        ("judgements/sum_qags_cnn.jsonl.gz",),
        qags,
        notes=("the reference is the source text",),
    ),
    *(
        _data_to_text(name, dimension)
        for name in ("BAGEL", "SFRES")
        for dimension in ("informativeness", "naturalness", "quality")
    ),
)
TASKS: Mapping[str, EvaluationTask] = MappingProxyType({task.name: task for task in _TASKS})
