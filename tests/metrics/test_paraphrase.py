"""ROUGE-P and PINC: by hand, on MRPC, and what must never score well."""

from __future__ import annotations

import random
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paraphrast
from paraphrast.errors import ConfigError, InputError
from paraphrast.metrics.paraphrase import RougeP

SOURCE = "a b c d"


@pytest.mark.parametrize(
    ("candidate", "recall", "rouge_l", "length"),
    [
        ("a b c d", 1.0, 1.0, 1.0),  # a parrot
        ("a b x y", 0.5, 0.5, 1.0),  # on the benchmark
        ("d c b a", 1.0, 0.25, 1.0),  # order lost
        ("a b c d e f g h", 1.0, 8 / 12, exp(-1)),  # too long
        ("a", 0.25, 0.4, 1.0),
        ("x", 0.0, 0.0, 1.0),
        ("", 0.0, 0.0, 1.0),
    ],
)
def test_rouge_p_by_hand(candidate: str, recall: float, rouge_l: float, length: float) -> None:
    """Equations (1)–(4) of Patil et al., with β = 2, γ = 7 and a benchmark of 1/2."""
    novelty = 1 - (max(rouge_l - 0.5, 0) / 0.5) ** 2
    fluency = 1 - (max(0.5 - rouge_l, 0) / 0.5) ** 7
    report = paraphrast.score([candidate], sources=[SOURCE], metrics="rouge_p:benchmark=0.5")
    found = report["rouge_p"]
    assert found.parts == pytest.approx(
        {
            "adequacy": recall,
            "novelty": novelty,
            "fluency": fluency,
            "length": length,
            "source_rougeL": rouge_l,
        }
    )
    assert found.score == pytest.approx(recall * novelty * fluency * length)


def benchmark_of(signature: str) -> float:
    return float(signature.partition("|bench:")[2].partition("|")[0])


def test_the_benchmark_is_the_mean_over_all_source_reference_pairs() -> None:
    # ROUGE-L F of "a b c d" with "a b", "a b c d" and "x": 2/3, 1 and 0; three pairs, two segments
    report = paraphrast.score(
        ["a b", "a"], [["a b", "a b c d"], ["x"]], [SOURCE, SOURCE], metrics="rouge_p"
    )
    found = report["rouge_p"]
    benchmark = benchmark_of(found.signature)
    assert benchmark == pytest.approx(5 / 9, abs=1e-12)
    metric = RougeP(benchmark=benchmark)
    fixed = paraphrast.score(["a b", "a"], sources=[SOURCE, SOURCE], metrics=[metric])
    assert found == fixed["rouge_p"]  # the signature too: the number is all that references give


def test_mrpc_numbers(mrpc: tuple[list[str], list[str]]) -> None:
    """The rows "S1 and S2 in MSR" of Patil et al., Tables 2 and 5."""
    source, candidate = mrpc
    # srcROUGE compares with the source, so it is the reference here
    against = paraphrast.score(candidate, source, metrics=["rouge1", "rougeL"])
    assert against["rouge1"].parts["recall"] == pytest.approx(0.71, abs=0.01)
    assert against["rougeL"].score == pytest.approx(0.66, abs=0.01)
    assert against.segment_values["rougeL"].std() == pytest.approx(0.13, abs=0.01)
    report = paraphrast.score(candidate, candidate, source, metrics=["pinc", "rouge_p"])
    assert report["pinc"].score == pytest.approx(0.52, abs=0.02)
    assert report["rouge_p"].score == pytest.approx(0.60, abs=0.01)
    assert report["rouge_p"].parts["adequacy"] == pytest.approx(against["rouge1"].parts["recall"])
    assert report["rouge_p"].parts["source_rougeL"] == pytest.approx(against["rougeL"].score)


def test_parrots_get_nothing(mrpc: tuple[list[str], list[str]]) -> None:
    sources, paraphrases = mrpc
    report = paraphrast.score(sources, paraphrases, sources, metrics=["rouge_p", "pinc"])
    assert report["rouge_p"].score == report["pinc"].score == 0
    assert (report.segment_values["rouge_p"] == 0).all()


def test_a_shuffled_sentence_gets_less_than_a_paraphrase_with_the_same_words() -> None:
    words = [f"w{n}" for n in range(24)]
    source, swapped = " ".join(words), " ".join(words[16:] + words[:16])
    rng = random.Random(7)
    metric = "rouge_p:benchmark=0.66"  # that of MRPC
    (paraphrase,) = paraphrast.score([swapped], sources=[source], metrics=metric).scores
    assert paraphrase.score > 0.99
    for _ in range(20):
        shuffled = " ".join(rng.sample(words, len(words)))
        (found,) = paraphrast.score([shuffled], sources=[source], metrics=metric).scores
        assert found.score < paraphrase.score
    backwards = " ".join(reversed(words))
    (found,) = paraphrast.score([backwards], sources=[source], metrics=metric).scores
    assert found.score < 0.5


def test_shuffling_costs_fluency(mrpc: tuple[list[str], list[str]]) -> None:
    """Only of the same words: γ = 7 forgives much, so that on MRPC a shuffled *source*, whose
    adequacy is 1, scores .99, above the .59 of the paraphrases. The paper's equations say so.
    """
    sources, paraphrases = mrpc
    rng = random.Random(7)
    shuffled = [" ".join(rng.sample(text.split(), len(text.split()))) for text in paraphrases]
    systems = {"paraphrase": paraphrases, "shuffled": shuffled}
    result = paraphrast.score(systems, paraphrases, sources, metrics="rouge_p")
    before, after = (result[name].segment_values for name in systems)
    assert (after["rouge_p.fluency"] <= before["rouge_p.fluency"] + 1e-12).mean() > 0.99
    novel = before["rouge_p.novelty"] == 1  # elsewhere lost order also wins novelty
    assert after["rouge_p"][novel].mean() < before["rouge_p"][novel].mean()


def test_the_benchmark_stays_fixed_while_bootstrapping() -> None:
    candidates = ["a b x y", "d c b a", "a x", "a b c"]
    references = ["a b q r", "a c d b", "b x", "x c d"]
    sources = [SOURCE] * 4
    free = paraphrast.score(candidates, references, sources, metrics="rouge_p", ci=True)
    benchmark = benchmark_of(free["rouge_p"].signature)
    fixed = paraphrast.score(
        candidates, sources=sources, metrics=[RougeP(benchmark=benchmark)], ci=True
    )
    assert free["rouge_p"].ci == pytest.approx(fixed["rouge_p"].ci, abs=1e-12)


@pytest.mark.parametrize(("references", "value"), [(["x y"], 0), (["a b c d"], 1)])
def test_a_corpus_without_a_usable_benchmark(references: list[str], value: int) -> None:
    with pytest.raises(InputError, match=f"benchmark ROUGE-L of sources and references is {value}"):
        paraphrast.score(["a b"], references, [SOURCE], metrics="rouge_p")


@pytest.mark.parametrize("benchmark", [0, 1, -0.5, 2])
def test_a_given_benchmark_must_be_usable(benchmark: float) -> None:
    with pytest.raises(ConfigError, match="benchmark must lie strictly between 0 and 1"):
        paraphrast.score(["a"], sources=["b"], metrics=f"rouge_p:benchmark={benchmark}")


@pytest.mark.parametrize("option", ["beta=0", "gamma=-1"])
def test_wrong_powers(option: str) -> None:
    with pytest.raises(ConfigError, match="beta and gamma must be positive"):
        paraphrast.score(["a"], ["a"], ["b"], metrics=f"rouge_p:{option}")


# --- PINC ----------------------------------------------------------------------------------------


def pinc(source: str, candidate: str, orders: int = 4) -> float:
    """Chen and Dolan 2011, §5: sets of n-grams; orders without an n-gram are left out."""
    new = []
    for n in range(1, orders + 1):
        mine, theirs = (
            {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}
            for words in (candidate.split(), source.split())
        )
        if mine:
            new.append(1 - len(mine & theirs) / len(mine))
    return float(np.mean(new)) if new else 0.0


@given(
    pairs=st.lists(
        st.tuples(*[st.lists(st.sampled_from("abc"), max_size=7).map(" ".join)] * 2),
        min_size=1,
        max_size=4,
    ),
    orders=st.integers(1, 5),
)
@settings(max_examples=80, deadline=None)
def test_pinc_against_sets(pairs: list[tuple[str, str]], orders: int) -> None:
    sources, candidates = map(list, zip(*pairs, strict=True))
    report = paraphrast.score(candidates, sources=sources, metrics=f"pinc:max_ngram_order={orders}")
    expected = [pinc(source, candidate, orders) for source, candidate in pairs]
    assert report.segment_values["pinc"] == pytest.approx(expected, abs=1e-12)
    assert report["pinc"].score == pytest.approx(np.mean(expected), abs=1e-12)
