"""One sentence at a time: `Scorer.score` beside sacrebleu's `sentence_score`.

Run `python -m benchmarks.scorer`; the calls alternate, so that a busy machine slows both alike.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from itertools import count

import sacrebleu

from paraphrast.jobs.scoring.scorer import Scorer

_CANDIDATE = "The cat sat on the mat, and it did not want to leave before dinner, says number {}."
_REFERENCE = "A cat was sitting on the mat and would not leave before it had dinner, said {}."
_CALLS = 2000
_MOST = 3.0

Call = Callable[[str, str], object]


def peers() -> dict[str, Call]:
    """Return sacrebleu's call for each of our metrics that it has, too."""
    bleu = sacrebleu.BLEU(effective_order=True)
    chrf, ter = sacrebleu.CHRF(word_order=2), sacrebleu.TER()
    return {
        "sentence_bleu": lambda c, r: bleu.sentence_score(c, [r]),
        "chrf++": lambda c, r: chrf.sentence_score(c, [r]),
        "ter": lambda c, r: ter.sentence_score(c, [r]),
    }


def medians(*calls: Call) -> list[float]:
    """Return the median seconds of each call over texts that never recur."""
    spans: list[list[float]] = [[] for _ in calls]
    numbers = count()
    for _ in range(_CALLS):
        for call, found in zip(calls, spans, strict=True):
            number = next(numbers)
            candidate, reference = _CANDIDATE.format(number), _REFERENCE.format(number * 7)
            start = time.perf_counter()
            call(candidate, reference)
            found.append(time.perf_counter() - start)
    return [statistics.median(found) for found in spans]


def main() -> int:
    """Print microseconds a call and the ratio; 1 if a ratio is above three."""
    worst = 0.0
    print(f"{'metric':<14} {'ours µs':>8} {'sacrebleu µs':>13} {'ratio':>6}")
    for name, peer in peers().items():
        ours, theirs = medians(Scorer(name).score, peer)
        worst = max(worst, ours / theirs)
        print(f"{name:<14} {ours * 1e6:8.0f} {theirs * 1e6:13.0f} {ours / theirs:6.2f}")
    return int(worst > _MOST)


if __name__ == "__main__":
    sys.exit(main())
