"""The edge cases hold what their names say, and their results are what a reader would work out."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from paraphrast.meta.stress.edge_cases import (
    CASE,
    CONTEXT,
    EMPTY,
    ITSELF,
    LENGTHS,
    edge_cases,
    edge_rows,
)
from paraphrast.meta.stress.edge_results import (
    Decider,
    edge_results,
    is_blind_to_case,
    likeness,
)
from paraphrast.meta.stress.suite import REPORTING, TUNING, stress_pairs

DECIDER = Decider("higher", 0.5, 0.25)
SUITE = {pair.id: float(pair.same) for pair in stress_pairs()}
RIGHT = {case.id: float(case.same) for case in edge_cases()}


def test_ids_are_unlike_each_other_and_those_of_the_suite() -> None:
    ids = Counter([*SUITE, *RIGHT])
    assert set(ids.values()) == {1}


def test_a_text_against_itself_has_the_words_that_its_row_says() -> None:
    rows = {row: cases for (group, row), cases in edge_rows().items() if group == ITSELF}
    assert list(rows) == [f"{length:,} words" for length in LENGTHS]
    for length, cases in zip(LENGTHS, rows.values(), strict=True):
        assert {len(case.text1.split()) for case in cases} == {length}
        assert all(case.text1 == case.text2 and case.same for case in cases)
        assert len({case.text1 for case in cases}) == len(cases) == 3


def test_empty_texts_are_empty() -> None:
    found = [(not c.text1.strip(), not c.text2.strip(), c.same) for c in edge_cases()
             if c.group == EMPTY]  # fmt: skip
    assert sorted(found) == [
        (False, True, False),
        (True, False, False),
        (True, True, True),
        (True, True, True),
    ]


def test_pairs_of_case_differ_in_nothing_else() -> None:
    for case in edge_cases():
        if case.group == CASE:
            assert case.text1.lower() == case.text2.lower(), case.id
            assert case.base == "" or next(c for c in edge_cases() if c.id == case.base).same


def test_context_is_the_same_on_both_sides_and_of_the_other_half() -> None:
    suite = {pair.id: pair for pair in stress_pairs()}
    tuning = {pair.text1 for pair in stress_pairs(TUNING)}
    labels = Counter()
    for case in edge_cases():
        if case.group != CONTEXT:
            continue
        pair = suite[case.base]
        assert pair.half == REPORTING
        assert case.same == pair.same
        assert case.text1.replace(pair.text1, "\0") == case.text2.replace(pair.text2, "\0")
        rest = case.text1.replace(pair.text1, "")
        assert any(sentence in rest for sentence in tuning)
        labels[case.row, case.same] += 1
    assert set(labels.values()) == {16}  # one of either label of each kind


def test_a_perfect_metric_is_right_everywhere() -> None:
    found = edge_results({**SUITE, **RIGHT}, {}, DECIDER)
    assert {one.right for one in found} == {1.0}
    assert {one.kept for one in found if one.group == CONTEXT} == {1.0}
    assert {one.moved for one in found if one.group == CONTEXT} == {0.0}
    assert not is_blind_to_case(found)


def test_movement_is_counted_in_standard_deviations() -> None:
    context = {case.id: SUITE[case.base] / 2 for case in edge_cases() if case.group == CONTEXT}
    found = edge_results({**SUITE, **RIGHT, **context}, {}, Decider("higher", 0.6, 0.25))
    rows = [one for one in found if one.group == CONTEXT]
    # half of the pairs move from 1 to .5, which is two deviations and not the same any more
    assert {(one.moved, one.kept, one.right, one.value) for one in rows} == {(1.0, 0.5, 0.5, 0.25)}
    assert {one.same for one in rows} == {None}


def test_errors_and_undefined_values_stay_in_their_row() -> None:
    values = {**SUITE, **RIGHT, "empty-first": math.nan, "itself-5-1": math.nan}
    found = {one.row: one for one in edge_results(values, {"empty-both": "too short"}, DECIDER)}
    assert (found["both"].error, found["both"].value) == ("too short", None)
    assert (found["the first"].error, found["the first"].right) == ("undefined", None)
    assert found["5 words"].right == pytest.approx(2 / 3)  # no decision is no right one
    assert found["5 words"].value == 1.0
    assert sum(bool(one.error) for one in found.values()) == 2


def test_movement_from_what_is_undefined_is_none() -> None:
    unknown = {case.base: math.nan for case in edge_cases() if case.group == CASE and case.base}
    found = {one.row: one for one in edge_results({**SUITE, **RIGHT, **unknown}, {}, DECIDER)}
    assert found["unchanged"].error == "undefined"
    assert (found["another meaning"].right, found["another meaning"].moved) == (1.0, None)


def test_a_metric_that_is_blind_to_case_is_known() -> None:
    blind = {case.id: 1.0 for case in edge_cases() if case.group == CASE}
    assert is_blind_to_case(edge_results({**SUITE, **RIGHT, **blind}, {}, DECIDER))


@pytest.mark.parametrize(
    ("better", "expected"),
    [("higher", [0.5, 1.0, 2.0]), ("lower", [-0.5, -1.0, -2.0]), ("near 1", [-0.5, 0.0, -1.0])],
)
def test_likeness_rises_with_what_is_better(better: str, expected: list[float]) -> None:
    found = likeness(np.array([0.5, 1.0, 2.0]), better)  # type: ignore[arg-type]
    assert found.tolist() == expected


def test_a_metric_that_never_moves_has_no_scale() -> None:
    flat = Decider("higher", 0.5, 0.0)
    found = edge_results(dict.fromkeys([*SUITE, *RIGHT], 0.7), {}, flat)
    assert {one.moved for one in found} == {None}
