"""A teacher labels what has no labels; shards survive a kill and never outlive their reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.text.words import WordText
from paraphrast.train.data.assembly import Corpus, split
from paraphrast.train.data.examples import Example
from paraphrast.train.encoder import distillation as room
from paraphrast.train.encoder.distillation import label, unlabelled, with_labels
from paraphrast.train.recipe import SourcePart
from tests.encoders import make_encoder

SOURCE = SourcePart(name="rated", reader="ratings", files=("rated.jsonl",), unlabelled=True)


def rated(texts: Path) -> list[Example]:
    return split(SOURCE, 1, texts)[0]


@pytest.fixture(scope="module")
def teacher_of_both_ways(tmp_path_factory: pytest.TempPathFactory) -> EditEncoder:
    made = make_encoder(tmp_path_factory.mktemp("teacher"), format=2)
    return EditEncoder.load(str(made), threads=1)


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> EditEncoder:
    return EditEncoder.load(str(make_encoder(tmp_path_factory.mktemp("teacher"))), threads=1)


def test_labels_are_what_the_teacher_says(
    teacher: EditEncoder, texts: Path, tmp_path: Path
) -> None:
    rows = unlabelled(SOURCE, 1, rated(texts))
    assert all(row.score is None for row in rows)
    found = label(rows, teacher, tmp_path / "rated")
    for row, reading in zip(found, teacher.read([(r.a, r.b) for r in rows]), strict=True):
        assert row.score == pytest.approx(reading.score)
        assert row.forward is not None
        assert row.forward[0] == pytest.approx(1 / (1 + np.exp(-reading.entailment)))
        assert row.tags_a is not None
        assert row.tags_b is not None
        assert len(row.tags_a) == len(row.a)
        logits = reading.tags_b
        chance = np.exp(logits[:, 1]) / np.exp(logits).sum(axis=1)
        assert row.tags_b == pytest.approx(chance, abs=1e-6)


def test_a_teacher_of_format_2_hands_on_relations_and_sameness(
    teacher_of_both_ways: EditEncoder, texts: Path, tmp_path: Path
) -> None:
    rows = unlabelled(SOURCE, 1, rated(texts))
    found = label(rows, teacher_of_both_ways, tmp_path / "rated")
    read = teacher_of_both_ways.read([(row.a, row.b) for row in rows])
    for row, reading in zip(found, read, strict=True):
        told = reading.relations
        assert row.forward is not None
        assert row.backward is not None
        assert row.forward.sum() == pytest.approx(1)
        assert row.forward.min() >= 0
        assert row.forward[0] == pytest.approx(1 / (1 + np.exp(-told.forward)), abs=1e-6)
        assert row.backward[0] == pytest.approx(1 / (1 + np.exp(-told.backward)), abs=1e-6)
        against = 1 / (1 + np.exp(-told.contradiction))
        assert row.forward[2] == pytest.approx(min(against, 1 - row.forward[0]), abs=1e-6)
        assert row.same == pytest.approx(1 / (1 + np.exp(-told.same)))
    alone = with_labels(found[0], ["same"])
    assert (alone.same, alone.forward, alone.backward) == (found[0].same, None, None)


def test_a_teacher_of_format_1_says_nothing_of_sameness(
    teacher: EditEncoder, texts: Path, tmp_path: Path
) -> None:
    row = label(unlabelled(SOURCE, 1, rated(texts)), teacher, tmp_path / "rated")[0]
    assert (row.same, row.backward) == (None, None)
    assert row.forward is not None
    assert np.isnan(row.forward[1:]).all()


def test_only_the_labels_asked_for_are_taken(
    teacher: EditEncoder, texts: Path, tmp_path: Path
) -> None:
    row = label(unlabelled(SOURCE, 1, rated(texts)), teacher, tmp_path / "rated")[0]
    scored = with_labels(row, ["score"])
    assert (scored.score, scored.forward, scored.tags_a, scored.tags_b) == (
        row.score,
        None,
        None,
        None,
    )
    tagged = with_labels(row, ["tags"])
    assert (tagged.score, tagged.forward) == (None, None)
    assert tagged.tags_a is row.tags_a


def test_shards_are_taken_up_again(
    teacher: EditEncoder, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "SHARD", 10)
    rows = unlabelled(SOURCE, 1, rated(texts))
    first = label(rows, teacher, tmp_path / "rated")
    assert len(list(tmp_path.glob("rated-*.npz"))) == -(-len(rows) // 10)
    (tmp_path / "rated-0001.npz").unlink()
    told: list[str] = []
    again = label(rows, teacher, tmp_path / "rated", tell=told.append)
    assert told == [f"rated: 20 of {len(rows)} pairs labelled"]
    assert [row.score for row in again] == [row.score for row in first]


def test_corrupted_pairs_stand_beside_the_others(texts: Path) -> None:
    plain = unlabelled(SOURCE, 1, rated(texts))
    more = unlabelled(SourcePart(**{**_fields(SOURCE), "corrupted": 1.5}), 1, rated(texts))
    assert len(more) == len(plain) + round(1.5 * len(plain))
    assert more[: len(plain)] == plain
    changed = [row for row in more[len(plain) :] if row.b not in {one.b for one in plain}]
    assert len(changed) > len(plain)


def test_every_thing_labels_depend_on_changes_their_name() -> None:
    from dataclasses import replace

    row = Example(a=WordText.of("a cat"), b=WordText.of("a dog"), group="a cat")
    key = room._key(SOURCE, 1, "f", [row])
    assert room._key(replace(SOURCE, passes=2.0, weight=3.0), 1, "f", [row]) == key
    others = [
        room._key(replace(SOURCE, corrupted=1.0), 1, "f", [row]),
        room._key(replace(SOURCE, files=("other",)), 1, "f", [row]),
        room._key(replace(SOURCE, limit=3), 1, "f", [row]),
        room._key(SOURCE, 2, "f", [row]),
        room._key(SOURCE, 1, "g", [row]),
        room._key(SOURCE, 1, "f", [replace(row, b=WordText.of("the dog"))]),
        room._key(SOURCE, 1, "f", [replace(row, b=WordText.from_words(["a dog"]))]),
    ]
    assert len({key, *others}) == 8


def test_a_recipe_without_a_teacher_adds_nothing(tmp_path: Path) -> None:
    class NoTeacher:
        teacher = None

    corpus = Corpus([], {}, {})
    room.add_labelled(corpus, NoTeacher(), None, [], tmp_path / "labels")  # type: ignore[arg-type]
    assert not corpus.train
    assert not (tmp_path / "labels").exists()


def _fields(source: SourcePart) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(source)


def test_a_damaged_shard_is_labelled_again(
    teacher: EditEncoder, texts: Path, tmp_path: Path
) -> None:
    rows = unlabelled(SOURCE, 1, rated(texts))
    before = label(rows, teacher, tmp_path / "rated")
    shard = tmp_path / "rated-0000.npz"
    shard.write_bytes(shard.read_bytes()[:-40])
    after = label(rows, teacher, tmp_path / "rated")
    assert [row.score for row in after] == [row.score for row in before]
