"""The stress suite keeps its promises: kinds, halves, balance, and words that tell nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sacrebleu.metrics import CHRF

from paraphrast.errors import ConfigError
from paraphrast.meta.stress.suite import HALVES, stress_kinds, stress_pairs
from paraphrast.stats.cuts import auc

KINDS = (
    "number name negation roles antonym modality tense quantity time_order cause condition "
    "comparison attribution detail sense attachment"
).split()


def test_every_kind_has_as_many_pairs_of_either_label_in_either_half() -> None:
    cells = Counter((pair.kind, pair.half, pair.same) for pair in stress_pairs())
    assert len(stress_pairs()) >= 480
    assert list(stress_kinds()) == KINDS
    assert set(cells) == {(k, h, s) for k in KINDS for h in HALVES for s in (True, False)}
    assert len(set(cells.values())) == 1


def test_no_sentence_is_there_twice() -> None:
    sentences = [text.lower() for pair in stress_pairs() for text in (pair.text1, pair.text2)]
    assert len(set(sentences)) == len(sentences)
    assert len({pair.id for pair in stress_pairs()}) == len(stress_pairs())


@pytest.mark.parametrize("half", [None, *HALVES])
def test_overlap_of_characters_tells_nothing(half: str | None) -> None:
    chrf, pairs = CHRF(), stress_pairs(half)
    values = [
        chrf.sentence_score(pair.text1, [pair.text2]).score
        + chrf.sentence_score(pair.text2, [pair.text1]).score
        for pair in pairs
    ]
    assert 0.40 <= auc(np.array(values), np.array([pair.same for pair in pairs])) <= 0.55


def test_a_half_that_is_not_there() -> None:
    with pytest.raises(ConfigError, match="no half 'tunning' \\(did you mean 'tuning'"):
        stress_pairs("tunning")
