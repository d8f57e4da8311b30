"""Memory of `paraphrast generate` over many lines: `python -m benchmarks.generate_memory`.

A stand-in for the network, which writes the words of a source backwards, makes a million lines
possible; reading, decoding, choosing, keeping what a kill must not lose, and writing are the real
ones. Each size runs in a process of its own. The network's own memory depends on the batch, not on
the number of lines.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from paraphrast.generation import paraphraser
from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.io import Field
from paraphrast.jobs.generate_files import Target, generate_files
from paraphrast.models.generator.language_model import Ints, Logits
from paraphrast.render.paraphrase_listing import paraphrase_lines

SIZES = (100_000, 1_000_000)
WORDS = [f"{a}{b}{c}" for a in "bdklmnprst" for b in "aeiou" for c in "dklmnprst"]
MOST = 1.2  # times the memory of ten times fewer lines
MB = 1 << 10  # of ru_maxrss, in kilobytes


@dataclass(slots=True)
class Written:
    """The rows of sources, and how much of each is written."""

    rows: list[Ints]
    done: int = 0


class Backwards:
    """A language model that writes the words of its source in the other order."""

    name, fingerprint, dtype, kind = "backwards", "0", "float32", "seq2seq"
    end, max_source, max_target, vocabulary = 0, 64, 64, len(WORDS) + 1

    def __init__(self) -> None:
        self._pieces = ["", *(f" {word}" for word in WORDS)]
        self._ids = {word: number for number, word in enumerate(WORDS, start=1)}

    def encode(self, texts: Sequence[str]) -> list[Ints]:
        ids = ([self._ids[word] for word in text.split()] for text in texts)
        return [np.array([*row, self.end], np.int64) for row in ids]

    targets = encode

    def decode(self, ids: Sequence[Sequence[int]]) -> list[str]:
        return ["".join(self._pieces[one] for one in row).strip() for row in ids]

    def pieces(self) -> list[str]:
        return self._pieces

    def start(self, prompts: Sequence[Ints]) -> tuple[Written, Logits]:
        state = Written([np.append(row[:-1][::-1], self.end) for row in prompts])
        return state, self._logits(state)

    def step(self, state: Written, tokens: Ints) -> Logits:
        state.done += 1
        return self._logits(state)

    def reorder(self, state: Written, rows: Ints) -> Written:
        return Written([state.rows[row] for row in rows.tolist()], state.done)

    def _logits(self, state: Written) -> Logits:
        logits = np.zeros((len(state.rows), self.vocabulary), np.float32)
        for number, row in enumerate(state.rows):
            logits[number, row[min(state.done, len(row) - 1)]] = 9.0
        return logits


def run(lines: int, answer: Any) -> None:
    """Write a file of so many lines, paraphrase it, and answer with seconds and kilobytes."""
    draws = np.random.default_rng(13)
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "in.txt", Path(folder) / "out.jsonl"
        with source.open("w", encoding="utf-8") as file:
            for _ in range(lines):
                drawn = draws.integers(len(WORDS), size=4).tolist()
                file.write(" ".join(WORDS[word] for word in drawn) + "\n")
        options = GenerateOptions(method="greedy", select="harmonic:w=3", floor=None, protect=False)
        began = time.perf_counter()
        with mock.patch.object(paraphraser, "load_generator", return_value=Backwards()):
            generate_files(
                Field.parse(str(source), role="text"),
                Target(output=str(output)),
                options,
                render=paraphrase_lines,
                show=print,
            )
        seconds = time.perf_counter() - began
        with output.open("rb") as file:
            made = sum(1 for _ in file)
    answer.put((made, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


def main() -> int:
    """Print memory for each size; return 1 if it grows with the lines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate_memory")
    parser.add_argument("--lines", type=int, nargs="+", default=SIZES)
    peaks = []
    spawn = multiprocessing.get_context("spawn")
    for lines in parser.parse_args().lines:
        answer = spawn.Queue()
        child = spawn.Process(target=run, args=(lines, answer))
        child.start()
        made, seconds, peak = answer.get()
        child.join()
        peaks.append(peak)
        print(f"{lines:>9,} lines: {made:,} rows, {seconds:.0f} s, {peak // MB} MB", flush=True)
    return int(peaks[-1] > MOST * peaks[0])


if __name__ == "__main__":
    raise SystemExit(main())
