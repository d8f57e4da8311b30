"""`paraphrast.explain`: every number is the one its own function gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

import paraphrast
from paraphrast.errors import InputError, MissingExtra
from paraphrast.jobs import explain as job
from tests.encoders import make_encoder

REFERENCE, CANDIDATE = "The cat sat on the mat.", "A dog sat on the mat, not the rug."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture(scope="module")
def found(model: str) -> paraphrast.Explanation:
    return paraphrast.explain(REFERENCE, CANDIDATE, model=model, threads=1)


def test_the_verdict_is_that_of_judge(found: paraphrast.Explanation, model: str) -> None:
    verdict = paraphrast.judge(REFERENCE, CANDIDATE, model=model, threads=1)
    assert found.verdict == verdict
    assert isinstance(found.verdict, paraphrast.Verdict)


def test_the_tags_are_those_of_tag(found: paraphrast.Explanation, model: str) -> None:
    assert found.tags == paraphrast.tag(REFERENCE, CANDIDATE, model=model, threads=1)
    assert (found.reference, found.candidate) == (REFERENCE, CANDIDATE)


def test_the_metrics_are_those_of_score(found: paraphrast.Explanation) -> None:
    names = [score.metric for score in found.metrics.scores]
    assert names == ["sentence_bleu", "chrf++", "ter", "rougeL", "pinc", "meteor", "paratag"]
    alone = paraphrast.score([CANDIDATE], [REFERENCE], metrics=["ter", "chrf++"])
    assert found.metrics["ter"] == alone["ter"]
    assert found.metrics["chrf++"] == alone["chrf++"]
    novelty = paraphrast.score([CANDIDATE], sources=[REFERENCE], metrics=["pinc"])
    assert found.metrics["pinc"] == novelty["pinc"]


def test_the_encoders_numbers_are_those_of_its_metrics(
    found: paraphrast.Explanation, model: str
) -> None:
    names = [f"{name}:model={model}" for name in ("parableu", "entailment", "paratag")]
    names.insert(2, f"entailment:model={model},direction=candidate")
    report = paraphrast.score([CANDIDATE], [REFERENCE], metrics=names, threads=1)
    told = found.verdict
    ours = [told.score, told.forward, told.backward, found.metrics["paratag"].score]
    assert ours == pytest.approx([one.score for one in report.scores], abs=1e-6)


def test_it_exports_plain_values(found: paraphrast.Explanation) -> None:
    exported = json.loads(found.to_json())
    assert exported == found.to_dict()
    assert list(exported) == ["reference", "candidate", "verdict", "metrics", "notes"]
    assert exported["verdict"] == found.verdict.to_dict()
    assert exported["notes"] == []


def test_without_its_tables_meteor_is_left_out_and_noted(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored = job.score

    def lacking(*texts: Any, metrics: tuple[str, ...], **place: Any) -> Any:
        if "meteor" in metrics:
            raise MissingExtra("meteor", "pycocoevalcap")
        return scored(*texts, metrics=metrics, **place)

    monkeypatch.setattr(job, "score", lacking)
    found = paraphrast.explain(REFERENCE, CANDIDATE, model=model, threads=1)
    assert [score.metric for score in found.metrics.scores] == [*job.LEXICAL, "paratag"]
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
    assert (same.verdict.relation, same.verdict.percentile) == ("same", 100.0)
    assert same.metrics["paratag"].score == 1.0
    lost = paraphrast.explain("the cat", "", model=model, threads=1)
    assert (lost.verdict.relation, lost.verdict.percentile) == ("different", 0.0)
    assert [str(reason) for reason in lost.verdict.reasons] == [
        "missing: 'the cat' has no counterpart"
    ]
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
    assert first.verdict.score == pytest.approx(found.verdict.score, abs=1e-4)
    assert first.verdict.relation == found.verdict.relation
    assert first.metrics["chrf++"] == found.metrics["chrf++"]
    assert second.verdict.same
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
