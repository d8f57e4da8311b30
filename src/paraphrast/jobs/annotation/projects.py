"""Make projects, add pairs, let models suggest: behind `paraphrast annotate`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from paraphrast.corpora.annotation.pair_item import PairAnswer, ranges_of
from paraphrast.corpora.annotation.pair_shelf import Added
from paraphrast.corpora.annotation.pair_source import SourceRow, read_items
from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from paraphrast.corpora.annotation.project_settings import TYPOLOGY, ProjectSettings
from paraphrast.corpora.annotation.store.records import ItemRecord
from paraphrast.errors import ConfigError, InputError
from paraphrast.jobs.tag import Tagger
from paraphrast.meaning.judge import Judge
from paraphrast.meaning.tagged_pair import TaggedPair

__all__ = [
    "OWNER",
    "AnnotationProject",
    "add_pairs",
    "init_annotation",
    "read_settings",
    "suggest_answers",
]

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
