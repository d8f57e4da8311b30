"""Write the pairs that recipes/paraphraser.toml learns from: the best of a generator's own.

The generator of recipes/generator.toml writes several paraphrases of each sentence of its training
texts. The shipped edit encoder and the overlap with the source decide which are kept: those that
say the same, differ enough, keep numbers and names, and are likely. Learning from them again makes
good paraphrases likelier, and copies and inventions less so. Texts of test and development sets
are left out.

    paraphrast train export runs/generator -o runs/generator_full --form float32
    python recipes/paraphraser_pairs.py --generator runs/generator_full --output runs/own
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from pathlib import Path

from generator_pairs import TESTED, Judge, alone, development, key, write

from paraphrast.generation.candidates import Candidate
from paraphrast.generation.decode import Decoding, decode
from paraphrast.generation.overlaps import overlaps
from paraphrast.models.generators import load_generator, told_to_copy
from paraphrast.train.apart import texts_of
from paraphrast.train.corpus import data_root
from paraphrast.train.differing import Limits, unfit

SEED = 13
DRAWS = Decoding(method="top-p", n=3, top_p=0.95, temperature=0.8, protect=False, seed=SEED)
ASKED = (0.5, 0.65)  # how much to copy: draws for each
LIMITS = Limits(copied=0.82, shared=1.0, lost=0.0)
LEAST = 0.85, 0.88  # entailment, the lower of both ways, and mean probability of the words' tags
BENCHMARK = 0.66  # source ROUGE-L above which a text copies
LIKELY = 0.3  # weight of the mean log-probability of a sub-word beside ROUGE-P
EACH = 2  # pairs of a sentence
AT_ONCE = 256
_SPOKEN = re.compile(r"\b(?:said|says|told|added|according)\b", re.IGNORECASE)


def main() -> None:
    """Write, choose and report."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--generator", required=True)
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--sentences", type=int, default=2_200)
    asked = options.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    sentences = chosen(asked.sentences)
    plain = load_generator(asked.generator)
    models = [told_to_copy(plain, copied) for copied in ASKED]
    judge, counts, kept = Judge(), Counter[str](), []
    for start in range(0, len(sentences), AT_ONCE):
        some = sentences[start : start + AT_ONCE]
        drawn = [decode(model, some, DRAWS) for model in models]
        pools = [[one for draws in every for one in draws] for every in zip(*drawn, strict=True)]
        kept += best(some, pools, judge, counts)
        print(start + len(some), len(kept), dict(counts), flush=True)
        write(asked.output / "own.jsonl.gz", kept)
    report = {"sentences": len(sentences), **counts, "kept": len(kept)}
    (asked.output / "report.json").write_text(json.dumps(report, indent=2) + "\n")


def chosen(most: int) -> list[str]:
    """Return training sentences in an order drawn at random; none to develop on or to test with."""
    tested = texts_of(TESTED, data_root())
    aside = {key(text) for pair in development(tested) for text in pair}
    found = [text for text in dict.fromkeys(alone(tested)) if key(text) not in aside]
    return random.Random(SEED).sample(found, min(most, len(found)))


def best(
    sources: list[str], pools: list[list[Candidate]], judge: Judge, counts: Counter[str]
) -> list[dict[str, object]]:
    """Return the best pairs of each sentence."""
    fit: list[tuple[int, Candidate]] = []
    for number, (source, pool) in enumerate(zip(sources, pools, strict=True)):
        for one in {each.text: each for each in pool}.values():
            reason = refused(source, one)
            counts[reason or "fit"] += 1
            if reason is None:
                fit.append((number, one))
    pairs = [(sources[number], one.text) for number, one in fit]
    rated: dict[int, list[tuple[float, dict[str, object]]]] = {}
    for (number, one), (a, b), judged, value in zip(
        fit, pairs, judge(pairs), rouge_p(pairs), strict=True
    ):
        if judged[0] < LEAST[0] or judged[1] < LEAST[1]:
            counts["unfaithful"] += 1
            continue
        row = {"text1": a, "text2": b, "entailment": judged[0], "tags": judged[1]}
        value += LIKELY * one.logprob / (one.tokens + 1)
        rated.setdefault(number, []).append((value, row))
    return [
        row
        for number in sorted(rated)
        for _, row in sorted(rated[number], key=lambda each: -each[0])[:EACH]
    ]


def refused(source: str, one: Candidate) -> str | None:
    """Return why a text is none to learn from; news made the generator fond of "he said"."""
    if not one.finished:
        return "cut"
    if _SPOKEN.search(one.text) and not _SPOKEN.search(source):
        return "a speaker of its own"
    return unfit(source, one.text, LIMITS)


def rouge_p(pairs: list[tuple[str, str]]) -> list[float]:
    """Return ROUGE-P of targets with their sources, for one benchmark."""
    if not pairs:
        return []
    shared = overlaps([b for _, b in pairs], [a for a, _ in pairs])
    found = []
    for recall, copied in zip(shared.rouge1.tolist(), shared.rouge_l.tolist(), strict=True):
        above = max(copied - BENCHMARK, 0) / (1 - BENCHMARK)
        below = max(BENCHMARK - copied, 0) / BENCHMARK
        found.append(recall * (1 - above**2) * (1 - below**7))
    return found


if __name__ == "__main__":
    main()
