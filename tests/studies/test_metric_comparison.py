"""Two metrics side by side, of scores made up to differ."""

from __future__ import annotations

import numpy as np
import pytest

from paraphrast.errors import InputError
from paraphrast.meta.alignment import Scores
from paraphrast.meta.evaluate import AgreementRequest
from paraphrast.meta.judgements import Rating, collect
from paraphrast.studies.metric_comparison import compare_scores, ranked_together

RNG = np.random.default_rng(11)
KEYS = [("", str(i), s) for i in range(30) for s in "abc"]
HUMAN = {key: float(RNG.normal()) for key in KEYS}
GOOD = Scores("good", {key: v + 0.5 * float(RNG.normal()) for key, v in HUMAN.items()})
POOR = Scores("poor", {key: v + 4.0 * float(RNG.normal()) for key, v in HUMAN.items()})
SET = collect("set", (), [Rating(*key, "da", value) for key, value in HUMAN.items()])


def request(level: str = "segment") -> AgreementRequest:
    return AgreementRequest("set", "set", level, "pearson", "da", 200, 1)


def test_a_clear_difference_passes_all_three_tests() -> None:
    found = compare_scores(SET, [GOOD, POOR], request())
    assert found.difference > 0.3
    assert found.bootstrap < 0.05
    assert found.permutation is not None
    assert found.permutation < 0.05
    assert found.by[0].williams is not None
    assert found.by[0].williams < 0.05
    assert found._repr_html_().startswith("<pre>set, segment level, pearson\n")


def test_summaries_are_ranked_within_their_document() -> None:
    blocks = ranked_together(SET, [GOOD, POOR], request("summary"))
    assert len(blocks) == 30
    assert all(len({key[1] for key in block.keys}) == 1 for block in blocks)
    (whole,) = ranked_together(SET, [GOOD, POOR], request())
    assert len(whole.keys) == 90


def test_constant_scores_cannot_be_compared() -> None:
    flat = Scores("flat", dict.fromkeys(KEYS, 1.0))
    with pytest.raises(InputError, match="flat: undefined, because scores are constant"):
        compare_scores(SET, [GOOD, flat], request())
