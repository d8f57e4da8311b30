"""Write the pairs that the paraphraser learns from: the best of a generator's own.

A generator writes several paraphrases of each sentence of its training texts. The shipped edit
encoders and the overlap with the source decide which are kept: those that say the same, differ
enough, keep numbers and names, and are likely. Learning from them again makes good paraphrases
likelier, and copies and inventions less so. Texts of test and development sets are left out.

There are two rounds. In the first the generator of recipes/generator.toml writes and the small
encoder judges; in the second the generator of recipes/paraphraser_first.toml writes, and the large
encoder, which is slow and harder to fool, has the last word. It also reads the pairs that people
and translation systems wrote, and keeps those that it finds as good.

    paraphrast train export runs/generator -o runs/generator_full --form float32
    python recipes/paraphraser_pairs.py 1 --generator runs/generator_full --output runs/own
    paraphrast train run recipes/paraphraser_first.toml
    paraphrast train export runs/paraphraser_first -o runs/first_full --form float32
    python recipes/paraphraser_pairs.py 2 --generator runs/first_full --output runs/own_2
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from generator_pairs import TESTED, Judge, alone, development, key, write
from paraphrast.generation.candidates import Candidate
from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.generation.selection.candidate_ranking import overlaps
from paraphrast.models.generator.generator_loading import load_generator, told_to_copy
from paraphrast.train.data.assembly import data_root
from paraphrast.train.data.withheld_texts import texts_of
from paraphrast.train.generator.pair_filter import Limits, unfit

SEED = 13
SENTENCES = 2_200  # of a round
BENCHMARK = 0.66  # source ROUGE-L above which a text copies
LIKELY = 0.3  # weight of the mean log-probability of a sub-word beside ROUGE-P
EACH = 2  # pairs of a sentence
AT_ONCE = 256
GIVEN = ("mrpc", "wmt", "stsb", "mtref", "translated")  # what people and systems wrote
_SPOKEN = re.compile(r"\b(?:said|says|told|added|according)\b", re.IGNORECASE)

Judged = tuple[float, float, float]  # entailment, tags, quality
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """How a round draws and what it demands.

    `least` holds the least entailment, the lower of both ways, the least mean probability of the
    words' tags and the least quality (a z-score of human ratings); `last` the same of the large
    encoder, which reads only what the small one let pass. `quality` weighs the small one's score.
    """

    draws: Decoding
    asked: tuple[float, ...]  # how much to copy: draws for each
    limits: Limits
    least: Judged
    last: Judged | None = None
    quality: float = 0.0


ROUNDS = {
    1: Round(
        draws=Decoding(method="top-p", n=3, temperature=0.8, protect=False, seed=SEED),
        asked=(0.5, 0.65),
        limits=Limits(copied=0.82, shared=1.0, lost=0.0),
        least=(0.85, 0.88, -9.0),
    ),
    2: Round(
        draws=Decoding(method="top-p", n=4, temperature=0.7, protect=False, seed=SEED + 1),
        asked=(0.5, 0.7),
        limits=Limits(copied=0.86, shared=1.0, lost=0.0),
        least=(0.9, 0.88, 0.45),
        last=(0.9, 0.88, 0.5),
        quality=0.5,
    ),
}


def main() -> None:
    """Write, choose and report."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("round", type=int, choices=ROUNDS)
    options.add_argument("--generator", required=True)
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--data", type=Path, default=Path("runs/generator_data"))
    options.add_argument("--sentences", type=int, default=SENTENCES)
    asked = options.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    how = ROUNDS[asked.round]
    plain = load_generator(asked.generator)
    models = [told_to_copy(plain, copied) for copied in how.asked]
    judges = [Judge()] if how.last is None else [Judge(), Judge("base")]
    counts, kept = Counter[str](), []
    sentences = chosen(asked.sentences, asked.round)
    for start in range(0, len(sentences), AT_ONCE):
        some = sentences[start : start + AT_ONCE]
        wrote = [decode(model, some, how.draws) for model in models]
        pools = [[one for draws in every for one in draws] for every in zip(*wrote, strict=True)]
        kept += best(some, pools, how, judges, counts)
        print(start + len(some), len(kept), dict(counts), flush=True)
        write(asked.output / "own.jsonl.gz", kept)
    if how.last is not None:
        counts |= given(asked.data, asked.output, how, judges)
    report = {"sentences": len(sentences), **counts, "kept": len(kept)}
    (asked.output / "report.json").write_text(json.dumps(report, indent=2) + "\n")


def chosen(most: int, number: int) -> list[str]:
    """Return training sentences in an order drawn at random; none to develop on or to test with.

    Each round has sentences of its own.
    """
    tested = texts_of(TESTED, data_root())
    aside = {key(text) for pair in development(tested) for text in pair}
    found = [text for text in dict.fromkeys(alone(tested)) if key(text) not in aside]
    taken: set[str] = set()
    for count in range(1, number):
        taken |= set(drawn(found, SENTENCES, count))
    return drawn([text for text in found if text not in taken], most, number)


def drawn(texts: list[str], most: int, number: int) -> list[str]:
    """Return texts in a random order of the round's own."""
    return random.Random(SEED + number - 1).sample(texts, min(most, len(texts)))


def best(
    sources: list[str],
    pools: list[list[Candidate]],
    how: Round,
    judges: list[Judge],
    counts: Counter[str],
) -> list[dict[str, object]]:
    """Return the best pairs of each sentence."""
    fit: list[tuple[int, Candidate]] = []
    for number, (source, pool) in enumerate(zip(sources, pools, strict=True)):
        for one in {each.text: each for each in pool}.values():
            reason = refused(source, one, how.limits)
            counts[reason or "fit"] += 1
            if reason is None:
                fit.append((number, one))
    pairs = [(sources[number], one.text) for number, one in fit]
    rated: dict[int, list[tuple[float, Pair]]] = {}
    for (number, one), pair, judged, value in zip(
        fit, pairs, judges[0](pairs), rouge_p(pairs), strict=True
    ):
        if not reaches(judged, how.least):
            counts["unfaithful"] += 1
            continue
        value += LIKELY * one.logprob / (one.tokens + 1) + how.quality * judged[2]
        rated.setdefault(number, []).append((value, pair))
    left = [
        pair
        for number in sorted(rated)
        for _, pair in sorted(rated[number], key=lambda each: -each[0])[:EACH]
    ]
    return checked(left, how.last or how.least, judges[-1], counts)


def given(data: Path, output: Path, how: Round, judges: list[Judge]) -> dict[str, int]:
    """Keep of what people and translation systems wrote what the large encoder finds good."""
    counts = Counter[str]()
    for name in GIVEN:
        with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            pairs = [(row["text1"], row["text2"]) for row in map(json.loads, lines)]
        small = judges[0](pairs)
        pairs = [
            pair for pair, judged in zip(pairs, small, strict=True) if reaches(judged, how.least)
        ]
        found = checked(pairs, how.last or how.least, judges[-1], counts)
        write(output / f"{name}.jsonl.gz", found)
        counts[f"given by {name}"] = len(found)
        print(name, len(pairs), len(found), flush=True)
    return {f"given, {key}" if key == "doubtful" else key: n for key, n in counts.items()}


def checked(
    pairs: list[Pair], least: Judged, judge: Judge, counts: Counter[str]
) -> list[dict[str, object]]:
    """Return the rows of the pairs that a judge finds good enough."""
    found: list[dict[str, object]] = []
    for (a, b), judged in zip(pairs, judge(pairs), strict=True):
        if reaches(judged, least):
            names = zip(("entailment", "tags", "quality"), judged, strict=True)
            found.append({"text1": a, "text2": b, **dict(names)})
        else:
            counts["doubtful"] += 1
    return found


def reaches(judged: Judged, least: Judged) -> bool:
    """Tell whether each figure is high enough."""
    return all(is_ >= must for is_, must in zip(judged, least, strict=True))


def refused(source: str, one: Candidate, limits: Limits) -> str | None:
    """Return why a text is none to learn from; news made the generator fond of "he said"."""
    if not one.finished:
        return "cut"
    if _SPOKEN.search(one.text) and not _SPOKEN.search(source):
        return "a speaker of its own"
    return unfit(source, one.text, limits)


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
