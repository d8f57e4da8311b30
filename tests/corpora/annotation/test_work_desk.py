"""What annotators can do, and what they cannot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem
from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from paraphrast.corpora.annotation.refusals import (
    AnnotationRefused,
    AnswerLocked,
    BadAnswer,
    GuidelineChanged,
    LeaseLost,
    NotAllowed,
    PairChanged,
    StaleAnswer,
)
from paraphrast.corpora.annotation.store import event_log as log
from tests.corpora.annotation.desk import (
    NEGATIVE,
    POSITIVE,
    Clock,
    answer,
    answer_all,
    given,
    hand_in,
    make,
    pair,
    pairs,
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def project(tmp_path: Path, clock: Clock, store: str | None) -> Iterator[AnnotationProject]:
    with make(tmp_path, pairs(3), clock=clock, store=store) as made:
        yield made


@pytest.fixture
def local(tmp_path: Path, clock: Clock) -> Iterator[AnnotationProject]:
    with make(tmp_path, pairs(3), clock=clock) as made:
        yield made


def _kinds(project: AnnotationProject) -> list[str]:
    return [event.kind for event in project.events(OWNER)]


def test_items_come_in_order_and_stay_until_they_are_answered(project: AnnotationProject) -> None:
    first = given(project, "ana")
    assert first.pair.id == "p00"
    assert given(project, "ana") == first
    hand_in(project, "ana", first)
    assert given(project, "ana").pair.id == "p01"
    assert answer_all(project, "ana") == 2
    assert project.work.next("ana") is None
    assert answer_all(project, "bo") == 3
    assert project.work.progress("ana").done == 3


def test_a_draft_is_kept(project: AnnotationProject) -> None:
    item = given(project, "ana")
    saved = project.work.save("ana", item.pair.id, POSITIVE, version=item.version, seconds=2)
    assert saved.version > item.version
    assert given(project, "ana").answer == POSITIVE
    assert project.work.progress("ana").done == 0


def test_of_two_tabs_the_later_is_told(project: AnnotationProject) -> None:
    one, other = given(project, "ana"), given(project, "ana")
    hand_in(project, "ana", one, POSITIVE)
    with pytest.raises(StaleAnswer, match="changed elsewhere"):
        hand_in(project, "ana", other, NEGATIVE)
    assert project.work.item("ana", one.pair.id).answer == POSITIVE


def test_undo_goes_back_over_items_and_removes_nothing(project: AnnotationProject) -> None:
    first = answer(project, "ana")
    second = given(project, "ana")
    project.work.skip("ana", second.pair.id, version=second.version)
    before = _kinds(project)
    assert project.work.undo("ana").state == "open"
    undone = project.work.undo("ana")
    assert (undone.pair.id, undone.state, undone.answer) == (first.pair.id, "open", None)
    with pytest.raises(AnnotationRefused, match="nothing to undo"):
        project.work.undo("ana")
    assert _kinds(project) == [*before, "undone", "undone"]
    hand_in(project, "ana", undone, POSITIVE)
    assert project.work.item("ana", first.pair.id).answer == POSITIVE


def test_a_skip_that_is_undone_gets_a_place_that_is_free(project: AnnotationProject) -> None:
    item = given(project, "ana")
    project.work.skip("ana", item.pair.id, version=item.version)
    assert given(project, "bo").pair.id == item.pair.id  # takes the first place
    project.work.undo("ana")
    assert given(project, "ana").pair.id == item.pair.id


def test_flags_and_comments(project: AnnotationProject) -> None:
    item = given(project, "ana")
    project.work.flag("ana", item.pair.id, "no sentence")
    told = project.work.comment("ana", item.pair.id, "a heading?")
    assert (told.flag, told.comments) == ("no sentence", ("a heading?",))
    assert project.adjudication.flags("ida")[0].reason == "no sentence"
    assert project.work.undo("ana").comments == ()
    assert project.work.undo("ana").flag is None
    with pytest.raises(BadAnswer):
        project.work.comment("ana", item.pair.id, "  ")


def test_nobody_reads_others_before_his_own_is_in(project: AnnotationProject) -> None:
    item = answer(project, "ana")
    with pytest.raises(NotAllowed, match="your own"):
        project.work.others("bo", item.pair.id)
    own = given(project, "bo")
    with pytest.raises(NotAllowed):
        project.adjudication.case("bo", item.pair.id)
    project.work.save("bo", own.pair.id, POSITIVE, version=own.version)
    with pytest.raises(NotAllowed, match="your own"):
        project.work.others("bo", item.pair.id)
    answer(project, "bo", POSITIVE)
    assert [one.annotator for one in project.work.others("bo", item.pair.id)] == ["ana"]


def test_who_has_seen_others_cannot_change_his_answer(project: AnnotationProject) -> None:
    answer(project, "ana")
    mine = answer(project, "bo", POSITIVE)
    project.work.others("bo", mine.pair.id)
    seen = project.work.item("bo", mine.pair.id)
    with pytest.raises(AnswerLocked, match="has seen"):
        hand_in(project, "bo", seen)
    with pytest.raises(AnswerLocked, match="has seen"):
        project.work.undo("bo")


def test_annotators_reach_no_door_of_others(local: AnnotationProject) -> None:
    item = answer(local, "ana")
    for refused in (
        lambda: local.adjudication.queue("ana"),
        lambda: local.adjudication.flags("ana"),
        lambda: local.adjudication.agreement("ana"),
        lambda: local.adjudication.merge("ana"),
        lambda: local.adjudication.decide("ana", item.pair.id, POSITIVE, version=0),
        lambda: local.accounts.all("ana"),
        lambda: local.pairs.all("ana"),
        lambda: local.outcomes("ana"),
        lambda: local.report("ana"),
        lambda: list(local.events("ana")),
        lambda: local.work.item("bo", item.pair.id),
        lambda: local.work.next("nobody"),
        lambda: local.work.next(OWNER),
    ):
        with pytest.raises(NotAllowed):
            refused()


def test_admins_who_can_export_all_do_not_annotate(local: AnnotationProject) -> None:
    local.accounts.add(OWNER, "di", "admin")
    answer(local, "ana")
    assert len(local.outcomes("di")) == 3
    with pytest.raises(NotAllowed, match="annotator or adjudicator"):
        local.work.next("di")
    assert local.record("ana").guideline == 1
    with pytest.raises(NotAllowed):
        local.record("nobody")


def test_the_store_is_its_owners_file(local: AnnotationProject) -> None:
    file = local.folder.path / "annotations.sqlite3"
    assert file.stat().st_mode & 0o077 == 0


def test_a_closed_account_does_nothing_more(local: AnnotationProject) -> None:
    given(local, "ana")
    local.accounts.close(OWNER, "ana")
    with pytest.raises(NotAllowed, match="closed"):
        local.work.next("ana")


def test_a_place_whose_time_ran_out_goes_to_another(
    tmp_path: Path, clock: Clock, store: str | None
) -> None:
    with make(tmp_path, pairs(1), clock=clock, store=store, annotators=1) as project:
        item = given(project, "ana")
        assert project.work.next("bo") is None
        clock.now += 31 * 60
        assert given(project, "bo").pair.id == item.pair.id
        with pytest.raises(LeaseLost, match="another annotator"):
            hand_in(project, "ana", item, POSITIVE)
        late = next(one for one in project.events(OWNER) if one.kind == log.CAME_LATE)
        assert late.body["answer"]["label"] == "positive"  # kept, though it does not count
        hand_in(project, "bo", given(project, "bo"))
        assert [one.record.done for one in project.outcomes(OWNER)] == [1]


def test_an_answer_after_the_time_counts_if_nobody_took_the_place(
    tmp_path: Path, clock: Clock
) -> None:
    with make(tmp_path, pairs(1), clock=clock, people=("ana", "bo", "cy")) as project:
        item = given(project, "ana")
        saved = project.work.save("ana", item.pair.id, POSITIVE, version=item.version)
        clock.now += 31 * 60
        answer(project, "bo")  # whose asking ends ana's lease, and leaves a place
        assert project.work.item("ana", item.pair.id).state == "expired"
        with pytest.raises(StaleAnswer):
            hand_in(project, "ana", item)
        assert hand_in(project, "ana", saved).state == "done"
        assert project.work.next("cy") is None


def test_guidelines_that_changed_are_read_first(local: AnnotationProject) -> None:
    item = given(local, "ana")
    (local.folder.path / "guidelines.md").write_text("Be kind.\n", encoding="utf-8")
    assert "annotate guidelines" in local.notes()[0]
    assert local.change_guidelines(OWNER) == 2
    assert local.notes() == []
    with pytest.raises(GuidelineChanged, match="saw version 1, now it is 2"):
        hand_in(local, "ana", item)
    done = hand_in(local, "ana", replace(item, guideline=2))
    assert (done.state, done.guideline) == ("done", 2)


def test_a_pair_that_changed_is_labelled_again(project: AnnotationProject) -> None:
    answer(project, "bo")
    item = given(project, "ana")
    with pytest.raises(PairChanged, match="nothing was changed"):
        project.pairs.add(OWNER, [pair("p00", "Other words.")])
    project.pairs.add(OWNER, [pair("p00", "Other words.")], revise=True)
    with pytest.raises(PairChanged, match="kept in the log"):
        hand_in(project, "ana", item)
    assert [one.kind for one in project.events(OWNER)].count(log.SUBMITTED) == 1
    again = given(project, "bo")
    assert (again.pair.text1.text, again.revision, again.answer) == ("Other words.", 2, None)
    assert [one.record.done for one in project.outcomes(OWNER)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (PairAnswer(label="maybe"), "there is no label"),
        (PairAnswer(), "choose a label"),
        (PairAnswer(label="positive", spans1=((3, 9),)), "there is no span"),
        (PairAnswer(label="positive", spans1=((0, 2), (1, 3))), "overlap"),
        (PairAnswer(label="positive", rating=3.0), "takes no rating"),
        (PairAnswer(label="positive", edits=("magic",)), "unknown kinds"),
    ],
)
def test_an_answer_must_fit_the_task(
    local: AnnotationProject, wrong: PairAnswer, message: str
) -> None:
    with pytest.raises(BadAnswer, match=message):
        answer(local, "ana", wrong)
    assert local.work.progress("ana").done == 0


def test_training_comes_first_and_is_explained(tmp_path: Path) -> None:
    known = replace(pair("t"), purpose="training", gold=NEGATIVE, note="buying is not selling")
    with make(tmp_path, [*pairs(2), known]) as project:
        item = given(project, "ana")
        assert (item.pair.id, item.pair.purpose, item.pair.gold) == ("t", "training", None)
        told = hand_in(project, "ana", item, POSITIVE)
        assert told.feedback is not None
        assert (told.feedback.right, told.feedback.note) == (False, "buying is not selling")
        with pytest.raises(AnswerLocked, match="the right answer was shown"):
            project.work.undo("ana")
        assert given(project, "bo").pair.id == "t"  # everybody is trained


def _gold(ident: str) -> PairItem:
    return replace(pair(ident), purpose="gold", gold=NEGATIVE)


def test_gold_items_hide_among_the_others(tmp_path: Path) -> None:
    with make(tmp_path, [*pairs(4), _gold("g")], gold_every=2) as project:
        order = []
        while (item := project.work.next("ana")) is not None:
            assert (item.pair.gold, item.pair.purpose) == (None, "work")
            order.append(item.pair.id)
            assert hand_in(project, "ana", item).feedback is None
        assert order == ["p00", "p01", "g", "p02", "p03"]
        person = project.report(OWNER).annotators[0]
        assert (person.gold, person.gold_right, person.answers) == (1, 1.0, 4)
        with pytest.raises(NotAllowed):
            project.work.others("ana", "g")


def test_a_share_of_items_comes_blind(tmp_path: Path) -> None:
    with make(tmp_path, pairs(60), blind=0.5, annotators=1) as project:
        project.pairs.suggest(OWNER, "judge", "m", {p.id: POSITIVE for p in pairs(60)})
        shown = []
        while (item := project.work.next("ana")) is not None:
            shown.append(item.suggested)
            hand_in(project, "ana", item, item.suggested or NEGATIVE)
        assert 15 < shown.count(None) < 45
        assert {*shown} == {None, POSITIVE}
        found = project.report(OWNER).influence
        assert (found.shown, found.blind) == (60 - shown.count(None), shown.count(None))
        assert (found.same_when_shown, found.same_when_blind) == (1.0, 0.0)
        row = next(one for one in project.outcomes(OWNER) if one.states[0].suggested)
        assert row.states[0].suggested is not None
        assert row.states[0].suggested["sources"] == {"judge": "m"}
