"""Print how many times faster each metric is than its reference tool: `python -m benchmarks`."""

from __future__ import annotations

import argparse
import functools
import gc
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.pairs import mrpc_pairs
from paraphrast import score

_MEMO = type(functools.lru_cache(len))


@dataclass(frozen=True)
class Case:
    """One race: our call, the peer's call, and the ratio that must be reached."""

    name: str
    ours: Callable[[], object]
    peer: Callable[[], object]
    floor: float
    rounds: int = 3


def cases(candidates: list[str], references: list[str]) -> list[Case]:
    """Return the races; the peers are imported here, so that `--help` works without them."""
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    def ours(*metrics: str, ci: bool = False) -> Callable[[], object]:
        return lambda: score(candidates, references, metrics=metrics, ci=ci)

    def corpus(kind: Callable[[], object], samples: int = 1) -> Callable[[], object]:
        return lambda: kind().corpus_score(candidates, [references], n_bootstrap=samples)  # type: ignore[attr-defined]

    def sentences() -> object:
        bleu = BLEU(effective_order=True)
        pairs = zip(candidates, references, strict=True)
        return [bleu.sentence_score(c, [r]).score for c, r in pairs]

    def rouge(stem: bool) -> Callable[[], object]:
        def run() -> object:
            scorer = RougeScorer(["rouge1", "rougeL"], use_stemmer=stem)
            return [scorer.score(r, c) for c, r in zip(candidates, references, strict=True)]

        return run

    google = "preset=google"
    stem = f"{google},stemmer=true"
    return [
        Case("corpus BLEU / sacrebleu", ours("bleu"), corpus(BLEU), 3),
        Case("sentence BLEU / sacrebleu", ours("sentence_bleu"), sentences, 3),
        Case("BLEU + 1,000 bootstrap / sacrebleu", ours("bleu", ci=True), corpus(BLEU, 1000), 5),
        Case("chrF++ / sacrebleu", ours("chrf++"), corpus(lambda: CHRF(word_order=2)), 3),
        Case("TER / sacrebleu", ours("ter"), corpus(TER), 4),
        Case(
            "ROUGE-1+L / rouge-score", ours(f"rouge1:{google}", f"rougeL:{google}"), rouge(False), 5
        ),
        Case(
            "ROUGE-1+L stemmed / rouge-score",
            ours(f"rouge1:{stem}", f"rougeL:{stem}"),
            rouge(True),
            8,
        ),
    ]


def shuffled_ter() -> Case:
    """TER of a shuffled 400-word sentence, where tercom's search is at its worst."""
    from sacrebleu.metrics.ter import TER

    words = [f"word{n}" for n in range(400)]
    mixed = random.Random(1).sample(words, len(words))
    one, two = " ".join(mixed), " ".join(words)
    return Case(
        "TER of 400 shuffled words / sacrebleu",
        lambda: score([one], [two], metrics="ter"),
        lambda: TER().corpus_score([one], [[two]]),
        8,
        rounds=1,
    )


def seconds(call: Callable[[], object]) -> float:
    """Time one call with every memo of both tools emptied before it."""
    _forget()
    gc.collect()
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _forget() -> None:
    for item in gc.get_objects():
        module = str(getattr(item, "__module__", ""))
        if isinstance(item, _MEMO) and module.startswith(("sacrebleu", "paraphrast")):
            item.cache_clear()


def race(case: Case) -> tuple[float, float]:
    """Return the median seconds of both, run in turn so that both meet the same machine."""
    times = [(seconds(case.ours), seconds(case.peer)) for _ in range(case.rounds)]
    mine, theirs = zip(*times, strict=True)
    return statistics.median(mine), statistics.median(theirs)


def main() -> int:
    """Run the races and return 1 if a floor was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--only", default="", help="run the cases whose name holds this")
    arguments = parser.parse_args()
    candidates, references = mrpc_pairs(arguments.pairs)
    print(f"{arguments.pairs:,} distinct pairs, one process, median of 3")
    print(f"{'case':40} {'ours s':>8} {'peer s':>8} {'ratio':>7} {'floor':>6}")
    missed = 0
    for case in [*cases(candidates, references), shuffled_ter()]:
        if arguments.only.lower() in case.name.lower():
            mine, theirs = race(case)
            ratio = theirs / mine
            missed += ratio < case.floor
            mark = "" if ratio >= case.floor else "  MISSED"
            print(
                f"{case.name:40} {mine:8.2f} {theirs:8.2f} {ratio:6.1f}x {case.floor:5.0f}x{mark}"
            )
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
