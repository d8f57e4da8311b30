"""Scores in files: tables of any tool, and what other tools write as it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from paraphrast.errors import ConfigError, InputError, did_you_mean
from paraphrast.meta.alignment import Scores
from paraphrast.meta.file_rows import FileRow, StrPath, read_rows
from paraphrast.meta.foreign_scores import ScoreColumns, read_foreign, read_report_signatures
from paraphrast.meta.judgements import Judgements

_NAMES = {"group": ("group", "lp"), "item": ("item", "segment", "sid", "id"), "system": ("system",)}
# columns of `score -f tsv` and of texts that a table of scores may carry along
_PASSED_OVER = frozenset({"ci_low", "ci_high", "segments"})


def read_scores(
    paths: Sequence[StrPath],
    *,
    metrics: Collection[str] = (),
    lower: Collection[str] = (),
    signatures: StrPath | None = None,
    passed_over: Collection[str] = (),
) -> tuple[list[Scores], list[str]]:
    """Read the scores of all files, and notes on what was left out.

    A wide table (JSONL, TSV, CSV or Parquet) has columns `item` (or `segment`), `system` and
    `group` where there are any, and one column per metric; `paraphrast score --segments` writes
    one. A long table has columns `metric`, `score` and perhaps `signature` instead. Files of
    comet-score, sacrebleu and mt-metrics-eval are read as they are.

    `metrics` names those to judge; without it, parts of a metric (`bleu.bp` beside `bleu`) are
    left out. `lower` names metrics whose lower values are better. `signatures` is a report of
    `paraphrast score -f json`, for tables that carry none. `passed_over` names columns of a wide
    table that are no metrics.
    """
    columns = ScoreColumns()
    for path in paths:
        if not read_foreign(str(path), columns):
            _read_table(path, columns, passed_over)
    listed = ", ".join(map(str, paths))
    for name in (*metrics, *lower):
        if name not in columns.values:
            near, known = did_you_mean(name, columns.values), ", ".join(columns.values)
            raise ConfigError(f"{listed}: no metric {name!r}{near} in it; it has: {known}")
    if signatures is not None:
        columns.signatures |= read_report_signatures(str(signatures))
    kept, notes = _judged(list(columns.values), metrics)
    found = [
        Scores(name, columns.values[name], columns.signatures.get(name, ""), _sign(name, lower))
        for name in kept
    ]
    return found, [*columns.notes, *notes]


def _sign(name: str, lower: Collection[str]) -> int:
    return -1 if name in lower else 1


def _judged(names: list[str], chosen: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the metrics to judge: those chosen, or all that are not a part of another."""
    if chosen:
        return list(dict.fromkeys(chosen)), []
    parts = [name for name in names if _is_part(name, names)]
    if not parts:
        return names, []
    shown = ", ".join(parts[:3]) + (", …" if len(parts) > 3 else "")
    note = f"parts of metrics, left out: {len(parts)} ({shown}); judge one with -m {parts[0]}"
    return [name for name in names if name not in parts], [note]


def _is_part(name: str, names: list[str]) -> bool:
    whole, dot, _ = name.rpartition(".")
    return bool(dot) and whole in names


def _read_table(path: StrPath, into: ScoreColumns, passed_over: Collection[str]) -> None:
    rows = read_rows(path, into.notes)
    columns = list(dict.fromkeys(name for row in rows for name in row.cells))
    found = {kind: next((n for n in names if n in columns), "") for kind, names in _NAMES.items()}
    if not found["item"] and not found["system"]:
        raise InputError(f"{path}: no column 'item' or 'system' says what was scored")
    keys = {name for name in found.values() if name}
    is_long = {"metric", "score"} <= set(columns)
    others = keys | _PASSED_OVER | {*passed_over}
    metrics = [] if is_long else [name for name in columns if name not in others]
    for row in rows:
        key = (_name(row, found["group"]), _name(row, found["item"]), _name(row, found["system"]))
        if is_long:
            name = row.named("metric")
            into.add(name, key, row.number("score"), row.where)
            into.sign(name, row.name("signature") if "signature" in columns else "", row.where)
        for metric in metrics:
            into.add(metric, key, row.number(metric), row.where)


def _name(row: FileRow, column: str) -> str:
    return row.name(column) if column else ""


def with_systems_of(
    scores: Sequence[Scores], judgements: Judgements
) -> tuple[list[Scores], list[str]]:
    """Bring the names of a single system into line, where only one side names it.

    Ratings of one system's outputs often do not name it, while tools name it after its file.
    """
    keys = {rating.key for rating in judgements.ratings}
    judged = {system for _, _, system in keys}
    scored = {system for one in scores for _, _, system in one.values}
    if len(judged) != 1 or len(scored) != 1 or judged == scored or "" not in judged | scored:
        return list(scores), []
    (name,) = judged
    note = f"the scores' system {next(iter(scored))!r} is taken for the one that was rated"
    renamed = [
        replace(one, values={(key[0], key[1], name): value for key, value in one.values.items()})
        for one in scores
    ]
    return renamed, [note] if "" in judged else []
