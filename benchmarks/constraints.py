"""How much longer beams take that must contain a string: `python -m benchmarks.constraints`.

The same beam writes paraphrases of MRPC's sentences without and with one constraint for each: a
word of the sentence's human paraphrase that the sentence has not got, so that the model would
mostly not write it by itself. It also prints in how many outputs the word is.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence

from benchmarks.generate import BATCH, BEAMS, THREADS, race
from benchmarks.pairs import mrpc_pairs
from paraphrast.generation.candidates import Candidate
from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.models.generator.generator_loading import load_generator
from paraphrast.models.generator.language_model import LanguageModel

MOST = 1.6  # times as long with one constraint
_LETTERS = 4  # of a word that is worth a constraint

Wanted = list[tuple[str, tuple[str, ...]]]


def wanted(count: int) -> Wanted:
    """Return sentences, each with a word of its paraphrase that it has not got."""
    found: Wanted = []
    candidates, references = mrpc_pairs(10 * count)
    for paraphrase, sentence in zip(candidates, references, strict=True):
        known = sentence.lower()
        words = re.findall(rf"\b[a-z]{{{_LETTERS},}}\b", paraphrase)
        new = next((word for word in words if word not in known), None)
        if new is not None:
            found.append((sentence, (new,)))
    return found[:count]


def job(model: LanguageModel, rows: Wanted, *, held: bool) -> Callable[[], list[list[Candidate]]]:
    """Return a job that writes for all sentences, a batch at a time."""
    decoding = Decoding(method="beam", beams=BEAMS, n=BEAMS, protect=False)

    def run() -> list[list[Candidate]]:
        found: list[list[Candidate]] = []
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            must: Sequence[Sequence[str]] = [words if held else () for _, words in batch]
            found += decode(model, [sentence for sentence, _ in batch], decoding, must=must)
        return found

    return run


def main() -> int:
    """Run the race; return 1 if the bound is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.constraints", description=__doc__)
    parser.add_argument("--model", default="paraphraser", help="a generator of ours")
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    model = load_generator(asked.model, threads=THREADS)
    rows = wanted(asked.sentences)
    free, held = (job(model, rows, held=held) for held in (False, True))
    for name, outputs in (("free", free()), ("constrained", held())):
        best = [(found[0].text, words) for found, (_, words) in zip(outputs, rows, strict=True)]
        having = sum(re.search(rf"\b{words[0]}\b", text, re.I) is not None for text, words in best)
        print(f"{name}: the word is in {having} of {len(rows)} best outputs")
    seconds = race({"free": free, "constrained": held}, asked.rounds)
    ratio = seconds["constrained"] / seconds["free"]
    print(
        f"one constraint, beam {BEAMS}: {seconds['constrained']:.1f} s against "
        f"{seconds['free']:.1f} s: {ratio:.2f}× (at most {MOST:g})"
        f"{'' if ratio <= MOST else '  MISSED'}"
    )
    return int(ratio > MOST)


if __name__ == "__main__":
    raise SystemExit(main())
