"""Agreement with people: every figure under its own name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from paraphrast.studies.quality.agreement import (
    ROUGE2,
    agreement_lines,
    summaries,
    translation,
)
from paraphrast.studies.quality.figures import BASELINE, Bench, Line


def report(**values: float | None) -> Any:
    rows = [SimpleNamespace(metric=k, value=v, ci=(0.1, 0.9)) for k, v in values.items()]
    return SimpleNamespace(tables=[SimpleNamespace(statistic="pearson", rows=rows)])


def bench(**values: float) -> Bench:
    return Bench(lambda *_, **__: report(**values))


def test_a_lone_metric_is_known_by_its_bare_name_and_others_are_left_out() -> None:
    found = agreement_lines(
        report(parableu=0.5, bleu=0.2, ter=None), {"parableu:model=x": ("t", "x")}
    )
    assert found == [Line("t", "pearson", "x", 0.5, 0.1, 0.9)]


def test_faithfulness_and_both_scales_of_the_tags_are_told_apart() -> None:
    values = {
        "faithfulness": 0.7,
        "paratag.P:model=mini,scale=logit": 0.6,
        "paratag.P:model=mini,scale=probability": 0.5,
    }
    found = summaries("qags_cnn", "mini", bench(**values)).lines
    assert [(line.task, line.value) for line in found] == [
        ("QAGS-CNN factuality, faithfulness", 0.7),
        ("QAGS-CNN factuality, paratag P, logit", 0.6),
        ("QAGS-CNN factuality, paratag P, probability", 0.5),
    ]
    (line,) = summaries("qags_cnn", BASELINE, bench(**{ROUGE2: 0.4})).lines
    assert (line.task, line.system) == ("QAGS-CNN factuality, faithfulness", "ROUGE-2")


def test_translations() -> None:
    (line,) = translation("mlqe", "base", bench(parableu=0.3)).lines
    assert line == Line("MLQE-PE test segments", "pearson", "base", 0.3, 0.1, 0.9)
    assert [one.system for one in translation("wmt17", BASELINE, bench(bleu=0.3)).lines] == ["bleu"]
