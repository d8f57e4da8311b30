"""The generator against `transformers.generate`: `python -m benchmarks.generate`.

The peer has the shipped weights, turned back into a T5 of transformers, in torch fp32, with the
same number of threads, and is given padded arrays; ours starts from text and ends with it. Both
write as many sub-words for each sentence, whether it ends before or not:

    python recipes/restored.py weights/generator/paraphrast_generator backbones/paraphraser
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pairs import mrpc_pairs
from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.models.generator.generator_loading import load_generator
from paraphrast.models.generator.language_model import LanguageModel

THREADS, BATCH, WRITTEN, BEAMS, SAMPLES = 2, 16, 32, 5, 10
FLOOR = 2.0  # times the new sub-words per second of transformers
MOST = 2.5  # times as long for ten samples as for one
NETWORK = Path("backbones") / "paraphraser"  # the shipped weights


def fixed(method: str, **options: Any) -> Decoding:
    """Return options under which every output has the same length."""
    return Decoding(method=method, min_length=WRITTEN, max_length=WRITTEN, protect=False, **options)


def ours(model: LanguageModel, sources: Sequence[str], decoding: Decoding) -> Callable[[], object]:
    """Return a job that writes for all sources, a batch at a time."""

    def run() -> object:
        return [
            decode(model, sources[start : start + BATCH], decoding)
            for start in range(0, len(sources), BATCH)
        ]

    return run


def theirs(folder: Path, sources: Sequence[str], beams: int) -> Callable[[], object]:
    """Return the same job for transformers."""
    import torch

    from paraphrast.models.generator.torch_generator import TorchModel

    model = TorchModel.load(str(folder), threads=THREADS)
    torch.set_num_threads(THREADS)
    rows = model.encode(sources)
    batches = []
    for start in range(0, len(rows), BATCH):
        part = rows[start : start + BATCH]
        ids = np.zeros((len(part), max(map(len, part))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for number, row in enumerate(part):
            ids[number, : len(row)], mask[number, : len(row)] = row, 1
        batches.append((torch.from_numpy(ids), torch.from_numpy(mask)))
    length = {"min_new_tokens": WRITTEN, "max_new_tokens": WRITTEN}

    def run() -> object:
        with torch.inference_mode():
            return [
                model.network.generate(
                    input_ids=ids, attention_mask=mask, num_beams=beams, do_sample=False, **length
                )
                for ids, mask in batches
            ]

    return run


def race(jobs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the best seconds of each job, run in turn so that all meet the same machine."""
    best = dict.fromkeys(jobs, float("inf"))
    for number in range(rounds + 1):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            if number:  # the first round warms up
                best[name] = min(best[name], time.perf_counter() - start)
    return best


def against_transformers(
    model: LanguageModel, folder: Path, sources: Sequence[str], rounds: int
) -> bool:
    """Print new sub-words per second of both, greedy and with beams."""
    good = True
    for name, beams, decoding in (
        ("greedy", 1, fixed("greedy")),
        (f"beam {BEAMS}", BEAMS, fixed("beam", beams=BEAMS)),
    ):
        jobs = {"ours": ours(model, sources, decoding), "theirs": theirs(folder, sources, beams)}
        best = race(jobs, rounds)
        mine, peer = (len(sources) * WRITTEN / best[who] for who in ("ours", "theirs"))
        ratio = mine / peer
        good &= ratio >= FLOOR
        print(
            f"{name}, batch {BATCH}: {mine:6.0f} new sub-words/s against {peer:6.0f}: "
            f"{ratio:4.2f}× (at least {FLOOR:g}){'' if ratio >= FLOOR else '  MISSED'}"
        )
    return good


def samples(model: LanguageModel, sources: Sequence[str], rounds: int) -> bool:
    """Print how much longer ten samples of a sentence take than one; its source is read once."""

    def job(many: int) -> Callable[[], object]:
        decoding = fixed("top-p", n=many)
        return lambda: [decode(model, [source], decoding) for source in sources]

    best = race({"one": job(1), "ten": job(SAMPLES)}, rounds)
    ratio = best["ten"] / best["one"]
    print(
        f"{SAMPLES} samples of a sentence: {1000 * best['ten'] / len(sources):.0f} ms, one: "
        f"{1000 * best['one'] / len(sources):.0f} ms: {ratio:.2f}× (at most {MOST:g})"
        f"{'' if ratio <= MOST else '  MISSED'}"
    )
    return ratio <= MOST


def main() -> int:
    """Run the races; return 1 if a floor is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate", description=__doc__)
    parser.add_argument("--model", default="paraphraser", help="a generator of ours")
    parser.add_argument("--network", type=Path, default=NETWORK, help="the same, of transformers")
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    model = load_generator(asked.model, threads=THREADS)
    sources = mrpc_pairs(max(200, asked.sentences))[1][: asked.sentences]
    print(f"{model.name}, {model.dtype}, {THREADS} threads, {WRITTEN} new sub-words each")
    good = against_transformers(model, asked.network, sources, asked.rounds)
    good &= samples(model, sources[:8], asked.rounds)
    return int(not good)


if __name__ == "__main__":
    raise SystemExit(main())
