"""The metrics of the edit encoder, with a small one made for the test."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paraphrast
from paraphrast.cli.main import run
from paraphrast.errors import ConfigError, ModelError
from paraphrast.jobs.scoring.cards import metric_card
from paraphrast.jobs.scoring.judged_scores import judge_scores
from paraphrast.meaning.assessment import assess
from paraphrast.meta.judgements import Judgements, Output, Rating
from paraphrast.metrics import run as running
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.learned import Entailment, Learned, ParaBleu, ParaTag
from paraphrast.models import store
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.tag_scores import mean_logits, mean_probabilities
from paraphrast.models.session import Session
from paraphrast.text.words import WordText
from tests.encoders import install_encoder, make_encoder

NAMES = ("parableu", "entailment", "paratag")
CAT, RUG, DOG = "the cat sat on the mat", "the cat sat on a rug", "he bought an old red car"


@pytest.fixture(autouse=True)
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The weights that "mini" stands for in these tests."""
    return install_encoder(tmp_path / "site", monkeypatch)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows the network was given, batch by batch."""
    seen: list[int] = []
    real = Session.run

    def count(self: Session, outputs: tuple[str, ...], feed: Any) -> list[Any]:
        seen.append(len(feed["input_ids"]))
        return real(self, outputs, feed)

    monkeypatch.setattr(Session, "run", count)
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


def test_the_values_are_the_encoders_own() -> None:
    (reading,) = EditEncoder.load(threads=1).read([(WordText.of(CAT), WordText.of(RUG))])
    report = score([RUG], [CAT], *NAMES)
    assert report["parableu"].score == pytest.approx(reading.score)
    assert report["entailment"].score == pytest.approx(1 / (1 + math.exp(-reading.entailment)))
    shares = mean_probabilities(reading)
    assert report["paratag"].score == pytest.approx(shares.f)
    assert report["paratag"].parts == pytest.approx(
        {"P": shares.precision, "R": shares.recall, "F": shares.f}
    )
    logits = mean_logits(reading)
    report = score([RUG], [CAT], "paratag:scale=logit,part=P")
    assert report["paratag.P"].score == pytest.approx(logits.precision)
    assert report["paratag"].parts["R"] == pytest.approx(logits.recall)


def test_the_corpus_value_is_the_mean_of_the_segments() -> None:
    report = score([RUG, DOG, CAT], [CAT] * 3, *NAMES, ci=True)
    for name in NAMES:
        assert report[name].score == pytest.approx(np.mean(values(report, name)))
        assert report[name].ci is not None
        assert values(report, name)[2] > values(report, name)[1]


def test_the_three_together_read_each_pair_once(rows: list[int]) -> None:
    score([RUG, DOG, RUG], [[CAT, DOG], [CAT], [CAT, DOG]], *NAMES, "paratag:scale=logit")
    assert sum(rows) == 3
    paraphrast.compare({"a": [RUG], "b": [CAT]}, [CAT], metrics=NAMES, threads=1, test="bootstrap")
    assert sum(rows) == 4  # RUG was read before
    score([RUG], [CAT], "entailment:direction=both")
    assert sum(rows) == 5


def test_directions_of_entailment() -> None:
    forth, back, both = (
        score([RUG, DOG], [CAT, CAT], f"entailment:direction={way}")
        for way in ("reference", "candidate", "both")
    )
    turned = score([CAT, CAT], [RUG, DOG], "entailment")
    assert values(back, "entailment") == pytest.approx(values(turned, "entailment"), abs=1e-4)
    assert values(forth, "entailment") != pytest.approx(values(back, "entailment"), abs=1e-4)
    smaller = np.minimum(values(forth, "entailment"), values(back, "entailment"))
    assert values(both, "entailment") == pytest.approx(smaller.tolist(), abs=1e-4)


def test_an_encoder_that_knows_both_directions_reads_once(tmp_path: Path) -> None:
    model = str(make_encoder(tmp_path / "both", format=2))
    encoder = EditEncoder.load(model, threads=1)
    pairs = [(CAT, RUG), (CAT, DOG)]
    said = assess(encoder, pairs)
    wanted = {
        "reference": [one.chances.forward for one in said],
        "candidate": [one.chances.backward for one in said],
        "both": [one.chances.entailment for one in said],
    }
    read: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder, "read", lambda pairs, **_told: read.extend(pairs) or [])
        for way, chances in wanted.items():
            request = f"entailment:direction={way},model={model}"
            found = score([RUG, DOG], [CAT, CAT], request)
            assert values(found, "entailment") == pytest.approx(chances, abs=1e-6)
    assert read == []  # the assessment is remembered
    assert wanted["reference"] != pytest.approx(wanted["candidate"], abs=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_several_references_give_the_best_or_the_mean(name: str) -> None:
    single = [values(score([RUG], [text], name), name)[0] for text in (CAT, DOG)]
    best = score([RUG], [[CAT, DOG]], name)
    mean = score([RUG], [[CAT, DOG]], f"{name}:combine=mean")
    assert best[name].score == pytest.approx(max(single), abs=1e-4)
    assert mean[name].score == pytest.approx(np.mean(single), abs=1e-4)
    assert "|refs:best|" in best[name].signature
    assert "|refs:mean|" in mean[name].signature


def test_systems_and_bites_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [RUG, DOG, CAT, "", "the dog sat"]
    whole = score(texts, [CAT] * 5, *NAMES)
    monkeypatch.setattr(running, "_BITE", 2)
    done: list[int] = []
    again = score(texts, [CAT] * 5, *NAMES)
    for name in NAMES:
        assert values(again, name) == pytest.approx(values(whole, name), abs=1e-4)
        assert again[name].signature == whole[name].signature
    assert again.notes == whole.notes
    plan = running.Plan((make_metric("parableu"), make_metric("bleu")), keep_rows=True)
    chunk = running.Chunk(0, {"": [[text] for text in texts]}, [[CAT]] * 5)
    found = running.tally([chunk], plan, done.append)[""]
    assert done == [2, 2, 1]
    assert found.segments == 5
    assert sum(map(len, found.rows[1])) == 5


def test_a_model_stays_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paraphrast.engine.local.ProcessPoolExecutor", None)
    assert score([RUG], [CAT], "parableu", "bleu", jobs=2).segments == 1
    with pytest.raises(ConfigError, match=r"^jobs must be at least 1; got 0$"):
        score([RUG], [CAT], "parableu", jobs=0)


# --- signatures ----------------------------------------------------------------------------------


def test_the_signature_names_the_weights() -> None:
    card = EditEncoder.load(threads=1).card
    (found,) = score([RUG], [CAT], "entailment").scores
    assert found.signature == (
        f"entailment|nrefs:1|model:mini|weights:paraphrast-encoder-0.1.0|hash:{card.fingerprint}"
        f"|dtype:float32|refs:best|direction:reference|version:{paraphrast.__version__}"
    )
    assert metric_card("parableu")["signature"] == (
        f"parableu|nrefs:1|model:mini|weights:paraphrast-encoder-0.1.0|hash:{card.fingerprint}"
        f"|dtype:float32|refs:best|version:{paraphrast.__version__}"
    )


OTHER = {"combine": "mean", "direction": "both", "part": "P", "scale": "logit"}


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_in_the_signature(name: str, tmp_path: Path) -> None:
    metric = make_metric(name)
    other = {**OTHER, "model": str(make_encoder(tmp_path / "other", seed=1))}
    changed = [replace(metric, **{one.name: other[one.name]}) for one in fields(metric)]
    assert len({one.signature("1") for one in (metric, *changed)}) == len(changed) + 1


def test_the_same_weights_elsewhere_are_the_same(tmp_path: Path, mini: Path) -> None:
    copy = make_encoder(tmp_path / "copy")
    named, placed = make_metric("parableu"), make_metric(f"parableu:model={copy}")
    assert named.signature("1") == placed.signature("1")
    assert score([RUG], [CAT], f"parableu:model={copy}")["parableu"].score == pytest.approx(
        score([RUG], [CAT], "parableu")["parableu"].score
    )
    for change in ({"version": "0.2.0"}, {"dtype": "int8"}, {"model": "base"}, {"max_tokens": 32}):
        make_encoder(copy, **change)  # type: ignore[arg-type]
        assert named.signature("1") != placed.signature("1")


# --- notes ---------------------------------------------------------------------------------------


def test_windows_are_noted_once() -> None:
    long = "the cat sat on a red mat " * 20
    report = score([long, RUG, DOG], [[CAT, DOG], CAT, long], *NAMES, "entailment:direction=both")
    assert report.notes == ("3 of 4 pairs were longer than 64 sub-words and were read in windows",)
    report = score([long], [CAT], "parableu")
    assert report.notes == ("1 of 1 pairs was longer than 64 sub-words and was read in windows",)


def test_limited_windows_are_noted() -> None:
    report = score(["the cat " * 600], ["the dog " * 600], *NAMES)
    assert report.notes == (
        "1 of 1 pairs was longer than 64 sub-words and was read in windows",
        "1 of 1 pairs had so many windows that each was compared only with those nearest to its "
        "place in the other text",
    )


def test_foreign_scripts_are_warned_of_once() -> None:
    report = score(["кот сидит", "кот"], ["кот лежит", "cat"], *NAMES)
    assert report.notes == (
        "86% of the letters are of scripts that the weights of 'mini' were not trained on "
        "(languages: en); the values may mean little",
    )
    assert score(["кот", CAT], ["кот", CAT], *NAMES).notes == ()


def test_streaming_keeps_the_notes(tmp_path: Path, cli: Any) -> None:
    (tmp_path / "c").write_text("кот\n" + "the cat sat " * 50 + "\n")
    (tmp_path / "r").write_text("кот\n" + "кот сидит " * 60 + "\n")
    code, out, _ = cli(
        *["score", "-c", str(tmp_path / "c"), "-r", str(tmp_path / "r"), "-m", "paratag"],
        *["-f", "json", "--threads", "1"],
    )
    assert code == 0
    (windows, scripts) = json.loads(out)["notes"]
    assert windows.startswith("1 of 2 pairs was longer than 64 sub-words")
    assert "of the letters are of scripts" in scripts


# --- empty texts ---------------------------------------------------------------------------------


def test_empty_texts_have_the_documented_values() -> None:
    report = score(["", RUG, ""], ["", "", CAT], *NAMES)
    high, low = 1 / (1 + math.exp(-10)), 1 / (1 + math.exp(10))
    assert values(report, "parableu") == [1.0, -1.0, -1.0]  # the ends of the calibration
    assert values(report, "entailment") == pytest.approx([high, low, low])
    assert values(report, "paratag") == pytest.approx([1.0, low, low])
    assert values(report, "paratag.P") == pytest.approx([1.0, low, 0.0])
    assert values(report, "paratag.R") == pytest.approx([1.0, 0.0, low])
    report = score(["", RUG, ""], ["", "", CAT], "paratag:scale=logit")
    assert values(report, "paratag") == pytest.approx([10.0, -10.0, -10.0])


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("parableu:combine=worst", "combine must be one of best, mean; got 'worst'"),
        (
            "entailment:direction=up",
            "direction must be one of reference, candidate, both; got 'up'",
        ),
        ("paratag:part=G", "part must be one of P, R, F; got 'G'"),
        ("paratag:scale=log", "scale must be one of probability, logit; got 'log'"),
    ],
)
def test_wrong_options_are_refused(request_: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        make_metric(request_)


@pytest.mark.parametrize("kind", [ParaBleu, Entailment, ParaTag])
@pytest.mark.parametrize("model", [None, 5, b"mini"])
def test_a_model_is_named_by_text(kind: Any, model: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^model must be .* as text; got {model!r}$"):
        kind(model=model)


def test_a_model_may_be_a_path_object(tmp_path: Path) -> None:
    gone = ParaBleu(model=tmp_path / "gone")  # type: ignore[arg-type]
    assert "|weights:missing|" in gone.signature("1")
    made = ParaBleu(model=make_encoder(tmp_path / "made"))  # type: ignore[arg-type]
    assert made.signature("1") == make_metric("parableu").signature("1")


def test_a_name_that_is_far_too_long(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^unknown model 'xxxx") as caught:
        score([RUG], [CAT], "parableu:model=" + "x" * 5000)
    assert len(str(caught.value)) < 300


def test_missing_weights_are_an_error_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PACKAGES", {"mini": "absent_encoder"})
    monkeypatch.setattr("paraphrast.jobs.scoring.score.tally", None)
    with pytest.raises(ModelError, match=r"^the weights 'mini' are not installed; run: "):
        score([RUG], [CAT], "bleu", "parableu")
    card = metric_card("parableu")
    assert card["signature"] == (
        f"parableu|nrefs:1|model:mini|weights:missing|refs:best|version:{paraphrast.__version__}"
    )


def test_tampered_weights_are_an_error_before_any_work(mini: Path) -> None:
    with (mini / "model.onnx").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(ModelError, match=r"is not the file that card\.json lists"):
        score([RUG], [CAT], "parableu")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": 0}, "threads must be a whole number, at least 1; got 0"),
        ({"device": "tpu"}, "device must be cpu, cuda or cuda:N; got 'tpu'"),
    ],
)
def test_places_are_checked_whatever_the_metric(options: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        paraphrast.score([RUG], [CAT], metrics="bleu", **options)


# --- doors ---------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.txt").write_text(f"{RUG}\n{DOG}\n")
    Path("d.txt").write_text(f"{CAT}\n{CAT}\n")
    Path("r.txt").write_text(f"{CAT}\n{CAT}\n")


@pytest.mark.usefixtures("files")
def test_the_command_line_gives_the_same_numbers(cli: Any) -> None:
    metrics = [word for name in NAMES for word in ("-m", name)]
    code, out, err = cli(
        "score", "-c", "c.txt", "-r", "r.txt", *metrics, "-f", "json", "--threads", "1"
    )
    assert (code, err) == (0, "")
    assert json.loads(out) == score([RUG, DOG], [CAT, CAT], *NAMES).to_dict()
    code, out, _ = cli("compare", "-c", "c.txt", "-c", "d.txt", "-r", "r.txt", *metrics)
    assert code == 0
    assert "parableu ↑" in out


@pytest.mark.usefixtures("files")
def test_the_model_is_an_option_of_the_command_line(cli: Any, tmp_path: Path) -> None:
    make_encoder(tmp_path / "other", seed=7, model="other")
    arguments = ["score", "-c", "c.txt", "-r", "r.txt", "--threads", "1"]
    code, out, _ = cli(*arguments, "-m", "paratag", "-m", "bleu", "--model", "./other")
    assert code == 0
    assert "|model:other|" in out
    refused = (
        "error: --model is for parableu, entailment, paratag, bertscore, moverscore, "
        "embedding_cosine, perplexity and generation_score, which -m does not name\n"
    )
    assert cli(*arguments, "-m", "bleu", "--model", "other") == (2, "", refused)
    assert cli(*arguments, "--model", "other") == (2, "", refused)
    code, _, err = cli(*arguments, "-m", "parableu:model=./gone")
    assert (code, err) == (1, "error: there is no directory './gone' to load a model from\n")
    code, _, err = cli(*arguments, "-m", "parableu:model=minni")
    assert code == 2
    assert err.startswith("error: unknown model 'minni' (did you mean 'mini'?); known: ")
    make_encoder(tmp_path / "damaged", model="damaged")
    Path("damaged/model.onnx").write_bytes(b"")
    code, _, err = cli(*arguments, "-m", "parableu", "--model", "./damaged")
    assert code == 1
    assert "is not the file that card.json lists" in err
    code, _, err = cli(*arguments[:-1], "0", "-m", "parableu")
    assert (code, err) == (2, "error: threads must be a whole number, at least 1; got 0\n")
    code, _, err = cli(*arguments, "-m", "parableu", "--device", "cuda:99")
    assert code == 2
    assert err.startswith("error: device 'cuda:99' ")


def test_the_cards_are_listed(cli: Any) -> None:
    code, out, _ = cli("metrics")
    assert code == 0
    assert all(name in out.split() for name in NAMES)
    code, out, _ = cli("metrics", "parableu")
    assert "range:     −∞ to ∞, usually about −2 to 1\n" in out


@pytest.mark.parametrize("level", ["segment", "system"])
def test_meta_evaluation_judges_them_like_any_other(level: str) -> None:
    texts = {"a": [RUG, "the dog"], "b": [DOG, "the cat"]}
    outputs = tuple(
        Output("", str(item), system, text, (CAT,), None)
        for system, many in texts.items()
        for item, text in enumerate(many)
    )
    ratings = tuple(
        Rating("", "" if level == "system" else o.item, o.system, "da", 1.0) for o in outputs
    )
    judged = Judgements("toy", outputs, tuple(dict.fromkeys(ratings)))
    requests = ["parableu", "paratag.P", "entailment:direction=candidate"]
    found = judge_scores(judged, requests, level)
    assert [one.metric for one in found] == ["parableu", "paratag.P", "entailment"]
    assert found[1].signature.count("|part:") == 1
    assert "|part:P|" in found[1].signature
    report = score([RUG], [CAT], "paratag")
    if level == "segment":
        assert found[1].values["", "0", "a"] == pytest.approx(
            report["paratag"].parts["P"], abs=1e-4
        )


def test_meta_chooses_the_reference_of_a_part_as_score_does() -> None:
    references = ("the cat", f"{RUG} and {DOG}")
    outputs = (Output("", "1", "a", RUG, references, None),)
    judged = Judgements("toy", outputs, (Rating("", "1", "a", "da", 1.0),))
    for part in "PRF":
        (found,) = judge_scores(judged, [f"paratag.{part}"], "segment")
        alone = score([RUG], [list(references)], f"paratag.{part}").scores[0]
        assert found.values["", "1", "a"] == pytest.approx(alone.score)
        assert found.signature == alone.signature
    usual = score([RUG], [list(references)], "paratag")["paratag"]
    assert score([RUG], [list(references)], "paratag.R")["paratag.R"].score > usual.parts["R"]


def test_scoring_with_a_model_loads_no_more_than_it_needs(mini: Path) -> None:
    heavy = ["torch", "transformers", "huggingface_hub", "onnx", "pandas", "typer", "rich"]
    code = (
        "import sys, paraphrast; "
        f"paraphrast.score(['a'], ['b'], metrics=['parableu:model={mini}'], threads=1); "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_other_metrics_load_no_model() -> None:
    code = (
        "import sys, paraphrast; paraphrast.score(['a'], ['b'], metrics='bleu'); "
        "from paraphrast.metrics.catalogue import make_metric; make_metric('parableu'); "
        "print([name for name in ('onnxruntime', 'tokenizers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_all_share_their_base() -> None:
    assert all(isinstance(make_metric(name), Learned) for name in NAMES)
