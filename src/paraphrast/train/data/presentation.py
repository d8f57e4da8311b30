"""How an example is shown: in which order of its texts, and in what company.

Documents are longer than sentences, and a summary takes its sentences from all over one. So some
pairs are shown as a document and its summary: several pairs, joined, with unrelated sentences
between them on the first side. The summary follows from the document if every second text follows
from its first; the document, which says more, does not follow from the summary. Other pairs are
shown in passages, among pairs that say the same: what holds of the pair then holds of the passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from paraphrast.models.encoder.pair_encoding import LOST, EncodedSide, Ints
from paraphrast.train.data.examples import RELATIONS, Coded, Labels, entailed, relation

MOST_PAIRS = 3  # in one long example
MOST_IN_PASSAGE = 30
FRAME = 4  # sub-words that no text owns, at most
CONTRADICTION = RELATIONS.index("contradiction")
SURE = 0.5  # a label above it holds


@dataclass(frozen=True, slots=True)
class Block:
    """A pair within a long example, or only its first text."""

    example: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Pick:
    """One showing of an example: in which order, and with which others, itself among them.

    `keeps` is true where the labels of the example hold for all blocks together.
    """

    example: int
    swap: bool = False
    blocks: tuple[Block, ...] = ()
    keeps: bool = False


def lengthened(
    train: Sequence[Coded], pick: Pick, places: Ints, limit: int, rng: np.random.Generator
) -> Pick:
    """Add pairs and first texts, drawn from `places`, up to a length drawn below the limit."""
    length = len(train[pick.example])
    if length + FRAME >= limit:
        return pick
    target = int(rng.integers(length, limit - FRAME + 1))
    pairs = int(rng.integers(0, MOST_PAIRS))
    blocks = [Block(pick.example, whole=True)]
    for place in rng.choice(places, 2 * limit):
        block = Block(int(place), whole=pairs > 0)
        if _repeats(train, block, blocks):
            continue
        length += _length(train, block)
        if length > target:
            break
        blocks.append(block)
        pairs -= block.whole
    if len(blocks) == 1:
        return pick
    order = rng.permutation(len(blocks))
    return replace(pick, blocks=tuple(blocks[place] for place in order))


def in_passage(
    train: Sequence[Coded], pick: Pick, same: Ints, limit: int, rng: np.random.Generator
) -> Pick:
    """Put the pair among pairs that say the same, up to a length drawn below the limit."""
    length = len(train[pick.example])
    if length + FRAME >= limit or not len(same):
        return pick
    target = int(rng.integers(length, limit - FRAME + 1))
    blocks = [Block(pick.example, whole=True)]
    for place in rng.choice(same, MOST_IN_PASSAGE):
        block = Block(int(place), whole=True)
        if _repeats(train, block, blocks):
            continue
        length += _length(train, block)
        if length > target:
            break
        blocks.append(block)
    if len(blocks) == 1:
        return pick
    order = rng.permutation(len(blocks))
    return replace(pick, blocks=tuple(blocks[place] for place in order), keeps=True)


def _repeats(train: Sequence[Coded], block: Block, blocks: Sequence[Block]) -> bool:
    own = train[block.example].a.ids
    return any(np.array_equal(own, train[other.example].a.ids) for other in blocks)


def _length(train: Sequence[Coded], block: Block) -> int:
    example = train[block.example]
    return len(example) if block.whole else len(example.a)


def length(train: Sequence[Coded], pick: Pick) -> int:
    """Return the sub-words of both texts as they are shown."""
    if not pick.blocks:
        return len(train[pick.example])
    return sum(_length(train, block) for block in pick.blocks)


def shown(train: Sequence[Coded], pick: Pick) -> Coded:
    """Apply a pick: join its blocks, and change the order. Documents and passages have no score."""
    example = train[pick.example]
    if pick.blocks:
        example = _joined(train, pick)
    if not pick.swap:
        return example
    return replace(
        example,
        a=example.b,
        b=example.a,
        forward=example.backward,
        backward=example.forward,
        tags_a=example.tags_b,
        tags_b=example.tags_a,
    )


def _joined(train: Sequence[Coded], pick: Pick) -> Coded:
    beside = [(train[block.example], block.whole) for block in pick.blocks]
    whole = [example for example, is_whole in beside if is_whole]
    own = train[pick.example]
    forward, backward, same = own.forward, own.backward, own.same
    if not pick.keeps:
        more = len(whole) < len(beside)
        forward = all_follow([example.forward for example in whole])
        backward = all_follow([example.backward for example in whole], more=more)
        same = _all_same([example.same for example in whole], more=more)
    return replace(
        own,
        a=_concatenated([example.a for example, _ in beside]),
        b=_concatenated([example.b for example in whole]),
        score=None,
        forward=forward,
        backward=backward,
        same=same,
        tags_a=_all([example.tags_a if w else _unparaphrased(example.a) for example, w in beside]),
        tags_b=_all([example.tags_b for example in whole]),
    )


def all_follow(labels: Sequence[Labels | None], *, more: bool = False) -> Labels | None:
    """Return how the conclusions joined relate to the premises joined; None if one is not known.

    A contradiction of one contradicts all; all follow only if each does. `more` says that there
    are conclusions beside these, of which the premises say nothing.
    """
    known = [label for label in labels if label is not None]
    if len(known) < len(labels):
        return None
    if any(label[CONTRADICTION] > SURE for label in known):
        return relation(RELATIONS[CONTRADICTION])
    follows = min(float(label[0]) for label in known)
    if follows > SURE and not more:
        return relation(RELATIONS[0])
    if any(np.isnan(label).any() for label in known):
        return entailed(0.0)
    return relation("neutral")


def _all_same(labels: Sequence[float | None], *, more: bool) -> float | None:
    if more:
        return 0.0
    known = [label for label in labels if label is not None]
    return min(known) if len(known) == len(labels) else None


def _unparaphrased(side: EncodedSide) -> Labels:
    return np.ones(len(side.first), dtype=np.float32)


def _all(tags: Sequence[Labels | None]) -> Labels | None:
    known = [one for one in tags if one is not None]
    return np.concatenate(known) if len(known) == len(tags) else None


def _concatenated(sides: Sequence[EncodedSide]) -> EncodedSide:
    starts = np.cumsum([0, *map(len, sides)])
    first = [
        np.where(side.first == LOST, LOST, side.first + start)
        for side, start in zip(sides, starts, strict=False)
    ]
    return EncodedSide(np.concatenate([side.ids for side in sides]), np.concatenate(first))
