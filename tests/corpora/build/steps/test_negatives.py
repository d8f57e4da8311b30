from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora.build.steps.negatives import (
    MinedNegatives,
    Mining,
    mine_negatives,
    shortfalls,
)
from paraphrast.corpora.text_store import normal_form
from paraphrast.corpora.word_overlap import bin_of, overlap, rates
from paraphrast.engine.step import Row
from paraphrast.errors import ConfigError

ALL = [20] * 10


@dataclass(frozen=True)
class Given:
    """Sentences held in memory."""

    texts: tuple[str, ...]

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"texts": len(self.texts)}

    def __call__(self) -> Iterator[Row]:
        return ({"id": f"{n:04d}", "text": text} for n, text in enumerate(self.texts))


@dataclass(frozen=True)
class Suspicious:
    """Takes pairs of which a text begins with "w1" for paraphrases."""

    name: str = "suspicion"

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"judge": self.name}

    def __call__(self, texts1: Sequence[str], texts2: Sequence[str]) -> Sequence[float]:
        pairs = zip(texts1, texts2, strict=True)
        return [float(a.startswith("w1") or b.startswith("w1")) for a, b in pairs]


@pytest.fixture(scope="module")
def sentences() -> Given:
    """Of each sentence there is another that shares some of its words, from none to all."""
    draw = random.Random(3)
    texts: list[str] = []
    for number in range(2000):
        words = [f"w{draw.randrange(4000)}" for _ in range(20)]
        other = [word if draw.random() < number % 20 / 20 else f"x{word}" for word in words]
        texts += [" ".join(words), " ".join(other)]
    texts += ["Equal but for case", "equal, but for CASE!", "", "...", "don't go", "dont go"]
    draw.shuffle(texts)
    return Given(tuple(texts))


def mined(given: Given, scratch: Path, wanted: Sequence[int], **how: Any) -> list[Row]:
    return list(mine_negatives(given, wanted, scratch, Mining(**how)))


def test_bins_are_filled_with_pairs_of_their_overlap(sentences: Given, tmp_path: Path) -> None:
    found = mined(sentences, tmp_path, ALL)
    assert Counter(bin_of(row["overlap"]) for row in found) == dict.fromkeys(range(10), 20)
    again = rates(*overlap([r["text1"] for r in found], [r["text2"] for r in found]))
    assert again.tolist() == [row["overlap"] for row in found]


def test_sentences_are_used_once_and_never_with_their_equals(
    sentences: Given, tmp_path: Path
) -> None:
    found = mined(sentences, tmp_path, [4000] * 10)
    used = [source for row in found for source in row["sources"]]
    assert len(used) == len(set(used))
    assert len(found) > 1000
    for row in found:
        assert normal_form(row["text1"]) != normal_form(row["text2"])
        assert [sentences.texts[int(source)] for source in row["sources"]] == [
            row["text1"],
            row["text2"],
        ]


def test_a_mined_pair_says_so(sentences: Given, tmp_path: Path) -> None:
    row = mined(sentences, tmp_path, [0] * 9 + [1])[0]
    one, two = row["sources"]
    assert row["id"] == f"mined-{one}-{two}"
    assert (row["origin"], row["systems"], row["scores"]) == ("mined", [], {})
    assert row["quality"] is row["source"] is row["label"] is None


def test_most_pairs_that_share_much_are_found(sentences: Given, tmp_path: Path) -> None:
    """Against all pairs: each sentence has at most one partner with half of its words."""
    by_words: dict[str, list[int]] = {}
    for number, text in enumerate(sentences.texts):
        key = " ".join(word.removeprefix("x") for word in text.split())
        by_words.setdefault(key, []).append(number)
    ones, twos = zip(*(two for two in by_words.values() if len(two) == 2), strict=True)
    texts = sentences.texts
    shares = rates(*overlap([texts[n] for n in ones], [texts[n] for n in twos]))
    wanted = sum(0.5 <= share < 1 for share in shares)
    found = mined(sentences, tmp_path, [0] * 5 + [4000] * 5)
    assert wanted > 400
    assert len(found) > 0.9 * wanted


def test_the_seed_draws_and_nothing_else_does(sentences: Given, tmp_path: Path) -> None:
    runs = []
    for number, seed in enumerate((1, 1, 2)):
        (tmp_path / str(number)).mkdir()
        runs.append(mined(sentences, tmp_path / str(number), ALL, seed=seed))
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_a_judge_keeps_paraphrases_out(sentences: Given, tmp_path: Path) -> None:
    found = mined(sentences, tmp_path, ALL, judge=Suspicious())
    assert len(found) == 200
    assert not [r for r in found if r["text1"].startswith("w1") or r["text2"].startswith("w1")]
    assert all(row["scores"] == {"suspicion": 0.0} for row in found)
    (tmp_path / "all").mkdir()
    loose = mined(sentences, tmp_path / "all", ALL, judge=Suspicious(), ceiling=1.0)
    assert any(row["scores"] == {"suspicion": 1.0} for row in loose)


@pytest.mark.parametrize("texts", [(), ("one",), ("", "..."), ("a b", "A b!")])
def test_too_little_text_gives_nothing(texts: tuple[str, ...], tmp_path: Path) -> None:
    assert mined(Given(texts), tmp_path, ALL) == []


def pair(overlap: float, **more: object) -> Row:
    return {"id": "p", "overlap": overlap, "origin": "translation", **more}


def test_negatives_make_up_for_positives(sentences: Given, tmp_path: Path) -> None:
    given = [
        *[pair(0.55)] * 5,
        *[pair(0.55, label="negative")] * 2,
        *[pair(0.75, origin="mined")] * 3,
        *(pair(0.15), pair(1.0), pair(0.85, label="positive")),
    ]
    done: list[int] = []
    step = MinedNegatives(sentences=sentences)
    found = list(step.run(lambda: iter(given), tmp_path, done.append))
    assert sum(done) == len(given)
    assert found[: len(given)] == given
    assert Counter(bin_of(row["overlap"]) for row in found[len(given) :]) == {5: 3, 8: 1}
    assert shortfalls(iter(found)) == [0] * 11
    assert shortfalls(iter(given)) == [0, 0, 0, 0, 0, 3, 0, 0, 1, 0, 0]


def test_shortfalls_are_counted(tmp_path: Path) -> None:
    few = Given(("a b c d e f g h i j", "a b c d e f g h i k"))
    step = MinedNegatives(sentences=few, per_bin=2, lowest=0.8)
    found = list(step.run(lambda: iter([pair(0.9)]), tmp_path, lambda _n: None))
    assert [row["overlap"] for row in found] == [0.9, 9 / 11]
    assert shortfalls(iter(found), per_bin=2, lowest=0.8) == [0] * 8 + [1, 2, 0]


def test_real_text(data: Callable[[str], Path], tmp_path: Path) -> None:
    import gzip

    with gzip.open(data("pairs/mrpc.train.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    given = Given(tuple(text for row in rows for text in (row["text1"], row["text2"])))
    found = mined(given, tmp_path, [0] * 3 + [50] * 6 + [0])
    assert Counter(bin_of(row["overlap"]) for row in found) == dict.fromkeys(range(3, 9), 50)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_bin": -1}, "per_bin must be at least 0; got -1"),
        ({"lowest": 1.0}, "lowest must be at least 0 and below 1; got 1.0"),
        ({"mining": Mining(tokenize="x")}, "unknown tokeniser 'x'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        MinedNegatives(sentences=Given(()), **options)


def test_the_signature_holds_every_option() -> None:
    plain = json.dumps(MinedNegatives(sentences=Given(())).signature)
    changes: tuple[dict[str, Any], ...] = (
        *({"per_bin": 1}, {"lowest": 0.3}, {"sentences": Given(("a",))}),
        *({"mining": Mining(seed=1)}, {"mining": Mining(tokenize="13a")}),
        {"mining": Mining(judge=Suspicious())},
    )
    for change in changes:
        step = MinedNegatives(**{"sentences": Given(()), **change})
        assert json.dumps(step.signature) != plain
