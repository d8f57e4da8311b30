"""Perplexity and the generation score, with small generators made for the test."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paraphrast
from paraphrast.cli.main import run
from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.jobs.scoring.cards import metric_card
from paraphrast.metrics import generation, likelihood
from paraphrast.metrics import run as running
from paraphrast.metrics.catalogue import make_metric, option_names
from paraphrast.metrics.generation import GenerationScore
from paraphrast.metrics.likelihood import Likelihood, Perplexity
from paraphrast.models import store
from paraphrast.models.generator.generator_loading import load_generator
from paraphrast.models.generator.text_likelihood import token_logprobs
from tests.generators import make_generator, make_network, write_generator_card

NAMES = ("perplexity", "generation_score")
CAT, RUG, DOG = "the cat sat on the mat", "a cat lay on a rug", "he said that Anna was in Paris"
LONG = "The cat sat on the red mat. " * 20  # more than 48 sub-words


@pytest.fixture(autouse=True)
def paraphraser(install_generator: Callable[[], Path]) -> Path:
    """The weights that "paraphraser" stands for in these tests."""
    return install_generator()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The pairs that the model was given."""
    seen: list[tuple[str, str]] = []

    def spy(model: Any, sources: Sequence[str], targets: Sequence[str]) -> Any:
        seen.extend(zip(sources, targets, strict=True))
        return token_logprobs(model, sources, targets)

    monkeypatch.setattr(likelihood, "token_logprobs", spy)
    return seen


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def score(candidates: Any, references: Any, *metrics: str, **options: Any) -> paraphrast.Report:
    found = paraphrast.score(candidates, references, metrics=list(metrics), threads=1, **options)
    assert isinstance(found, paraphrast.Report)
    return found


def values(report: paraphrast.Report, name: str) -> list[float]:
    return [float(value) for value in report.segment_values[name]]


def logprobs(source: str, target: str) -> np.ndarray[Any, Any]:
    """What the model says of each sub-word, asked of this pair alone."""
    model = load_generator("paraphraser", threads=1)
    return token_logprobs(model, [source], [target])[0].astype(np.float64)


# --- the numbers ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Path]]:
    """A function from a kind to the folders of the network and of the exported generator."""
    made: dict[str, tuple[Path, Path]] = {}

    def find(kind: str) -> tuple[Path, Path]:
        if kind not in made:
            place = tmp_path_factory.mktemp(kind)
            made[kind] = make_network(place / "net", kind), make_generator(place / "gen", kind)
        return made[kind]

    return find


def loss(folder: Path, source: str, target: str) -> float:
    """The mean negative log-likelihood, as transformers computes it when training."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, PreTrainedTokenizerFast

    read = PreTrainedTokenizerFast.from_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    ids = [read(text, add_special_tokens=False)["input_ids"] for text in (source, target)]
    end = read.eos_token_id
    with torch.inference_mode():
        if config["model_type"] == "t5":
            network = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
            labels = torch.tensor([[*ids[1], end]])
            logits = network(input_ids=torch.tensor([[*ids[0], end]]), labels=labels).logits
            # T5 has more rows than the tokeniser has sub-words; what no text can have is left out
            found = torch.nn.functional.cross_entropy(logits[0, :, : len(read)], labels[0])
            return float(found)
        network = AutoModelForCausalLM.from_pretrained(folder).eval()
        prompt = [end, *ids[0], read.sep_token_id]
        labels = torch.tensor([[*[-100] * len(prompt), *ids[1], end]])
        return float(network(torch.tensor([[*prompt, *ids[1], end]]), labels=labels).loss)


@pytest.mark.parametrize("kind", ["t5", "gpt2", "llama"])
@pytest.mark.parametrize("backend", ["onnxruntime", "torch"])
def test_the_values_are_the_losses_of_transformers(networks: Any, kind: str, backend: str) -> None:
    network, generator = networks(kind)
    model = network if backend == "torch" else generator
    report = score(
        [RUG, DOG], [CAT, CAT], f"perplexity:model={model}", f"generation_score:model={model}"
    )
    fluent = [loss(network, "", text) for text in (RUG, DOG)]
    assert values(report, "perplexity") == pytest.approx(np.exp(fluent).tolist(), rel=1e-4)
    there = [-loss(network, CAT, text) for text in (RUG, DOG)]
    back = [-loss(network, text, CAT) for text in (RUG, DOG)]
    assert values(report, "generation_score.P") == pytest.approx(there, abs=1e-4)
    assert values(report, "generation_score.R") == pytest.approx(back, abs=1e-4)
    both = np.add(there, back) / 2
    assert values(report, "generation_score") == pytest.approx(both.tolist(), abs=1e-4)
    assert report["generation_score"].score == pytest.approx(both.mean(), abs=1e-4)
    assert report["generation_score"].parts["F"] == report["generation_score"].score


def test_perplexity_weighs_every_subword_of_the_corpus_the_same() -> None:
    texts = ["the", DOG, "a cat"]
    report = score(texts, None, "perplexity", ci=True)
    every = np.concatenate([logprobs("", text) for text in texts])
    assert report["perplexity"].score == pytest.approx(math.exp(-every.mean()), rel=1e-4)
    assert report["perplexity"].score != pytest.approx(np.mean(values(report, "perplexity")))
    assert report["perplexity"].ci is not None
    low, high = report["perplexity"].ci
    assert low <= report["perplexity"].score <= high


def test_the_sum_is_the_mean_times_the_subwords() -> None:
    report = score([RUG], [DOG], "generation_score", "generation_score:norm=sum")
    there, back = logprobs(DOG, RUG), logprobs(RUG, DOG)
    mean, total = report.scores
    assert mean.parts == pytest.approx(
        {"P": there.mean(), "R": back.mean(), "F": (there.mean() + back.mean()) / 2}, abs=1e-4
    )
    assert total.parts == pytest.approx(
        {"P": there.sum(), "R": back.sum(), "F": (there.sum() + back.sum()) / 2}, abs=1e-3
    )
    assert total.score == total.parts["F"]


def test_several_references_give_the_best_or_the_mean() -> None:
    single = [score([RUG], [text], "generation_score").scores[0] for text in (CAT, DOG)]
    best = score([RUG], [[CAT, DOG]], "generation_score").scores[0]
    mean = score([RUG], [[CAT, DOG]], "generation_score:combine=mean").scores[0]
    top = max(single, key=lambda one: one.score)
    assert best.score == pytest.approx(top.score, abs=1e-4)
    assert best.parts == pytest.approx(top.parts, abs=1e-4)  # all of the same reference
    assert mean.parts["P"] == pytest.approx(np.mean([s.parts["P"] for s in single]), abs=1e-4)
    assert mean.score == pytest.approx(np.mean([s.score for s in single]), abs=1e-4)


def test_each_pair_is_read_once(asked: list[tuple[str, str]]) -> None:
    score([RUG, RUG, CAT], [[CAT, CAT], [CAT, DOG], [RUG, CAT]], "generation_score")
    assert sorted(asked) == sorted([(CAT, RUG), (RUG, CAT), (DOG, RUG), (RUG, DOG), (CAT, CAT)])
    asked.clear()
    score([RUG, CAT, RUG], None, "perplexity")
    assert asked == [("", RUG), ("", CAT)]


def test_systems_and_bites_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, others = [RUG, DOG, "the", LONG, "", "猫"], [CAT] * 6
    whole = score(texts, others, *NAMES)
    monkeypatch.setattr(running, "_BITE", 2)
    again = score(texts, others, *NAMES)
    for name in NAMES:
        np.testing.assert_allclose(values(again, name), values(whole, name), rtol=1e-4)
        assert again[name].signature == whole[name].signature
    assert again.notes == whole.notes


# --- empty and unknown texts ---------------------------------------------------------------------


def test_an_empty_text_has_no_perplexity() -> None:
    report = score([RUG, "", " \n"], None, "perplexity", ci=True, samples=20)
    assert np.isnan(values(report, "perplexity")).tolist() == [False, True, True]
    assert report["perplexity"].score == pytest.approx(values(report, "perplexity")[0])
    assert "perplexity: undefined for 2 segments, not counted" in report.notes
    with pytest.raises(InputError, match=r"^perplexity is undefined for every segment of this"):
        score(["", ""], None, "perplexity")


def test_empty_texts_have_the_documented_scores(asked: list[tuple[str, str]]) -> None:
    report = score(["", ""], ["", CAT], "generation_score")
    assert ("", "") not in asked
    assert values(report, "generation_score") == pytest.approx(
        [0.0, (logprobs(CAT, "")[0] + logprobs("", CAT).mean()) / 2], abs=1e-4
    )
    assert len(logprobs(CAT, "")) == 1  # the end
    assert values(report, "generation_score.P")[1] == pytest.approx(logprobs(CAT, "")[0], abs=1e-4)


def test_texts_that_the_weights_do_not_know_are_undefined() -> None:
    report = score(["猫 犬", RUG, RUG], [[CAT], ["猫", CAT], ["猫"]], *NAMES)
    assert np.isnan(values(report, "perplexity")).tolist() == [True, False, False]
    assert np.isnan(values(report, "generation_score")).tolist() == [True, False, True]
    alone = score([RUG], [CAT], "generation_score")
    for combine in ("best", "mean"):
        found = score([RUG], [["猫", CAT]], f"generation_score:combine={combine}")
        assert found.scores[0].parts == pytest.approx(alone.scores[0].parts, abs=1e-4)
    assert report.notes[:4] == (
        "perplexity: undefined for 1 segment, not counted",
        "1 text holds no word that the weights of 'paraphraser' know",
        "generation_score: undefined for 2 segments, not counted",
        "3 texts hold no word that the weights of 'paraphraser' know",
    )
    message = (
        "generation_score is undefined for every segment of this input; "
        "2 texts hold no word that the weights of 'paraphraser' know; "
    )
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        score(["猫"], ["犬"], "generation_score")


def test_punctuation_is_no_word_that_the_weights_know() -> None:
    report = score(["猫, 犬.", RUG], [CAT, CAT], *NAMES)
    for name in NAMES:
        assert np.isnan(values(report, name)).tolist() == [True, False]


def test_foreign_scripts_are_warned_of() -> None:
    report = score(["кот сидит a"], ["кот a"], "generation_score")
    assert report.notes == (
        "75% of the sub-words are unknown to the weights of 'paraphraser'; the values may mean "
        "little",
        "85% of the letters are of scripts that the weights of 'paraphraser' were not trained on "
        "(languages: en); the values may mean little",
    )
    assert score(["кот a", RUG], [CAT, CAT], *NAMES).notes == ()


# --- long texts ----------------------------------------------------------------------------------


def test_long_texts_are_read_in_windows_of_sentences(asked: list[tuple[str, str]]) -> None:
    text = "The cat sat. " * 12 + "He ran."
    report = score([text, RUG], None, "perplexity")
    windows = [target for _, target in asked if target != RUG]
    assert len(windows) > 1
    assert " ".join(windows) == text
    every = np.concatenate([logprobs("", one) for one in windows])
    assert values(report, "perplexity")[0] == pytest.approx(math.exp(-every.mean()), rel=1e-4)
    assert report.notes == ("1 of 2 texts was longer than 48 sub-words and was read in windows",)


def test_a_long_pair_is_read_sentence_by_sentence() -> None:
    mine = ["The cat sat on the red mat.", "He said that Anna was in Paris.", "A dog ran."]
    theirs = ["A cat lay on a rug.", "A big dog ran.", "She said that it was 12."]
    long = " ".join(mine * 3)
    report = score([long, RUG], [" ".join(theirs), CAT], "generation_score")
    there = [[logprobs(b, a) for b in theirs] for a in mine]
    best = [max(many, key=np.sum) for many in there] * 3
    back = [max((logprobs(a, b) for a in mine), key=np.sum) for b in theirs]
    assert values(report, "generation_score.P")[0] == pytest.approx(
        np.concatenate(best).mean(), abs=1e-4
    )
    assert values(report, "generation_score.R")[0] == pytest.approx(
        np.concatenate(back).mean(), abs=1e-4
    )
    assert report.notes == ("1 of 2 pairs was longer than 48 sub-words and was read in windows",)


def test_two_thousand_words_are_read_to_the_last() -> None:
    words = "the cat sat on a red mat and he ran to Paris".split()
    long = " ".join(words[n % len(words)] + "." * (n % 20 == 19) for n in range(2000))
    sentences = [part.strip().capitalize() + "." for part in long.split(".") if part.strip()]
    text = " ".join(sentences)
    report = score([text, text + " London."], [text, text], "generation_score", "perplexity")
    one, other = values(report, "generation_score.P")
    assert one != other
    assert len(set(values(report, "perplexity"))) == 2
    assert report.notes == (
        "2 of 2 pairs were longer than 48 sub-words and were read in windows",
        "2 of 2 pairs had so many windows that each was compared only with those nearest to its "
        "place in the other text",
        "2 of 2 texts were longer than 48 sub-words and were read in windows",
    )


def test_an_empty_text_against_a_long_one() -> None:
    report = score([""], [LONG], "generation_score")
    sentence = logprobs("", "The cat sat on the red mat.")
    assert report.scores[0].parts["R"] == pytest.approx(sentence.mean(), abs=1e-4)
    end = logprobs("The cat sat on the red mat.", "")
    assert report.scores[0].parts["P"] == pytest.approx(end[0], abs=1e-4)


def test_a_model_too_small_for_a_character_is_refused(paraphraser: Path, tmp_path: Path) -> None:
    small = make_generator(tmp_path / "small", "t5", max_target=2, model="small")
    for name in NAMES:
        with pytest.raises(
            InputError,
            match=r"^segment 2: the model 'small' reads 48 sub-words and writes 2, fewer than 'z' "
            r"has; take another model$",
        ):
            score(["the", "z"], ["the", "the"], f"{name}:model={small}")


# --- weights -------------------------------------------------------------------------------------


def test_the_signature_names_the_weights() -> None:
    card = load_generator("paraphraser", threads=1).card  # type: ignore[attr-defined]
    named = f"model:paraphraser|weights:paraphrast-generator-0.1.0|hash:{card.fingerprint}"
    report = score([RUG], [CAT], *NAMES)
    assert report["perplexity"].signature == (
        f"perplexity|{named}|dtype:float32|version:{paraphrast.__version__}"
    )
    assert report["generation_score"].signature == (
        f"generation_score|nrefs:1|{named}|dtype:float32|refs:best|norm:mean"
        f"|version:{paraphrast.__version__}"
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_in_the_signature(name: str, tmp_path: Path) -> None:
    metric = make_metric(name)
    other = {"combine": "mean", "norm": "sum", "model": str(tmp_path / "other")}
    make_generator(tmp_path / "other", "t5", seed=1)
    other["part"] = "P"
    changed = [replace(metric, **{one: other[one]}) for one in option_names(type(metric))]
    assert len({one.signature("1") for one in (metric, *changed)}) == len(changed) + 1


def test_a_model_of_transformers_is_named_by_its_weights(networks: Any, tmp_path: Path) -> None:
    network, _ = networks("gpt2")
    other = make_network(tmp_path / "other" / "net", "gpt2", seed=1)
    found = [score([RUG], [CAT], f"perplexity:model={path}").scores[0] for path in (network, other)]
    assert re.fullmatch(
        r"perplexity\|model:net\|weights:transformers\|hash:[0-9a-f]{12}\|dtype:float32\|.*",
        found[0].signature,
    )
    assert found[0].signature != found[1].signature
    assert found[0].score != found[1].score


def test_the_same_weights_elsewhere_are_the_same(tmp_path: Path) -> None:
    copy = make_generator(tmp_path / "copy", "t5", model="paraphraser")
    named, placed = make_metric("perplexity"), make_metric(f"perplexity:model={copy}")
    assert named.signature() == placed.signature()
    write_generator_card(copy, **json.loads((copy / "card.json").read_text()) | {"max_target": 40})
    assert named.signature() != placed.signature()


@pytest.mark.parametrize("name", NAMES)
def test_missing_weights_are_an_error_before_any_work(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "GENERATORS", {"paraphraser": "absent_generator"})
    monkeypatch.setattr("paraphrast.jobs.scoring.score.tally", None)
    likelihood._LOADED.clear()
    message = (
        "the weights 'paraphraser' are not installed; run: pip install 'paraphrast[encoder]' "
        "absent-generator (from a checkout: pip install ./weights/generator)"
    )
    with pytest.raises(ModelError, match=f"^{re.escape(message)}$"):
        score([RUG], [CAT], "bleu", name)
    assert "|model:paraphraser|weights:missing|" in str(metric_card(name)["signature"])


def test_a_model_that_takes_no_source_can_still_tell_fluency(networks: Any, tmp_path: Path) -> None:
    _, generator = networks("gpt2")
    plain = tmp_path / "plain"
    plain.mkdir()
    for file in generator.iterdir():
        (plain / file.name).write_bytes(file.read_bytes())
    card = json.loads((plain / "card.json").read_text())
    del card["separator"]
    (plain / "card.json").write_text(json.dumps(card))
    assert score([RUG], None, f"perplexity:model={plain}").scores[0].score > 1
    with pytest.raises(ModelError, match=r"^this model has no separator between a source and its"):
        score([RUG], [CAT], f"generation_score:model={plain}")


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("generation_score:combine=worst", "combine must be one of best, mean; got 'worst'"),
        ("generation_score:norm=max", "norm must be one of mean, sum; got 'max'"),
    ],
)
def test_wrong_options_are_refused(request_: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        make_metric(request_)


@pytest.mark.parametrize("kind", [Perplexity, GenerationScore])
def test_a_model_is_named_by_text(kind: Any) -> None:
    with pytest.raises(ConfigError, match=r"^model must be 'paraphraser', .* as text; got None$"):
        kind(model=None)


def test_what_is_needed_is_asked_for() -> None:
    with pytest.raises(InputError, match=r"^metric 'generation_score' needs references"):
        score([RUG], None, "generation_score")
    with pytest.raises(ConfigError, match=r"^unknown model 'paraphaser' \(did you mean 'paraph"):
        score([RUG], None, "perplexity:model=paraphaser")


# --- doors ---------------------------------------------------------------------------------------


def test_the_command_line_gives_the_same_numbers(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.txt").write_text(f"{RUG}\n{DOG}\n")
    Path("r.txt").write_text(f"{CAT}\n{CAT}\n")
    metrics = [word for name in NAMES for word in ("-m", name)]
    code, out, err = cli(
        "score", "-c", "c.txt", "-r", "r.txt", *metrics, "-f", "json", "--threads", "1"
    )
    assert (code, err) == (0, "")
    assert json.loads(out) == score([RUG, DOG], [CAT, CAT], *NAMES).to_dict()
    code, out, _ = cli("score", "-c", "c.txt", "-m", "perplexity", "--threads", "1")
    assert code == 0
    assert "perplexity ↓" in out


def test_the_cards_are_listed(cli: Any) -> None:
    code, out, _ = cli("metrics")
    assert code == 0
    assert all(name in out.split() for name in NAMES)
    code, out, _ = cli("metrics", "generation_score")
    assert code == 0
    assert "range:     −∞ to 0\n" in out
    code, out, _ = cli("metrics", "perplexity")
    assert "range:     1 to ∞\n" in out
    assert "needs:     candidates only\n" in out


def test_scoring_loads_no_torch(paraphraser: Path) -> None:
    heavy = ["torch", "transformers", "huggingface_hub", "onnx", "pandas", "typer", "rich"]
    code = (
        "import sys, paraphrast; "
        f"paraphrast.score(['a'], ['b'], metrics=['generation_score:model={paraphraser}', "
        f"'perplexity:model={paraphraser}'], threads=1); "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_both_share_their_base() -> None:
    assert all(isinstance(make_metric(name), Likelihood) for name in NAMES)
    assert generation.GenerationScore.card.better == "higher"
    assert likelihood.Perplexity.card.better == "lower"
