"""The queue, merging, and the last word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from paraphrast.corpora.annotation.pair_item import PairAnswer
from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from paraphrast.corpora.annotation.refusals import AnswerLocked, NotAllowed, StaleAnswer
from tests.corpora.annotation.desk import POSITIVE, answer, make, pairs

# of "One sells 0 cars." and "One buys 0 cars."
ONE = PairAnswer(label="negative", spans1=((1, 2),), spans2=((1, 2),))
NEAR = PairAnswer(label="negative", spans1=((1, 2),), spans2=((1, 3),))  # F1 of spans 1/2
FAR = PairAnswer(label="negative", spans1=((0, 1),), spans2=((3, 4),))  # F1 0


@pytest.fixture
def project(tmp_path: Path) -> Iterator[AnnotationProject]:
    """Four pairs: equal answers, close spans, spans far apart, unlike labels and spans."""
    with make(tmp_path, pairs(5)) as made:
        for first, second in ((ONE, ONE), (ONE, NEAR), (ONE, FAR), (FAR, POSITIVE)):
            answer(made, "ana", first)
            answer(made, "bo", second)
        answer(made, "ana", ONE)  # the last one is not complete
        yield made


def test_the_queue_begins_with_what_is_disagreed_on_most(project: AnnotationProject) -> None:
    queue = project.adjudication.queue("ida")
    assert [one.item for one in queue] == ["p03", "p02"]
    assert [one.disagreement for one in queue] == [1.0, 0.5]


def test_what_agrees_is_merged_and_the_rest_waits(project: AnnotationProject) -> None:
    merged = project.adjudication.merge("ida")
    assert (merged.agreed, merged.drawn) == (1, 1)
    outcomes = {one.record.pair.id: one for one in project.outcomes(OWNER)}
    assert outcomes["p00"].answer == ONE
    assert outcomes["p01"].answer in (ONE, NEAR)
    decision = outcomes["p01"].decision
    assert decision is not None
    assert (decision.method, decision.by) == ("drawn", "")
    assert [outcomes[name].answer for name in ("p02", "p03", "p04")] == [None] * 3
    again = project.adjudication.merge("ida")
    assert (again.agreed, again.drawn) == (0, 0)


def test_the_filter_is_the_projects(tmp_path: Path) -> None:
    with make(tmp_path, pairs(1), adjudicate_below=0.6) as project:
        answer(project, "ana", ONE)
        answer(project, "bo", NEAR)
        assert project.adjudication.merge("ida").drawn == 0
        assert [one.item for one in project.adjudication.queue("ida")] == ["p00"]


def test_a_decision_is_the_last_word(project: AnnotationProject) -> None:
    case = project.adjudication.case("ida", "p03")
    assert [one.annotator for one in case.answers] == ["ana", "bo"]
    adopted = {"label": "ana", "spans1": "ana"}
    decision = project.adjudication.decide(
        "ida", "p03", ONE, version=case.version, note="selling", adopted=adopted
    )
    assert (decision.by, decision.note, decision.adopted) == ("ida", "selling", adopted)
    assert [one.item for one in project.adjudication.queue("ida")] == ["p02"]
    with pytest.raises(AnswerLocked, match="decided"):
        project.work.undo("bo")
    project.adjudication.reopen("ida", "p03", "too fast")
    assert len(project.adjudication.queue("ida")) == 2
    assert project.work.undo("bo").state == "open"


def test_of_two_adjudicators_the_later_is_told(project: AnnotationProject) -> None:
    project.accounts.add(OWNER, "jo", "adjudicator")
    project.adjudication.decide("ida", "p03", ONE, version=0)
    with pytest.raises(StaleAnswer, match="meanwhile"):
        project.adjudication.decide("jo", "p03", FAR, version=0)


def test_answers_are_shown_when_all_are_in(project: AnnotationProject) -> None:
    with pytest.raises(NotAllowed, match="1 of 2"):
        project.adjudication.case("ida", "p04")


def test_a_flag_brings_an_item_before_an_adjudicator(tmp_path: Path) -> None:
    with make(tmp_path, pairs(1), annotators=1) as project:
        project.work.flag("ana", answer(project, "ana").pair.id, "is this Dutch?")
        [entry] = project.adjudication.queue("ida")
        assert (entry.disagreement, entry.flags) == (0.0, {"ana": "is this Dutch?"})
        assert project.adjudication.merge("ida").agreed == 0


@pytest.mark.parametrize(("gap", "waits"), [(10.0, 0), (10.5, 1)])
def test_ratings_far_apart_wait(tmp_path: Path, gap: float, waits: int) -> None:
    with make(tmp_path, pairs(1), task="rating") as project:
        answer(project, "ana", PairAnswer(rating=50.0))
        answer(project, "bo", PairAnswer(rating=50.0 + gap))
        assert len(project.adjudication.queue("ida")) == waits
