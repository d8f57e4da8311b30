"""Made-up rows for `benchmarks.build`: what each step reads, in a file of JSON lines of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from benchmarks.mine import made_up
from paraphrast.corpora.build.steps.pairing import PairStep
from paraphrast.engine.step import Row
from paraphrast.io import chunks

SHARD = 1000
SPLITS = ("train", "dev", "test")

_BLOCK = 3 * SHARD
_LETTERS = str.maketrans("0123456789", "abcdefghij")


def write(folder: Path, count: int, wanted: set[str]) -> None:
    """Write the rows of so many sentences, in the files that are wanted."""
    with ExitStack() as stack:
        files = {
            name: stack.enter_context((folder / name).open("w", encoding="utf-8"))
            for name in sorted(wanted)
        }
        for number, some in enumerate(chunks(made_up(count), _BLOCK)):
            texts = [text.translate(_LETTERS) for text in some]
            for name, file in files.items():
                file.writelines(f"{line}\n" for line in ROWS[name](_BLOCK * number, texts))


def read(path: Path) -> Iterator[Row]:
    """Yield rows."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def sentences(start: int, texts: list[str]) -> Iterator[Row]:
    """Yield ranked sentences."""
    for number, text in enumerate(texts, start):
        row = {"id": f"{number:09d}", "text": text, "from": "made up", "row": number + 1}
        yield {**row, "perplexity": (number * 7919 % 100_003) / 7}


def template(start: int, texts: list[str]) -> Iterator[Row]:
    """Yield sentences that differ in two words."""
    for number, row in enumerate(sentences(start, texts), start):
        line = f"Flight {number} to London leaves at gate {number % 97} today, as planned"
        yield {**row, "text": line}


def translated(start: int, texts: list[str]) -> Iterator[Row]:
    """Yield sentences with two translations, ways back and quality; the next shares words."""
    others = texts[1:] + texts[:1]
    for row, other in zip(sentences(start, texts), others, strict=True):
        there, back = {"a": row["text"], "b": other}, {"a": other, "b": row["text"][:-9]}
        scores = {"sbleu.a": row["row"] % 997 / 997, "sbleu.b": row["row"] % 991 / 991}
        quality = round(scores["sbleu.a"] * scores["sbleu.b"], 9)
        yield {**row, "translations": there, "back": back, "quality": quality, "scores": scores}


def pairs(start: int, texts: list[str]) -> Iterator[Row]:
    """Yield the pairs that they make, with a split: eight of ten are to train on."""
    with PairStep().open() as work:
        found = [row for row in work(list(translated(start, texts))) if isinstance(row, dict)]
    for number, row in enumerate(found):
        yield {**row, "split": SPLITS[max(number % 10 - 7, 0)]}


def few(start: int, texts: list[str]) -> Iterator[Row]:
    """Yield a thousand pairs and no more."""
    return islice(pairs(start, texts), 0 if start else SHARD)


def _as_json(
    rows: Callable[[int, list[str]], Iterator[Row]],
) -> Callable[[int, list[str]], Iterable[str]]:
    return lambda start, texts: map(json.dumps, rows(start, texts))


ROWS: dict[str, Callable[[int, list[str]], Iterable[str]]] = {
    "text": lambda _start, texts: texts,
    "sentences": _as_json(sentences),
    "template": _as_json(template),
    "translated": _as_json(translated),
    "pairs": _as_json(pairs),
    "few": _as_json(few),
}
