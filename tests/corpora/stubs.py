"""Texts with vectors of our own choosing, and a slow, plain way to mine them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.mine.mining import How, MinedPair, TextSource, mining
from paraphrast.corpora.mine.mining_folder import Weights
from paraphrast.corpora.mine.neighbours import Wanted
from paraphrast.corpora.text_store import normal_form

WIDTH = 4
WEIGHTS = Weights("stub 1", "abc", WIDTH)


class Stub:
    """Vectors with few distinct values, so that many scores are equal; "0" has no direction."""

    def __init__(self, width: int = WIDTH, levels: int = 3) -> None:
        self.width, self.levels = width, levels
        self.asked: list[str] = []
        self.stop_after: int | None = None

    def sentences(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.stop_after is not None and len(self.asked) + len(texts) > self.stop_after:
            raise KeyboardInterrupt
        self.asked += texts
        return np.array([self.vector(text) for text in texts], dtype=np.float32)

    def vector(self, text: str) -> NDArray[np.float64]:
        if text.strip() == "0":
            return np.zeros(self.width)
        draw = np.random.default_rng(zlib.crc32(text.strip().encode()))
        values = draw.integers(0, self.levels, self.width) - 1.0
        values[0] = 1.5
        return values / float(np.linalg.norm(values))


def brute(
    embedder: Stub, texts: Sequence[str], others: Sequence[str] | None, wanted: Wanted
) -> list[MinedPair]:
    """Mine by the definition, text by text."""
    ours, theirs = _distinct(embedder, texts), _distinct(embedder, others or texts)
    found = set()
    for row, text in ours:
        near = []
        for other, partner in theirs:
            trivial = normal_form(text) == normal_form(partner)
            if (others is None and row == other) or (trivial and not wanted.keep_trivial):
                continue
            one, two = (
                embedder.vector(t).astype(np.float32).astype(np.float64) for t in (text, partner)
            )
            score = round(float((one * two).sum()), 4)
            if score >= wanted.threshold:
                near.append((-score, other, partner))
        for score, other, partner in sorted(near)[: wanted.top_k]:
            pair = (row, text), (other, partner)
            (a, one), (b, two) = sorted(pair) if others is None else pair
            found.add((score, a, b, one, two))
    return [MinedPair(-score, one, two, a, b) for score, a, b, one, two in sorted(found)]


def _distinct(embedder: Stub, texts: Sequence[str]) -> list[tuple[int, str]]:
    first: dict[str, tuple[int, str]] = {}
    for row, text in enumerate(texts, start=1):
        if text.strip() and embedder.vector(text).any():
            first.setdefault(text.strip(), (row, text))
    return list(first.values())


def mined(
    texts: Sequence[str],
    others: Sequence[str] | None = None,
    *,
    embedder: Stub | None = None,
    wanted: Wanted | None = None,
    weights: Weights = WEIGHTS,
    search: str | None = "exact",
    work: Path | None = None,
    shard: int = 3,
    threads: int | None = 1,
    tell: Callable[[list[str]], None] = lambda _notes: None,
) -> list[MinedPair]:
    """Mine with small shards."""
    sources = [TextSource("texts", texts)] + (
        [] if others is None else [TextSource("others", others)]
    )
    how = How(search=search, work=work, shard=shard, threads=threads)
    chosen = wanted or Wanted(3, 0.5)
    with mining(sources, embedder or Stub(), weights, chosen, how) as found:
        tell(found.notes)
        pairs = list(found)
        assert found.pairs == len(pairs)
    return pairs
