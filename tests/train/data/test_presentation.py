"""Long examples: pairs joined like documents and their summaries, tags and places kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paraphrast.models.encoder.pair_encoding import LOST, EncodedSide, PairTokeniser
from paraphrast.train.data.assembly import Corpus, assemble, parts
from paraphrast.train.data.batches import plan_epoch
from paraphrast.train.data.examples import RELATIONS, Labels, entailed, relation
from paraphrast.train.data.presentation import (
    FRAME,
    Block,
    Pick,
    all_follow,
    in_passage,
    length,
    lengthened,
    shown,
)
from paraphrast.train.recipe import TrainingRecipe, read_recipe


@pytest.fixture
def recipe(recipe_file: Callable[..., Path]) -> TrainingRecipe:
    return read_recipe(recipe_file())


@pytest.fixture
def corpus(recipe: TrainingRecipe, tokeniser_file: Path, texts: Path) -> Corpus:
    return assemble(recipe, PairTokeniser.from_file(tokeniser_file), parts(recipe, texts))


@pytest.fixture
def tagged(corpus: Corpus) -> list[int]:
    return [n for n, example in enumerate(corpus.train) if example.tags_a is not None]


def labels(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def test_long_examples_keep_within_the_length(corpus: Corpus, recipe: TrainingRecipe) -> None:
    short = replace(recipe, max_tokens=40)
    picks = [p for n in range(9) for batch in plan_epoch(corpus, short, n) for p in batch]
    long = [pick for pick in picks if pick.blocks]
    assert long
    assert {corpus.train[pick.example].source for pick in long} == {2}
    for pick in picks:
        example = shown(corpus.train, pick)
        assert len(example) == length(corpus.train, pick)
        assert len(example) + FRAME <= 40
    for pick in long:
        assert Block(pick.example, whole=True) in pick.blocks
        assert len(pick.blocks) > 1
        first = [corpus.train[block.example].a.ids.tobytes() for block in pick.blocks]
        assert len(set(first)) == len(first)  # no text twice


def test_a_pair_that_fills_the_length_stays_alone(corpus: Corpus, tagged: list[int]) -> None:
    pick = Pick(tagged[0])
    limit = len(corpus.train[tagged[0]]) + FRAME
    rng = np.random.default_rng(0)
    assert lengthened(corpus.train, pick, np.array(tagged), limit, rng) is pick


def test_a_swap_takes_the_tags_along(corpus: Corpus, tagged: list[int]) -> None:
    place = tagged[0]
    plain, turned = (shown(corpus.train, Pick(place, swap=swap)) for swap in (False, True))
    assert turned.a is plain.b
    assert turned.b is plain.a
    assert turned.tags_a is plain.tags_b
    assert turned.tags_b is plain.tags_a


def test_texts_between_are_unparaphrased_and_pairs_keep_their_tags(
    corpus: Corpus, tagged: list[int]
) -> None:
    first, second, beside = (corpus.train[place] for place in tagged[:3])
    blocks = (
        Block(tagged[1], whole=True),
        Block(tagged[2], whole=False),
        Block(tagged[0], whole=True),
    )
    long = shown(corpus.train, Pick(tagged[0], blocks=blocks))
    assert long.a.ids.tolist() == [*second.a.ids, *beside.a.ids, *first.a.ids]
    assert long.b.ids.tolist() == [*second.b.ids, *first.b.ids]
    assert long.tags_a is not None
    assert long.tags_b is not None
    ones = [1.0] * len(beside.a.first)
    assert long.tags_a.tolist() == [*second.tags_a, *ones, *first.tags_a]  # type: ignore[misc]
    assert long.tags_b.tolist() == [*second.tags_b, *first.tags_b]  # type: ignore[misc]
    own = long.a.first[-len(first.a.first) :]
    assert long.a.ids[own].tolist() == first.a.ids[first.a.first].tolist()


YES, NO, AGAINST = (relation(name) for name in RELATIONS)


@pytest.mark.parametrize(
    ("given", "more", "expected"),
    [
        ([YES, YES], False, YES),
        ([YES, NO], False, NO),
        ([YES], True, NO),  # what stands beside does not follow
        ([NO, AGAINST], False, AGAINST),  # one contradiction is enough
        ([YES, AGAINST], True, AGAINST),
        ([YES, None], False, None),
        ([entailed(0.0), YES], False, entailed(0.0)),  # whether it contradicts is not known
        ([entailed(1.0), YES], False, YES),
        ([entailed(0.0), AGAINST], False, AGAINST),
    ],
)
def test_conclusions_joined_follow_if_all_do(
    given: list[Labels | None], more: bool, expected: Labels | None
) -> None:
    found = all_follow(given, more=more)
    if expected is None:
        assert found is None
    else:
        np.testing.assert_array_equal(found, expected)


def test_a_document_says_more_than_its_summary(corpus: Corpus, tagged: list[int]) -> None:
    one, beside = (
        replace(corpus.train[place], score=1.0, same=1.0, forward=YES, backward=YES)
        for place in tagged[:2]
    )
    blocks = (Block(0, whole=True), Block(1, whole=False))
    document = shown([one, beside], Pick(0, blocks=blocks))
    assert (document.score, document.same) == (None, 0.0)
    np.testing.assert_array_equal(document.forward, YES)
    np.testing.assert_array_equal(document.backward, NO)
    turned = shown([one, beside], Pick(0, blocks=blocks, swap=True))
    np.testing.assert_array_equal(turned.forward, NO)
    np.testing.assert_array_equal(turned.backward, YES)


def test_two_pairs_that_say_the_same_do_so_joined(corpus: Corpus, tagged: list[int]) -> None:
    one, other = (
        replace(corpus.train[place], score=1.0, same=1.0, forward=YES, backward=YES)
        for place in tagged[:2]
    )
    blocks = (Block(0, whole=True), Block(1, whole=True))
    both = shown([one, other], Pick(0, blocks=blocks))
    assert (both.score, both.same) == (None, 1.0)
    np.testing.assert_array_equal(both.backward, YES)
    unknown = shown([one, replace(other, same=None, forward=None)], Pick(0, blocks=blocks))
    assert (unknown.same, unknown.forward) == (None, None)


def test_a_lost_word_stays_lost_when_texts_move(corpus: Corpus, tagged: list[int]) -> None:
    side = EncodedSide(np.array([5, 6]), np.array([0, LOST, 1]))
    example = replace(corpus.train[tagged[0]], a=side, tags_a=labels(0, 0, 0))
    beside = corpus.train[tagged[1]]
    blocks = (Block(1, whole=False), Block(0, whole=True))
    moved = shown([example, beside], Pick(0, blocks=blocks))
    assert moved.a.first[-3:].tolist() == [len(beside.a), LOST, len(beside.a) + 1]


def test_a_pair_in_a_passage_keeps_its_labels(corpus: Corpus, tagged: list[int]) -> None:
    rng = np.random.default_rng(3)
    train = [replace(corpus.train[place], same=1.0) for place in tagged]
    train[0] = replace(train[0], same=0.0, forward=np.array([0, 0, 1], dtype=np.float32))
    pick = in_passage(train, Pick(0), np.arange(1, len(train)), 64, rng)
    assert len(pick.blocks) > 1
    assert length(train, pick) <= 64
    passage = shown(train, pick)
    assert len(passage) == length(train, pick)
    assert passage.same == 0
    assert passage.forward is train[0].forward
    assert passage.tags_b is not None
    assert len(passage.tags_b) == sum(len(train[block.example].b.first) for block in pick.blocks)
