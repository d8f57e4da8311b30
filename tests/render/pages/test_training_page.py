"""The curve of training runs."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from paraphrast.render.pages.training_page import training_html, training_series, training_svg

SVG = "{http://www.w3.org/2000/svg}"


def entries(steps: int = 40) -> list[dict[str, Any]]:
    shares = {"rate": 1.0, "tokens_per_second": 9.0, "peak_share": 0.1}
    lines: list[dict[str, Any]] = [
        {"kind": "training", "step": n, "loss": 2 / n, "tags": 1 / n, **shares}
        for n in range(10, steps + 1, 10)
    ]
    return [*lines, {"kind": "validation", "step": steps, "selected": 0.5, "wmt.pearson": 0.5}]


def test_series_are_the_losses_and_the_figures() -> None:
    found = training_series({"a": entries()}, "training")
    assert list(found) == ["loss", "tags"]
    assert found["tags"][0] == (10.0, 0.1, None, None)
    assert list(training_series({"a": entries()}, "validation")) == ["selected", "wmt.pearson"]


def test_several_runs_are_told_apart() -> None:
    found = training_series({"a": entries(), "b": entries()}, "training")
    assert list(found) == ["a loss", "a tags", "b loss", "b tags"]


def test_long_runs_are_averaged() -> None:
    lines = [{"kind": "training", "step": n, "loss": n} for n in range(1, 121)]
    points = training_series({"a": lines}, "training")["loss"]
    assert len(points) == 60
    assert points[0] == (2.0, 1.5, None, None)
    assert points[-1] == (120.0, 119.5, None, None)


def test_the_picture_holds_both_curves_apart() -> None:
    root = ET.fromstring(training_svg({"a <&>": entries()}))
    assert root.findtext(f"{SVG}title") == "Training of a <&>"
    first, second = root.findall(f"{SVG}svg")
    assert first.get("y") == "0"
    assert float(second.get("y", "0")) == float(first.get("height", "0")) > 0
    assert [part.findtext(f"{SVG}title") for part in (first, second)] == ["loss", "validation"]


def test_steps_are_on_a_linear_scale() -> None:
    root = ET.fromstring(training_svg({"a": entries(1000)}))
    path = next(p for p in root.iter(f"{SVG}path") if p.get("class") == "series s0")
    xs = [float(point.split()[0]) for point in path.get("d", "M")[1:].split("L")]
    steps = [b - a for a, b in itertools.pairwise(xs)]
    assert max(steps) == pytest.approx(min(steps), abs=0.2)


def test_the_page_stands_alone_and_holds_the_numbers() -> None:
    page = training_html({"a <b>": entries()}, command="paraphrast train plot a", version="9")
    assert "<b>" not in page
    assert "Training of a &lt;b&gt;" in page
    assert "Loss of each objective" in page
    assert page.count("<table") == 2
    assert "paraphrast train plot a" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def test_a_run_without_validation_has_an_empty_curve() -> None:
    page = training_html({"a": entries()[:-1]})
    assert page.count("<table") == 1
