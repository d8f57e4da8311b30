"""The work behind "Score files": score what was uploaded, find the worst segments, mark them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast import _version
from paraphrast.errors import InputError
from paraphrast.io import Field, Rows, write_table
from paraphrast.jobs.scoring.score_options import CompareOptions, Options, ScoreOptions
from paraphrast.jobs.scoring.scored_files import Inputs, expected_segments, score_files
from paraphrast.jobs.tag import tag
from paraphrast.results import Comparison
from paraphrast.web.pages.job_page import DownloadFile, JobResult
from paraphrast.web.pages.marked_words import TextPiece, text_pieces
from paraphrast.web.pages.uploads import UploadFolder
from paraphrast.web.queueing.long_jobs import LongJob
from paraphrast.web.queueing.model_states import installed

_WORST = 12  # segments that are shown of each system
_MOST_SHOWN = 2000  # characters of a text in the list of the worst
_TYPES = {
    "json": "application/json",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "html": "text/html; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class ScoreFilesRequest:
    """Uploaded columns, what to score them with, and where models run."""

    inputs: Inputs
    folder: UploadFolder
    metrics: tuple[str, ...]
    test: str
    place: Mapping[str, Any]

    def options(self) -> Options:
        """Return the options of `score` for one system, of `compare` for several."""
        shared: dict[str, Any] = {"metrics": self.metrics or None, "segments": True, **self.place}
        if len(self.inputs.candidates) > 1:
            return CompareOptions(test=self.test, **shared)
        return ScoreOptions(ci=True, **shared)

    def run(self, job: LongJob) -> JobResult:
        """Score, and say in errors what the sender called the files."""
        try:
            job.total = expected_segments(self.inputs)
            found = score_files(self.inputs, options=self.options(), progress=job.advance)
            worst = _worst(self.inputs, found, self.place)
        except InputError as error:
            raise InputError(self.folder.named(str(error))) from error
        values = {"table": found.table(), "notes": _notes(self, found), "worst": worst}
        return JobResult("scores.html", values, _downloads(found))


def _notes(request: ScoreFilesRequest, found: Comparison) -> list[str]:
    return [request.folder.named(note) for note in found.table().notes]


@dataclass(frozen=True, slots=True)
class WorstSegment:
    """A segment with a poor value, and both texts with their words marked."""

    number: int
    value: float
    sides: tuple[tuple[str, list[TextPiece]], ...]


def _worst(
    inputs: Inputs, found: Comparison, place: Mapping[str, Any]
) -> list[tuple[str, str, list[WorstSegment]]]:
    """Return for each system the metric that sorts and its worst segments."""
    against = inputs.references[0] if inputs.references else inputs.source
    title = "Reference" if inputs.references else "Source"
    result = []
    for name, report in found.systems.items():
        score = report.scores[0]
        values = report.values_of(0)
        order = np.argsort(-values if score.better == "lower" else values, kind="stable")
        chosen = [int(at) for at in order if np.isfinite(values[at])][:_WORST]
        texts = _texts_of(inputs.candidates[name][0], against, chosen)
        sides = _marked([texts[at] for at in chosen], title, place)
        rows = [
            WorstSegment(at + 1, float(values[at]), side)
            for at, side in zip(chosen, sides, strict=True)
        ]
        result.append((name, score.metric, rows))
    return result


def _texts_of(
    candidates: Field, against: Field | None, chosen: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Read the texts of some segments again: candidate, and its first reference or its source."""
    wanted, found = set(chosen), dict[int, tuple[str, str]]()
    for at, values in enumerate(Rows([candidates, *([against] if against else [])])):
        if at in wanted:
            texts = [one if isinstance(one, str) else next(iter(one or ()), "") for one in values]
            mine, other = texts[0], texts[1] if against else ""
            found[at] = (mine[:_MOST_SHOWN], other[:_MOST_SHOWN])
    return found


def _marked(
    pairs: Sequence[tuple[str, str]], title: str, place: Mapping[str, Any]
) -> list[tuple[tuple[str, list[TextPiece]], ...]]:
    """Mark the words that differ, where the encoder is installed and there is a second text."""
    if not pairs or "mini" not in installed("encoder") or not any(other for _, other in pairs):
        plain = [((title, other), ("Candidate", mine)) for mine, other in pairs]
        return [tuple((name, [TextPiece(text)]) for name, text in sides if text) for sides in plain]
    tagged = tag([(other, mine) for mine, other in pairs], **place)
    return [
        (
            (title, text_pieces(other, pair.a.to_dict(), "The candidate")),
            ("Candidate", text_pieces(mine, pair.b.to_dict(), f"The {title.lower()}")),
        )
        for (mine, other), pair in zip(pairs, tagged, strict=True)
    ]


def _downloads(found: Comparison) -> dict[str, DownloadFile]:
    """Return the forms in which the result and its segments can be had."""
    files = {
        "scores.json": DownloadFile(_TYPES["json"], lambda: found.to_json().encode()),
        "scores.html": DownloadFile(
            _TYPES["html"], lambda: found.table().page(version=_version.VERSION).encode()
        ),
    }
    for form in ("tsv", "csv", "parquet"):
        files[f"scores.{form}"] = _table(form, lambda: found.rows())
        files[f"segments.{form}"] = _table(form, lambda: found.segment_rows())
    return files


def _table(form: str, rows: Any) -> DownloadFile:
    def content() -> bytes:
        with tempfile.TemporaryDirectory(prefix="paraphrast-serve-") as folder:
            path = Path(folder) / f"table.{form}"
            write_table(path, rows(), safe_cells=True)
            return path.read_bytes()

    return DownloadFile(_TYPES[form], content)
