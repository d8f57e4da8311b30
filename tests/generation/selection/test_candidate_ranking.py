"""Rankings against numbers made by hand, by other packages and by brute force."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ConfigError
from paraphrast.generation.candidates import Candidate
from paraphrast.generation.selection import candidate_ranking as ranking
from paraphrast.generation.selection.candidate_choice import Chooser, Selection
from paraphrast.generation.selection.candidate_ranking import Harmonic, overlaps
from paraphrast.metrics.base import Batch, Place
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.overlap import Wor
from tests.embedders import install_embedder
from tests.generation.made import drawn

SOURCE = "the cat sat on the mat today"
words = st.lists(st.sampled_from("a b c d e".split()), min_size=1, max_size=5).map(" ".join)


def scores(found: list[Candidate], source: str = SOURCE, **options: Any) -> dict[str, Any]:
    selection = Selection(**{"n": 99, "floor": None, "protect": False, **options})
    return {
        one.text: one.scores for one in Chooser(selection).choose([source], [found])[0].candidates
    }


# R1, RL and the penalty counted by hand:
# 5 of 7 words and an LCS of 4 (the cat on mat), 7 words; 4 of 7 and an LCS of 4, 6 words
LONG = math.exp(-1 / 7)  # the penalty of 8 words for 7
HAND = [
    ("today the cat lay on a mat", 3.0, 5 / 7, 4 / 7, 1.0, 45 / 98),
    ("today the cat lay on a mat", 1.0, 5 / 7, 4 / 7, 1.0, 15 / 56),
    ("the cat lay on a mat", 3.0, 4 / 7, 8 / 13, 1.0, 60 / 157),
    ("the cat sat on the mat today again", 3.0, 1.0, 14 / 15, LONG, LONG / 6),
    ("dogs", 3.0, 0.0, 0.0, 1.0, 0.0),
    ("on the mat today the cat sat", 3.0, 1.0, 4 / 7, 1.0, 9 / 16),
    ("...", 3.0, 0.0, 0.0, 1.0, 0.0),
]


@pytest.mark.parametrize(("text", "w", "rouge1", "rouge_l", "penalty", "score"), HAND)
def test_equation_5(
    text: str, w: float, rouge1: float, rouge_l: float, penalty: float, score: float
) -> None:
    found = scores([drawn(text)], select=f"harmonic:w={w:g}")[text]
    assert found == pytest.approx(
        {"harmonic": score, "rouge1": rouge1, "rougeL": rouge_l, "length": penalty}
    )


def test_equation_5_has_the_parts_of_rouge_p() -> None:
    texts = ["today the cat lay on a mat", "Cats sat, on mats!", "the the the the the the the the"]
    metric = make_metric("rouge_p:benchmark=0.5")
    lexicon_of = ranking.score_pairs(
        [metric], [ranking.SegmentTexts(text, SOURCE, SOURCE) for text in texts], Place()
    )
    found = overlaps(texts, [SOURCE] * len(texts))
    np.testing.assert_allclose(found.rouge1, lexicon_of["rouge_p.adequacy"])
    np.testing.assert_allclose(found.rouge_l, lexicon_of["rouge_p.source_rougeL"])


def test_a_source_without_words_scores_nothing_and_divides_by_nothing() -> None:
    found = overlaps(["a b", "?"], ["...", "..."])
    score, penalty = Harmonic().score(found)
    assert score.tolist() == [0.0, 0.0]
    assert penalty.tolist() == pytest.approx([math.exp(-1), 1.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"w": 0.0}, "w=0 is wrong: it must be a number above 0"),
        ({"lower": 0.9, "upper": 0.2}, "lower=0.9 and upper=0.2 are wrong: they bound ROUGE-L"),
        ({"upper": 1.2}, "lower=0 and upper=1.2 are wrong"),
    ],
)
def test_equation_5_with_impossible_options(options: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Harmonic(**options)


def jaccard(a: str, b: str) -> float:
    left, right = set(a.split()), set(b.split())
    return len(left & right) / len(left | right)


def brute(drawn_texts: list[str], text: str) -> float:
    """Mean over all other draws, by place: a text drawn twice meets itself once."""
    mine = drawn_texts.index(text)
    return float(np.mean([jaccard(text, t) for i, t in enumerate(drawn_texts) if i != mine]))


@given(pools=st.lists(st.lists(words, min_size=2, max_size=7), min_size=1, max_size=4))
@settings(max_examples=60)
def test_least_risk_is_what_brute_force_finds(pools: list[list[str]]) -> None:
    found = [[drawn(text, -number) for number, text in enumerate(pool)] for pool in pools]
    sources = ["x y z"] * len(pools)
    choices = Chooser(Selection(n=9, select="mbr:wor", floor=None, protect=False)).choose(
        sources, found
    )
    for pool, choice in zip(pools, choices, strict=True):
        kept = [one.text for one in choice.candidates]
        risks = {text: brute(pool, text) for text in pool}
        assert {one.text: one.scores["mbr"] for one in choice.candidates} == pytest.approx(risks)
        best = max(risks.values())
        first = next(text for text in pool if risks[text] >= best - 1e-9)
        assert kept[0] == first  # the likelier of two is the one drawn earlier here


def test_least_risk_by_chrf_equals_sacrebleu() -> None:
    texts = ["The cat lay on a mat.", "A cat sat on it.", "A cat sat on it.", "Dogs run home"]
    found = scores([drawn(text) for text in texts], select="mbr:chrf")
    for text in set(texts):
        others = [t for i, t in enumerate(texts) if i != texts.index(text)]
        expected = np.mean([sacrebleu.sentence_chrf(text, [other]).score for other in others])
        assert found[text]["mbr"] == pytest.approx(expected)


def test_least_risk_with_a_metric_of_errors_takes_the_least_of_them() -> None:
    found = [drawn("a b c", -3), drawn("a b d", -2), drawn("x y z w", -1)]
    assert list(scores(found, select="mbr:wer"))[-1] == "x y z w"


def test_rejected_draws_have_a_say_in_the_risk() -> None:
    found = [drawn("a b"), drawn("a c"), drawn(SOURCE), drawn("a d e", finished=False)]
    expected = (jaccard("a b", "a c") + jaccard("a b", SOURCE) + jaccard("a b", "a d e")) / 3
    assert scores(found, select="mbr:wor")["a b"]["mbr"] == pytest.approx(expected)


def test_a_lone_draw_has_no_risk_and_is_kept() -> None:
    assert scores([drawn("a b")], select="mbr:chrf") == {"a b": {}}


def test_the_source_is_told_to_a_metric_that_asks_for_it() -> None:
    found = [drawn("the cat lay"), drawn("a dog ran")]
    values = scores(found, select="mbr:pinc")
    alone = scores(found, select="pinc")
    assert {text: one["mbr"] for text, one in values.items()} == pytest.approx(
        {text: one["pinc"] for text, one in alone.items()}
    )


def test_each_pair_is_scored_once_and_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[list[tuple[str, str]]] = []
    stats = Wor.stats

    def counted(self: Wor, batch: Batch) -> Any:
        batches.append(list(zip(batch.candidates.texts, batch.refs.texts, strict=True)))
        return stats(self, batch)

    monkeypatch.setattr(Wor, "stats", counted)
    pools = [["a", "b", "a", "a", "b"], ["a", "b", "c"]]
    found = [[drawn(text) for text in pool] for pool in pools]
    Chooser(Selection(select="mbr:wor", floor=None, protect=False)).choose(["x", "y"], found)
    (pairs,) = batches
    assert sorted(pairs) == sorted(
        [(x, y) for x in "abc" for y in "abc" if x != y] + [("a", "a"), ("b", "b")]
    )


def test_blocks_of_pairs_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [drawn(text) for text in ("a b", "a c", "b c d", "e")]
    whole = scores(found, select="mbr:wor")
    monkeypatch.setattr(ranking, "_PAIRS", 5)
    assert scores(found, select="mbr:wor") == whole


def test_likelihood_is_divided_by_sub_words_and_the_end() -> None:
    assert scores([drawn("a b c", -8.0)], select="logprob") == {"a b c": {"mean_logprob": -2.0}}


def test_a_sum_adds_what_its_terms_say() -> None:
    text = "today the cat lay on a mat"
    found = scores([drawn(text)], select="0.7*rougeL + rouge1.recall - 0.25*pinc")[text]
    assert set(found) == {"sum", "rougeL", "rouge1.recall", "pinc"}
    assert found["rougeL"] == pytest.approx(4 / 7)
    assert found["rouge1.recall"] == pytest.approx(5 / 7)
    assert found["sum"] == pytest.approx(
        0.7 * found["rougeL"] + found["rouge1.recall"] - 0.25 * found["pinc"]
    )


def test_a_metric_twice_with_other_options_has_two_names() -> None:
    found = scores([drawn("cats sit")], "cat sits", select="rouge1 + 2*rouge1:stemmer=true")
    assert found["cats sit"] == {"rouge1": 0.0, "rouge1#2": 1.0, "sum": 2.0}


def test_a_negative_weight_turns_a_metric_of_errors_round() -> None:
    found = [drawn("dog"), drawn("the cat sat on the mat")]
    assert list(scores(found, select="-1*wer")) == ["the cat sat on the mat", "dog"]
    assert list(scores(found, select="1*wer")) == ["dog", "the cat sat on the mat"]


def test_rouge_p_with_a_benchmark_ranks() -> None:
    text = "today the cat lay on a mat"
    found = scores([drawn(text)], select="rouge_p:benchmark=0.66")[text]
    below = (0.66 - 4 / 7) / 0.66
    assert found["rouge_p"] == pytest.approx(5 / 7 * (1 - below**7))


def test_cosine_is_that_of_the_embedder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    install_embedder(tmp_path, monkeypatch)
    from paraphrast.models.embedder.text_embedder import Embedder

    texts = ["the dog sat", "a cat lay on the rug"]
    a, b, source = Embedder.load("minilm").sentences([*texts, SOURCE])
    for spec in ("cosine", "cosine:model=minilm"):
        found = scores([drawn(text) for text in texts], select=spec)
        assert {text: one["cosine"] for text, one in found.items()} == pytest.approx(
            {texts[0]: float(a @ source), texts[1]: float(b @ source)}, abs=1e-5
        )
