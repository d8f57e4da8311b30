"""Write the faithful ones of a generator's own paraphrases, for its last sitting.

The generator of recipes/paraphraser_third.toml writes several paraphrases of training sentences
that no earlier round saw; faithful_pairs.py's conditions decide which are kept, and equation
ROUGE-P, the encoder's score and the likelihood which two of a sentence are the best. Learning from
these makes the texts that pass the judge likelier, and the others less so. The large encoder, which
is slow and harder to fool, has the last word:

    paraphrast train export runs/paraphraser_third -o runs/third_full --form float32
    python recipes/own_pairs.py --generator runs/third_full --output runs/own_3
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from faithful_pairs import MACHINE, faithful
from generator_pairs import write
from paraphraser_pairs import chosen, refused, rouge_p
from paraphrast.generation.candidates import Candidate
from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.generator.generator_loading import load_generator, told_to_copy
from paraphrast.train.generator.pair_filter import Limits

ROUND = 3
SENTENCES = 5_000
ASKED = 0.55, 0.65, 0.75  # how much to copy: draws for each
DRAWS = Decoding(method="top-p", n=3, temperature=0.8, protect=False, seed=13)
LIMITS = Limits(copied=0.88, shared=1.0, lost=0.0)
QUALITY, LIKELY = 0.5, 0.3  # weights of the score and of the mean log-probability of a sub-word
EACH = 2  # pairs of a sentence
LAST = 0.93, 0.45, 0.8  # entailment, quality and support by the large encoder
AT_ONCE = 250


def main() -> None:
    """Write, choose and report."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--generator", required=True)
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--sentences", type=int, default=SENTENCES)
    asked = options.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    plain, encoder = load_generator(asked.generator), EditEncoder.load("mini")
    models = [told_to_copy(plain, copied) for copied in ASKED]
    counts, kept = Counter[str](), []
    sentences = chosen(asked.sentences, ROUND)
    for start in range(0, len(sentences), AT_ONCE):
        some = sentences[start : start + AT_ONCE]
        wrote = [decode(model, some, DRAWS) for model in models]
        pools = [[one for draws in every for one in draws] for every in zip(*wrote, strict=True)]
        kept += best(some, pools, encoder, counts)
        print(start + len(some), len(kept), dict(counts), flush=True)
        write(asked.output / "small.jsonl.gz", kept)
    passed, doubts = checked(kept)
    write(asked.output / "own.jsonl.gz", passed)
    report = {"sentences": len(sentences), **counts, "chosen": len(kept), "by base": doubts}
    (asked.output / "report.json").write_text(json.dumps(report, indent=2) + "\n")


def checked(kept: list[dict[str, object]]) -> tuple[list[dict[str, object]], Counter[str]]:
    """Return the pairs that the large encoder passes too, and why others do not."""
    pairs = [(str(row["text1"]), str(row["text2"])) for row in kept]
    return faithful(pairs, EditEncoder.load("base"), LAST)


def best(
    sources: list[str],
    pools: list[list[Candidate]],
    encoder: EditEncoder,
    counts: Counter[str],
) -> list[dict[str, object]]:
    """Return the best pairs of each sentence."""
    fit: dict[tuple[str, str], Candidate] = {}
    for source, pool in zip(sources, pools, strict=True):
        for one in pool:
            reason = refused(source, one, LIMITS)
            counts[reason or "fit"] += 1
            if reason is None:
                fit.setdefault((source, one.text), one)
    kept, why = faithful(list(fit), encoder, MACHINE)
    counts += why
    pairs = [(str(row["text1"]), str(row["text2"])) for row in kept]
    ranked: dict[str, list[tuple[float, int]]] = {}
    for place, (pair, value) in enumerate(zip(pairs, rouge_p(pairs), strict=True)):
        one = fit[pair]
        value += QUALITY * float(str(kept[place]["quality"]))
        value += LIKELY * one.logprob / (one.tokens + 1)
        ranked.setdefault(pair[0], []).append((-value, place))
    return [kept[place] for mine in ranked.values() for _, place in sorted(mine)[:EACH]]


if __name__ == "__main__":
    main()
