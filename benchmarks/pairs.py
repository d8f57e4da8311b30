"""Sentence pairs with distinct texts, so that no tool wins by its cache."""

from __future__ import annotations

import gzip
import json
import random

from paraphrast.io.data_folder import expected_data_folder

DATA = expected_data_folder()


def mrpc_pairs(count: int) -> tuple[list[str], list[str]]:
    """Return distinct candidates and references built from MRPC.

    The corpus gives 5,801 pairs; further ones join the first half of one pair's sentences with the
    second half of another's, on both sides alike.
    """
    rows = [json.loads(line) for line in _lines("mrpc.train") + _lines("mrpc.test")]
    originals = [(row["text1"], row["text2"]) for row in rows]
    pairs = dict.fromkeys(originals)
    seen = {text for pair in originals for text in pair}
    rng = random.Random(1)
    while len(pairs) < count:
        one, two = rng.sample(originals, 2)
        left, right = (_graft(a, b) for a, b in zip(one, two, strict=True))
        if left not in seen and right not in seen and left != right:
            seen.update((left, right))
            pairs[left, right] = None
    candidates, references = zip(*list(pairs)[:count], strict=True)
    return list(candidates), list(references)


def _graft(one: str, two: str) -> str:
    head, tail = one.split(), two.split()
    return " ".join(head[: len(head) // 2] + tail[len(tail) // 2 :])


def _lines(name: str) -> list[str]:
    path = DATA / "pairs" / f"{name}.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"the benchmark needs {path.name}; set PARAPHRAST_DATA to its folder")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()
