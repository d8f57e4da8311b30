"""Annotations out of a project and into one, in every layout."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from paraphrast.corpora.annotation.exchange import (
    answer_rows,
    doccano,
    label_studio,
    log_file,
    own_layouts,
)
from paraphrast.corpora.annotation.exchange.answer_import import Imported
from paraphrast.corpora.annotation.exchange.answer_rows import ForeignAnswer
from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from paraphrast.errors import ConfigError, InputError, did_you_mean
from paraphrast.io import atomic_writer, write_table
from paraphrast.io.fields import STDIN
from paraphrast.meta.file_rows import read_rows

LAYOUTS = ("log", "answers", "labels", "pairs", "tags", "ratings", "label-studio", "doccano")
IMPORTS = ("answers", "label-studio", "doccano")


def export_annotations(
    folder: str, output: str | None, layout: str, *, format: str | None = None
) -> int:
    """Write a project in a layout and return the number of rows; None is standard output."""
    _check_layout(layout, LAYOUTS)
    with AnnotationProject.open(folder) as project:
        if layout == "log":
            return write_table(output, log_file.log_rows(project.events(OWNER)), format="jsonl")
        outcomes, settings = project.outcomes(OWNER), project.settings
    if layout == "label-studio":
        tasks = list(label_studio.label_studio_tasks(outcomes))
        _write_tasks(tasks, label_studio.configuration(settings), output)
        return len(tasks)
    if layout == "doccano":
        return write_table(output, doccano.doccano_rows(outcomes, settings), format="jsonl")
    rows = {
        "answers": answer_rows.answer_rows,
        "labels": own_layouts.label_rows,
        "pairs": own_layouts.pair_rows,
        "tags": own_layouts.tag_layout_rows,
        "ratings": own_layouts.rating_rows,
    }[layout]
    return write_table(output, rows(outcomes), format=format)


def restore_annotations(
    folder: str, path: str, *, store: str | None = None, notes: list[str] | None = None
) -> int:
    """Make a project from an exported log and return the number of events."""
    events = log_file.read_log(path, [] if notes is None else notes)
    AnnotationProject.restore(folder, events, store=store).close()
    return len(events)


def import_annotations(
    folder: str,
    path: str,
    layout: str,
    *,
    annotator: str | None = None,
    notes: list[str] | None = None,
) -> Imported:
    """Add the answers of a file to a project, all or none; `annotator` is whose they are."""
    _check_layout(layout, IMPORTS)
    notes = [] if notes is None else notes
    with AnnotationProject.open(folder) as project:
        pairs = {one.pair.id: one.pair for one in project.pairs.all(OWNER)}
        found: Iterator[ForeignAnswer]
        if layout == "label-studio":
            found = label_studio.read_label_studio(_tasks(path), path, pairs, annotator)
        elif layout == "doccano":
            found = doccano.read_doccano(read_rows(path, notes), pairs, annotator)
        else:
            found = answer_rows.read_answers(read_rows(path, notes), pairs, annotator)
        return project.import_answers(OWNER, found, via=layout)


def _write_tasks(tasks: Sequence[object], configuration: str, output: str | None) -> None:
    if output is None or output == STDIN:
        raise ConfigError("Label Studio's tasks need a file: add -o FILE.json")
    with atomic_writer(output) as file:
        json.dump(tasks, file, ensure_ascii=False, indent=1)
        file.write("\n")
    with atomic_writer(Path(output).with_suffix(".xml")) as file:
        file.write(configuration)


def _tasks(path: str) -> object:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"cannot read {path}: {error}") from error


def _check_layout(layout: str, known: tuple[str, ...]) -> None:
    if layout not in known:
        near = did_you_mean(layout, known)
        raise ConfigError(f"the layout is one of {', '.join(known)}; got {layout!r}{near}")
