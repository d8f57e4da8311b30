"""Scores of the suite's pairs that another tool wrote: by the ids of the pairs, or in their order.

A file is a table with `id` (or `item`, `segment`) and a column for each metric, what
`paraphrast score --segments` or comet-score writes, or plain lines with a number each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePath

from paraphrast.errors import ConfigError, InputError, did_you_mean
from paraphrast.io.fields import STDIN
from paraphrast.io.streams import open_source
from paraphrast.meta.alignment import Scores
from paraphrast.meta.file_rows import StrPath, lines_of
from paraphrast.meta.foreign_scores import LEVELS
from paraphrast.meta.score_files import read_scores
from paraphrast.meta.stress.edge_cases import edge_cases
from paraphrast.meta.stress.suite import stress_pairs

_TEXTS = ("text1", "text2")  # columns of the exported pairs, which a file of scores may carry along
_TABLES = (".jsonl", ".ndjson", ".json", ".tsv", ".csv", ".parquet")
_COMET = "score: "  # in each line that comet-score prints
_UNNAMED = "score"
_HOW = "`paraphrast meta stress --pairs -o pairs.tsv` writes the pairs in their order"


@dataclass(frozen=True, slots=True)
class FilePairScores:
    """One metric of a file: the suite's values in its order, those of edge cases by their ids."""

    scores: Scores
    suite: list[float]
    edges: dict[str, float]


def read_pair_scores(
    paths: Sequence[StrPath], lower: Sequence[str], notes: list[str]
) -> list[FilePairScores]:
    """Read the scores of all files; each metric must have one for every pair of the suite.

    A column `score` goes by the name of its file. `lower` names metrics whose lower values are
    better.
    """
    found: dict[str, FilePairScores] = {}
    for path in paths:
        for scores in _file_scores(path, notes):
            if scores.metric in found:
                raise InputError(f"{path}: another file has scores by {scores.metric!r}, too")
            found[scores.metric] = _matched(scores, str(path))
    check_lower(lower, found)
    for name in lower:
        one = found[name]
        turned = Scores(name, one.scores.values, one.scores.signature, -1)
        found[name] = FilePairScores(turned, one.suite, one.edges)
    return list(found.values())


def check_lower(lower: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a name of `lower` that is not one of the metrics whose scores were given."""
    names = list(known)
    for name in lower:
        if name not in names:
            near, listed = did_you_mean(name, names), ", ".join(names) or "none"
            raise ConfigError(f"lower: no scores by {name!r}{near} were given; there are: {listed}")


def in_suite_order(values: Iterable[float], name: str) -> list[float]:
    """Return values given in Python, which must be as many as the pairs of the suite."""
    try:
        listed = [float(value) for value in values]
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: a number is needed for each pair; {error}") from error
    if len(listed) != len(stress_pairs()):
        raise InputError(f"{name}: {_count(len(listed))}")
    _check_numbers(dict(zip((pair.id for pair in stress_pairs()), listed, strict=True)), name)
    return listed


def _file_scores(path: StrPath, notes: list[str]) -> list[Scores]:
    stem = _stem(str(path))
    if _holds_lines(str(path)):
        return [Scores(stem, _lines(str(path), notes))]
    read, more = read_scores([path], passed_over=_TEXTS)
    notes += more
    if not read:
        raise InputError(f"{path}: no column of scores in it")
    return [
        Scores(stem, one.values, one.signature, one.sign) if one.metric == _UNNAMED else one
        for one in read
    ]


def _stem(path: str) -> str:
    if path == STDIN:
        return "standard input"
    name = PurePath(path).name.removesuffix(".gz")
    return Path(name).stem or name


def _holds_lines(path: str) -> bool:
    """Tell whether a file holds a number a line: it is no table, and nothing of comet-score's."""
    name = path.removesuffix(".gz")
    is_table = path == STDIN or name.endswith((*LEVELS, *_TABLES))
    if is_table:
        return False
    with open_source(path, []) as source:
        return not any(_COMET in line for _, line in islice(lines_of(source), 1))


def _lines(path: str, notes: list[str]) -> dict[tuple[str, str, str], float]:
    values = {}
    with open_source(path, notes) as source:
        for number, line in lines_of(source):
            try:
                values["", str(number), ""] = float(line)
            except ValueError as error:
                where = f"{source.label}, line {number}"
                raise InputError(f"{where}: a score is needed; got {line!r:.40}") from error
    return values


def _matched(scores: Scores, path: str) -> FilePairScores:
    """Give each pair its score: by its id, or by its number from 1."""
    where = f"{path}: {scores.metric}"
    if len({(group, system) for group, _, system in scores.values}) > 1:
        raise InputError(f"{where}: scores of several systems; give a file for each")
    by_item = {item: value for (_, item, _), value in scores.values.items()}
    ids = [pair.id for pair in stress_pairs()]
    every = [*ids, *(case.id for case in edge_cases())]
    if by_item and all(item.isdigit() for item in by_item):
        by_item = _by_number(by_item, ids, every, where)
    _check_ids(by_item, ids, every, where)
    _check_numbers({item: by_item[item] for item in ids}, where)
    edges = {item: by_item[item] for item in every[len(ids) :] if item in by_item}
    return FilePairScores(scores, [by_item[item] for item in ids], edges)


def _by_number(
    by_item: dict[str, float], ids: list[str], every: list[str], where: str
) -> dict[str, float]:
    """Return scores numbered from 1 by the ids of their pairs: of the suite, or of all."""
    chosen = every if len(by_item) == len(every) else ids
    if len(by_item) != len(chosen):
        raise InputError(f"{where}: {_count(len(by_item))}")
    numbers = [str(number) for number in range(1, len(chosen) + 1)]
    if missing := next((number for number in numbers if number not in by_item), ""):
        raise InputError(f"{where}: no score for row {missing}; rows are numbered from 1")
    return {name: by_item[number] for name, number in zip(chosen, numbers, strict=True)}


def _check_ids(by_item: dict[str, float], ids: list[str], every: list[str], where: str) -> None:
    known = set(every)
    for item in by_item:
        if item not in known:
            near = did_you_mean(item, every)
            raise InputError(f"{where}: the stress suite has no pair {item!r}{near}; {_HOW}")
    edges = every[len(ids) :]
    needed = every if any(item in by_item for item in edges) else ids
    missing = [item for item in needed if item not in by_item]
    if missing:
        more = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
        raise InputError(f"{where}: no score for {missing[0]}{more}; {_HOW}")


def _check_numbers(values: dict[str, float], where: str) -> None:
    for item, value in values.items():
        if not math.isfinite(value):
            raise InputError(f"{where}: the score of {item} is {value}, not a number")


def _count(count: int) -> str:
    scores = "1 score" if count == 1 else f"{count:,} scores"
    return f"{scores} for the {len(stress_pairs()):,} pairs of the stress suite; {_HOW}"
