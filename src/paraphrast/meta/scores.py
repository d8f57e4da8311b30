"""Scores that any tool wrote to a file, ready to be judged."""

from __future__ import annotations

from collections.abc import Collection

from paraphrast.errors import InputError
from paraphrast.meta.align import Scores
from paraphrast.meta.judgements import Key, describe
from paraphrast.meta.layouts import Row, StrPath, read_rows

_NAMES = {"group": ("group", "lp"), "item": ("item", "segment", "sid", "id"), "system": ("system",)}


def read_scores(path: StrPath, *, lower: Collection[str] = ()) -> list[Scores]:
    """Read a table of scores: JSONL, TSV, CSV or Parquet.

    Wide: columns `item` (or `segment`), `system` and `group` where there are any, and one column
    per metric; what `paraphrast score --segments` writes is such a table. Long: the same with
    columns `metric` and `score`. `lower` names the metrics whose lower values are better.
    """
    rows = read_rows(path, [])
    columns = list(dict.fromkeys(name for row in rows for name in row.cells))
    found = {kind: next((n for n in names if n in columns), "") for kind, names in _NAMES.items()}
    if not found["item"] and not found["system"]:
        raise InputError(f"{path}: no column 'item' or 'system' says what was scored")
    is_long = {"metric", "score"} <= set(columns)
    keys = {name for name in found.values() if name}
    metrics = [] if is_long else [name for name in columns if name not in keys]
    values: dict[str, dict[Key, float]] = {}
    for row in rows:
        key = (_name(row, found["group"]), _name(row, found["item"]), _name(row, found["system"]))
        for metric in [row.named("metric")] if is_long else metrics:
            _put(values.setdefault(metric, {}), key, row, "score" if is_long else metric, metric)
    unknown = set(lower) - set(values)
    if unknown:
        raise InputError(
            f"{path} has no metric {sorted(unknown)[0]!r}; it has: {', '.join(values)}"
        )
    return [Scores(name, found, "", -1 if name in lower else 1) for name, found in values.items()]


def _name(row: Row, column: str) -> str:
    return row.name(column) if column else ""


def _put(known: dict[Key, float], key: Key, row: Row, column: str, metric: str) -> None:
    if key in known:
        raise InputError(f"{row.where}: a second score by {metric!r} for {describe(key)}")
    known[key] = row.number(column)
