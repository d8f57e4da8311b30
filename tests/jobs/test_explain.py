"""`paraphrast.explain`: every number is the one its own function gives."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import paraphrast
from paraphrast.errors import InputError, MissingExtra
from paraphrast.jobs import explain as job
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.tag_scores import mean_probabilities
from paraphrast.text.words import WordText
from tests.encoders import make_encoder

REFERENCE, CANDIDATE = "The cat sat on the mat.", "A dog sat on the mat, not the rug."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture(scope="module")
def found(model: str) -> paraphrast.Explanation:
    return paraphrast.explain(REFERENCE, CANDIDATE, model=model, threads=1)


def test_the_encoders_answers(found: paraphrast.Explanation, model: str) -> None:
    encoder = EditEncoder.load(model, threads=1)
    pair = WordText.of(REFERENCE), WordText.of(CANDIDATE)
    (there,) = encoder.read([pair])
    (back,) = encoder.read([pair[::-1]])
    assert found.score == pytest.approx(there.score, abs=1e-6)
    assert found.percentile == pytest.approx(encoder.card.percentile(there.score), abs=1e-3)
    assert found.rated_on == "WMT16 validation split"
    assert found.entailed == pytest.approx(1 / (1 + math.exp(-there.entailment)), abs=1e-6)
    assert found.entailing == pytest.approx(1 / (1 + math.exp(-back.entailment)), abs=1e-6)
    assert found.entailed != pytest.approx(found.entailing, abs=1e-3)
    means = mean_probabilities(there)
    assert (found.precision, found.recall) == pytest.approx((means.precision, means.recall))
    assert found.f == pytest.approx(means.f)


def test_the_tags_are_those_of_tag(found: paraphrast.Explanation, model: str) -> None:
    assert found.tags == paraphrast.tag(REFERENCE, CANDIDATE, model=model, threads=1)
    assert (found.reference, found.candidate) == (REFERENCE, CANDIDATE)


def test_the_metrics_are_those_of_score(found: paraphrast.Explanation) -> None:
    names = [score.metric for score in found.metrics.scores]
    assert names == ["sentence_bleu", "chrf++", "ter", "rougeL", "pinc", "meteor"]
    alone = paraphrast.score([CANDIDATE], [REFERENCE], metrics=["ter", "chrf++"])
    assert found.metrics["ter"] == alone["ter"]
    assert found.metrics["chrf++"] == alone["chrf++"]
    novelty = paraphrast.score([CANDIDATE], sources=[REFERENCE], metrics=["pinc"])
    assert found.metrics["pinc"] == novelty["pinc"]


def test_the_encoders_answers_are_those_of_its_metrics(
    found: paraphrast.Explanation, model: str
) -> None:
    options = ("parableu", "entailment", "entailment", "paratag")
    more = ("", "", ",direction=candidate", "")
    names = [f"{name}:model={model}{rest}" for name, rest in zip(options, more, strict=True)]
    report = paraphrast.score([CANDIDATE], [REFERENCE], metrics=names, threads=1)
    parts = report.scores[3].parts
    theirs = [*(one.score for one in report.scores[:3]), parts["P"], parts["R"], parts["F"]]
    ours = [found.score, found.entailed, found.entailing, found.precision, found.recall, found.f]
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_it_exports_plain_values(found: paraphrast.Explanation) -> None:
    exported = json.loads(found.to_json())
    assert exported == found.to_dict()
    assert list(exported) == [
        *("reference", "candidate", "score", "percentile", "rated_on", "entailed", "entailing"),
        *("precision", "recall", "f", "signature", "paraphrase"),
        *("tags", "windows", "metrics", "notes"),
    ]
    assert exported["tags"] == found.tags.to_dict()
    assert exported["windows"] == 1
    assert exported["notes"] == []


@pytest.mark.parametrize("above", [True, False])
def test_each_number_is_held_against_its_threshold(
    above: bool, tmp_path: Path, found: paraphrast.Explanation, model: str
) -> None:
    logit = math.log(found.entailed / (1 - found.entailed))
    step = -0.1 if above else 0.1
    cuts = {"tag": 0.0, "entailment": logit + step, "score": found.score - step}
    other = make_encoder(tmp_path / "other", thresholds=cuts)
    again = paraphrast.explain(REFERENCE, CANDIDATE, model=str(other), threads=1)
    assert again.paraphrase_by_entailment is above
    assert again.paraphrase_by_score is not above
    assert again.to_dict()["paraphrase"] == {
        "score": {"threshold": cuts["score"], "yes": not above},
        "entailed": {
            "threshold": pytest.approx(1 / (1 + math.exp(-cuts["entailment"]))),
            "yes": above,
        },
    }


def test_the_signature_tells_the_weights(tmp_path: Path, found: paraphrast.Explanation) -> None:
    other = make_encoder(tmp_path / "other", seed=1)
    again = paraphrast.explain(REFERENCE, CANDIDATE, model=str(other), threads=1)
    assert found.signature.startswith("explain|model:mini|weights:paraphrast-encoder-0.1.0|hash:")
    assert again.signature != found.signature
    moved = {"tag": 1.5, "entailment": 0.0, "score": 0.1}
    third = make_encoder(tmp_path / "third", thresholds=moved)
    shifted = paraphrast.explain(REFERENCE, CANDIDATE, model=str(third), threads=1)
    assert "|tag:1.5|" in shifted.signature


def test_without_its_tables_meteor_is_left_out_and_noted(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored = job.score

    def lacking(*texts: Any, metrics: tuple[str, ...]) -> Any:
        if "meteor" in metrics:
            raise MissingExtra("meteor", "pycocoevalcap")
        return scored(*texts, metrics=metrics)

    monkeypatch.setattr(job, "score", lacking)
    found = paraphrast.explain(REFERENCE, CANDIDATE, model=model, threads=1)
    assert [score.metric for score in found.metrics.scores] == list(job.LEXICAL)
    assert found.notes == (
        "meteor is left out: this needs the package 'pycocoevalcap', which is not installed; "
        "run: pip install 'paraphrast[meteor]'",
    )


def test_long_and_foreign_pairs_are_noted(model: str) -> None:
    found = paraphrast.explain("猫が座った" * 30, "犬が座った" * 30, model=model, threads=1)
    windows, script = found.notes[:2]
    count = found.tags.windows
    assert count > 1
    assert windows == f"the pair is too long to be read at once and was read in {count} windows"
    assert script.startswith("100% of the letters are of scripts")


def test_empty_texts_have_defined_answers(model: str) -> None:
    same = paraphrast.explain("", "", model=model, threads=1)
    assert (same.percentile, same.precision, same.recall, same.f) == (100.0, 1.0, 1.0, 1.0)
    lost = paraphrast.explain("the cat", "", model=model, threads=1)
    assert (lost.percentile, lost.precision, lost.recall, lost.f) == (
        0.0,
        0.0,
        pytest.approx(0, abs=1e-3),
        pytest.approx(0, abs=1e-3),
    )
    assert any("empty" in note for note in lost.notes)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ((None, "b"), "the reference: text is needed; got None"),
        (("a", ["b"]), "the candidate: text is needed; got ['b']"),
    ],
)
def test_only_texts_are_explained(texts: tuple[Any, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        paraphrast.explain(*texts, model="./nowhere")
    assert str(error.value) == message


def test_a_list_of_pairs_gives_a_list(found: paraphrast.Explanation, model: str) -> None:
    pairs = [(REFERENCE, CANDIDATE), (CANDIDATE, CANDIDATE)]
    first, second = paraphrast.explain(pairs, model=model, threads=1)
    assert (first.reference, first.candidate) == (REFERENCE, CANDIDATE)
    assert first.score == pytest.approx(found.score, abs=1e-4)
    assert first.metrics == found.metrics
    assert second.reference == second.candidate == CANDIDATE


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "the list of pairs is empty"),
        ("a text", "give a reference and a candidate, or a list of pairs"),
        ([("a", "b"), "c"], "pair 2: expected (reference, candidate); got 'c'"),
        ([("a", 1)], "pair 1: the candidate: text is needed; got 1"),
    ],
)
def test_what_is_no_list_of_pairs_is_refused(pairs: Any, message: str, model: str) -> None:
    with pytest.raises(InputError) as caught:
        paraphrast.explain(pairs, model=model, threads=1)
    assert message in str(caught.value)


def test_notebooks_show_marked_words_and_escape_texts(model: str) -> None:
    shown = paraphrast.explain("the <b>cat</b>", "a dog & <i>", model=model, threads=1)
    page, marked = shown._repr_html_(), shown.tags._repr_html_()
    assert marked in page.replace("<th>reference</th>", "<th>a</th>").replace(
        "<th>candidate</th>", "<th>b</th>"
    )
    assert "<b>" not in page
    assert "<i>" not in page
    assert marked.count("<mark ") == sum(shown.tags.a.tags) + sum(shown.tags.b.tags)
    assert shown.metrics.scores[0].metric in page
