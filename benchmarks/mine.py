"""Mining at scale: `python -m benchmarks.mine --sentences 1000000`.

Prints the time of each stage, the peak of memory, and how many of the exact top-k neighbours of
a sample the approximate search finds. By default the sentences are made up, and their vectors
are sums of random vectors of their words, which costs nearly nothing: what is measured is all
but the network. `--model minilm` takes the real network and sentences made from MRPC.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.pairs import mrpc_pairs
from paraphrast.corpora.mine import approximate
from paraphrast.corpora.mine.exact import ExactSearch
from paraphrast.corpora.mine.mining import EXACT_UP_TO, How, TextSource, mining
from paraphrast.corpora.mine.mining_folder import INDEX, Weights
from paraphrast.corpora.mine.neighbours import (
    MOST_TEXTS,
    Neighbours,
    NeighbourSearch,
    SearchSide,
    Wanted,
    unpacked,
)
from paraphrast.corpora.mine.vectors import SHARD, SentenceEmbedder, Vectors
from paraphrast.corpora.text_store import StoredTexts
from paraphrast.engine.step import Advance
from paraphrast.models.embedder.text_embedder import Embedder

WIDTH = 384
WORDS = 16  # of a sentence
ALIKE = 3  # sentences that share all but one or two of them
GROUPS = 10_000  # that are made at once
TOPICS, TOPIC_WORDS, COMMON_WORDS, ALL_WORDS = 500, 200, 5_000, 50_000
MB = 1 << 20


class WordSums:
    """Sums of random vectors of the words."""

    def __init__(self) -> None:
        draw = np.random.default_rng(0)
        self._table = draw.normal(size=(1 << 16, WIDTH)).astype(np.float32)

    def sentences(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of unit length."""
        rows = [[zlib.crc32(word.encode()) & 0xFFFF for word in text.split()] for text in texts]
        sums = self._table[np.array(rows)].sum(axis=1)
        return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), dtype=np.float32)


def made_up(count: int) -> Iterator[str]:
    """Yield distinct sentences, near ones in groups: two words in three are of one topic."""
    draw = np.random.default_rng(1)
    for first in range(0, count, GROUPS * ALIKE):
        shape = (GROUPS, WORDS)
        own = draw.integers(TOPICS, size=(GROUPS, 1)) * TOPIC_WORDS
        own = ALL_WORDS + own + draw.integers(TOPIC_WORDS, size=shape)
        common = draw.integers(COMMON_WORDS, size=shape)
        words = np.repeat(np.where(draw.random(shape) < 2 / 3, own, common), ALIKE, axis=0)
        words[np.arange(len(words)), draw.integers(WORDS, size=len(words))] = draw.integers(
            ALL_WORDS, size=len(words)
        )
        for number, row in enumerate(words[: count - first].tolist(), start=first):
            # a word of its own makes each sentence distinct
            yield " ".join([*(f"w{word}" for word in row), f"s{number}"])


def real(count: int) -> Iterator[str]:
    """Yield distinct sentences made from MRPC."""
    candidates, references = mrpc_pairs(-(-count // 2))
    yield from dict.fromkeys([*candidates, *references][:count])


class Stages:
    """Seconds of each stage, and the most memory of our own that was seen in it."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self._most = 0
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()

    @contextmanager
    def __call__(self, name: str, total: int) -> Iterator[Advance]:
        self.end("before " + name)
        yield lambda _done: None
        self.end(f"{name} ({total:,})")

    def end(self, name: str) -> None:
        """Print what has passed since the last end."""
        now = time.perf_counter()
        print(f"{name:34} {now - self._begun:8.1f} s   {self._most / MB:7,.0f} MB", flush=True)
        self._begun, self._most = now, 0

    def stop(self) -> None:
        self._over.set()
        self._watch.join()

    def _look(self) -> None:
        while not self._over.wait(0.05):
            self._most = max(self._most, _own_memory())


def _own_memory() -> int:
    """Return the memory that is not mapped from files, which the system can take back."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def recall(work: Path, wanted: Wanted, sample: int, probes: Sequence[int]) -> None:
    """Print the share of exact neighbours above the threshold that are found, by cells probed."""
    folder = work / "first"
    texts = StoredTexts(folder)
    vectors = Vectors(folder, len(texts), SHARD)
    side = SearchSide(vectors, texts.keys, vectors.directed())
    draw = np.random.default_rng(2)
    chosen = np.sort(draw.choice(len(texts), min(sample, len(texts)), replace=False))
    exact = _found(side, ExactSearch(vectors), wanted, chosen)
    index = approximate.load_index(work / INDEX, vectors)
    for number in probes:
        begun = time.perf_counter()
        engine = approximate.ApproximateSearch(index, probes=number)
        near = _found(side, engine, wanted, chosen)
        took = time.perf_counter() - begun
        share = len(exact & near) / len(exact) if exact else 1.0
        print(
            f"recall@{wanted.top_k} of {len(chosen):,} texts, {len(exact):,} neighbours, "
            f"{number} cells of {index.nlist}: {share:.4f}   ({took:.1f} s)"
        )


def _found(
    side: SearchSide, search: NeighbourSearch, wanted: Wanted, chosen: NDArray[np.int64]
) -> set[tuple[int, int]]:
    """Return the neighbours of the chosen texts."""
    found = Neighbours(side, side, search, wanted)
    pairs: set[tuple[int, int]] = set()
    for start in range(0, len(chosen), 256):
        for packed in found.of(chosen[start : start + 256]):
            _, ones, twos = unpacked(packed)
            pairs |= set(zip(ones.tolist(), twos.tolist(), strict=True))
    return pairs


def main() -> int:
    """Mine, then measure recall where the search was approximate."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mine", description=__doc__)
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--model", help="a real network, e.g. minilm")
    parser.add_argument("--search", choices=("exact", "approximate"))
    parser.add_argument("--threshold", type=float, default=0.8)
    parser.add_argument("--top-k", type=int, default=5)
    parser.add_argument("--sample", type=int, default=1000, help="texts that recall is measured on")
    parser.add_argument("--probes", type=int, nargs="+", default=[approximate.PROBES])
    asked = parser.parse_args()
    embedder: SentenceEmbedder = WordSums()
    weights = Weights("sums of random vectors", "0", WIDTH)
    if asked.model:
        loaded = Embedder.load(asked.model, threads=2)
        embedder, card = loaded, loaded.card
        weights = Weights(card.model, card.fingerprint, card.width)
    texts = (real if asked.model else made_up)(min(asked.sentences, MOST_TEXTS))
    wanted = Wanted(asked.top_k, asked.threshold)
    stages = Stages()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name, "work")
        how = How(search=asked.search, work=work, threads=2)
        with mining([TextSource("texts", texts)], embedder, weights, wanted, how, stages) as found:
            stages.end("sorting")
            print(f"{found.pairs:,} pairs", *found.notes, sep="\n")
            read = sum(1 for _ in found)
            stages.end(f"reading {read:,} pairs")
        stages.stop()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak with files mapped into memory: {peak:,.0f} MB")
        disk = sum(path.stat().st_size for path in work.rglob("*") if path.is_file())
        print(f"work folder: {disk / MB:,.0f} MB")
        if (work / INDEX).exists():
            recall(work, wanted, asked.sample, asked.probes)
        elif asked.sentences > EXACT_UP_TO:
            print("exact search: nothing to measure recall of")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
