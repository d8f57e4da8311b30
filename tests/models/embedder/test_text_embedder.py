"""The embedder: states of single texts, whatever their company, length and script."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models import feeding
from paraphrast.models.embedder.embedder_card import EmbedderCard
from paraphrast.models.embedder.text_embedder import Embedder, OverlappingSpan, overlapping_spans
from paraphrast.models.session import Session
from tests.embedders import DIM, install_embedder, make_embedder, write_embedder_card
from tests.encoders import WORDS, make_encoder

texts = st.lists(st.sampled_from([*WORDS, "Ünïcode", "日本", "x1", "!"]), max_size=90).map(" ".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_embedder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def embedder(folder: Path) -> Embedder:
    return Embedder.load(str(folder), threads=1)


def fresh(folder: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[Embedder, list]:
    """Load an embedder that nothing was asked of, and note how many rows its network reads."""
    read: list[int] = []
    run = Session.run

    def counted(self: Session, outputs: Any, feed: Any) -> Any:
        read.append(len(feed["input_ids"]))
        return run(self, outputs, feed)

    monkeypatch.setattr(Session, "run", counted)
    return Embedder.load(str(make_embedder(folder)), threads=1, **options), read


def test_states_of_subwords_and_special_ones(embedder: Embedder) -> None:
    (found,) = embedder.tokens(["The cat sat."])
    assert len(found) == 4
    assert found.special.tolist() == [True, False, False, False, False, True]
    assert found.states.shape == (6, DIM)
    assert found.states.dtype == np.float32
    assert (found.known, found.windows) == (4, 1)


@settings(max_examples=30, deadline=None)
@given(batch=st.lists(texts, min_size=1, max_size=12), data=st.data())
def test_company_order_and_padding_change_nothing(
    folder: Path, batch: list[str], data: st.DataObject
) -> None:
    embedder = Embedder.load(str(folder), threads=1)
    embedder._recent = type(embedder._recent)(0)  # nothing may come from memory
    order = data.draw(st.permutations(range(len(batch))))
    together = embedder.tokens(batch)
    shuffled = embedder.tokens([batch[place] for place in order])
    for place, found in zip(order, shuffled, strict=True):
        assert np.allclose(found.states, together[place].states, atol=1e-4)
        (alone,) = embedder.tokens([batch[place]])
        assert np.allclose(found.states, alone.states, atol=1e-4)
    sentences = embedder.sentences(batch)
    for place, text in enumerate(batch):
        assert np.allclose(embedder.sentences([text])[0], sentences[place], atol=1e-4)


def test_small_batches_change_nothing(embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = [" ".join(WORDS[n : n + 3 + n % 9]) for n in range(40)]
    together = embedder.sentences(batch)
    monkeypatch.setattr(feeding, "BATCH_TOKENS", 30)
    assert np.allclose(embedder.sentences(batch), together, atol=1e-5)


def test_layers_differ_and_the_default_is_the_cards(embedder: Embedder) -> None:
    first, default, last = (
        embedder.tokens(["the cat sat"], layer=layer)[0].states for layer in (0, None, 2)
    )
    assert np.array_equal(default, embedder.tokens(["the cat sat"], layer=1)[0].states)
    assert not np.allclose(first, default)
    assert not np.allclose(default, last)


def test_a_long_text_is_read_whole(embedder: Embedder) -> None:
    """At layer 0 a state depends on the word and its place in the window alone."""
    words = [WORDS[n % 50] for n in range(200)]
    (found,) = embedder.tokens([" ".join(words)])
    assert found.windows == 6
    assert len(found) == 200
    assert found.states.shape == (202, DIM)
    (start,) = embedder.tokens([" ".join(words[:62])])
    assert np.allclose(found.states[:40], start.states[:40], atol=1e-4)
    (end,) = embedder.tokens([" ".join(words[-62:])])
    assert np.allclose(found.states[-40:], end.states[-40:], atol=1e-4)


def test_a_longer_text_than_the_limit_is_one_window_at_the_limit(embedder: Embedder) -> None:
    at, above = (embedder.tokens([" ".join(["cat"] * n)])[0].windows for n in (62, 63))
    assert (at, above) == (1, 2)


def test_outer_white_space_is_no_part_of_a_text(embedder: Embedder) -> None:
    one, other = embedder.tokens(["the cat", "\n the cat\t "])
    assert np.array_equal(one.states, other.states)


def test_empty_and_unknown_texts(embedder: Embedder) -> None:
    empty, unknown = embedder.tokens(["  ", "日本"])
    assert (len(empty), empty.known) == (0, 0)
    assert (len(unknown), unknown.known) == (2, 0)
    assert embedder.counts(["", "日本", "the 日本 cat"]) == [(0, 0), (2, 0), (4, 2)]
    assert not embedder.sentences(["", "日本"]).any()
    assert embedder.sentences([]).shape == (0, DIM)
    assert embedder.tokens([]) == []


def test_half_a_surrogate_pair_is_read_as_unknown(embedder: Embedder) -> None:
    assert embedder.tokens(["the \ud800 cat"])[0].known == 2


def test_subwords_are_those_of_tokens(embedder: Embedder) -> None:
    text = " ".join(WORDS)
    assert np.array_equal(embedder.subwords([text])[0], embedder.tokens([text])[0].ids)


def test_sentences_are_unit_means_of_the_last_layer(embedder: Embedder) -> None:
    (states,) = embedder.tokens(["the cat sat"], layer=2)
    mean = states.states.mean(axis=0)
    assert np.allclose(embedder.sentences(["the cat sat"])[0], mean / np.linalg.norm(mean))


def test_a_text_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, read = fresh(tmp_path, monkeypatch)
    embedder.tokens(["the cat", "a dog", "the cat"])
    embedder.tokens(["a dog", "an old car"])
    assert sum(read) == 3
    embedder.forget()
    embedder.tokens(["a dog"])
    assert sum(read) == 4


def test_a_folder_keeps_states_for_later_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path / "kept")
    embedder, read = fresh(tmp_path / "one", monkeypatch, cache=folder)
    before = embedder.tokens(["the cat", "a dog"])
    again, _ = fresh(tmp_path / "two", monkeypatch, cache=folder)
    after = again.tokens(["the cat", "a dog"])
    assert sum(read) == 2
    for one, other in zip(before, after, strict=True):
        assert np.array_equal(one.states, other.states)


def test_other_weights_never_read_what_these_wrote(tmp_path: Path) -> None:
    folder = str(tmp_path / "kept")
    one, two = (
        Embedder.load(str(make_embedder(tmp_path / str(seed), seed=seed)), cache=folder)
        for seed in (1, 2)
    )
    assert not np.allclose(one.tokens(["a cat"])[0].states, two.tokens(["a cat"])[0].states)


def test_progress_counts_distinct_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, _ = fresh(tmp_path, monkeypatch)
    done: list[int] = []
    embedder.tokens(["a cat", "a cat", "a dog"], advance=done.append)
    embedder.tokens(["a cat", "a car " * 100], advance=done.append)
    embedder.sentences(["a cat", "", "a dog"], advance=done.append)
    assert sum(done) == 2 + 2 + 3


def test_it_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = install_embedder(tmp_path, monkeypatch)
    assert Embedder.load().card.directory == made.resolve()


@pytest.mark.parametrize("layer", [-1, 3, True, "1"])
def test_a_layer_that_is_not_there(embedder: Embedder, layer: Any) -> None:
    for work in (embedder.tokens, embedder.sentences):
        with pytest.raises(ConfigError) as caught:
            work(["a"], layer=layer)
        assert str(caught.value) == (
            f"layer must be a whole number from 0 to 2, the layers of 'minilm'; got {layer!r}"
        )


def test_an_edit_encoder_is_the_wrong_kind(tmp_path: Path) -> None:
    made = make_encoder(tmp_path)
    with pytest.raises(ModelError) as caught:
        Embedder.load(str(made))
    assert str(caught.value) == (
        f"{made / 'card.json'}: the kind must be 'paraphrast embedder'; got 'paraphrast edit "
        "encoder'"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mini", r"^unknown model 'mini' \(did you mean 'minilm'\?\); known: minilm, a directory"),
        (3, r"^model must be 'minilm', a directory, or the id of .*; got 3$"),
    ],
)
def test_a_name_that_means_nothing(name: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Embedder.load(name)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: (p / "card.json").unlink(), r"holds no card\.json: it is not an embedder$"),
        (lambda p: (p / "model.onnx").write_bytes(b"x"), "is not the file that card.json lists"),
        (lambda p: (p / "tokenizer.json").unlink(), "is missing, but card.json lists it"),
        (lambda p: write_embedder_card(p, layer=3), "'layer' is 3, but there are 2 layers"),
        (lambda p: write_embedder_card(p, layers=1.5), "'layers' must be a whole number"),
        (
            lambda p: write_embedder_card(p, layers=4),
            r"model\.onnx has no output 'layer_3'; it has: layer_0, layer_1, layer_2$",
        ),
        (lambda p: write_embedder_card(p, languages=[]), "must be a list of texts, at least one$"),
        (lambda p: write_embedder_card(p, width=float("inf")), "'width' must be a number; got inf"),
        (
            lambda p: write_embedder_card(
                p, baseline={"data": "t", "layers": {"1": [float("nan")] * 3}}
            ),
            r"'baseline\.layers\.1' must be a list of numbers",
        ),
        (
            lambda p: write_embedder_card(p, baseline={"data": "t", "layers": {"1": [0.1, 1.0]}}),
            "the baseline of layer 1 must be P, R and F, all below 1",
        ),
        (
            lambda p: write_embedder_card(p, baseline={"data": "t", "layers": {"1": "high"}}),
            r"'baseline\.layers\.1' must be a list of numbers",
        ),
    ],
)
def test_damaged_directories(tmp_path: Path, spoil: Callable[[Path], Any], message: str) -> None:
    made = make_embedder(tmp_path)
    spoil(made)
    with pytest.raises(ModelError, match=message):
        Embedder.load(str(made))


def test_a_width_that_is_not_the_networks(tmp_path: Path) -> None:
    made = make_embedder(tmp_path, width=100)
    embedder = Embedder.load(str(made))
    for work in (embedder.tokens, embedder.sentences):
        with pytest.raises(ModelError, match=r"have 16 numbers, but its card says width 100"):
            work(["a cat"])


def test_a_card_that_changes_is_read_again(tmp_path: Path) -> None:
    made = make_embedder(tmp_path)
    assert Embedder.load(str(made)).card.layer == 1
    write_embedder_card(made, layer=2)
    assert Embedder.load(str(made)).card.layer == 2


def test_a_model_of_transformers_is_told_how_to_become_one(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError) as caught:
        Embedder.load(str(tmp_path))
    assert str(caught.value) == (
        f"{tmp_path} holds no card.json: it is not an embedder; a model of transformers becomes "
        f"one by: paraphrast train export {tmp_path} -o FOLDER"
    )


def test_a_tokeniser_without_letters(tmp_path: Path) -> None:
    made = make_embedder(tmp_path)
    (made / "tokenizer.json").write_text("{}")
    write_embedder_card(made)
    with pytest.raises(ModelError, match=r"tokenizer\.json is not a tokeniser"):
        Embedder.load(str(made))


def test_the_baseline_of_a_card(tmp_path: Path) -> None:
    baseline = {"data": "two texts", "layers": {"0": [0.1, 0.2, 0.15], "2": [0.3, 0.3, 0.3]}}
    card = EmbedderCard.read(make_embedder(tmp_path, baseline=baseline))
    assert card.baseline == {0: (0.1, 0.2, 0.15), 2: (0.3, 0.3, 0.3)}
    assert card.baseline_data == "two texts"


def test_the_fingerprint_is_of_what_states_depend_on(tmp_path: Path) -> None:
    made = make_embedder(tmp_path)
    before = EmbedderCard.read(made).fingerprint
    card = json.loads((made / "card.json").read_text())
    for changes, same in (({"name": "x"}, True), ({"max_tokens": 32}, False)):
        (made / "card.json").write_text(json.dumps(card | changes))
        assert (EmbedderCard.read(made).fingerprint == before) is same


def test_a_short_text_is_one_window() -> None:
    assert overlapping_spans(0, 10) == [OverlappingSpan(0, 0, 0, 0)]
    assert overlapping_spans(10, 10) == [OverlappingSpan(0, 10, 0, 10)]


def test_a_long_text() -> None:
    assert overlapping_spans(20, 10) == [
        OverlappingSpan(0, 10, 0, 7),
        OverlappingSpan(5, 15, 7, 12),
        OverlappingSpan(10, 20, 12, 20),
    ]


@given(length=st.integers(0, 3000), size=st.integers(2, 600))
def test_every_subword_is_kept_once_and_far_from_the_edges(length: int, size: int) -> None:
    found = overlapping_spans(length, size)
    kept = [place for window in found for place in range(window.first, window.last)]
    assert kept == list(range(length))
    for window in found:
        assert window.end - window.begin == min(size, length)
        assert window.begin <= window.first <= window.last <= window.end
        if window.begin:
            assert window.first - window.begin >= size // 4 - 1
        if window.end < length:
            assert window.end - window.last >= size // 4 - 1
