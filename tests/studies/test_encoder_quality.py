"""The quality table: every figure under its own name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from paraphrast.studies import encoder_quality as room
from paraphrast.studies.encoder_quality import Line


def report(**values: float | None) -> Any:
    rows = [SimpleNamespace(metric=name, value=value) for name, value in values.items()]
    return SimpleNamespace(tables=[SimpleNamespace(statistic="pearson", rows=rows)])


def test_a_lone_metric_is_known_by_its_bare_name_and_others_are_left_out() -> None:
    found = room._lines("t", report(parableu=0.5, bleu=0.2, ter=None), {"parableu:model=x": "x"})
    assert found == [Line("t", "pearson", "x", 0.5)]


def test_both_scales_of_the_tags_are_told_apart() -> None:
    values = {
        room.ROUGE2: 0.4,
        "paratag.P:model=mini,scale=logit": 0.6,
        "paratag.P:model=mini,scale=probability": 0.5,
    }
    found = room._factuality(["mini"], lambda *_, **__: report(**values))
    assert found == [
        Line("QAGS-CNN factuality", "pearson, logit", "ROUGE-2", 0.4),
        Line("QAGS-CNN factuality", "pearson, logit", "mini", 0.6),
        Line("QAGS-CNN factuality", "pearson, probability", "ROUGE-2", 0.4),
        Line("QAGS-CNN factuality", "pearson, probability", "mini", 0.5),
    ]
