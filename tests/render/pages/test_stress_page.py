"""The page of a stress test: heat maps, and every text escaped."""

from __future__ import annotations

import re

from paraphrast.meta.stress.edge_cases import edge_cases
from paraphrast.meta.stress.stress_report import PairValues, StressReport, stress_report
from paraphrast.meta.stress.suite import stress_kinds, stress_pairs
from paraphrast.render.pages.stress_page import stress_html

GOLD = [float(pair.same) for pair in stress_pairs()]
EDGES = {case.id: float(case.same) for case in edge_cases()}


def made(*metrics: PairValues) -> StressReport:
    return stress_report(metrics, samples=10, seed=0, notes=["<note>"]).with_command("a <b>")


def test_heat_maps_hold_every_kind_and_edge() -> None:
    page = stress_html(made(PairValues("oracle", GOLD, "higher", "oracle|v:1", EDGES)).to_dict())
    maps = re.findall(r'<table class="heat".*?</table>', page, re.DOTALL)
    assert len(maps) == 3
    heads = [len(re.findall(r'<th scope="col"', one)) for one in maps]
    assert heads == [2 + len(stress_kinds())] * 2 + [1 + 19]
    assert "oracle|v:1" in page


def test_texts_are_escaped() -> None:
    errors = dict.fromkeys(EDGES, "<i>bad</i>")
    page = stress_html(made(PairValues("<u>", GOLD, "lower", "<s>", {}, errors)).to_dict())
    for text in ("<u>", "<s>", "<i>", "<note>", "a <b>"):
        assert text not in page
    assert "&lt;i&gt;bad&lt;/i&gt;" in page
    assert "nan" not in page.replace("finance", "")


def test_without_edge_cases_there_is_no_section_of_them() -> None:
    page = stress_html(made(PairValues("file", GOLD)).to_dict())
    assert "Edge cases" not in page
    assert "Signatures" not in page
