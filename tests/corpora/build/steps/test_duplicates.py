from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.corpora.build.steps.duplicates import DUPLICATE, NEAR, DeduplicateStep
from paraphrast.corpora.text_store import normal_form
from paraphrast.engine.step import Dropped, Row
from paraphrast.errors import ConfigError
from paraphrast.text.tokenise import Tokeniser

WORDS = Tokeniser("unicode")


def rows(texts: list[str]) -> list[Row]:
    return [{"id": f"{n:09d}", "text": text} for n, text in enumerate(texts)]


def run(step: DeduplicateStep, given: list[Row], scratch: Path) -> list[Row | Dropped]:
    done: list[int] = []
    found = list(step.run(lambda: iter(given), scratch, done.append))
    assert sum(done) == len(given)
    return found


def told(found: list[Row | Dropped]) -> list[str]:
    """What became of each row: "" if it was kept, else why and for which."""
    return [f"{r.reason} of {int(r.detail)}" if isinstance(r, Dropped) else "" for r in found]


def shingles(text: str, size: int) -> set[tuple[str, ...]]:
    words = WORDS([text])[0]
    grams = [tuple(words[at : at + size]) for at in range(max(len(words) - size + 1, 1))]
    return set(grams) if words else set()


def jaccard(one: str, two: str, size: int) -> float:
    a, b = shingles(one, size), shingles(two, size)
    return len(a & b) / len(a | b) if a | b else 0.0


def test_the_first_of_equal_and_nearly_equal_sentences_stays(tmp_path: Path) -> None:
    texts = [
        "The quick brown fox jumps over the lazy dog near the old river bank today.",
        "the quick brown fox jumps over the lazy dog near the old river bank TODAY",
        "The quick brown fox jumps over the lazy dog near the old river bank now.",
        "Another sentence altogether.",
        "!?",
        "...",
        "!?",
        "The quick brown fox jumps over the lazy dog near the old river bank now!",
    ]
    assert told(run(DeduplicateStep(), rows(texts), tmp_path)) == [
        *("", f"{DUPLICATE} of 0", f"{NEAR} of 0", "", "", "", f"{DUPLICATE} of 4"),
        f"{DUPLICATE} of 0",  # its equal is dropped itself: the one that was kept is named
    ]


def test_rows_are_passed_on_as_they_are_and_in_order(tmp_path: Path) -> None:
    given = [{"id": "b", "text": "x y", "from": "f"}, {"id": "a", "text": "z"}]
    assert run(DeduplicateStep(), given, tmp_path) == given


TEXT = st.lists(st.sampled_from("a b c d e".split()), max_size=7).map(" ".join)


@settings(max_examples=60)
@given(
    texts=st.lists(TEXT, max_size=25),
    near=st.sampled_from([0.0, 0.5, 0.75, 1.0]),
    size=st.integers(1, 3),
    block=st.integers(1, 9),
)
def test_what_is_dropped_has_a_kept_row_that_is_as_alike(
    texts: list[str],
    near: float,
    size: int,
    block: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paraphrast.corpora.build.steps.duplicates._BLOCK", block)
        step = DeduplicateStep(near=near, shingle=size)
        found = run(step, rows(texts), tmp_path_factory.mktemp("scratch"))
    kept = [number for number, row in enumerate(found) if not isinstance(row, Dropped)]
    for number, row in enumerate(found):
        earlier = [normal_form(texts[n]) or texts[n] for n in range(number)]
        same = (normal_form(texts[number]) or texts[number]) in earlier
        if not isinstance(row, Dropped):
            assert not same
            continue
        keeper = int(row.detail)
        assert keeper in kept
        assert keeper < number
        assert (row.reason == DUPLICATE) == same
        if row.reason == NEAR:
            assert jaccard(texts[number], texts[keeper], size) >= near > 0


def _variants(count: int) -> list[str]:
    """Sentences of 20 words, half of them copies of earlier ones with one word changed."""
    draw = random.Random(5)
    texts: list[str] = []
    for number in range(count):
        if number % 2:
            words = texts[-1].split()
            words[draw.randrange(20)] = f"other{number}"
        else:
            words = [f"w{draw.randrange(5000)}" for _ in range(20)]
        texts.append(" ".join(words))
    return texts


@pytest.mark.parametrize("near", [0.8, 0.6])
def test_hardly_one_is_missed(near: float, tmp_path: Path) -> None:
    texts = _variants(3000)
    found = run(DeduplicateStep(near=near), rows(texts), tmp_path)
    wanted = [n for n in range(1, 3000, 2) if jaccard(texts[n], texts[n - 1], 2) >= near]
    dropped = [n for n, row in enumerate(found) if isinstance(row, Dropped)]
    assert len(wanted) > 1000
    assert set(dropped) <= set(wanted)
    assert len(dropped) > 0.99 * len(wanted)


def test_blocks_change_nothing_where_buckets_are_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = rows(_variants(1500))
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole = told(run(DeduplicateStep(), given, tmp_path / "a"))
    monkeypatch.setattr("paraphrast.corpora.build.steps.duplicates._BLOCK", 100)
    assert told(run(DeduplicateStep(), given, tmp_path / "b")) == whole


def test_a_bucket_of_many_rows_is_not_compared_with_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of n lines of one template, far fewer than n²/2 pairs are looked at."""
    import paraphrast.corpora.build.steps.duplicates as module

    compared = 0
    shared_items = module.shared_items

    def counting(left, right):
        nonlocal compared
        compared += len(left)
        return shared_items(left, right)

    monkeypatch.setattr(module, "shared_items", counting)
    monkeypatch.setattr(module, "_BLOCK", 1000)
    end = "leaves at the usual gate of the old terminal every day as planned by the airline"
    given = rows([f"flight {n} to town {n * n} {end}" for n in range(5000)])
    found = run(DeduplicateStep(near=0.9), given, tmp_path)
    assert not [row for row in found if isinstance(row, Dropped)]  # 13 of 21 shingles are shared
    assert 0 < compared < 5000 * 30
    alike = rows([f"{end} number {n}" for n in range(5000)])  # 15 of 17
    (tmp_path / "again").mkdir()
    found = run(DeduplicateStep(near=0.8), alike, tmp_path / "again")
    assert sum(isinstance(row, Dropped) for row in found) >= 4980


def test_the_english_web_treebank(data: Callable[[str], Path], tmp_path: Path) -> None:
    """1,336 of its sentences equal earlier ones; counted with normal_form and a set."""
    with gzip.open(data("text/en_ud_ewt.jsonl.gz"), "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    found = run(DeduplicateStep(), rows(texts), tmp_path)
    counts = Counter(row.reason for row in found if isinstance(row, Dropped))
    equal = len(texts) - len({normal_form(text) or text for text in texts})
    assert counts == {DUPLICATE: equal, NEAR: 25}
    for row in found:
        if isinstance(row, Dropped) and row.reason == NEAR:
            assert jaccard(row.row["text"], texts[int(row.detail)], 2) >= 0.8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"near": 1.2}, "near must be between 0 and 1; got 1.2"),
        ({"shingle": 0}, "shingle must be at least 1; got 0"),
        ({"tokenize": "x"}, "unknown tokeniser 'x'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        DeduplicateStep(**options)


def test_the_signature_holds_every_option() -> None:
    plain = DeduplicateStep().signature
    for change in ({"near": 0.7}, {"shingle": 3}, {"tokenize": "13a"}, {"seed": 1}):
        assert json.dumps(DeduplicateStep(**change).signature) != json.dumps(plain)
