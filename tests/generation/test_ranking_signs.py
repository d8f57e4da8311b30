"""In a sum, values count as they are, whichever way round a metric is better."""

from __future__ import annotations

import numpy as np
import pytest

from paraphrast.errors import ConfigError
from paraphrast.generation.selection.candidate_ranking import DrawnCandidate
from paraphrast.generation.selection.ranking_request import make_ranking
from paraphrast.metrics.base import Place
from tests.generation.made import drawn

TEXTS = ["the cat sat there", "the cat sat here", "a dog"]


def test_a_mean_of_risk_has_the_sign_of_its_metric() -> None:
    counts = dict.fromkeys(TEXTS, 1)
    rows = [DrawnCandidate("the cat sat", drawn(text), counts) for text in TEXTS]
    alone, summed = (
        make_ranking(spec).rate(rows, Place(threads=1, device="cpu"))
        for spec in ("mbr:ter", "-1*mbr:ter")
    )
    assert alone.figures["mbr"].tolist() == (-alone.key).tolist()
    assert np.argsort(alone.key).tolist() == np.argsort(summed.key).tolist()
    assert summed.key == pytest.approx(-alone.figures["mbr"])


def test_risk_by_what_is_best_near_one_stands_alone() -> None:
    assert make_ranking("mbr:length_ratio")
    with pytest.raises(ConfigError, match="best near 1"):
        make_ranking("mbr:length_ratio + quality")
