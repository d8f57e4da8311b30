"""The encoder at work: batches, order, duplicates, empty, long and odd texts."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models import feeding
from paraphrast.models.encoder.edit_encoder import EditEncoder, Reading
from paraphrast.models.feeding import batches
from paraphrast.models.session import Session
from paraphrast.text.words import WordText
from tests.encoders import install_encoder, make_encoder

CAT = "The cat sat on the mat."
DOG = "An old dog ran home, didn't it?"
PIECES = [
    *["the", "cat", "sat", "on", "mat.", "1,000", "don't", "unknownish", "e\u0301", "हिन्दी", "猫"],
    *[
        "です。",
        "\n",
        "\0",
        "\x85",
        "\ud800",
        "\ue000",
        "😀",
        "👩‍👩‍👧",
        "שלום",
        "مرحبا",
        "\u202e",
        " ",
    ],
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_encoder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def encoder(path: Path) -> EditEncoder:
    return EditEncoder.load(str(path), threads=1)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shapes of all that the network is given."""
    seen: list[tuple[int, ...]] = []
    real = Session.run

    def run(self: Session, outputs: tuple[str, ...], feed: Any) -> list[Any]:
        seen.append(feed["input_ids"].shape)
        return real(self, outputs, feed)

    monkeypatch.setattr(Session, "run", run)
    return seen


def pair(a: str, b: str) -> tuple[WordText, WordText]:
    return WordText.of(a), WordText.of(b)


def assert_same(mine: Reading, theirs: Reading) -> None:
    assert mine.score == pytest.approx(theirs.score, abs=1e-4)
    assert mine.entailment == pytest.approx(theirs.entailment, abs=1e-4)
    np.testing.assert_allclose(mine.tags_a, theirs.tags_a, atol=1e-4)
    np.testing.assert_allclose(mine.tags_b, theirs.tags_b, atol=1e-4)
    assert (mine.windows, mine.limited) == (theirs.windows, theirs.limited)


def assert_sound(reading: Reading, a: WordText, b: WordText) -> None:
    assert isfinite(reading.score)
    assert isfinite(reading.entailment)
    assert (reading.tags_a.shape, reading.tags_b.shape) == ((len(a), 2), (len(b), 2))
    assert np.isfinite(reading.tags_a).all()
    assert np.isfinite(reading.tags_b).all()


def test_like_texts_score_higher_and_foreign_words_have_less_support(encoder: EditEncoder) -> None:
    same, other, rug = encoder.read([pair(CAT, CAT), pair(CAT, DOG), pair(CAT, CAT[:-4] + "rug.")])
    assert same.score > rug.score > other.score
    assert same.entailment > other.entailment
    supports = rug.tags_b @ [1, -1]
    assert supports.argmin() == 5  # rug
    assert rug.windows == 1


def test_the_order_of_the_texts_matters(encoder: EditEncoder) -> None:
    forth, back = encoder.read([pair(CAT, DOG), pair(DOG, CAT)])
    assert forth.score != back.score
    assert (len(forth.tags_a), len(forth.tags_b)) == (len(back.tags_b), len(back.tags_a)) == (7, 9)


@given(
    texts=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8), seed=st.integers(0, 99)
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_a_batch_is_its_pairs_one_by_one_in_any_order(
    encoder: EditEncoder, texts: list[tuple[str, str]], seed: int
) -> None:
    pairs = [pair(a, b) for a, b in texts]
    together = encoder.read(pairs)
    order = random.Random(seed).sample(range(len(pairs)), len(pairs))
    shuffled = encoder.read([pairs[place] for place in order])
    for place, reading in zip(order, shuffled, strict=True):
        assert_same(reading, together[place])
    for one, reading in zip(pairs, together, strict=True):
        assert_same(encoder.read([one])[0], reading)
        assert_sound(reading, *one)


def test_each_distinct_pair_is_read_once(encoder: EditEncoder, rows: list[tuple[int, ...]]) -> None:
    readings = encoder.read([pair(CAT, DOG), pair(CAT, CAT), pair(CAT, DOG)] * 5)
    assert sum(shape[0] for shape in rows) == 2
    assert len(readings) == 15
    assert readings[0] is readings[2]


def test_each_distinct_text_is_tokenised_once(
    encoder: EditEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = encoder._tokeniser.sides

    def sides(texts: list[WordText]) -> Any:
        asked.extend(text.text for text in texts)
        return real(texts)

    monkeypatch.setattr(encoder._tokeniser, "sides", sides)
    encoder.read([pair(CAT, DOG), pair(CAT, CAT), pair(DOG, CAT)])
    assert sorted(asked) == sorted([CAT, DOG])


def test_summaries_are_remembered_between_calls(
    path: Path, rows: list[tuple[int, ...]], tmp_path: Path
) -> None:
    encoder = EditEncoder.load(str(make_encoder(tmp_path / "fresh")), threads=1)
    first = encoder.summaries([(CAT, DOG), (CAT, CAT), (CAT, DOG)])
    assert first[0] == first[2]
    assert sum(shape[0] for shape in rows) == 2
    again = encoder.summaries([(CAT, CAT), (DOG, CAT)])
    assert sum(shape[0] for shape in rows) == 3
    assert again[0] == first[1]
    assert encoder.read([pair(CAT, DOG)])[0].score == pytest.approx(first[0].score, abs=1e-6)


def test_batches_are_bounded_and_of_like_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "BATCH_TOKENS", 100)
    lengths = [10, 64, 9, 10, 200, 64, 11] + [12] * 20
    found = list(batches(lengths))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= 100
    assert found[-1] == [4]
    assert list(batches([])) == []


def test_progress_counts_every_pair(encoder: EditEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "BATCH_TOKENS", 64)
    told: list[int] = []
    pairs = [pair(CAT, DOG), pair(CAT, DOG), pair("", ""), pair("cat " * 99, "dog " * 99)]
    encoder.read(pairs, advance=told.append)
    assert sum(told) == 4
    assert len(told) > 2
    told.clear()
    encoder.summaries([(CAT, CAT), (CAT, CAT), (DOG, "x")], advance=told.append)
    assert sum(told) == 3
    assert encoder.read([]) == []


# --- odd texts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\0", "\u200b\u202e"])
def test_two_empty_texts_say_the_same(encoder: EditEncoder, blank: str) -> None:
    (reading,) = encoder.read([pair(blank, "")])
    assert (reading.score, reading.entailment) == (1.0, 10.0)  # the calibration's highest
    assert reading.tags_a.shape == reading.tags_b.shape == (0, 2)
    assert reading.windows == 1


def test_an_empty_text_says_nothing_of_another(encoder: EditEncoder) -> None:
    for reading, words in zip(
        encoder.read([pair("", CAT), pair(CAT, " ")]), ("tags_b", "tags_a"), strict=True
    ):
        assert (reading.score, reading.entailment) == (-1.0, -10.0)
        assert getattr(reading, words).tolist() == [[-5.0, 5.0]] * 7


def test_lost_words_have_no_logits(encoder: EditEncoder) -> None:
    a = WordText.from_words(["the", "\0", "cat"])
    (reading,) = encoder.read([(a, WordText.of(CAT))])
    assert reading.tags_a[1].tolist() == [0, 0]
    assert reading.tags_a[[0, 2]].all()
    (reading,) = encoder.read([(WordText.from_words(["\0"]), WordText.of(""))])
    assert reading.tags_a.tolist() == [[0, 0]]


def test_given_words_stay_what_they_are(encoder: EditEncoder) -> None:
    a = WordText.from_words(["the cat", "sat.on", "don't", "mat"])
    (reading,) = encoder.read([(a, WordText.of(CAT))])
    assert reading.tags_a.shape == (4, 2)


ODD = ["😀 👩‍👩‍👧 🇩🇪", "שלום עולם", "مرحبا بالعالم", "a\0b\x07c", "\ud800 cat", "\ufeff\u202ecat"]
ODD += ["x" * 10_000, "-" * 1000, "\0" * 1000 + "cat"]


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_have_sound_results(encoder: EditEncoder, text: str) -> None:
    for a, b in (pair(text, CAT), pair(CAT, text), pair(text, text)):
        assert_sound(encoder.read([(a, b)])[0], a, b)


def test_a_network_without_token_types(tmp_path: Path) -> None:
    encoder = EditEncoder.load(str(make_encoder(tmp_path / "untyped", types=False)), threads=1)
    same, other = encoder.read([pair(CAT, CAT), pair(CAT, DOG)])
    assert same.score > other.score


# --- long texts ----------------------------------------------------------------------------------


def words(count: int, seed: int) -> str:
    known = "the cat dog sat lay mat rug red blue house city train car man woman old young".split()
    return " ".join(random.Random(seed).choices(known, k=count))


def test_a_long_text_is_read_in_windows_to_its_end(encoder: EditEncoder) -> None:
    article = words(300, 0)
    (reading,) = encoder.read([pair(f"{article} he bought a train", "he bought a train")])
    assert reading.windows > 4
    assert (reading.tags_b @ [1, -1] > 0).all()  # what stands at the very end is found
    (without,) = encoder.read([pair(article.replace("train", "car"), "he bought a train")])
    assert (without.tags_b @ [1, -1] > 0).sum() == 0


def test_a_pair_that_just_fits_is_read_whole(
    encoder: EditEncoder, rows: list[tuple[int, ...]]
) -> None:
    sizes = [(30, 31, 1), (30, 32, 2), (31, 1, 1), (60, 1, 1), (61, 1, 2)]
    for a, b, windows in sizes:
        (reading,) = encoder.read([pair("cat " * a, "dog " * b)])
        assert reading.windows == windows
    assert max(shape[1] for shape in rows) == 64


def test_ten_thousand_words_against_ten_thousand(encoder: EditEncoder) -> None:
    text = words(10_000, 1)
    same, other = encoder.read([pair(text, text), pair(text, words(10_000, 2))])
    assert same.limited
    assert 700 < same.windows < 6 * 460
    assert len(same.tags_a) == len(same.tags_b) == 10_000
    assert same.tags_a.all()
    assert same.score > other.score


def test_a_word_longer_than_a_window_is_cut(tmp_path: Path) -> None:
    made = make_encoder(tmp_path / "long", longest_word=5000)
    encoder = EditEncoder.load(str(made), threads=1)
    (reading,) = encoder.read([pair(f"the {'abcdefghij' * 30} cat", "the cat")])
    assert reading.windows > 4
    assert reading.tags_a.shape == (3, 2)
    assert (reading.tags_a @ [1, -1])[[0, 2]].min() > 0
    (reading,) = encoder.read([pair("x" * 300, "y" * 300)])
    assert_sound(reading, *pair("x" * 300, "y" * 300))
    assert reading.windows > 16


# --- loading -------------------------------------------------------------------------------------


def test_a_model_is_loaded_once_per_place(path: Path) -> None:
    first = EditEncoder.load(str(path), threads=1)
    assert EditEncoder.load(str(path), threads=1) is first
    assert EditEncoder.load(str(path), threads=2) is not first


def test_a_model_that_has_changed_is_loaded_again(tmp_path: Path) -> None:
    made = make_encoder(tmp_path / "tiny", seed=1)
    before = EditEncoder.load(str(made), threads=1)
    make_encoder(made, seed=2)
    after = EditEncoder.load(str(made), threads=1)
    assert after.card.fingerprint != before.card.fingerprint
    assert after.read([pair(CAT, DOG)])[0].score != before.read([pair(CAT, DOG)])[0].score


def test_the_default_is_the_installed_mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = install_encoder(tmp_path, monkeypatch)
    assert EditEncoder.load(threads=1).card.directory == made.resolve()


def _tamper(path: Path) -> None:
    content = bytearray((path / "model.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (path / "model.onnx").write_bytes(content)


def _broken_tokeniser(path: Path) -> None:
    from tests.encoders import write_card

    (path / "tokenizer.json").write_text("{}")
    write_card(path)


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (_tamper, r"model\.onnx is not the file that card\.json lists: expected sha256"),
        (lambda path: (path / "model.onnx").unlink(), r"model\.onnx is missing, but card\.json"),
        (lambda path: (path / "card.json").unlink(), r"holds no card\.json: it is not an encoder"),
        (_broken_tokeniser, r"tokenizer\.json is not a tokeniser: "),
    ],
)
def test_harmed_weights_are_refused(
    harm: Callable[[Path], None], message: str, tmp_path: Path
) -> None:
    made = make_encoder(tmp_path / "tiny")
    harm(made)
    with pytest.raises(ModelError, match=message):
        EditEncoder.load(str(made))


def test_a_place_that_cannot_be_meant_is_refused_before_anything_is_loaded() -> None:
    with pytest.raises(ConfigError, match="threads must be a whole number"):
        EditEncoder.load("no such model", threads=0)
    with pytest.raises(ConfigError, match="device must be cpu"):
        EditEncoder.load("no such model", device="tpu")
