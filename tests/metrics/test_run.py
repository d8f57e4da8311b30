"""Statistics of chunks in several processes: the bits of one process, whatever the cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from paraphrast import score
from paraphrast.errors import ConfigError
from paraphrast.metrics import run
from paraphrast.metrics.catalogue import make_metric
from paraphrast.types import Chunk

METRICS = ["bleu", "sentence_bleu", "chrf++", "ter", "rougeL", "rouge_p", "pinc", "wer"]


def _texts(count: int, words: int) -> list[str]:
    return [
        " ".join(f"w{(number * place + number) % 17}" for place in range(1, words + number % 5))
        for number in range(count)
    ]


def _tables(rows: int, *, chunk: int = 4096, keep_rows: bool = False, jobs: int = 1) -> list[bytes]:
    """Score that many rows in chunks; return each metric's statistics as bytes."""
    candidates, references, sources = (_texts(rows, words) for words in (9, 8, 10))
    chunks = [
        Chunk(
            start,
            {"": [[text] for text in candidates[start : start + chunk]]},
            [[text] for text in references[start : start + chunk]],
            sources[start : start + chunk],
        )
        for start in range(0, rows, chunk)
    ]
    plan = run.Plan(tuple(map(make_metric, METRICS)), keep_rows=keep_rows, jobs=jobs)
    seen = run.tally(chunks, plan)[""]
    assert seen.segments == rows
    return [item.points.tobytes() for item in run.fit(seen, plan)]


@pytest.mark.parametrize("keep_rows", [False, True])
def test_few_rows_are_shared_and_give_the_same_bits(
    keep_rows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[int, list[int]]] = []

    def spy(work: Callable[[Chunk], Any], chunks: Iterable[Chunk], *, jobs: int) -> Iterator[Any]:
        kept = list(chunks)
        calls.append((jobs, list(map(len, kept))))
        return map(work, kept)

    monkeypatch.setattr(run, "map_chunks", spy)
    alone = _tables(300, chunk=200, keep_rows=keep_rows)
    shared = _tables(300, chunk=200, keep_rows=keep_rows, jobs=3)
    assert calls == [(1, [200, 100]), (3, [50] * 6)]
    assert shared == alone


def test_real_processes_give_the_same_bits() -> None:
    assert _tables(100, jobs=2) == _tables(100)


def test_many_chunks_are_not_cut() -> None:
    assert _tables(100, chunk=10, jobs=2) == _tables(100, chunk=10)


def test_a_runaway_number_of_processes_is_refused() -> None:
    with pytest.raises(ConfigError, match="jobs can be at most"):
        _tables(10, jobs=10_000)


@pytest.mark.parametrize(
    "request_",
    [
        "bleu:max_ngram_order=100000000",
        "pinc:max_ngram_order=100000000",
        "chrf:char_order=100000000",
        "chrf++:word_order=100000000",
    ],
)
def test_a_runaway_order_is_refused(request_: str) -> None:
    with pytest.raises(ConfigError, match="order can be at most 100; got 100000000"):
        score(["a"], [["a"]], ["b"], metrics=[request_])
