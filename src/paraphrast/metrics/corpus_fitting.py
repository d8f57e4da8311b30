"""Metrics that must have seen a whole corpus before they score: one pass over its texts."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence

from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, Rows
from paraphrast.io.fields import STDIN, Value, label
from paraphrast.io.rows import chunks
from paraphrast.metrics.base import REFERENCES, Metric, Place

Texts = Callable[[], Iterable[Sequence[str]]]
"""Gives the references from their beginning, a piece at a time."""

_ROWS = 4096


def survey(
    metrics: Sequence[Metric],
    place: Place,
    references: Texts | None = None,
    notes: list[str] | None = None,
) -> tuple[Metric, ...]:
    """Return the metrics with what they had to know of a corpus; each corpus is read once.

    Without `references` the metrics that ask for those stay as they are. `notes` takes what was
    mended in files on the way.
    """
    wanted: dict[str, list[Metric]] = {}
    for metric in dict.fromkeys(metrics):
        corpus = metric.corpus()
        if corpus is not None and (corpus != REFERENCES or references is not None):
            wanted.setdefault(corpus, []).append(metric)
    found: dict[Metric, Metric] = {}
    for corpus, many in wanted.items():
        surveys = [metric.survey(place) for metric in many]
        given = references and references() if corpus == REFERENCES else _file(corpus, notes)
        for texts in given or ():
            for one in surveys:
                one.add(texts)
        found.update(zip(many, [one.done() for one in surveys], strict=True))
    return tuple(found.get(metric, metric) for metric in metrics)


def _file(spec: str, notes: list[str] | None) -> Iterator[list[str]]:
    rows = Rows([Field.parse(spec, role="reference")])
    empty = True
    for block in chunks(rows, _ROWS):
        texts = [text for (value,) in block for text in cell_texts(value)]
        empty = empty and not any(text.strip() for text in texts)
        yield texts
    if empty:
        raise InputError(f"{spec} holds no text to count")
    if notes is not None:
        notes += rows.notes


def field_texts(fields: Sequence[Field]) -> Texts:
    """Return what reads the references from files once more, apart from the scoring."""

    def read() -> Iterator[list[str]]:
        for block in chunks(Rows(fields), _ROWS):
            yield [text for row in block for value in row for text in cell_texts(value)]

    return read


def cell_texts(value: Value) -> list[str]:
    """Return the texts of a reference's cell: none if it is missing."""
    return [value] if isinstance(value, str) else value or []


def check_twice(metrics: Sequence[Metric], fields: Sequence[Field]) -> None:
    """Refuse references that can be read only once if a metric must see them before it scores."""
    names = [metric.name for metric in metrics if metric.corpus() == REFERENCES]
    for field in fields if names else ():
        if field.path == STDIN or _is_stream(field.path):
            raise ConfigError(
                f"{names[0]} with idf=references reads the references twice, and "
                f"{label(field.path)} can be read only once; save them to a file, or give "
                "idf=FILE with the texts to count"
            )


def _is_stream(path: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):  # the reader says it better
        return False
