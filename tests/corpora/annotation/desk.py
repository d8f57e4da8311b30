"""Small projects, a clock that tests turn, and scripted answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem
from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.corpora.annotation.work_desk import WorkItem
from paraphrast.text.words import WordText


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def pair(ident: str, text1: str = "One sells cars.", text2: str = "One buys cars.") -> PairItem:
    return PairItem(id=ident, text1=WordText.of(text1), text2=WordText.of(text2))


def pairs(count: int) -> list[PairItem]:
    return [pair(f"p{n:02}", f"One sells {n} cars.", f"One buys {n} cars.") for n in range(count)]


def make(
    path: Path,
    items: list[PairItem],
    *,
    clock: Clock | None = None,
    store: str | None = None,
    people: tuple[str, ...] = ("ana", "bo"),
    **rules: Any,
) -> AnnotationProject:
    """Make a project whose items all are shared by two, in the order given."""
    defaults = {"name": "desk", "task": "both", "shared": 1.0, "order": "file", "blind": 0.0}
    settings = ProjectSettings(**{**defaults, **rules})
    project = AnnotationProject.create(
        path / "desk", settings, items, store=store, clock=clock or Clock()
    )
    for name in people:
        project.accounts.add(OWNER, name, "annotator")
    project.accounts.add(OWNER, "ida", "adjudicator")
    return project


NEGATIVE = PairAnswer(label="negative", spans1=((1, 2),), spans2=((1, 2),))
POSITIVE = PairAnswer(label="positive")


def given(project: AnnotationProject, actor: str) -> WorkItem:
    """The next item, which must be there."""
    found = project.work.next(actor)
    assert found is not None
    return found


def answer(
    project: AnnotationProject, actor: str, answer: PairAnswer = NEGATIVE, **rest: Any
) -> WorkItem:
    """Hand in an answer to the next item."""
    item = given(project, actor)
    return hand_in(project, actor, item, answer, **rest)


def hand_in(
    project: AnnotationProject,
    actor: str,
    item: WorkItem,
    answer: PairAnswer = NEGATIVE,
    *,
    seconds: float = 5.0,
) -> WorkItem:
    return project.work.submit(
        actor,
        item.pair.id,
        answer,
        version=item.version,
        guideline=item.guideline,
        seconds=seconds,
    )


def answer_all(project: AnnotationProject, actor: str, answer: PairAnswer = NEGATIVE) -> int:
    """Hand in the same answer until nothing is left; return how often."""
    count = 0
    while (item := project.work.next(actor)) is not None:
        hand_in(project, actor, item, answer)
        count += 1
    return count
