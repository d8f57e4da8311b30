"""What extra references change, on texts made up for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paraphrast.errors import InputError
from paraphrast.meta.alignment import Scores
from paraphrast.meta.evaluate import AgreementRequest
from paraphrast.meta.judgements import Output, Rating, collect
from paraphrast.studies.reference_gain import (
    ReferenceStudy,
    measure_gain,
    read_extra,
    rewarded_ngrams,
)

TEXTS = ["a cat", "the dog", "a fish swims", "birds", "a cow eats"]
OUTPUTS = [Output("", str(n), "s", text, ("a cat sat",)) for n, text in enumerate(TEXTS)]
SET = collect("set", OUTPUTS, [Rating("", str(n), "s", "da", n * n) for n in range(5)])


def scores(*values: float) -> list[Scores]:
    return [Scores("m", {("", str(n), "s"): value for n, value in enumerate(values)})]


def test_gains_and_rewarded_ngrams() -> None:
    request = AgreementRequest("set", "set", "segment", "pearson", "da", 50, 1)
    gains = measure_gain(SET, scores(1, 5, 2, 4, 3), scores(0, 1, 4, 9, 16), request)
    (gain,) = gains
    assert gain.comparison.values[0] == pytest.approx(1.0)
    assert gain.decisions.degraded == 0
    assert gain.decisions.improved > 0
    grams = rewarded_ngrams(OUTPUTS, {("", "2"): ["a fish"]})
    assert (grams[0].newly, grams[1].newly) == (1, 1)  # "fish"; "a fish"
    study = ReferenceStudy("set", "segment", "pearson", gains, grams, ("one",))
    assert json.loads(study.to_json())["notes"] == ["one"]
    assert "note: one" in study._repr_html_()


def test_extra_references_of_unknown_items(tmp_path: Path) -> None:
    path = tmp_path / "extra.jsonl"
    rows = [{"item": "1", "references": ["x"]}, {"item": "77", "references": ["y"]}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    extra, notes = read_extra(str(path), SET)
    assert extra == {("", "1"): ["x"]}
    assert notes == ["extra references of 1 items that were not judged, left out"]
    path.write_text(json.dumps(rows[1]))
    with pytest.raises(InputError, match="none of its items is in set"):
        read_extra(str(path), SET)
