"""Curves over subsets of judgements, and how they are told."""

from __future__ import annotations

import json

from paraphrast.meta.alignment import Scores
from paraphrast.meta.evaluate import AgreementRequest
from paraphrast.meta.judgements import Rating, collect
from paraphrast.studies.judgement_sizes import measure_sizes


def test_a_study_says_what_its_numbers_are() -> None:
    keys = [("", str(n), "s") for n in range(40)]
    judged = collect("set", (), [Rating(*key, "da", n % 7) for n, key in enumerate(keys)])
    scores = [Scores("m", {key: n % 7 + n % 3 for n, key in enumerate(keys)})]
    request = AgreementRequest("set", "set", "segment", "pearson", "da", 2, 5)
    study = measure_sizes(judged, scores, request, [10, 40], repeats=6)
    found = json.loads(study.to_json())
    assert (found["repeats"], found["seed"], found["band"]) == (6, 5, [0.05, 0.95])
    first, last = found["curves"]["m"]
    assert first["low"] < first["mean"] < first["high"]
    assert last["low"] == last["mean"] == last["high"]
    page = study.with_command("paraphrast meta sizes set").to_html()
    for text in ("6 random subsets (seed 5)", "5th to the 95th", "paraphrast meta sizes set"):
        assert text in page
    assert study._repr_html_().startswith("<pre>set, mean pearson by outputs per group")
