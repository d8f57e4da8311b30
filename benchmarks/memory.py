"""Peak memory of corpus values over large files: `python -m benchmarks.memory --pairs 5000000`."""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.pairs import mrpc_pairs

METRICS = ("bleu", "chrf++", "rougeL", "rouge_p", "distinct_2")


def write(folder: Path, pairs: int) -> None:
    """Write that many lines, each with its number so that texts differ."""
    candidates, references = mrpc_pairs(20_000)
    for name, texts in (("candidates.txt", candidates), ("references.txt", references)):
        with (folder / name).open("w", encoding="utf-8") as file:
            for start in range(0, pairs, len(texts)):
                part = texts[: pairs - start]
                file.writelines(f"{text} {start}\n" for text in part)


def main() -> int:
    """Score the files in a process of its own and print its peak memory per metric."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--metric", action="append", choices=METRICS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, arguments.pairs)
        command = [sys.executable, "-c", "from paraphrast.cli.main import main; main()", "score"]
        command += ["-c", "candidates.txt", "-r", "references.txt", "-s", "references.txt", "-q"]
        for metric in arguments.metric or METRICS:
            option = "rouge_p:benchmark=0.6" if metric == "rouge_p" else metric
            start = time.perf_counter()
            subprocess.run([*command, "-m", option, "-b"], cwd=folder, check=True)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            took = time.perf_counter() - start
            print(
                f"{metric:12} {arguments.pairs:,} pairs  {took:6.1f} s  peak so far {peak:.0f} MiB"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
