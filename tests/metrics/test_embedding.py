"""The metrics of the embedder: what they share, the cosine, the cache, every door."""

from __future__ import annotations

import json
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
from paraphrast.errors import ConfigError, InputError
from paraphrast.metrics import run as running
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.embedding import Embedding, combined
from paraphrast.models.embedder.state_cache import FILE
from paraphrast.models.embedder.text_embedder import Embedder
from paraphrast.models.session import Session
from tests.embedders import install_embedder, make_embedder

pytest.importorskip("ot", reason="POT is not installed")
NAMES = ("bertscore", "moverscore", "embedding_cosine")
CAT, RUG, DOG = "the cat sat on the mat", "the cat sat on a rug", "he bought an old red car"
EMOJI = "😀"


@pytest.fixture(autouse=True)
def minilm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The weights that "minilm" stands for in these tests; each test loads them anew."""
    from paraphrast.models.embedder import text_embedder as embedder

    embedder._load.cache_clear()
    return install_embedder(tmp_path / "site", monkeypatch)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts the network was given, batch by batch."""
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


# --- the cosine ----------------------------------------------------------------------------------


@pytest.mark.parametrize("layer", [None, 0, 1])
def test_it_is_the_cosine_of_the_embedders_sentences(layer: int | None) -> None:
    texts = [CAT, RUG, DOG, "the cat sat on a red mat " * 20]
    vectors = Embedder.load(threads=1).sentences(texts, layer=layer)
    name = "embedding_cosine" + (f":layer={layer}" if layer is not None else "")
    report = score(texts[1:], [CAT] * 3, name)
    expected = vectors[1:] @ vectors[0]
    np.testing.assert_allclose(report.segment_values["embedding_cosine"], expected, atol=1e-5)
    assert f"|layer:{2 if layer is None else layer}|" in report.scores[0].signature


def test_the_cosine_of_empty_and_unknown_texts() -> None:
    report = score(["", CAT, " ", EMOJI, CAT], [CAT, "", "", CAT, CAT], "embedding_cosine")
    values = report.segment_values["embedding_cosine"]
    assert values[[0, 1, 2]].tolist() == [0, 0, 1]
    assert np.isnan(values[3])
    assert values[4] == pytest.approx(1)


# --- references ----------------------------------------------------------------------------------


def test_references_are_combined_column_by_column() -> None:
    nan = float("nan")
    values = np.array([[0.1, 0.9], [0.3, 0.2], [nan, nan], [0.4, 0.4], [nan, nan]])
    starts = np.array([0, 3, 4])
    best, mean = (combined(values, starts, how).tolist() for how in ("best", "mean"))
    assert best == [[1, 0.3, 0.9], [1, 0.4, 0.4], [0, 0, 0]]
    assert mean == pytest.approx(np.array([[1, 0.2, 0.55], [1, 0.4, 0.4], [0, 0, 0]]))


# --- work that is not done twice -----------------------------------------------------------------


def test_each_text_is_read_once_for_all_systems(rows: list[int]) -> None:
    systems = {"a": [RUG, DOG], "b": [CAT, RUG], "c": [DOG, CAT]}
    paraphrast.compare(systems, [[CAT, RUG], [CAT, DOG]], metrics="bertscore", threads=1)
    assert sum(rows) == 3
    score([RUG], [CAT], "bertscore:part=P", "moverscore", "moverscore:n=2")
    assert sum(rows) == 3
    score([RUG], [CAT], "embedding_cosine")  # another layer
    assert sum(rows) == 5


def test_bites_and_systems_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, references = [RUG, DOG, "", CAT, EMOJI], [[CAT], [CAT, DOG], [CAT], [EMOJI, CAT], [CAT]]
    whole = score(texts, references, *NAMES)
    monkeypatch.setattr(running, "_BITE", 2)
    cut = score(texts, references, *NAMES)
    both = paraphrast.score({"x": texts, "y": [CAT] * 5}, references, metrics=NAMES, threads=1)
    for name in whole.segment_values:
        for other in (cut, both["x"]):
            np.testing.assert_allclose(
                other.segment_values[name], whole.segment_values[name], atol=1e-4
            )
    assert cut.notes == whole.notes == both["x"].notes
    assert [s.signature for s in cut.scores] == [s.signature for s in whole.scores]


def test_the_cache_serves_the_next_process(tmp_path: Path, rows: list[int]) -> None:
    from paraphrast.models.embedder import text_embedder as embedder

    folder = tmp_path / "kept"
    first = score([RUG, DOG], [CAT, CAT], *NAMES, cache=folder)
    assert (folder / FILE).is_file()
    assert sum(rows) == 6  # three texts, two layers
    embedder._load.cache_clear()  # as a new process would begin
    again = score([RUG, DOG], [CAT, CAT], *NAMES, cache=str(folder))
    assert sum(rows) == 6
    assert again.to_dict() == first.to_dict()
    assert score([RUG, DOG], [CAT, CAT], *NAMES).to_dict() == first.to_dict()


def test_a_cache_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paraphrast.jobs.scoring.score.tally", None)
    for cache in ("", 5):
        with pytest.raises(
            ConfigError, match=rf"^cache must be the name of a folder; got {cache!r}$"
        ):
            score([RUG], [CAT], "bertscore", cache=cache)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^the cache of embeddings .* cannot be used: "):
        score([RUG], [CAT], "bertscore", cache=tmp_path / "file")


# --- doors ---------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.txt").write_text(f"{RUG}\n{DOG}\n")
    Path("d.txt").write_text(f"{CAT}\n{CAT}\n")
    Path("r.txt").write_text(f"{CAT}\n{RUG}\n")


REQUESTS = ("bertscore:idf=references", "moverscore:idf=references", "embedding_cosine")


@pytest.mark.usefixtures("files")
def test_the_command_line_gives_the_same_numbers(cli: Any) -> None:
    metrics = [word for name in REQUESTS for word in ("-m", name)]
    shared = ["-r", "r.txt", *metrics, "-f", "json", "--threads", "1", "--cache", "kept"]
    code, out, err = cli("score", "-c", "c.txt", *shared)
    assert (code, err) == (0, "")
    assert json.loads(out) == score([RUG, DOG], [CAT, RUG], *REQUESTS).to_dict()
    assert Path("kept", FILE).is_file()
    code, out, _ = cli("compare", "-c", "c.txt", "-c", "d.txt", *shared)
    ours = paraphrast.compare(
        {"c": [RUG, DOG], "d": [CAT, CAT]}, [CAT, RUG], metrics=REQUESTS, threads=1
    )
    assert code == 0
    assert json.loads(out) == ours.to_dict()


@pytest.mark.usefixtures("files")
def test_the_model_is_an_option_of_the_command_line(cli: Any, tmp_path: Path) -> None:
    make_embedder(tmp_path / "other", seed=7, model="other")
    arguments = ["score", "-c", "c.txt", "-r", "r.txt", "--threads", "1", "--model", "./other"]
    code, out, _ = cli(*arguments, "-m", "bertscore", "-m", "bleu", "-m", "embedding_cosine")
    assert code == 0
    assert out.count("|model:other|") == 2
    assert cli(*arguments, "-m", "paratag", "-m", "bleu", "-m", "moverscore") == (
        2,
        "",
        "error: --model cannot serve both paratag and moverscore, which run models of different "
        "kinds; write -m paratag:model=... -m moverscore:model=...\n",
    )


def test_scoring_loads_no_more_than_it_needs(minilm: Path) -> None:
    heavy = ["torch", "transformers", "huggingface_hub", "onnx", "pandas", "scipy", "ot", "rich"]
    code = (
        "import sys, paraphrast; "
        f"paraphrast.score(['a'], ['b'], metrics=['bertscore:model={minilm}'], threads=1); "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- signatures ----------------------------------------------------------------------------------

OTHER = {"combine": "mean", "layer": 0, "part": "P", "rescale": True, "n": 2, "idf": "references"}


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_in_the_signature(name: str, tmp_path: Path) -> None:
    metric = make_metric(name)
    assert isinstance(metric, Embedding)
    other: dict[str, Any] = {**OTHER, "model": str(make_embedder(tmp_path / "other", seed=1))}
    changed = [replace(metric, **{one.name: other[one.name]}) for one in fields(metric)]
    assert len({one.signature("1") for one in (metric, *changed)}) == len(changed) + 1


def test_the_same_weights_elsewhere_are_the_same(tmp_path: Path) -> None:
    copy = make_embedder(tmp_path / "copy")
    named, placed = make_metric("bertscore"), make_metric(f"bertscore:model={copy}")
    assert named.signature("1") == placed.signature("1")
    changes: list[dict[str, Any]] = [
        {"version": "0.2.0"},
        {"dtype": "int8"},
        {"model": "other"},
        {"max_tokens": 32},
    ]
    for change in changes:
        make_embedder(copy, **change)
        assert named.signature("1") != placed.signature("1")
    assert "|weights:missing|layer:default|" in make_metric("bertscore:model=./gone").signature("1")
