"""Metrics and their parts, as they are scored on judged outputs."""

from __future__ import annotations

import pytest

from paraphrast.errors import ConfigError, InputError
from paraphrast.jobs.scoring.judged_scores import judge_scores, judged_metrics
from paraphrast.meta.judgements import Output, Rating, collect


def small() -> tuple[list[Output], list[Rating]]:
    words = ["the cat sat", "the cat sits", "a cat sat down", "dogs run"]
    outputs = [Output("", str(n), "s", text, ("the cat sat",)) for n, text in enumerate(words)]
    return outputs, [Rating("", str(n), "s", "da", 4.0 - n) for n in range(4)]


def test_parts_and_twins_have_their_names() -> None:
    judgements = collect("small", *small())
    requests = ["rouge1.recall", "rouge1", "rouge1:stemmer=true", "ter", "length_ratio"]
    found = {one.metric: one for one in judge_scores(judgements, requests, "segment")}
    assert set(found) == {"rouge1.recall", "rouge1", "rouge1:stemmer=true", "ter", "length_ratio"}
    assert found["rouge1.recall"].values["", "2", "s"] == pytest.approx(2 / 3)
    assert found["rouge1.recall"].signature.count("|part:") == 1
    assert "|part:recall|" in found["rouge1.recall"].signature
    assert found["ter"].sign == -1
    assert found["length_ratio"].values["", "2", "s"] == pytest.approx(-1 / 3)  # −|ratio − 1|


def test_wrong_parts_and_missing_texts() -> None:
    with pytest.raises(ConfigError, match=r"has no part 'recal' \(did you mean 'recall'\?\)"):
        judged_metrics(["rouge1.recal"])
    outputs, ratings = small()
    with pytest.raises(InputError, match="holds no texts to score"):
        judge_scores(collect("bare", (), ratings), ["bleu"], "segment")
    bare = [Output(o.group, o.item, o.system, o.candidate) for o in outputs]
    with pytest.raises(InputError, match="metric 'bleu' needs references"):
        judge_scores(collect("no references", bare, ratings), ["bleu"], "segment")
