"""κ and α against published values and their definitions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from paraphrast import stats
from paraphrast.errors import ConfigError, InputError

NAN = float("nan")
# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, example C: 4 observers, 12 units
RELIABILITY = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


@pytest.mark.parametrize(
    ("scale", "alpha"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_alpha_of_the_published_example(scale: str, alpha: float) -> None:
    found = stats.krippendorff_alpha(RELIABILITY, scale=scale)  # type: ignore[arg-type]
    assert round(found, 3) == alpha


DISTANCES: dict[str, Callable[[float, float, list[float]], float]] = {
    "nominal": lambda c, k, given: float(c != k),
    "ordinal": lambda c, k, given: (
        (sum(min(c, k) <= v <= max(c, k) for v in given) - (given.count(c) + given.count(k)) / 2)
        ** 2
    ),
    "interval": lambda c, k, given: (c - k) ** 2,
    "ratio": lambda c, k, given: ((c - k) / (c + k)) ** 2 if c + k else 0.0,
}


@pytest.mark.parametrize("scale", list(DISTANCES))
@given(
    table=st.lists(
        st.lists(st.sampled_from([NAN, 0.0, 1.0, 2.5, 4.0]), min_size=3, max_size=3), min_size=2
    )
)
@settings(max_examples=80, deadline=None)
def test_alpha_equals_its_definition(scale: str, table: list[list[float]]) -> None:
    units = [[v for v in unit if v == v] for unit in table]
    units = [unit for unit in units if len(unit) > 1]
    given_values = [v for unit in units for v in unit]
    assume(len(set(given_values)) > 1)

    def apart(values: list[float]) -> float:
        return sum(DISTANCES[scale](c, k, given_values) for c, k in permutations(values, 2))

    observed = sum(apart(unit) / (len(unit) - 1) for unit in units) / len(given_values)
    expected = apart(given_values) / (len(given_values) * (len(given_values) - 1))
    found = stats.krippendorff_alpha(np.array(table).T, scale=scale)  # type: ignore[arg-type]
    assert found == pytest.approx(1 - observed / expected, abs=1e-12)


def test_alpha_of_many_real_values_is_quick_and_small() -> None:
    rng = np.random.default_rng(5)
    quality = rng.normal(size=50_000)
    ratings = quality + rng.normal(size=(2, 50_000))
    assert stats.krippendorff_alpha(ratings, scale="interval") == pytest.approx(0.5, abs=0.02)
    assert 0.4 < stats.krippendorff_alpha(ratings, scale="ordinal") < 0.5


@pytest.mark.parametrize("power", [1, 2])
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
@settings(max_examples=60, deadline=None)
def test_weighted_kappa_equals_its_definition(power: int, rows: list[tuple[int, int]]) -> None:
    labels = sorted({label for row in rows for label in row})
    place = {label: n for n, label in enumerate(labels)}
    one, two = zip(*rows, strict=True)
    seen = sum(abs(place[a] - place[b]) ** power for a, b in rows) / len(rows)
    chance = sum(abs(place[a] - place[b]) ** power for a in one for b in two) / len(rows) ** 2
    assume(chance > 0)
    found = stats.cohen_kappa(one, two, weights="linear" if power == 1 else "quadratic")
    assert found == pytest.approx(1 - seen / chance)


def test_kappa_of_a_textbook_table() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: κ = (.7 − .5) / (1 − .5)
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert stats.cohen_kappa(first, second) == pytest.approx(0.4)
    assert stats.cohen_kappa(first, first) == 1.0


def test_weights_forgive_near_misses() -> None:
    first, second = [1, 2, 3, 4, 1, 2], [1, 3, 3, 4, 2, 2]
    plain, linear, quadratic = (
        stats.cohen_kappa(first, second, weights=name)  # type: ignore[arg-type]
        for name in ("none", "linear", "quadratic")
    )
    assert plain < linear < quadratic < 1
    # two labels leave nothing to weigh
    assert stats.cohen_kappa([0, 1, 1], [0, 1, 0], weights="quadratic") == pytest.approx(
        stats.cohen_kappa([0, 1, 1], [0, 1, 0])
    )


def test_the_undefined_is_an_error() -> None:
    with pytest.raises(InputError, match="κ is undefined"):
        stats.cohen_kappa(["a", "a"], ["a", "a"])
    with pytest.raises(InputError, match="labelled 1 and 2 items"):
        stats.cohen_kappa(["a"], ["a", "b"])
    with pytest.raises(InputError, match="α is undefined"):
        stats.krippendorff_alpha([[1, 1], [1, 1]])
    with pytest.raises(InputError, match="no item was rated twice"):
        stats.krippendorff_alpha([[1, NAN], [NAN, 2]])
    with pytest.raises(InputError, match="infinite"):
        stats.krippendorff_alpha([[1, float("inf")], [1, 2]])
    with pytest.raises(InputError, match="negative"):
        stats.krippendorff_alpha([[1, -1], [1, 1]], scale="ratio")
    with pytest.raises(InputError, match="must be numbers"):
        stats.krippendorff_alpha([["a"], ["b"]])
    for missing in (None, NAN):
        with pytest.raises(InputError, match="a label is missing"):
            stats.cohen_kappa([1, missing], [1, 2])
    with pytest.raises(ConfigError, match="scale must be one of"):
        stats.krippendorff_alpha(np.eye(2), scale="cubic")  # type: ignore[arg-type]
