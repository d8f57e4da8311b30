from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.build.corpus_recipe import CorpusRecipe
from paraphrast.corpora.build.recipe_run import check_recipe
from paraphrast.corpora.build.steps.ranking import (
    NO_WORD,
    KeepBest,
    KenlmStep,
    PerplexityStep,
    RankStep,
)
from paraphrast.engine.step import Dropped, Row
from paraphrast.errors import ConfigError, InputError, MissingExtra, ModelError
from paraphrast.io import Field
from paraphrast.io.toml_tables import build
from paraphrast.models.generator.generator_loading import load_generator
from paraphrast.models.generator.text_likelihood import token_logprobs
from tests.generators import make_generator

ARPA = """\\data\\
ngram 1=5
ngram 2=4

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.25
-0.75\t</s>
-0.5\tcat\t-0.5
-1.25\tsat\t-0.125

\\2-grams:
-0.25\t<s> cat
-0.5\tcat sat
-0.125\tsat </s>
-1.5\tcat </s>

\\end\\
"""


def rows(texts: list[str], **more: object) -> list[Row]:
    return [{"id": str(n), "text": text, **more} for n, text in enumerate(texts)]


def work(step: PerplexityStep | KenlmStep, given: list[Row]) -> list[Row | Dropped]:
    with step.open() as opened:
        return list(opened(given))


@pytest.fixture(scope="module")
def generator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers", reason="the extra train is not installed")
    return make_generator(tmp_path_factory.mktemp("generator"), "gpt2")


def test_perplexity_is_that_of_the_generators_logprobs(generator: Path) -> None:
    texts = ["the cat sat on the mat", "she said that it was not red", "a dog"]
    found = work(PerplexityStep(model=str(generator), threads=1), rows(texts, other=1))
    logprobs = token_logprobs(load_generator(generator, threads=1), [""] * 3, texts)
    for row, one in zip(found, logprobs, strict=True):
        assert isinstance(row, dict)
        assert row["perplexity"] == pytest.approx(math.exp(-one.mean(dtype=np.float64)), abs=1e-3)
        assert row["other"] == 1


def test_sentences_without_a_known_word_are_dropped(generator: Path) -> None:
    given = rows(["the cat", ""])
    kept, dropped = work(PerplexityStep(model=str(generator), threads=1), given)
    assert isinstance(kept, dict)
    assert dropped == Dropped(given[1], NO_WORD)


def test_the_signature_names_the_weights(generator: Path) -> None:
    assert "tiny" in json.dumps(PerplexityStep(model=str(generator)).signature)


def test_a_model_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelError), PerplexityStep(model=str(tmp_path)).open():
        pass


def test_a_job_that_looks_for_a_model_does_not_keep_it(
    generator: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its memory would count for every step."""
    monkeypatch.setattr(PerplexityStep, "open", None)  # in this process; a worker has its own
    steps = (RankStep(keep=1, model=str(generator)),)
    check_recipe(CorpusRecipe(name="x", seed=1, steps=steps), Field)


@pytest.fixture
def arpa(tmp_path: Path) -> str:
    pytest.importorskip("kenlm", reason="the extra kenlm is not installed")
    path = tmp_path / "tiny.arpa"
    path.write_text(ARPA, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("text", "log10", "words"),
    [  # by hand: bigrams, else the back-off weight of the word before and the unigram
        ("cat sat", -0.25 - 0.5 - 0.125, 2),
        ("cat", -0.25 - 1.5, 1),
        ("sat cat", (-0.25 - 1.25) + (-0.125 - 0.5) - 1.5, 2),
        ("dog sat", (-0.25 - 1.0) - 1.25 - 0.125, 2),
    ],
)
def test_perplexity_of_an_n_gram_model(arpa: str, text: str, log10: float, words: int) -> None:
    (row,) = work(KenlmStep(model=arpa), rows([text]))
    assert isinstance(row, dict)
    assert row["perplexity"] == pytest.approx(10 ** (-log10 / (words + 1)), abs=1e-4)


def test_n_gram_models_see_words_as_they_were_trained(arpa: str) -> None:
    plain, other = (
        work(step, rows(["Cat sat."]))[0]
        for step in (KenlmStep(model=arpa), KenlmStep(model=arpa, tokenize="unicode"))
    )
    lower = work(KenlmStep(model=arpa, lowercase=True), rows(["Cat Sat", "cat sat"]))
    assert plain["perplexity"] > other["perplexity"]
    assert lower[0]["perplexity"] == lower[1]["perplexity"]
    assert work(KenlmStep(model=arpa), rows([" "])) == [Dropped(rows([" "])[0], NO_WORD)]


def test_the_signature_changes_with_the_file(arpa: str) -> None:
    before = KenlmStep(model=arpa).signature
    Path(arpa).write_text(ARPA.replace("-1.25", "-1.2"), encoding="utf-8")
    after = KenlmStep(model=arpa).signature
    assert before["model"] != after["model"]
    assert KenlmStep(model=arpa, lowercase=True).signature != after


def test_what_is_no_n_gram_model_is_refused(arpa: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no n-gram model .*none\.arpa"):
        KenlmStep(model=str(tmp_path / "none.arpa"))
    Path(arpa).write_text("no model", encoding="utf-8")
    with pytest.raises(InputError, match="is no n-gram model: "), KenlmStep(model=arpa).open():
        pass


def test_a_recipe_tells_the_words_of_an_n_gram_model(arpa: str) -> None:
    keys = {"keep": 1, "by": "kenlm", "model": arpa, "tokenize": "unicode", "lowercase": True}
    rated, _ = build(RankStep, keys).workers()
    assert rated == KenlmStep(model=arpa, tokenize="unicode", lowercase=True)
    assert build(RankStep, {"keep": 1, "by": "kenlm", "model": arpa}).workers()[0] == KenlmStep(
        model=arpa
    )
    with pytest.raises(ConfigError, match="unknown tokeniser 'unicorn'"):
        build(RankStep, keys | {"tokenize": "unicorn"}).workers()


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"tokenize": "unicode"}, 'tokenize: only of by = "kenlm"'),
        ({"lowercase": False, "tokenize": ""}, 'tokenize and lowercase: only of by = "kenlm"'),
        ({"by": "kenlm"}, 'by = "kenlm" needs model = "FILE"'),
        ({"by": "kenml"}, r"unknown by 'kenml' \(did you mean 'kenlm'\?\); known: perplexity, ken"),
    ],
)
def test_keys_of_rank_that_do_not_fit_are_told(keys: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build(RankStep, {"keep": 1, **keys}).workers()


def test_without_kenlm_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kenlm", None)
    with pytest.raises(MissingExtra, match=r"'kenlm'.*paraphrast\[kenlm\]"):
        KenlmStep(model="any")


def best(step: KeepBest, given: list[Row]) -> list[Row | Dropped]:
    done: list[int] = []
    found = list(step.run(lambda: iter(given), Path(), done.append))
    assert sum(done) == len(given)
    return found


@given(
    values=st.lists(st.sampled_from([1.0, 1.5, 2.0, 7.25]), max_size=30),
    keep=st.integers(1, 12),
    by=st.sampled_from(["perplexity", "logprob"]),
)
def test_the_best_are_kept_in_order_and_ties_go_by_id(
    values: list[float], keep: int, by: str
) -> None:
    given = [{"id": f"{n * 7 % 31:02d}", by: value} for n, value in enumerate(values)]
    sign = 1 if by == "perplexity" else -1
    ranked = sorted(given, key=lambda row: (sign * row[by], row["id"]))[:keep]
    found = best(KeepBest(keep=keep, by=by), given)
    assert [row for row in found if isinstance(row, dict)] == [r for r in given if r in ranked]
    for row, one in zip(found, given, strict=True):
        if isinstance(row, Dropped):
            assert row == Dropped(one, f"ranked below the first {keep:,}", f"{one[by]:g}")


@pytest.mark.parametrize("value", [None, "2", math.nan, True])
def test_a_row_without_a_rank_is_named(value: object) -> None:
    with pytest.raises(InputError, match="row x has no perplexity to be ranked by: found"):
        best(KeepBest(keep=1), [{"id": "x", "perplexity": value}])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": 0}, "keep must be at least 1; got 0"),
        ({"keep": 1, "by": "perplex"}, r"by must be one of .*; got 'perplex' \(did you mean"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        KeepBest(**options)
