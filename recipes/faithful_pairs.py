"""Keep of all pairs for a generator those in which every content word has a counterpart.

A pair stays if the small edit encoder finds, both ways, that one text follows from the other, that
people would rate it well, and that no content word of either is without support in the other: a
word that is lost or made up is what the mean over a sentence hides. To the pairs of
generator_pairs.py come those of PAWS-Wiki that share all their words, and those of rewrites.py:

    python recipes/generator_pairs.py --output runs/generator_data
    python recipes/rewrites.py --output runs/rewrites.jsonl.gz
    python recipes/faithful_pairs.py --output runs/faithful
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from pathlib import Path

from generator_pairs import TESTED, both, development, key, positive, write
from paraphrast.meaning.assessment import assess
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.train.data.assembly import data_root
from paraphrast.train.data.withheld_texts import texts_of
from paraphrast.train.generator.pair_filter import Limits, unfit

Pair = tuple[str, str]

GIVEN = (
    "mrpc stsb mtref wmt round_trips translated paranmt parasci qqp tatoeba".split()
)  # of generator_pairs.py
REORDERED = Limits(copied=0.92, shared=1.0)  # PAWS-Wiki: the same words in another order
LEAST = 0.85, 0.3, 0.65  # entailment, quality, support of the weakest content word
MACHINE = 0.9, 0.5, 0.8  # where a machine wrote the target
STRICT = {"translated": MACHINE, "rewrites": (0.85, 0.35, 0.75)}


def main() -> None:
    """Judge, choose, write and report."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--data", type=Path, default=Path("runs/generator_data"))
    options.add_argument("--rewrites", type=Path, default=Path("runs/rewrites.jsonl.gz"))
    asked = options.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    encoder = EditEncoder.load("mini")
    sources = {name: stored(asked.data / f"{name}.jsonl.gz") for name in GIVEN}
    sources["rewrites"] = stored(asked.rewrites)
    sources["paws"] = reordered()
    report = {}
    for name, pairs in sources.items():
        kept, counts = faithful(pairs, encoder, STRICT.get(name, LEAST))
        write(asked.output / f"{name}.jsonl.gz", kept)
        report[name] = {"pairs": len(pairs), **counts}
        print(name, report[name], flush=True)
    (asked.output / "report.json").write_text(json.dumps(report, indent=2) + "\n")


def stored(path: Path) -> list[Pair]:
    """Return the pairs of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [(row["text1"], row["text2"]) for row in map(json.loads, lines)]


def reordered() -> list[Pair]:
    """Return the positive pairs of PAWS-Wiki, whatever they share, but for copies."""
    tested = texts_of(TESTED, data_root())
    aside = tested | {key(text) for pair in development(tested) for text in pair}
    return [
        pair
        for pair in both(positive("pairs/paws_wiki.train"))
        if unfit(*pair, REORDERED) is None and not aside & set(map(key, pair))
    ]


def faithful(
    pairs: list[Pair], encoder: EditEncoder, least: tuple[float, float, float]
) -> tuple[list[dict[str, object]], Counter[str]]:
    """Return what passes, with its figures, and why the rest does not."""
    names = "entailment", "quality", "support"
    kept: list[dict[str, object]] = []
    counts = Counter[str]()
    for (a, b), one in zip(pairs, assess(encoder, pairs), strict=True):
        figures = one.chances.entailment, one.score, one.weakest.support
        found = dict(zip(names, figures, strict=True))
        low = next((n for n, must in zip(names, least, strict=True) if found[n] < must), None)
        counts[f"{low} too low" if low else "kept"] += 1
        if low is None:
            kept.append({"text1": a, "text2": b, **found})
    return kept, counts


if __name__ == "__main__":
    main()
