"""The shipped weights: small, whole, documented, and sensible on a few plain pairs."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

import paraphrast
from paraphrast.models.embedder.embedder_card import EmbedderCard
from paraphrast.models.embedder.text_embedder import Embedder
from paraphrast.models.encoder.edit_encoder import EditEncoder, Reading
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.encoder.tag_scores import support
from paraphrast.text.words import WordText

ROOT = Path(__file__).parents[1]
FOLDERS = {
    "mini": ROOT / "weights" / "encoder" / "paraphrast_encoder",
    "base": ROOT / "weights" / "encoder-base" / "paraphrast_encoder_base",
}
MINILM = FOLDERS["mini"] / "minilm"
LARGEST = {"mini": 30_000_000, "base": 115_000_000}  # bytes
PAIRS = [
    ("The vote was put off by a week.", "They delayed the vote by seven days."),
    ("A man is playing a guitar.", "A man is playing a guitar."),
    ("A man is playing a guitar.", "The share price fell on Monday."),
    ("It was not his fault.", "It was his fault, he said, and everyone in the room agreed."),
]


@pytest.fixture(scope="module", params=FOLDERS)
def encoder(request: pytest.FixtureRequest) -> EditEncoder:
    return EditEncoder.load(request.param, threads=1)


def read(encoder: EditEncoder, *pairs: tuple[str, str]) -> list[Reading]:
    return encoder.read([(WordText.of(a), WordText.of(b)) for a, b in pairs])


def test_the_installed_weights_are_those_of_this_checkout(encoder: EditEncoder) -> None:
    assert encoder.card.files == EncoderCard.read(FOLDERS[encoder.card.model]).files


@pytest.mark.parametrize("model", FOLDERS)
def test_the_files_are_small_whole_and_documented(model: str) -> None:
    folder = FOLDERS[model]
    card = EncoderCard.read(folder)
    assert card.model == model
    for name, digest in card.files.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert (folder / "model.onnx").stat().st_size <= LARGEST[model]
    assert card.training["parity"]["score_r"] >= 0.99
    assert card.training["parity"]["tag_agreement"] >= 0.985
    assert card.training["parity"]["batch_difference"] <= 1e-4
    text = (folder / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert card.training["backbone_sha256"] in text
    assert "| WMT17 to-English segments | pearson |" in text
    assert (folder / "LICENSE").exists()
    assert (ROOT / card.training["recipe"]).exists()


def test_batches_change_nothing(encoder: EditEncoder) -> None:
    together = read(encoder, *PAIRS)
    for pair, one in zip(PAIRS, together, strict=True):
        alone = read(encoder, pair)[0]
        assert alone.score == pytest.approx(one.score, abs=1e-4)
        assert alone.entailment == pytest.approx(one.entailment, abs=1e-4)
        assert alone.tags_a == pytest.approx(one.tags_a, abs=1e-4)
        assert alone.tags_b == pytest.approx(one.tags_b, abs=1e-4)


def test_it_prefers_a_copy_to_a_paraphrase_to_another_subject(encoder: EditEncoder) -> None:
    paraphrase, copy, other, _ = read(encoder, *PAIRS)
    assert copy.score > paraphrase.score > other.score
    assert copy.entailment > 0 > other.entailment


def test_a_copy_has_no_tags_and_another_subject_only_tags(encoder: EditEncoder) -> None:
    _, copy, other, _ = read(encoder, *PAIRS)
    cut = encoder.card.thresholds.tag
    assert (support(copy.tags_b) >= cut).all()
    assert (support(other.tags_b)[:-1] < cut).mean() > 0.7


@pytest.mark.parametrize("model", FOLDERS)
def test_added_words_are_tagged(model: str) -> None:
    texts = "He bought a car.", "He bought a car in Paris with his brother."
    pair = paraphrast.tag(*texts, model=model)
    assert pair.a.tags == (0, 0, 0, 0, 0)
    tagged = {word for word, tag in zip(pair.b.words, pair.b.tags, strict=True) if tag}
    assert {"Paris", "brother"} <= tagged
    assert "car" not in tagged


@pytest.mark.parametrize("model", FOLDERS)
@pytest.mark.parametrize(
    ("a", "b", "changed", "same"),
    [
        ("He was born in Paris.", "He was born in Rome.", {"Paris", "Rome"}, {"He", "born"}),
        (
            "The bridge cost 12 million euros.",
            "The bridge cost 40 million euros.",
            {"12", "40"},
            {"bridge", "cost", "euros"},
        ),
    ],
)
def test_a_name_or_a_number_that_changed_is_tagged(
    model: str, a: str, b: str, changed: set[str], same: set[str]
) -> None:
    pair = paraphrast.tag(a, b, model=model)
    tagged = {
        word
        for text in (pair.a, pair.b)
        for word, tag in zip(text.words, text.tags, strict=True)
        if tag
    }
    assert changed <= tagged
    assert not same & tagged


def test_ten_thousand_words_are_read_in_windows(encoder: EditEncoder) -> None:
    text = " ".join(f"Sentence {n} is about a small town and its river." for n in range(1000))
    reading = read(encoder, (text, "The town has a river."))[0]
    assert reading.windows > 10
    assert np.isfinite(reading.score)
    assert len(reading.tags_a) == len(WordText.of(text))


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    return Embedder.load("minilm", threads=1)


def test_the_embedder_is_small_whole_and_documented(minilm: Embedder) -> None:
    card = EmbedderCard.read(MINILM)
    assert minilm.card.files == card.files
    for name, digest in card.files.items():
        assert hashlib.sha256((MINILM / name).read_bytes()).hexdigest() == digest
    assert sum((MINILM / name).stat().st_size for name in card.files) <= 25_000_000
    assert (card.model, card.dtype, card.layers, card.layer) == ("minilm", "static int8", 6, 4)
    assert set(card.baseline) == set(range(7))
    parity = card.training["parity"]
    assert parity["f_mean_difference"] <= 0.015
    assert parity["f_r"] >= 0.99
    assert parity["batch_difference"] <= 1e-4
    text = (MINILM / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert card.training["backbone_sha256"] in text
    assert (MINILM / "LICENSE").exists()


def test_company_changes_no_state_of_the_embedder(minilm: Embedder) -> None:
    texts = [text for pair in PAIRS for text in pair] + ["Rain. " * 300]
    together = minilm.tokens(texts)
    for text, found in zip(texts, together, strict=True):
        minilm.forget()
        assert np.allclose(minilm.tokens([text])[0].states, found.states, atol=1e-4)


def test_the_embedder_tells_a_paraphrase_from_another_subject(minilm: Embedder) -> None:
    a, b, other = minilm.sentences([*PAIRS[0], PAIRS[2][1]])
    assert a @ b > 0.7 > 0.3 > a @ other


def test_bertscore_of_the_embedder_prefers_a_copy_to_a_paraphrase_to_another_subject() -> None:
    references, candidates = zip(*PAIRS[:3], strict=True)
    report = paraphrast.score(
        list(candidates), list(references), metrics=["bertscore:rescale=true"]
    )
    paraphrase, copy, other = report.segment_values["bertscore"]
    assert copy == pytest.approx(1, abs=1e-4)
    assert copy > paraphrase > other
    assert abs(other) < 0.3
