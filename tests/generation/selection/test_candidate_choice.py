"""Choosing: what is refused and why, what is kept and why, and what no choice may ever do."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from paraphrast.errors import ConfigError, InputError
from paraphrast.generation.candidates import Candidate
from paraphrast.generation.selection.candidate_choice import (
    FARTHEST,
    Choice,
    Chooser,
    Rejected,
    Selection,
)
from tests.generation.made import drawn, judged_by

SOURCE = "the cat sat on the mat today"
WORDS = "the cat sat on mat today a dog lay".split()
SPECS = ("harmonic:w=3", "logprob", "mbr:wor", "pinc", "wer", "0.5*rougeL - 0.2*pinc")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
candidates = st.builds(
    drawn,
    texts,
    st.sampled_from([-1.0, -2.0, -3.0]),
    finished=st.sampled_from([True, True, True, False]),
    missing=st.sampled_from([(), (), ("Ann",)]),
)
pools = st.lists(candidates, max_size=9)


def choose(found: list[Candidate], source: str = SOURCE, **options: Any) -> Choice:
    options = {"floor": None, **options}
    selection = Selection(**{"protect": False, **options})
    return Chooser(selection).choose([source], [found])[0]


def reasons(choice: Choice) -> dict[str, str]:
    return {one.text: one.reason for one in choice.rejected}


def likeness(a: str, b: str) -> float:
    """Any fixed number in 0 to 1 for a pair."""
    return (hashlib.sha256(f"{a}|{b}".encode()).digest()[0] + 1) / 257


def far(a: str, b: str) -> float:
    """1 − ROUGE-L F, written anew."""
    left, right = a.split(), b.split()
    return 1 - 2 * LCSseq.similarity(left, right) / (len(left) + len(right))


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"n": 0}, "n=0 is wrong: it must be a whole number from 1"),
    ({"n": True}, "n=True is wrong: it must be a whole number from 1"),
    ({"n": 2.0}, "n=2.0 is wrong: it must be a whole number from 1"),
    ({"novelty": 1.5}, "novelty=1.5 is wrong: it must be a number from 0 to 1"),
    ({"novelty": float("nan")}, "novelty=nan is wrong: it must be a number from 0 to 1"),
    ({"floor": -0.1}, "floor=-0.1 is wrong: it must be a number from 0 to 1"),
    ({"quality": float("inf")}, "quality=inf is wrong: it must be a number"),
    ({"quality": True}, "quality=True is wrong: it must be a number"),
    ({"floor": "high"}, "floor=high is wrong: it must be a number from 0 to 1"),
    (
        {"check": "base", "floor": None},
        "check has nothing to look at: give a floor, support or quality",
    ),
    ({"support": 75}, "support=75 is wrong: it must be a number from 0 to 1"),
    (
        {"floor": None, "required": True},
        "required=True asks for an adequacy floor; give one, as floor=0.5",
    ),
    ({"select": " "}, "select=' ' is wrong: it must name a ranking, as harmonic:w=3 does"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=lambda value: str(value)[:40])
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        Selection(**options)


def test_every_reason_in_its_order() -> None:
    found = [
        drawn("The  cat sat on the mat, today!", finished=False),
        drawn("a dog lay"),
        drawn("A dog lay.", finished=False),
        drawn("a dog sat on", finished=False, missing=["Ann"]),
        drawn("a cat lay", missing=["Ann", "1999"]),
        drawn("the cat sat on the mat"),
        drawn("the dog lay on a mat today", -1),
    ]
    choice = choose(found, select="harmonic:w=3,lower=0.2", novelty=0.2)
    assert [one.text for one in choice.candidates] == ["the dog lay on a mat today"]
    assert choice.rejected == tuple(
        Rejected(candidate.text, reason)
        for candidate, reason in zip(
            found,
            [
                "the same as the source",
                "ROUGE-L .00 outside .2 to 1",
                "drawn before",
                "cut at the greatest length",
                "lacks: Ann, 1999",
                "copies too much: ROUGE-L .92",
            ],
            strict=False,
        )
    )


def test_a_check_overrules_the_encoder_unless_nothing_is_protected() -> None:
    found = [drawn("today veto the cat"), drawn("a cat today")]
    with judged_by(lambda a, b: 0.9) as judge:
        choice = choose(found, protect=True, n=2, select="quality")
        assert judge.checked
        assert reasons(choice) == {found[0].text: "number: '1' became '2'"}
        assert choice.note == "1 of 2 outputs: 2 drawn, 1 with another number"
        assert len(choose(found, n=2, protect=False, select="quality").candidates) == 2
        assert not judge.checked


def test_what_ranks_too_low_is_rejected_with_that_reason() -> None:
    found = [drawn("a dog", -3), drawn("a cat", -1), drawn("a mat", -2)]
    first = choose(found, select="logprob")
    assert reasons(first) == dict.fromkeys(["a dog", "a mat"], "ranked below the first")
    assert reasons(choose(found, select="logprob", n=2)) == {"a dog": "ranked below the first 2"}


def test_a_whole_text_is_kept_before_one_drawn_earlier_that_is_flawed() -> None:
    found = [drawn("a dog lay", finished=False), drawn("A dog lay.", -9), drawn("a dog lay", -1)]
    choice = choose(found)
    assert [one.text for one in choice.candidates] == ["A dog lay."]
    assert [one.reason for one in choice.rejected] == ["cut at the greatest length", "drawn before"]


def test_texts_that_differ_in_letters_or_vowel_signs_are_not_the_same() -> None:
    assert reasons(choose([drawn("ki")], "kī")) == {}
    assert reasons(choose([drawn("कि")], "की")) == {}
    assert reasons(choose([drawn("!!!")], "...")) == {}
    assert reasons(choose([drawn("...")], "...")) == {"...": "the same as the source"}


def test_a_figure_on_the_bound_passes() -> None:
    source = "a b c d e f g h i j"
    at = "a b c d e f g h i z"  # ROUGE-L .9, and 1 - .9 is a little less than .1
    assert len(choose([drawn(at)], source, novelty=0.1).candidates) == 1
    short = "a b c d z"  # against five words: ROUGE-L .8000000000000002
    assert len(choose([drawn(short)], "a b c d e", select="harmonic:upper=0.8").candidates) == 1
    assert reasons(choose([drawn(at)], source, novelty=0.1001)) == {
        at: "copies too much: ROUGE-L .9000"
    }


def test_scores_name_every_figure_that_was_used() -> None:
    with judged_by(lambda a, b: 0.75 if a == SOURCE else 0.1):
        (kept,) = choose(
            [drawn("today the cat lay on a mat", -4.0)], floor=0.5, novelty=0.1
        ).candidates
    assert kept.logprob == -4.0
    assert kept.why == "first of 1 by harmonic:w=3"
    assert kept.scores == pytest.approx(
        {
            "novelty": 3 / 7,
            "same": 0.75,
            "entailment": 0.85,
            "tags": 0.375,
            "quality": 0.5,
            "support": 0.75**2,
            "harmonic": 45 / 98,
            "rouge1": 5 / 7,
            "rougeL": 4 / 7,
            "length": 1.0,
        }
    )


def test_why_says_place_and_number_and_ranking() -> None:
    found = [drawn(f"w{number} x", -number - 1) for number in range(12)]
    why = [one.why for one in choose(found, n=12, select="logprob").candidates]
    assert why[:2] == ["first of 12 by logprob", "second of 12 by logprob"]
    assert why[9:] == [
        "tenth of 12 by logprob",
        *(f"number {k} of 12 by logprob" for k in (11, 12)),
    ]


def test_ties_go_to_the_likelier_and_then_to_the_earlier() -> None:
    found = [drawn("dog a", -3), drawn("dog b", -1), drawn("dog c", -1), drawn("dog d", -2)]
    kept = choose(found, n=4, select="pinc").candidates
    assert [one.text for one in kept] == ["dog b", "dog c", "dog d", "dog a"]


def test_metrics_of_which_less_is_better_rank_upwards_and_near_one_nearest() -> None:
    found = [drawn("dog dog dog"), drawn("the cat sat on the mat"), drawn("the cat sat")]
    by_errors = [one.text for one in choose(found, n=3, select="wer").candidates]
    assert by_errors == ["the cat sat on the mat", "the cat sat", "dog dog dog"]
    longer = [drawn("a " * 9 + "b"), drawn("a b c d e f")]
    nearest = choose(longer, n=2, select="length_ratio").candidates
    assert [one.text for one in nearest] == ["a b c d e f", "a " * 9 + "b"]
    assert nearest[0].scores["length_ratio"] == pytest.approx(6 / 7)


def test_what_a_metric_is_undefined_for_comes_last_without_a_figure() -> None:
    from paraphrast.generation.selection import candidate_ranking as ranking

    with pytest.MonkeyPatch.context() as patch:
        table = {"wer": [float("nan"), 0.1]}
        patch.setattr(ranking, "score_pairs", lambda *given: _arrays(table))
        kept = choose([drawn("dog a", -1), drawn("dog b", -2)], n=2, select="wer").candidates
    assert [(one.text, one.scores) for one in kept] == [("dog b", {"wer": 0.1}), ("dog a", {})]


def _arrays(table: dict[str, list[float]]) -> dict[str, Any]:
    import numpy as np

    return {name: np.array(column) for name, column in table.items()}


def test_no_candidates_give_a_choice_with_a_note() -> None:
    found = Chooser(Selection(floor=None)).choose(["a b", "", "c d"], [[], [], [drawn("d e")]])
    assert found[:2] == [Choice(s, (), (), "no output: nothing was drawn") for s in ("a b", "")]
    assert found[2].note is None
    assert Chooser(Selection()).choose([], []) == []


def test_the_note_counts_why_there_are_fewer() -> None:
    found = [drawn(SOURCE), drawn(SOURCE + "."), drawn("a dog"), drawn("a dog"), drawn("a cat")]
    assert choose(found, n=3, select="logprob").note == (
        "2 of 3 outputs: 5 drawn, 2 the same as the source, 1 drawn before"
    )
    assert choose(found, n=2, select="logprob").note is None


def test_the_note_names_the_best_probability_if_nothing_passed_the_floor() -> None:
    said = {"a dog": 0.3149, "a cat": 0.21}
    found = [drawn("a dog"), drawn("a cat"), drawn(SOURCE)]
    with judged_by(lambda a, b: said[b]):
        choice = choose(found, n=2, floor=0.5)
    assert choice.candidates == ()
    assert choice.note == (
        "no output: 3 drawn, 2 with same below .5, 1 the same as the source; "
        "nothing passed the floor of .5, the best same was .31"
    )
    assert reasons(choice)["a dog"] == "same .31 below .5: added: 'dog' has no counterpart"


def test_what_people_would_not_rate_well_is_refused_after_what_says_something_else() -> None:
    shares = {"a dog": 0.3, "a cat": 0.6, "a mat": 0.8}
    with judged_by(lambda a, b: shares[b]):
        found = [drawn(text) for text in shares]
        choice = choose(found, floor=0.5, quality=0.4, n=2)
        assert [one.text for one in choice.candidates] == ["a mat"]
        assert reasons(choice) == {
            "a dog": "same .30 below .5: added: 'dog' has no counterpart",
            "a cat": "quality .20 below .4",
        }
        assert choice.note == (
            "1 of 2 outputs: 3 drawn, 1 with same below .5, 1 with quality below .4"
        )
        nothing = choose(found, floor=0.5, quality=0.7)
        assert nothing.note is not None
        assert nothing.note.endswith(
            "; nothing passed the least quality of .7, the best quality was .60"
        )
        alone = choose(found, quality=0.4)
        assert [one.text for one in alone.candidates] == ["a mat"]


def test_a_word_that_only_one_text_says_is_named_in_the_reason() -> None:
    shares = {"a dog": 0.6, "a mat": 0.9}
    with judged_by(lambda a, b: shares[b]):
        found = [drawn(text) for text in shares]
        choice = choose(found, support=0.5, n=2)
        assert [one.text for one in choice.candidates] == ["a mat"]
        assert reasons(choice) == {"a dog": "support of 'dog' .36 below .5"}
        assert choice.note == "1 of 2 outputs: 2 drawn, 1 with support below .5"
        nothing = choose(found, support=0.95)
        assert nothing.note is not None
        assert nothing.note.endswith(
            "; nothing passed the least support of .95, the best support was .81"
        )
        both = choose(found, floor=0.8, support=0.95)
        assert reasons(both)["a dog"].startswith("same .60 below .8")


def test_a_second_judge_is_asked_about_the_best_until_enough_pass() -> None:
    texts = ["a dog", "a cat", "a mat", "a rat", "a bat"]
    found = [drawn(text, -1.0 - place) for place, text in enumerate(texts)]
    asked: list[str] = []

    def doubting(a: str, b: str) -> float:
        asked.append(b)
        return 0.3 if len(asked) > len(texts) and b in ("a dog", "a mat") else 0.9

    with judged_by(doubting):
        choice = choose(found, select="logprob", floor=0.5, n=2, check="base")
    assert [one.text for one in choice.candidates] == ["a cat", "a rat"]
    assert sorted(asked[len(texts) :]) == ["a cat", "a dog", "a mat", "a rat"]
    assert reasons(choice)["a dog"].startswith("base: same .30 below .5: added: 'dog'")
    assert reasons(choice)["a bat"] == "ranked below the first 2"
    assert choice.candidates[0].scores["checked same"] == pytest.approx(0.9)


def test_quality_ranks_alone_and_in_a_sum_with_equation_5() -> None:
    near, far_off = "today the cat lay on a mat", "the mat"
    with judged_by(lambda a, b: 0.6 if b == near else 0.9) as judge:
        assert choose([drawn(near), drawn(far_off)], select="quality").candidates[0].text == far_off
        found = {
            weight: choose(
                [drawn(near), drawn(far_off)], select=f"harmonic:w=3 + {weight}*quality"
            ).candidates[0]
            for weight in (0.01, 5)
        }
    assert judge.asked
    assert [found[weight].text for weight in (0.01, 5)] == [near, far_off]
    kept = found[5].scores
    assert kept["sum"] == pytest.approx(kept["harmonic"] + 5 * kept["quality"])


def test_the_bounds_of_equation_5_hold_in_a_sum() -> None:
    choice = choose([drawn("a dog lay")], select="0.5*harmonic:lower=0.2 + pinc")
    assert reasons(choice) == {"a dog lay": "ROUGE-L .00 outside .2 to 1"}


def test_a_probability_just_below_the_floor_is_told_from_it() -> None:
    with judged_by(lambda a, b: 0.49996):
        choice = choose([drawn("a dog")], floor=0.5)
    assert reasons(choice)["a dog"].startswith("same .49996 below .5: ")


def test_the_judge_sees_once_what_passed_the_cheap_checks_of_all_sources() -> None:
    found = [
        [drawn("a dog"), drawn("a dog"), drawn("cut", finished=False), drawn("x", missing=["Ann"])],
        [drawn("the cat sat on the mat"), drawn("a cat")],
    ]
    with judged_by(lambda a, b: 0.9) as judge:
        Chooser(Selection(novelty=0.2, protect=False)).choose([SOURCE, SOURCE], found)
    assert judge.asked == [[(SOURCE, "a dog"), (SOURCE, "a cat")]]


def test_a_set_is_the_best_and_then_the_farthest() -> None:
    found = [
        drawn("the cat sat on a mat", -1),
        drawn("the cat sat on a dog", -2),
        drawn("a dog lay today", -3),
        drawn("mat today", -4),
    ]
    plain = choose(found, n=2, select="logprob")
    assert [one.text for one in plain.candidates] == [found[0].text, found[1].text]
    choice = choose(found, n=3, select="logprob", diverse=True)
    # from the first the others lie 1/6, 8/10 and 6/8 away; then the last lies 4/6 from the third
    assert [one.text for one in choice.candidates] == [found[0].text, found[2].text, found[3].text]
    assert [one.why for one in choice.candidates] == ["first of 4 by logprob", FARTHEST, FARTHEST]
    assert [one.scores.get("distance") for one in choice.candidates] == [
        None,
        pytest.approx(0.8),
        pytest.approx(2 / 3),
    ]


def test_a_set_takes_nothing_twice_where_all_have_the_same_words() -> None:
    found = [drawn("a dog"), drawn("a dog $"), drawn("a dog +")]
    kept = choose(found, n=3, diverse=True).candidates
    assert [one.text for one in kept] == ["a dog", "a dog $", "a dog +"]
    assert [one.scores.get("distance") for one in kept] == [None, 0.0, 0.0]


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(InputError, match=r"^2 sources, but candidates of 1$"):
        Chooser(Selection()).choose(["a", "b"], [[]])


@given(
    found=st.lists(pools, min_size=1, max_size=3),
    n=st.integers(1, 4),
    select=st.sampled_from(SPECS),
    diverse=st.booleans(),
    novelty=st.sampled_from([None, 0.0, 0.4]),
)
@settings(max_examples=60)
def test_outputs_are_some_of_the_candidates_and_no_two_alike(
    found: list[list[Candidate]], n: int, select: str, diverse: bool, novelty: float | None
) -> None:
    selection = Selection(n=n, select=select, diverse=diverse, novelty=novelty, floor=0.4)
    sources = [SOURCE, "a dog lay on the mat", "today"][: len(found)]
    with judged_by(likeness):
        together = Chooser(selection).choose(sources, found)
        alone = [
            Chooser(selection).choose([s], [f])[0] for s, f in zip(sources, found, strict=True)
        ]
    assert together == alone
    for choice, pool in zip(together, found, strict=True):
        kept = [one.text for one in choice.candidates]
        texts = kept + [one.text for one in choice.rejected]
        assert sorted(texts) == sorted(candidate.text for candidate in pool)
        assert len({text.casefold() for text in kept}) == len(kept) <= n
        assert choice.source.casefold() not in kept
        assert (choice.note is None) == (len(kept) == n)


@given(found=pools, floors=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted))
@settings(max_examples=60)
def test_a_higher_floor_never_adds_an_output(found: list[Candidate], floors: list[float]) -> None:
    low, high = floors
    with judged_by(likeness):
        every = [choose(found, n=9, floor=floor).candidates for floor in (low, high)]
        few = [choose(found, n=2, floor=floor).candidates for floor in (low, high)]
    assert {one.text for one in every[1]} <= {one.text for one in every[0]}
    assert len(few[1]) <= len(few[0])


@given(found=pools, n=st.integers(2, 4))
@settings(max_examples=80)
def test_sets_lie_apart(found: list[Candidate], n: int) -> None:
    """Two outputs are never nearer than the two best, and distances are those told."""
    plain, diverse = (choose(found, n=2, diverse=on).candidates for on in (False, True))
    assert len(plain) == len(diverse)
    if len(plain) == 2:
        assert far(plain[0].text, plain[1].text) <= far(diverse[0].text, diverse[1].text) + 1e-9
    more = choose(found, n=n, diverse=True).candidates
    for place, one in enumerate(more[1:], 1):
        nearest = min(far(one.text, before.text) for before in more[:place])
        assert one.scores["distance"] == pytest.approx(nearest)
    distances = [one.scores["distance"] for one in more[1:]]
    assert all(b <= a + 1e-9 for a, b in pairwise(distances))


@given(found=st.lists(candidates, max_size=6))
@settings(max_examples=40)
def test_the_second_of_a_set_is_the_farthest_there_is(found: list[Candidate]) -> None:
    every = [one.text for one in choose(found, n=6).candidates]
    pair = [one.text for one in choose(found, n=2, diverse=True).candidates]
    if len(pair) == 2:
        reachable = [far(*two) for two in combinations(every, 2) if every[0] in two]
        assert far(*pair) == pytest.approx(max(reachable))


def test_importing_it_loads_no_model_library() -> None:
    heavy = ["onnxruntime", "tokenizers", "torch", "transformers", "sacrebleu"]
    code = (
        "import sys; "
        "from paraphrast.generation.selection.candidate_choice import Chooser, Selection; "
        "Chooser(Selection(select='0.5*paratag + 0.5*bertscore')); "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
