"""The order of training and the arrays of a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.text.words import WordText
from paraphrast.train.data.assembly import Corpus, assemble, code, parts
from paraphrast.train.data.batches import TrainingOrder, collate, plan_epoch, share
from paraphrast.train.data.examples import Example
from paraphrast.train.data.presentation import shown
from paraphrast.train.recipe import SourcePart, TrainingRecipe, read_recipe

SOURCE = SourcePart(name="s", reader="tags", files=("f",), weight=2.0, tagged=3.0)


@pytest.fixture
def recipe(recipe_file: Callable[..., Path]) -> TrainingRecipe:
    return read_recipe(recipe_file())


@pytest.fixture
def tokeniser(tokeniser_file: Path) -> PairTokeniser:
    return PairTokeniser.from_file(tokeniser_file)


@pytest.fixture
def corpus(recipe: TrainingRecipe, tokeniser: PairTokeniser, texts: Path) -> Corpus:
    return assemble(recipe, tokeniser, parts(recipe, texts))


def labels(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


@pytest.fixture
def pair(tokeniser: PairTokeniser) -> Example:
    return Example(
        a=WordText.from_words(["playing", "cat"]),
        b=WordText.from_words(["dog", "\u200b", "played"]),  # the tokeniser drops the second
        group="",
        tags_a=labels(1, 0),
        tags_b=labels(0, 1, 1),
    )


def test_an_epoch_shows_each_source_as_often_as_it_says(
    corpus: Corpus, recipe: TrainingRecipe
) -> None:
    shown_of = Counter(pick.example for batch in plan_epoch(corpus, recipe, 0) for pick in batch)
    by_source: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for number, example in enumerate(corpus.train):
        by_source[example.source].append(shown_of[number])
    assert set(by_source[0]) == {1}
    half = corpus.rows["pairs"] // 2
    assert Counter(by_source[1]) == {1: half, 2: half}  # passes = 1.5
    assert set(by_source[2]) == {1}


def test_batches_are_full_and_of_like_length(corpus: Corpus, recipe: TrainingRecipe) -> None:
    big = replace(corpus, train=corpus.train * 40)
    batches = plan_epoch(big, recipe, 0)
    assert all(len(batch) == 8 for batch in batches[:-1] if len(batch) != len(batches[-1]))
    assert sorted(map(len, batches))[1] == 8
    spread = [np.ptp([len(shown(big.train, pick)) for pick in batch]) for batch in batches]
    everything = [len(shown(big.train, pick)) for batch in batches for pick in batch]
    assert np.mean(spread) < np.ptp(everything) / 5


def test_the_plan_follows_from_seed_and_epoch(corpus: Corpus, recipe: TrainingRecipe) -> None:
    first = plan_epoch(corpus, recipe, 0)
    assert plan_epoch(corpus, recipe, 0) == first
    assert plan_epoch(corpus, recipe, 1) != first
    assert plan_epoch(corpus, replace(recipe, seed=8), 0) != first


def test_the_order_goes_on_where_it_is_asked_to(corpus: Corpus, recipe: TrainingRecipe) -> None:
    order = TrainingOrder(corpus, recipe)
    assert order.steps == 2 * order.per_epoch
    assert order.picks(order.per_epoch + 1) == plan_epoch(corpus, recipe, 1)[1]
    assert order.picks(1) == plan_epoch(corpus, recipe, 0)[1]


def test_both_orders_are_shown_only_where_the_source_says(
    corpus: Corpus, recipe: TrainingRecipe
) -> None:
    picks = [p for n in range(20) for batch in plan_epoch(corpus, recipe, n) for p in batch]
    swapped = {
        n: np.mean([p.swap for p in picks if corpus.train[p.example].source == n]) for n in range(3)
    }
    assert swapped[0] == 0
    assert 0.4 < swapped[1] < 0.6
    assert 0.4 < swapped[2] < 0.6


def test_collation_points_at_first_sub_words(tokeniser: PairTokeniser, pair: Example) -> None:
    batch = collate(code([pair], 0, tokeniser), tokeniser, [SOURCE])
    tokens = [tokeniser.tokeniser.id_to_token(n) for n in batch.ids[0]]
    assert tokens == ["[CLS]", "play", "##ing", "cat", "[SEP]", "dog", "play", "##ed", "[SEP]"]
    assert [tokens[place] for place in batch.word_place] == ["play", "cat", "dog", "play"]
    assert batch.word_tag.tolist() == [1, 0, 0, 1]
    assert batch.word_weight.tolist() == [1.5, 0.5, 0.5, 1.5]  # 2 over 4 words, 3 × for a tag
    assert batch.types[0].tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]


def test_the_separator_is_never_tagged(
    corpus: Corpus, recipe: TrainingRecipe, tokeniser: PairTokeniser
) -> None:
    special = {0, 2, 3, 4}
    for picks in plan_epoch(corpus, recipe, 0):
        batch = collate([shown(corpus.train, p) for p in picks], tokeniser, recipe.source)
        assert not special & set(batch.ids[batch.word_row, batch.word_place].tolist())
        assert not special & set(batch.ids[batch.masked_row, batch.masked_place].tolist())


def test_labels_that_are_not_known_are_nan(tokeniser: PairTokeniser, pair: Example) -> None:
    rated = Example(a=WordText.of("cat"), b=WordText.of("dog"), group="", score=0.5)
    batch = collate(code([pair, rated], 0, tokeniser), tokeniser, [SOURCE])
    assert np.isnan(batch.score).tolist() == [True, False]
    assert np.isnan(batch.forward).all()
    assert np.isnan(batch.backward).all()
    assert np.isnan(batch.same).all()
    assert batch.weight.tolist() == [2.0, 2.0]
    assert batch.mask.sum(1).tolist() == [9, 5]
    assert batch.tokens == 14
    assert set(batch.word_row.tolist()) == {0}


@pytest.mark.parametrize("of", [2, 3, 8])
def test_shares_add_up_to_the_batch(
    corpus: Corpus, recipe: TrainingRecipe, tokeniser: PairTokeniser, of: int
) -> None:
    batch = collate([replace(e, source=2) for e in corpus.train[-8:]], tokeniser, recipe.source)
    parts = [share(batch, n, of) for n in range(of)]
    assert sum(map(len, parts)) == len(batch)
    assert sum(part.tokens for part in parts) == batch.tokens
    for name in ("word_weight", "word_tag", "weight"):
        whole = sum(getattr(part, name).sum() for part in parts)
        assert whole == pytest.approx(getattr(batch, name).sum())
    tokens = sorted(n for part in parts for n in part.ids[part.word_row, part.word_place])
    assert tokens == sorted(batch.ids[batch.word_row, batch.word_place])
    assert all(part.mask[:, -1].any() for part in parts)  # no column of padding alone


def test_a_process_without_examples_gets_one_without_weight(
    corpus: Corpus, recipe: TrainingRecipe, tokeniser: PairTokeniser
) -> None:
    batch = collate(corpus.train[-2:], tokeniser, recipe.source)
    left = share(batch, 2, 3)
    assert len(left) == 1
    assert left.weight.tolist() == [0.0]
    assert len(left.word_weight)
    assert not left.word_weight.any()
