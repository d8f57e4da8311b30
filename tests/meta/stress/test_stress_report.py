"""What a stress test returns: order, thresholds on the metric's own scale, rows, formats."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import InputError
from paraphrast.meta.stress.edge_cases import edge_cases
from paraphrast.meta.stress.stress_report import PairValues, stress_report, stress_result
from paraphrast.meta.stress.suite import stress_kinds, stress_pairs, suite_fingerprint

GOLD = np.array([float(pair.same) for pair in stress_pairs()])
NOISE = np.random.default_rng(3).normal(size=len(GOLD))
EDGES = {case.id: float(case.same) for case in edge_cases()}


def test_the_suite_is_the_one_that_the_figures_are_of() -> None:
    assert suite_fingerprint() == "8d6a74a8f529"


def test_the_most_accurate_is_first() -> None:
    metrics = [
        PairValues("noise", NOISE.tolist()),
        PairValues("oracle", GOLD.tolist(), edges=EDGES),
        PairValues("half", (GOLD + NOISE).tolist()),
    ]
    report = stress_report(metrics, samples=20, seed=1)
    assert [one.metric for one in report] == ["oracle", "half", "noise"]
    assert report["oracle"].overall.accuracy == 1.0
    assert [one.kind for one in report["half"].kinds] == list(stress_kinds())
    assert report["half"].edges == ()
    assert len(report) == 3
    with pytest.raises(KeyError, match="'x' is not in this report"):
        report["x"]


@pytest.mark.parametrize(
    ("better", "values", "threshold"),
    [
        ("higher", 10 * GOLD, 5.0),
        ("lower", 10 - 10 * GOLD, 5.0),
        ("near 1", 1 + 3 * (1 - GOLD), 1.5),
    ],
)
def test_the_threshold_is_on_the_own_scale(
    better: str, values: np.ndarray, threshold: float
) -> None:
    metric = PairValues("m", values.tolist(), better)  # type: ignore[arg-type]
    found = stress_result(metric, samples=20)
    assert found.overall.accuracy == found.overall.auc == 1.0
    assert found.threshold == pytest.approx(threshold)


@settings(max_examples=20)
@given(st.floats(0.1, 100), st.floats(-50, 50), st.integers(0, 2**31))
def test_scale_and_direction_change_nothing(factor: float, shift: float, seed: int) -> None:
    values = np.round(GOLD + np.random.default_rng(seed).normal(size=len(GOLD)), 3)
    plain = stress_result(PairValues("m", values.tolist()), samples=5)
    scaled = (factor * values + shift).tolist()
    turned = (-factor * values + shift).tolist()
    for other in (PairValues("m", scaled), PairValues("m", turned, "lower")):
        found = stress_result(other, samples=5)
        assert found.overall.auc == pytest.approx(plain.overall.auc, abs=1e-6)
        assert found.overall.accuracy == pytest.approx(plain.overall.accuracy, abs=0.01)


def test_a_value_that_is_no_number_is_named_with_its_pair() -> None:
    values = GOLD.tolist()
    values[7] = math.nan
    place = stress_pairs()[7].id
    with pytest.raises(InputError, match=f"^m: the value of {place} is nan, not a number$"):
        stress_result(PairValues("m", values))


def test_rows_and_json_hold_the_same() -> None:
    report = stress_report(
        [PairValues("oracle", GOLD.tolist(), "higher", "oracle|v:1", EDGES)], samples=20, seed=4
    )
    rows = list(report.rows())
    assert {tuple(row) for row in rows} == {tuple(rows[0])}  # as a table needs
    assert rows[0]["row"] == "all"
    assert len(rows) == 1 + 16 + len(report["oracle"].edges)
    found = json.loads(report.to_json())
    assert found["suite"] == suite_fingerprint()
    (metric,) = found["metrics"]
    assert metric["overall"]["auc_ci"] == [1.0, 1.0]
    assert metric["signature"] == "oracle|v:1"
    assert {edge["right"] for edge in metric["edges"]} == {1.0}
    assert [r["accuracy"] for r in rows[1:17]] == [k["accuracy"] for k in metric["kinds"]]


def test_what_is_infinite_at_an_edge_is_undefined() -> None:
    edges = dict.fromkeys(EDGES, math.inf)
    report = stress_report([PairValues("m", GOLD.tolist(), edges=edges)], samples=5, seed=0)
    assert {edge.error for edge in report["m"].edges} == {"undefined"}
    assert json.loads(report.to_json())["metrics"][0]["edges"][0]["value"] is None


def test_blindness_to_case_is_said() -> None:
    blind = EDGES | {case.id: 1.0 for case in edge_cases() if case.group == "case"}
    metrics = [PairValues(name, GOLD.tolist(), edges=blind) for name in ("a", "b")]
    assert stress_report(metrics[:1], samples=5, seed=0).notes == (
        "a does not see case: “US” gets the value of “us”, so no threshold can tell them apart "
        "(uncased weights and lowercased texts never can)",
    )
    assert stress_report(metrics, samples=5, seed=0).notes[0].startswith("a, b do not see case")
