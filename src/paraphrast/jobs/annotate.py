"""The annotation desk from outside: the functions behind `paraphrast annotate`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paraphrast.corpora.annotation.project_settings import TYPOLOGY, ProjectSettings
from paraphrast.errors import ConfigError, InputError, MissingExtra, did_you_mean
from paraphrast.io import atomic_writer, write_table
from paraphrast.io.fields import STDIN
from paraphrast.jobs.tag import Tagger
from paraphrast.meaning.judge import Judge
from paraphrast.meta.file_rows import read_rows

try:
    from paraphrast.corpora.annotation.exchange import (
        answer_rows,
        doccano,
        label_studio,
        log_file,
        own_layouts,
    )
    from paraphrast.corpora.annotation.pair_item import PairAnswer, ranges_of
    from paraphrast.corpora.annotation.pair_shelf import Added
    from paraphrast.corpora.annotation.pair_source import SourceRow, read_items
    from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
except ModuleNotFoundError as error:
    if error.name not in ("sqlalchemy", "alembic", "argon2"):
        raise
    raise MissingExtra("annotate", error.name) from error

if TYPE_CHECKING:
    from paraphrast.corpora.annotation.exchange.answer_import import Imported
    from paraphrast.corpora.annotation.exchange.answer_rows import ForeignAnswer
    from paraphrast.corpora.annotation.store.records import ItemRecord
    from paraphrast.meaning.tagged_pair import TaggedPair

__all__ = [
    "IMPORTS",
    "LAYOUTS",
    "OWNER",
    "AnnotationProject",
    "add_pairs",
    "export_annotations",
    "import_annotations",
    "init_annotation",
    "read_settings",
    "restore_annotations",
    "suggest_answers",
]

LAYOUTS = ("log", "answers", "labels", "pairs", "tags", "ratings", "label-studio", "doccano")
IMPORTS = ("answers", "label-studio", "doccano")

_TAGGER = "tagger"


def read_settings(path: str) -> dict[str, Any]:
    """Read a project's rules from a TOML file; `edits = "suzuki"` stands for their Table 3."""
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    if table.get("edits") == "suzuki":
        table["edits"] = list(TYPOLOGY)
    return table


def init_annotation(
    folder: str,
    pairs: str,
    *,
    rules: Mapping[str, Any],
    store: str | None = None,
    notes: list[str] | None = None,
) -> int:
    """Make a project of a table of pairs and return how many there are.

    `rules` are fields of `ProjectSettings`; the project's name is the folder's unless given.
    """
    settings = ProjectSettings.from_dict({"name": Path(folder).resolve().name, **rules})
    rows = list(read_items(pairs, settings, notes=notes))
    made = AnnotationProject.create(folder, settings, [row.pair for row in rows], store=store)
    with made:
        _suggest_tags(made, rows, settings)
    return len(rows)


def add_pairs(
    folder: str, pairs: str, *, revise: bool = False, notes: list[str] | None = None
) -> Added:
    """Add the pairs of a table to a project; see `PairShelf.add`."""
    with AnnotationProject.open(folder) as project:
        rows = list(read_items(pairs, project.settings, notes=notes))
        added = project.pairs.add(OWNER, [row.pair for row in rows], revise=revise)
        _suggest_tags(project, rows, project.settings)
    return added


def suggest_answers(
    folder: str,
    *,
    model: str = "mini",
    threads: int | None = None,
    device: str = "cpu",
    progress: Callable[[int], None] | None = None,
) -> list[str]:
    """Let a model suggest answers, put the items into the project's order, and return notes.

    For spans the tagger suggests, for labels (where they have "positive" and "negative") the judge.
    """
    place: dict[str, Any] = {"threads": threads, "device": device}
    with AnnotationProject.open(folder) as project:
        settings, items = project.settings, project.pairs.all(OWNER)
        if settings.takes_rating:
            raise ConfigError("no model suggests ratings; this project's task is rating")
        texts = [(one.pair.text1, one.pair.text2) for one in items]
        if settings.takes_label:
            if not {"positive", "negative"} <= {*settings.label_names}:
                raise ConfigError("the judge suggests 'positive' and 'negative' only")
            judge = Judge.load(model, **place)
            verdicts = judge.judge(texts, advance=progress)
            labels = ["positive" if one.same else "negative" for one in verdicts]
            sure = [one.confidence for one in verdicts]
            tagged = [one.tags for one in verdicts]
            notes, source = judge.notes(), "judge"
        else:
            tagger = Tagger.load(model, **place)
            tagged, labels = tagger.tag(texts, progress), [None] * len(texts)  # type: ignore[list-item]
            sure = [_sureness(one) for one in tagged]
            notes, source = tagger.notes(), _TAGGER
        answers = [
            _suggestion(pair, label, spans=settings.takes_spans)
            for pair, label in zip(tagged, labels, strict=True)
        ]
        ids = [one.pair.id for one in items]
        project.pairs.suggest(
            OWNER,
            source,
            model,
            dict(zip(ids, answers, strict=True)),
            dict(zip(ids, sure, strict=True)),
        )
        if settings.order in ("no tags first", "least sure"):
            project.pairs.order(OWNER, _ordered(items, tagged, sure, settings.order))
    return notes


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


def _suggest_tags(
    project: AnnotationProject, rows: Sequence[SourceRow], settings: ProjectSettings
) -> None:
    """Keep the tags that came with the pairs as suggestions, and order by them if asked to."""
    tagged = {row.pair.id: row.tagged for row in rows if row.tagged is not None}
    if not tagged:
        return
    project.pairs.suggest(OWNER, _TAGGER, "as in the file", tagged)
    if settings.order == "no tags first":
        items = project.pairs.all(OWNER)
        project.pairs.order(
            OWNER,
            [one.pair.id for one in sorted(items, key=lambda one: _words(tagged.get(one.pair.id)))],
        )


def _words(answer: PairAnswer | None) -> float:
    spans = (*answer.spans1, *answer.spans2) if answer else ()
    return sum(last - first for first, last in spans) if answer else float("inf")


def _suggestion(tagged: TaggedPair, label: str | None, *, spans: bool) -> PairAnswer:
    found = PairAnswer(label=label)
    if not spans:
        return found
    return replace(found, spans1=ranges_of(tagged.a.tags), spans2=ranges_of(tagged.b.tags))


def _sureness(tagged: TaggedPair) -> float:
    """Return how sure the tagger is of its least sure word: 0 if it might as well toss a coin."""
    chances = (*tagged.a.probabilities, *tagged.b.probabilities)
    return min((abs(2 * chance - 1) for chance in chances), default=1.0)


def _ordered(
    items: Sequence[ItemRecord],
    tagged: Sequence[TaggedPair],
    sure: Sequence[float],
    order: str,
) -> list[str]:
    """Order items: pairs without tags first (ParaTag §4.3), or those the model is least sure of."""
    marks = [sum(one.a.tags) + sum(one.b.tags) for one in tagged]
    keys = marks if order == "no tags first" else sure
    ranked = sorted(zip(keys, (one.rank for one in items), items, strict=True), key=lambda r: r[:2])
    return [item.pair.id for _, _, item in ranked]


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
