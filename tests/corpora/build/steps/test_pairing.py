from __future__ import annotations

import json
import pickle
from collections import Counter

import pytest

from paraphrast.corpora.build.steps.pairing import PairStep
from paraphrast.corpora.text_store import normal_form
from paraphrast.engine.step import Dropped, Row
from paraphrast.errors import ConfigError

ROW: Row = {
    "id": "000000007",
    "text": "Where is the cat?",
    "from": "in.txt",
    "row": 8,
    "perplexity": 12.5,
    "quality": 0.25,
    "scores": {"sbleu.a": 0.5, "sbleu.b": 0.5},
    "translations": {"a": "¿Dónde está el gato?", "b": "¿Dónde anda el gato?", "c": ""},
    "back": {"a": "Where is the cat?", "b": "Where does the cat walk?", "c": "Where walks cat?"},
}


def work(step: PairStep, rows: list[Row]) -> list[Row | Dropped]:
    with pickle.loads(pickle.dumps(step)).open() as opened:
        return list(opened(rows))


def test_a_pair_of_translations_says_where_it_comes_from() -> None:
    (pair,) = work(PairStep(systems=("a", "b")), [ROW])
    assert pair == {
        "id": "000000007-01",
        "text1": "¿Dónde está el gato?",
        "text2": "¿Dónde anda el gato?",
        "overlap": 3 / 5,
        "quality": 0.25,
        "origin": "translation",
        "systems": ["a", "b"],
        "source": "Where is the cat?",
        "sources": ["000000007"],
        "from": ["in.txt"],
        "row": [8],
        "scores": {"perplexity": 12.5, "sbleu.a": 0.5, "sbleu.b": 0.5},
        "label": None,
    }


def test_every_two_systems_make_a_pair_in_every_way() -> None:
    found = work(PairStep(ways=("target", "round-trip", "source")), [ROW])
    told = []
    for row in found:
        pair = row.row if isinstance(row, Dropped) else row
        reason = row.reason if isinstance(row, Dropped) else ""
        told.append((pair["id"][-2:], pair["origin"], " ".join(pair["systems"]), reason))
    assert told == [
        ("01", "translation", "a b", ""),
        ("02", "translation", "a c", "empty"),
        ("03", "translation", "b c", "empty"),
        ("04", "round-trip", "a b", ""),
        ("05", "round-trip", "a c", ""),
        ("06", "round-trip", "b c", ""),
        ("07", "round-trip", "a", "exact match"),
        ("08", "round-trip", "b", ""),
        ("09", "round-trip", "c", ""),
    ]


def test_the_same_words_in_another_order_are_no_exact_match() -> None:
    texts = {"a": "Dog bites man.", "b": "man bites dog", "c": "MAN bites, dog!"}
    row = {"id": "1", "text": "x", "translations": texts}
    first, second, third = work(PairStep(), [row])
    assert isinstance(first, dict)
    assert (first["overlap"], first["quality"], first["scores"]) == (1.0, None, {})
    assert isinstance(second, dict)
    assert isinstance(third, Dropped)
    assert (third.reason, third.detail) == ("exact match", "b and c")


@pytest.mark.parametrize(
    ("row", "detail"),
    [
        ({"translations": {"a": "x"}}, "target; there is a"),
        ({"translations": {}}, "target; there is no translation"),
        ({}, "target; there is no translation"),
        ({"translations": None, "back": {"a": "x"}}, "target; there is a"),
    ],
)
def test_a_sentence_that_makes_no_pair_is_dropped_as_it_is(row: Row, detail: str) -> None:
    given = {"id": "1", "text": "x", **row}
    assert work(PairStep(), [given]) == [Dropped(given, "nothing to pair", detail)]


def test_a_missing_translation_counts_as_empty() -> None:
    row = {"id": "1", "text": "x", "translations": {"a": "x", "b": None}}
    assert [found.reason for found in work(PairStep(), [row])] == ["empty"]


def test_rows_do_not_depend_on_each_other() -> None:
    rows = [{**ROW, "id": str(n), "translations": {"a": "u v", "b": f"u {n}"}} for n in range(5)]
    assert work(PairStep(), rows) == [pair for row in rows for pair in work(PairStep(), [row])]


def test_real_paraphrases_as_two_systems(mrpc: tuple[list[str], list[str]]) -> None:
    rows = [
        {"id": f"{n:09d}", "text": "s", "translations": {"a": one, "b": two}}
        for n, (one, two) in enumerate(zip(*mrpc, strict=True))
    ]
    found = work(PairStep(), rows)
    counts = Counter(row.reason if isinstance(row, Dropped) else "kept" for row in found)
    equal = sum(normal_form(one) == normal_form(two) for one, two in zip(*mrpc, strict=True))
    assert counts == {"kept": 1147 - equal, "exact match": equal}
    assert equal == 5  # "ONeills" for "O'Neill's" and the like, looked at by eye


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ways": ()}, "name a way to pair: target, round-trip, source"),
        ({"ways": ("roundtrip",)}, r"unknown way 'roundtrip' \(did you mean 'round-trip'\?\)"),
        ({"tokenize": "x"}, "unknown tokeniser 'x'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        PairStep(**options)


def test_the_signature_holds_every_option() -> None:
    plain = json.dumps(PairStep().signature)
    for change in ({"ways": ("source",)}, {"systems": ("a",)}, {"tokenize": "13a"}):
        assert json.dumps(PairStep(**change).signature) != plain
