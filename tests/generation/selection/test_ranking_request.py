"""Rankings as they are written in one line, and what is said of those that cannot be read."""

from __future__ import annotations

import re

import pytest

from paraphrast.errors import ConfigError
from paraphrast.generation.selection.candidate_choice import Selection
from paraphrast.generation.selection.candidate_ranking import (
    ByHarmonic,
    ByLikelihood,
    ByMetric,
    ByQuality,
    ByRisk,
    BySum,
    Harmonic,
    Ranking,
    Term,
)
from paraphrast.generation.selection.ranking_request import make_ranking
from paraphrast.metrics.catalogue import make_metric

PINC, CHRF, PARATAG = map(make_metric, ("pinc", "chrf++", "paratag"))

READ: list[tuple[str, Ranking]] = [
    ("harmonic", ByHarmonic(Harmonic())),
    (" harmonic:w=5,lower=0.2,upper=.9 ", ByHarmonic(Harmonic(w=5, lower=0.2, upper=0.9))),
    ("logprob", ByLikelihood()),
    ("cosine", ByMetric(Term(make_metric("embedding_cosine")), name="cosine")),
    (
        'cosine:model="my, dir"',
        ByMetric(Term(make_metric("embedding_cosine", model="my, dir")), name="cosine"),
    ),
    ("mbr:chrf++", ByRisk(Term(CHRF))),
    ("mbr:chrf:beta=1", ByRisk(Term(make_metric("chrf:beta=1")))),
    ("mbr:rouge1.recall", ByRisk(Term(make_metric("rouge1"), "recall"))),
    ("pinc", ByMetric(Term(PINC))),
    ("paratag.F", ByMetric(Term(PARATAG, "F"))),
    (
        'parableu:model="a + b*c/d.x"',
        ByMetric(Term(make_metric("parableu", model="a + b*c/d.x"))),
    ),
    ("0.7*paratag + 0.3*pinc", BySum((Term(PARATAG, "", 0.7), Term(PINC, "", 0.3)))),
    ("pinc - 2 * chrf++", BySum((Term(PINC), Term(CHRF, "", -2.0)))),
    ("-.5*paratag.P - pinc", BySum((Term(PARATAG, "P", -0.5), Term(PINC, "", -1.0)))),
    ("1e-2*pinc", BySum((Term(PINC, "", 0.01),))),
    ("- pinc", BySum((Term(PINC, "", -1.0),))),
    ("-pinc + chrf++", BySum((Term(PINC, "", -1.0), Term(CHRF)))),
    ("+ pinc", ByMetric(Term(PINC))),
    ("2*mbr:pinc", BySum((), ((2.0, ByRisk(Term(PINC))),))),
    (
        "mbr:pinc - mbr:chrf++",
        BySum(
            (),
            (
                (1.0, ByRisk(Term(PINC), name="mbr:pinc")),
                (-1.0, ByRisk(Term(CHRF), name="mbr:chrf++")),
            ),
        ),
    ),
    ("quality", ByQuality()),
    (
        "harmonic:w=2 + 0.5*quality - pinc",
        BySum((Term(PINC, "", -1.0),), ((1.0, ByHarmonic(Harmonic(w=2.0))), (0.5, ByQuality()))),
    ),
]


@pytest.mark.parametrize(("spec", "expected"), READ, ids=lambda value: str(value)[:30])
def test_what_is_written_is_what_is_meant(spec: str, expected: Ranking) -> None:
    assert make_ranking(spec) == expected


SUMS = "write a sum as 0.7*paratag + 0.3*pinc, with spaces around + and -"
REFUSED = [
    ("harmnic:w=3", "no ranking or metric is called 'harmnic' (did you mean 'harmonic'?); there"),
    ("paratg.F", "no ranking or metric is called 'paratg' (did you mean 'paratag'?)"),
    ("0.5*pink + 0.5*bleu", "no ranking or metric is called 'pink' (did you mean 'pinc'?)"),
    ("mbr:chrff", "no ranking or metric is called 'chrff' (did you mean 'chrf'?)"),
    ("mbr", "mbr needs a metric: write mbr:chrf"),
    ("mbr:logprob", "mbr needs a metric, and 'logprob' is none: write mbr:chrf"),
    ("logprob:w=3", "logprob takes no options; got 'w=3'"),
    ("harmonic:v=3", "harmonic has no option 'v'; options: w, lower, upper"),
    ("harmonic:uper=.9", "harmonic has no option 'uper' (did you mean 'upper'?)"),
    ("harmonic:w=much", "'harmonic': option 'w' takes float; got 'much'"),
    ("harmonic:w=-1", "harmonic: w=-1 is wrong: it must be a number above 0"),
    ("paratag.G", "metric 'paratag' has no part 'G'; parts: P, R, F"),
    ("pinc.", "metric 'pinc' has no part ''; parts: none"),
    ("rouge1.recal", "has no part 'recal' (did you mean 'recall'?)"),
    ("pinc:order=2", "metric 'pinc' has no option 'order'"),
    ("0.7*paratag+0.3*pinc", f"select='0.7*paratag+0.3*pinc' cannot be read: {SUMS}"),
    ("0.7* + pinc", f"select='0.7* + pinc' cannot be read: {SUMS}"),
    ("x*pinc", f"select='x*pinc' cannot be read: {SUMS}"),
    ("harmonic + 0.3*harmonic:w=2", "harmonic stands twice in a sum; give it once"),
    ("mbr:chrf + 2*mbr:chrf", "mbr:chrf stands twice in a sum; give it once"),
    ("- ", "no ranking or metric is called '-'"),
    ("quality:w=3", "quality takes no options; got 'w=3'"),
    ("0.5*length_ratio + pinc", "length_ratio is best near 1, which no weight of a sum can say"),
    (
        "rouge_p",
        "rouge_p takes its benchmark from a whole corpus, and a candidate has none; "
        "give it as a number: rouge_p:benchmark=0.66",
    ),
    ("pinc - 2*rouge_p", "give it as a number: rouge_p:benchmark=0.66"),
    ("mbr:rouge_p", "give it as a number: rouge_p:benchmark=0.66"),
    ("ds_bow", "metric 'ds_bow' needs set, so it cannot rate one candidate; rank by another"),
    ("ds_tree", "metric 'ds_tree' needs set and trees, so it cannot rate one candidate"),
    ("distinct_1", "metric 'distinct_1' looks at a whole corpus, so it cannot rate one candidate"),
    (
        "bertscore:idf=references",
        "metric 'bertscore' surveys a corpus with these options (idf), and a candidate has none; "
        "leave them out",
    ),
]


@pytest.mark.parametrize(("spec", "message"), REFUSED, ids=[spec for spec, _ in REFUSED])
def test_what_cannot_be_meant_is_refused_when_it_is_asked_for(spec: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        Selection(select=spec)


@pytest.mark.parametrize("spec", [None, 3, "", "\t"])
def test_what_is_no_text_is_refused(spec: object) -> None:
    with pytest.raises(ConfigError, match="must name a ranking, as harmonic:w=3 does"):
        Selection(select=spec)  # type: ignore[arg-type]
