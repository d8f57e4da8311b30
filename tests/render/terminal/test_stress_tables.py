"""A stress test in a terminal: what is shown for one metric, for many, and for errors."""

from __future__ import annotations

from typing import Any

import pytest

from paraphrast.render.terminal.stress_tables import decision, edge_name, notes, stress_table


def part(kind: str, value: float = 0.5) -> dict[str, Any]:
    return {
        "kind": kind, "pairs": 18, "auc": value, "auc_ci": [0.4, 0.6], "accuracy": value / 2,
        "accuracy_ci": [0.1, 0.3],
    }  # fmt: skip


def edge(group: str = "added context", row: str = "1 before", **values: Any) -> dict[str, Any]:
    blank = {"group": group, "row": row, "pairs": 3, "same": True, "value": 0.1, "right": 0.75,
             "moved": None, "kept": None, "error": ""}  # fmt: skip
    return blank | values


def metric(name: str, edges: list[dict[str, Any]], better: str = "higher") -> dict[str, Any]:
    kinds = [part("number"), part("roles", 0.9)]
    return {"metric": name, "better": better, "threshold": 0.25, "overall": part("all", 0.7),
            "kinds": kinds, "edges": edges, "signature": ""}  # fmt: skip


def report(*metrics: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"suite": "abc", "pairs": 288, "metrics": list(metrics), "notes": []} | more


def test_one_metric_has_the_intervals_of_each_kind() -> None:
    text = stress_table(report(metric("bleu", [])))
    assert "bleu        .350  [.100, .300]  .700  [.400, .600]   > 0.25" in text
    assert "roles       .450  [.100, .300]  .900  [.400, .600]     18" in text
    assert "Edge cases" not in text


def test_several_metrics_stand_side_by_side() -> None:
    one = metric("bleu", [edge(moved=0.5, kept=1.0)])
    two = metric("chrf", [edge(error="too long", right=None)])
    text = stress_table(report(one, two, notes=["a note"]))
    assert "Accuracy by kind\nkind    bleu  chrf\nall     .350  .350\nnumber  .250  .250\n" in text
    assert "added context: 1 before (same)   75%  error" in text
    assert "1 before   .500 100%  error" in text
    assert text.endswith("note: a note\nnote: chrf: added context, 1 before: too long")


def test_many_metrics_are_set_in_blocks_that_fit() -> None:
    metrics = [metric(f"metric_number_{chr(97 + n)}", [edge()]) for n in range(12)]
    text = stress_table(report(*metrics))
    assert max(map(len, text.splitlines())) <= 100
    assert all(text.count(one["metric"]) == 4 for one in metrics)  # ranking, two by kind, edges
    assert len([line for line in text.splitlines() if line.startswith("number  ")]) == 6


def test_only_metrics_with_edge_cases_stand_among_these() -> None:
    text = stress_table(report(metric("bleu", [edge()]), metric("file", [])))
    assert "share decided rightly\n                                bleu\nadded" in text


@pytest.mark.parametrize(
    ("better", "expected"),
    [("higher", "> 0.25"), ("lower", "< 0.25"), ("near 1", "within 0.25 of 1")],
)
def test_a_decision_is_told_on_the_own_scale(better: str, expected: str) -> None:
    assert decision(metric("m", [], better)) == expected


@pytest.mark.parametrize(
    ("same", "expected"), [(True, "same"), (False, "not the same"), (None, "half are")]
)
def test_a_row_says_what_is_right(same: bool | None, expected: str) -> None:
    assert edge_name(edge(same=same)) == f"added context: 1 before ({expected})"


def test_equal_errors_are_told_once() -> None:
    edges = [edge(error="x"), edge(row="5 before", error="x"), edge(row="5 after", error="y")]
    assert notes(report(metric("m", edges))) == [
        "m: added context, 1 before; added context, 5 before: x",
        "m: added context, 5 after: y",
    ]
