"""κ and α against published values."""

from __future__ import annotations

import numpy as np
import pytest

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
    with pytest.raises(ConfigError, match="scale must be one of"):
        stats.krippendorff_alpha(np.eye(2), scale="cubic")  # type: ignore[arg-type]
