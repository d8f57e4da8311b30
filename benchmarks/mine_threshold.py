"""What a threshold of `paraphrast mine` costs and gains: `python -m benchmarks.mine_threshold`.

Precision and recall of "the cosine is at least t" on labelled pairs, training splits only: of the
pairs that reach t, the share that people called paraphrases; and of those, the share that reaches
t. Precision depends on how many of the pairs are paraphrases, which is printed beside.
"""

from __future__ import annotations

import argparse
import gzip
import json

import numpy as np
from numpy.typing import NDArray

from benchmarks.pairs import DATA
from paraphrast.models.embedder.text_embedder import Embedder

SETS = ("mrpc.train", "qqp.train", "paws_wiki.train")
THRESHOLDS = (0.70, 0.75, 0.80, 0.85, 0.90, 0.95)

Pairs = list[tuple[str, str, int]]


def labelled(name: str, most: int) -> Pairs:
    """Return the first pairs of a set with their labels."""
    path = DATA / "pairs" / f"{name}.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"the benchmark needs {path.name}; set PARAPHRAST_DATA to its folder")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["text1"], row["text2"], int(row["label"])) for row in rows[:most]]


def cosines(embedder: Embedder, pairs: Pairs) -> NDArray[np.float64]:
    """Return the cosine of each pair, as `paraphrast mine` rounds it."""
    one = embedder.sentences([text for text, *_ in pairs]).astype(np.float64)
    two = embedder.sentences([text for _, text, _ in pairs]).astype(np.float64)
    return np.asarray(np.round((one * two).sum(axis=1), 4))


def row(scores: NDArray[np.float64], labels: NDArray[np.bool_], threshold: float) -> str:
    """Return precision and recall at a threshold as cells of a table."""
    reached = scores >= threshold
    right = int((reached & labels).sum())
    precision = f"{right / reached.sum():.3f}" if reached.any() else "–"
    return f"{precision.lstrip('0')} / {right / labels.sum():.3f}".replace("/ 0.", "/ .")


def main() -> int:
    """Print one table, in Markdown."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mine_threshold", description=__doc__
    )
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--pairs", type=int, default=5000, help="the most of a set that are read")
    asked = parser.parse_args()
    embedder = Embedder.load(asked.model, threads=2)
    heads, columns = [], []
    for name in SETS:
        pairs = labelled(name, asked.pairs)
        labels = np.array([label == 1 for *_, label in pairs])
        scores = cosines(embedder, pairs)
        share = f"{labels.mean():.3f}".lstrip("0")
        heads.append(f"{name.partition('.')[0]}: {len(pairs):,} pairs, {share} paraphrases")
        columns.append([row(scores, labels, threshold) for threshold in THRESHOLDS])
    print(f"| threshold | {' | '.join(heads)} |")
    print("|---|" + "---|" * len(heads))
    for number, threshold in enumerate(THRESHOLDS):
        cells = " | ".join(column[number] for column in columns)
        print(f"| {threshold:.2f} | {cells} |".replace("| 0.", "| ."))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
