"""What other tools write as it is: comet-score, sacrebleu, mt-metrics-eval; and our own reports.

Segments without a name are numbered from 1 in the order of the file, as `paraphrast score` does.
Systems are named after their file, without its folder and `.txt`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from paraphrast.errors import InputError
from paraphrast.io.fields import STDIN
from paraphrast.io.streams import open_source
from paraphrast.meta.file_rows import lines_of
from paraphrast.meta.judgements import Key, describe

LEVELS = (".seg.score", ".sys.score")
_COMET = re.compile(r"(?:(?P<system>.*)\t)?Segment (?P<number>\d+)\tscore: (?P<score>\S+)(?:\t.*)?")
_COMET_TOTAL = re.compile(r"(?:.*\t)?(?:System )?score: \S+")
_COMET_TEXTS = frozenset({"src", "mt", "ref", "errors", "variance"})


@dataclass(slots=True)
class ScoreColumns:
    """Scores by metric and output as files are read, and the signatures that came with them."""

    values: dict[str, dict[Key, float]] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, metric: str, key: Key, value: float, where: str) -> None:
        """Take a score; a second one of the same output is an error."""
        known = self.values.setdefault(metric, {})
        if key in known:
            raise InputError(f"{where}: a second score by {metric!r} for {describe(key)}")
        known[key] = value

    def sign(self, metric: str, signature: str, where: str) -> None:
        """Take a metric's signature; one that differs from an earlier one is an error."""
        if signature and self.signatures.setdefault(metric, signature) != signature:
            raise InputError(
                f"{where}: {metric!r} has two signatures, so its scores cannot be compared"
            )


def read_foreign(path: str, into: ScoreColumns) -> bool:
    """Read a file that is no table of ours; return False, with nothing read, if it is one."""
    name = PurePath(path).name.removesuffix(".gz")
    if name.endswith(LEVELS):
        for key, value, where in mt_metrics_eval(path, into.notes):
            if not math.isnan(value):
                into.add(metric_of_file(name), key, value, where)
        return True
    if name.endswith(".json"):
        return _json(path, into)
    if path == STDIN or name.endswith((".parquet", ".jsonl", ".ndjson", ".csv")):
        return False
    return _comet_lines(path, into)


def metric_of_file(name: str) -> str:
    """Return the name before `.seg.score` or `.sys.score`, less a language pair: `de-en.mqm…`."""
    stem = next(name.removesuffix(level) for level in LEVELS if name.endswith(level))
    return re.sub(r"^[a-z]{2,3}-[a-z]{2,3}\.", "", stem)


def mt_metrics_eval(path: str, notes: list[str]) -> Iterator[tuple[Key, float, str]]:
    """Yield the scores of a `.seg.score` or `.sys.score` file: a system and a score per line.

    Lines of one system are its segments in order. `None` is NaN: not scored.
    """
    singly = PurePath(path).name.removesuffix(".gz").endswith(".seg.score")
    counts: dict[str, int] = {}
    with open_source(path, notes) as source:
        for number, line in lines_of(source):
            if not line.strip():
                continue
            where, cells = f"{source.label}, line {number}", line.split()
            if len(cells) < 2:
                raise InputError(f"{where}: a system and a score are needed; got {line!r:.40}")
            system, text = cells[:2]
            counts[system] = counts.get(system, 0) + 1
            value = math.nan if text == "None" else _number(text, where)
            yield ("", str(counts[system]) if singly else "", system), value, where


def _number(value: Any, where: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: a score is needed; got {value!r:.40}") from error


def _system(name: str) -> str:
    return PurePath(name).name.removesuffix(".txt")


def _comet_lines(path: str, into: ScoreColumns) -> bool:
    """Read what comet-score prints; its segments count from 0, ours from 1."""
    first, notes = True, list[str]()
    with open_source(path, notes) as source:
        for number, line in lines_of(source):
            found = _COMET.fullmatch(line)
            if first and not found:
                return False
            first = False
            where = f"{source.label}, line {number}"
            if found:
                key = ("", str(int(found["number"]) + 1), _system(found["system"] or ""))
                into.add("COMET", key, _number(found["score"], where), where)
            elif line.strip() and not _COMET_TOTAL.fullmatch(line):
                raise InputError(f"{where}: no line of comet-score: {line!r:.40}")
    into.notes += notes
    return not first


def _json(path: str, into: ScoreColumns) -> bool:
    """Read one JSON value by its shape; False for JSON lines, which are a table."""
    notes: list[str] = []
    value = _whole(path, notes)
    match value:
        case {"scores": list(), **_others} | {"systems": dict(), **_others}:
            _our_report(value, path, into)
        case {"name": str(), "score": _, **_others}:
            _sacrebleu([value], path, into)
        case [{"name": str(), "score": _, **_others}, *_]:
            _sacrebleu(value, path, into)
        case [{"system": str(), **_others}, *_]:
            _sacrebleu_systems(value, path, into)
        case [{"mt": _, **_others}, *_]:
            _comet({"": value}, path, into)
        case dict() if value and all(_is_comet(many) for many in value.values()):
            _comet(value, path, into)
        case list():
            raise InputError(f"{path}: no layout of comet-score, sacrebleu or paraphrast score")
        case _:
            return False
    into.notes += notes
    return True


def _whole(path: str, notes: list[str]) -> Any:
    with open_source(path, notes) as source:
        text = "\n".join(line for _, line in lines_of(source))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_comet(many: object) -> bool:
    return isinstance(many, list) and all(isinstance(one, dict) and "mt" in one for one in many)


def _comet(systems: dict[str, Any], path: str, into: ScoreColumns) -> None:
    for system, segments in systems.items():
        for number, segment in enumerate(segments, 1):
            where = f"{path}, {system or 'segment'} {number}"
            scores = {
                name: value
                for name, value in segment.items()
                if name not in _COMET_TEXTS and isinstance(value, int | float)
            }
            if not scores:
                raise InputError(f"{where}: no score in it, such as 'COMET'")
            for metric, value in scores.items():
                into.add(metric, ("", str(number), _system(system)), float(value), where)


def _sacrebleu(metrics: list[Any], path: str, into: ScoreColumns) -> None:
    """Read one system's corpus scores: the system is the file's name."""
    system = PurePath(path).name.removesuffix(".gz").removesuffix(".json")
    for number, one in enumerate(metrics, 1):
        where = f"{path}, score {number}"
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise InputError(f"{where}: no score of sacrebleu")
        into.add(one["name"], ("", "", system), _number(one.get("score"), where), where)
        if signature := one.get("signature"):
            into.sign(one["name"], f"{one['name'].lower()}|{signature}", where)


def _sacrebleu_systems(systems: list[Any], path: str, into: ScoreColumns) -> None:
    """Read corpus scores of several systems; they carry no signatures."""
    for one in systems:
        where = f"{path}, system {one.get('system')!r}"
        for metric, value in one.items():
            if metric != "system":
                score = value.get("score") if isinstance(value, dict) else value
                into.add(metric, ("", "", _system(one["system"])), _number(score, where), where)


def _our_report(value: dict[str, Any], path: str, into: ScoreColumns) -> None:
    for system, report in value.get("systems", {"": value}).items():
        for score in report.get("scores", []):
            where = f"{path}, system {system!r}"
            into.add(score["metric"], ("", "", system), _number(score["score"], where), where)
            into.sign(score["metric"], score.get("signature", ""), where)


def read_report_signatures(path: str) -> dict[str, str]:
    """Return the signature of each metric in a report of `paraphrast score -f json`."""
    value = _whole(path, [])
    if not isinstance(value, dict) or not {"scores", "systems"} & value.keys():
        raise InputError(f"{path} is no report of `paraphrast score -f json`")
    columns = ScoreColumns()
    _our_report(value, path, columns)
    return columns.signatures
