"""Masked words: which, how, and the same however many processes share them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paraphrast.errors import ConfigError
from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.text.words import WordText
from paraphrast.train.data.assembly import code
from paraphrast.train.data.batches import EncoderBatch, collate, share
from paraphrast.train.data.examples import Example
from paraphrast.train.encoder.masking import Masker
from paraphrast.train.recipe import SourcePart

MASK = 4


@pytest.fixture
def tokeniser(tokeniser_file: Path) -> PairTokeniser:
    return PairTokeniser.from_file(tokeniser_file)


@pytest.fixture
def batch(tokeniser: PairTokeniser) -> EncoderBatch:
    words = WordText.of("the cat sat on the red mat in the dog ran " * 5)
    rows = [Example(a=words, b=WordText.of("a dog " * n), group="") for n in range(1, 21)]
    source = SourcePart(name="s", reader="pairs", files=("f",))
    return collate(code(rows, 0, tokeniser), tokeniser, [source])


def test_a_share_of_the_words_is_hidden_as_bert_does(
    tokeniser: PairTokeniser, batch: EncoderBatch
) -> None:
    masked = Masker.of(tokeniser, 0.5, 31)(batch, [1, 2, 0])
    row, place = masked.masked_row, masked.masked_place
    assert len(row) / (batch.tokens - 60) == pytest.approx(0.5, abs=0.05)
    assert (masked.masked_id == batch.ids[row, place]).all()
    now = masked.ids[row, place]
    assert (now == MASK).mean() == pytest.approx(0.8, abs=0.05)
    assert (now == masked.masked_id).mean() == pytest.approx(0.1, abs=0.04)
    changed = masked.ids != batch.ids
    changed[row, place] = False
    assert not changed.any()


def test_special_tokens_and_paddings_stay(tokeniser: PairTokeniser, batch: EncoderBatch) -> None:
    masked = Masker.of(tokeniser, 1.0, 31)(batch, [1])
    special = np.isin(batch.ids, [0, 2, 3])
    assert (masked.ids[special] == batch.ids[special]).all()
    assert len(masked.masked_row) == batch.tokens - 60


def test_the_choice_follows_from_the_seed(tokeniser: PairTokeniser, batch: EncoderBatch) -> None:
    masker = Masker.of(tokeniser, 0.2, 31)
    first = masker(batch, [1, 5, 0]).ids
    assert (masker(batch, [1, 5, 0]).ids == first).all()
    assert (masker(batch, [1, 6, 0]).ids != first).any()


def test_processes_hide_what_one_would(tokeniser: PairTokeniser, batch: EncoderBatch) -> None:
    masked = Masker.of(tokeniser, 0.2, 31)(batch, [1])
    assert masked.masked_weight.sum() == pytest.approx(20)
    halves = [share(masked, n, 2) for n in range(2)]
    for n, half in enumerate(halves):
        assert (half.ids == masked.ids[n::2, : half.ids.shape[1]]).all()
        rows = masked.masked_row % 2 == n
        assert (half.masked_id == masked.masked_id[rows]).all()
    assert sum(half.masked_weight.sum() for half in halves) == pytest.approx(20)


def test_nothing_hidden_weighs_nothing(tokeniser: PairTokeniser, batch: EncoderBatch) -> None:
    masked = Masker.of(tokeniser, 0.0, 31)(batch, [1])
    assert len(masked.masked_weight) == 0
    assert (masked.ids == batch.ids).all()


def test_a_tokeniser_without_a_mask_is_refused(tokeniser: PairTokeniser) -> None:
    from tokenizers import Tokenizer

    text = tokeniser.tokeniser.to_str().replace("[MASK]", "[HIDE]")
    other = PairTokeniser(Tokenizer.from_str(text))
    with pytest.raises(ConfigError) as caught:
        Masker.of(other, 0.15, 31)
    assert str(caught.value) == "the masked-word loss needs a tokeniser with a [MASK] or <mask>"


def test_a_masked_batch_is_a_batch(tokeniser: PairTokeniser, batch: EncoderBatch) -> None:
    masked = Masker.of(tokeniser, 0.2, 31)(batch, [1])
    assert replace(masked, ids=batch.ids).tokens == batch.tokens
