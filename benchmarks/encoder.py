"""The encoder against the same network in torch: `python -m benchmarks.encoder`.

The peer is a BERT of the same shape in torch fp32 with the same number of threads, on the same
sub-words: its speed does not depend on the values of its weights. Torch's side is given tokenised,
padded arrays; ours starts from text.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.pairs import mrpc_pairs
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.text.words import WordText

THREADS = 2
BATCH = 32
FIXED = 64  # sub-words of a pair in the first race
FLOORS = {"static int8": 1.6}  # of that race, by the arithmetic of the weights
FLOOR, MIXED_FLOOR = 1.2, 2.0
FIRST_SCORE = 1.0  # seconds from the start of the process
SHAPE = {  # MiniLM's
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
}

Pair = tuple[WordText, WordText]


@dataclass(frozen=True)
class Race:
    """Our seconds and the peer's over the same pairs."""

    name: str
    floor: float
    pairs: int
    ours: Callable[[], object]
    peer: Callable[[], object]

    def run(self, rounds: int) -> bool:
        """Print pairs per second of both and the ratio; return whether the floor is reached."""
        best = [self._time(call, rounds) for call in (self.ours, self.peer)]
        ratio = best[1] / best[0]
        ours, peer = (self.pairs / seconds for seconds in best)
        verdict = "" if ratio >= self.floor else "  MISSED"
        print(
            f"{self.name:44} {ours:6.0f} pairs/s against {peer:6.0f}: {ratio:4.2f}× "
            f"(at least {self.floor}){verdict}"
        )
        return ratio >= self.floor

    @staticmethod
    def _time(call: Callable[[], object], rounds: int) -> float:
        call()
        seconds = []
        for _ in range(rounds):
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
        return statistics.median(seconds)


def torch_peer(tokeniser: PairTokeniser, pairs: list[Pair]) -> Callable[[], object]:
    """Batches in the given order, padded to the longest of each, through torch."""
    import torch
    from transformers import BertConfig, BertModel

    torch.set_num_threads(THREADS)
    words = tokeniser.tokeniser.get_vocab_size()
    make_config: Any = BertConfig  # whose types differ from version to version
    make_network: Any = BertModel
    network = make_network(make_config(vocab_size=words, **SHAPE), add_pooling_layer=False)
    network.eval()
    left, right = (tokeniser.sides([pair[side] for pair in pairs]) for side in (0, 1))
    joined = [tokeniser.join(a, b) for a, b in zip(left, right, strict=True)]
    batches = []
    for start in range(0, len(joined), BATCH):
        part = joined[start : start + BATCH]
        ids = np.zeros((len(part), max(map(len, part))), dtype=np.int64)
        for row, one in enumerate(part):
            ids[row, : len(one)] = one.ids
        batches.append(torch.from_numpy(ids))

    def run() -> object:
        with torch.inference_mode():
            return [network(input_ids=ids, attention_mask=(ids != 0).long()) for ids in batches]

    return run


def fixed_pairs(tokeniser: PairTokeniser, pairs: list[Pair], count: int) -> list[Pair]:
    """Cut or refill pairs so that each has exactly 64 sub-words with its special tokens."""
    words = [word for a, b in pairs for word in (*a.words, *b.words)]
    sizes = [len(side) for side in tokeniser.sides([WordText.of(word) for word in words])]
    single = [word for word, size in zip(words, sizes, strict=True) if size == 1]
    half = (FIXED - tokeniser.overhead) // 2
    rest = FIXED - tokeniser.overhead - half
    rng = np.random.default_rng(3)

    def text(length: int) -> WordText:
        return WordText.from_words(list(rng.choice(single, length)))

    return [(text(half), text(rest)) for _ in range(count)]


def mixed_pairs(pairs: list[Pair], count: int) -> list[Pair]:
    """Lengths from a phrase to a paragraph, as evaluations of real systems have them."""
    rng = np.random.default_rng(5)
    words = [word for pair in pairs for word in pair[0].words]
    lengths = np.clip(np.exp(rng.normal(2.6, 0.8, count)), 2, 90).astype(int)
    starts = rng.integers(0, len(words) - 200, (count, 2))
    return [
        (
            WordText.from_words(words[one : one + length]),
            WordText.from_words(words[two : two + length]),
        )
        for (one, two), length in zip(starts, lengths, strict=True)
    ]


def first_score(model: str) -> float:
    """Seconds from the start of a Python process to its first score; the best of three."""
    code = f"import paraphrast; paraphrast.tag('a cat', 'the cat', model={model!r}, threads=2)"
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> int:
    """Run the races; return 1 if a floor is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.encoder", description=__doc__)
    parser.add_argument("--model", default="mini", help="an encoder of MiniLM's shape")
    parser.add_argument("--pairs", type=int, default=640)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    encoder = EditEncoder.load(asked.model, threads=THREADS)
    tokeniser = PairTokeniser.from_file(encoder.card.directory / "tokenizer.json")
    candidates, references = mrpc_pairs(2000)
    texts = [(WordText.of(a), WordText.of(b)) for a, b in zip(references, candidates, strict=True)]
    good, least = True, FLOORS.get(encoder.card.dtype, FLOOR)
    for name, pairs, floor in (
        ("64 sub-words each", fixed_pairs(tokeniser, texts, asked.pairs), least),
        ("mixed lengths", mixed_pairs(texts, asked.pairs), MIXED_FLOOR),
    ):
        race = Race(
            f"{name} / torch fp32, {THREADS} threads",
            floor,
            len(pairs),
            lambda pairs=pairs: encoder.read(pairs),  # type: ignore[misc]
            torch_peer(tokeniser, pairs),
        )
        good &= race.run(asked.rounds)
    took = first_score(asked.model)
    good &= took <= FIRST_SCORE
    print(f"{'first score of a new process':44} {took:6.2f} s (at most {FIRST_SCORE:.0f})")
    return int(not good)


if __name__ == "__main__":
    raise SystemExit(main())
