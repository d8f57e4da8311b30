"""METEOR's statistics and score, with golden values recorded from the METEOR 1.5 jar."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paraphrast.errors import InputError, MissingExtra
from paraphrast.metrics.meteor.resources import package_file
from paraphrast.metrics.meteor.statistics import PARTS, STATISTICS, score, segment_statistics

try:
    package_file("meteor-1.5.jar")
except MissingExtra as error:
    pytest.skip(str(error), allow_module_level=True)

# Recorded from meteor-1.5.jar (pycocoevalcap 1.2), -stdio -l en -norm.
GOLDEN: list[tuple[str, list[str], float]] = [
    ("The cat sat on the mat.", ["A cat was sitting on the mat."], 0.4797086858936586),
    ("The cat sat on the mat.", ["The cat sat on the mat."], 1.0),
    ("on the mat sat the cat", ["the cat sat on the mat"], 0.4776696620223255),
    (
        "He purchased a motorcar in Paris.",
        ["He bought an automobile in the French capital."],
        0.24653472505866586,
    ),
    (
        "The organizations were adding up the costs.",
        ["The organization added up its cost."],
        0.3137666882207132,
    ),
    (
        "In the light of the above, we agree.",
        ["In view of the foregoing, we are in agreement."],
        0.7187404773996954,
    ),
    (
        "Police said the U.S. suspect didn't flee.",
        [
            "According to police, the suspect in the US did not run away.",
            "The suspect did not flee, police said.",
            "Nobody fled.",
        ],
        0.29235918908561176,
    ),
    ("completely different words", ["nothing alike here"], 0.0),
    ("hi there", ["hello there"], 0.8500000000000001),
    ("", ["the cat"], 0.0),
    ("the cat", [""], 0.0),
]
GOLDEN_CORPUS = 0.3590339778480229


def one(candidate: str, references: Sequence[str]) -> dict[str, float]:
    values = score(np.array([segment_statistics(candidate, references)]))[0]
    return dict(zip(PARTS, values.tolist(), strict=True))


@pytest.mark.parametrize(("candidate", "references", "expected"), GOLDEN)
def test_segment_scores_are_the_jars(
    candidate: str, references: list[str], expected: float
) -> None:
    assert one(candidate, references)["score"] == pytest.approx(expected, abs=1e-12)


def test_the_corpus_score_is_the_score_of_the_summed_statistics() -> None:
    rows = np.array([segment_statistics(text, refs) for text, refs, _ in GOLDEN])
    assert score(rows.sum(axis=0, keepdims=True))[0, 0] == pytest.approx(GOLDEN_CORPUS, abs=1e-12)


def test_statistics_are_the_jars() -> None:
    # The jar's -ssOut, less its last two columns (matched words), which are sums of the others.
    found = segment_statistics("The cat sat on the mat.", ["A cat was sitting on the mat."])
    assert found == [7, 8, 4, 5, 2, 2, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1]
    assert len(found) == len(STATISTICS)


def test_parts_follow_the_formula() -> None:
    parts = one("on the mat sat the cat", ["the cat sat on the mat"])
    assert parts["precision"] == parts["recall"] == parts["f_mean"] == 1.0
    assert parts["penalty"] == pytest.approx(0.6 * (3 / 6) ** 0.2)


def test_the_best_reference_counts_whatever_its_place() -> None:
    candidate = "The cat sat on the mat."
    worse, better = "Dogs bark loudly.", "The cat sat on a mat."
    alone = segment_statistics(candidate, [better])
    assert segment_statistics(candidate, [worse, better]) == alone
    assert segment_statistics(candidate, [better, worse]) == alone


def test_no_references_is_an_error() -> None:
    with pytest.raises(InputError, match="at least one reference"):
        segment_statistics("a cat", [])


def test_words_whose_java_hashes_collide_do_not_match() -> None:
    assert one("p1", ["no"])["score"] == 0.0  # the jar says 1.0


def test_score_is_vectorised_over_rows() -> None:
    rows = np.array([segment_statistics(text, refs) for text, refs, _ in GOLDEN])
    single = np.concatenate([score(row[None]) for row in rows])
    np.testing.assert_array_equal(score(rows), single)


VOCABULARY = [
    "the",
    "a",
    "cat",
    "cats",
    "sat",
    "on",
    "mat",
    ".",
    ",",
    "'s",
    "U.S.",
    "in",
    "view",
    "of",
]
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=25).map(" ".join)
TEXT = st.one_of(st.text(max_size=60), WORDS)


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(candidate=TEXT, references=st.lists(TEXT, min_size=1, max_size=3))
def test_any_text_scores_between_0_and_1(candidate: str, references: list[str]) -> None:
    parts = one(candidate, references)
    assert all(0.0 <= value <= 1.0 + 1e-12 for value in parts.values())


@settings(deadline=None, max_examples=200)
@given(text=WORDS.filter(bool))
def test_a_text_scores_1_against_itself(text: str) -> None:
    assert one(text, [text])["score"] == pytest.approx(1.0)
