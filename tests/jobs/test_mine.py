"""`paraphrast.mine` with a real, small network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paraphrast
from paraphrast.corpora.mine import exact, vectors
from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.io import Field
from paraphrast.jobs.mine import MineOptions, mine_files
from paraphrast.models.embedder.text_embedder import Embedder
from tests.embedders import install_embedder, make_embedder
from tests.encoders import WORDS, make_encoder

TEXTS = [
    "the cat sat on the mat",
    "a dog ran home",
    "The cat sat on the mat.",
    "the cat sat on a mat",
    "",
    "猫",
    "the big dog ran home",
    "a dog ran home",
    "the cats sat on the mat",
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_embedder(tmp_path_factory.mktemp("embedder")))


def sentences(count: int) -> list[str]:
    draw = np.random.default_rng(7)
    return [" ".join(draw.choice(WORDS, int(draw.integers(3, 40)))) for _ in range(count)]


def test_pairs_carry_the_cosine_of_the_embedder(model: str) -> None:
    found = paraphrast.mine(TEXTS, threshold=0.7, model=model, threads=1)
    embedder = Embedder.load(model, threads=1)
    rows = [(pair.row_a, pair.row_b) for pair in found]
    assert rows[0] == (3, 4)
    assert set(rows) == {(1, 4), (3, 4), (1, 9), (3, 9), (4, 9), (2, 7)}
    for pair in found:
        assert (pair.a, pair.b) == (TEXTS[pair.row_a - 1], TEXTS[pair.row_b - 1])
        one, two = embedder.sentences([pair.a, pair.b]).astype(float)
        assert pair.score == pytest.approx(one @ two, abs=1e-4)
    assert [pair.score for pair in found] == sorted((p.score for p in found), reverse=True)
    assert found[0] == found[:1][0] == next(iter(found))
    assert len(found) == 6
    assert found.notes == (
        "texts: left out 1 empty text",
        "texts: left out 1 text that an earlier row holds already",
        "texts: left out 1 text without a sub-word that the model knows, the first in row 6",
        "left out 1 pair equal but for case, white space and punctuation; --keep-trivial keeps "
        "them",
    )
    trivial = paraphrast.mine(TEXTS, threshold=0.7, keep_trivial=True, model=model, threads=1)
    assert (trivial[0].row_a, trivial[0].row_b) == (1, 3)


def test_two_lists_are_paired_from_the_first_to_the_second(model: str) -> None:
    texts, others = iter(TEXTS[:2]), TEXTS[2:]
    found = paraphrast.mine(texts, others, top_k=1, threshold=0, model=model, threads=1)
    assert [(pair.row_a, pair.row_b) for pair in found] == [(1, 2), (2, 5)]


def test_the_result_does_not_depend_on_batches_threads_and_blocks(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = sentences(150)
    options: dict[str, Any] = {"top_k": 4, "threshold": 0.6, "model": model}
    first = paraphrast.mine(texts, threads=1, **options)
    assert len(first) > 100
    assert paraphrast.mine(texts, threads=2, **options) == first
    monkeypatch.setattr(vectors, "READ_AT_ONCE", 7)
    monkeypatch.setattr(exact, "STEP", 16)
    assert paraphrast.mine(texts, threads=1, **options) == first
    near = paraphrast.mine(texts, threads=1, search="approximate", **options)
    assert len(set(near) & set(first)) >= 0.98 * len(first)


def test_the_shipped_name_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_embedder(tmp_path, monkeypatch)
    assert len(paraphrast.mine(TEXTS, threshold=0.9)) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"top_k": 0}, "top_k must be a whole number, at least 1; got 0"),
        ({"top_k": 1.5}, "top_k must be a whole number, at least 1; got 1.5"),
        ({"top_k": True}, "top_k must be a whole number, at least 1; got True"),
        (
            {"threshold": -0.1},
            "threshold must be a cosine from 0 to 1, for example 0.8; got -0.1",
        ),
        (
            {"threshold": 80},
            "threshold must be a cosine from 0 to 1, for example 0.8; got 80",
        ),
        (
            {"threshold": float("nan")},
            "threshold must be a cosine from 0 to 1, for example 0.8; got nan",
        ),
        (
            {"search": "exakt"},
            "unknown search 'exakt' (did you mean 'exact'?); one of exact, approximate is needed",
        ),
        ({"threads": 0}, "threads must be a whole number, at least 1; got 0"),
    ],
)
def test_wrong_options_are_refused(change: dict[str, Any], message: str, model: str) -> None:
    with pytest.raises(ConfigError) as caught:
        paraphrast.mine(TEXTS, **{"model": model} | change)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("a text", "texts must be a list of strings, not one string: write ['a text']"),
        ({"a": 1}, "texts must be a list of strings; got dict"),
        (7, "texts must be a list of strings; got int"),
        (["a", None], "texts, row 2: expected text, got None"),
        (
            ["a", "b\ud800"],
            "texts, row 2 holds half a surrogate pair (\\ud800), which is no character; "
            "mend the program that wrote it",
        ),
    ],
)
def test_wrong_texts_are_refused(texts: Any, message: str, model: str) -> None:
    with pytest.raises(InputError) as caught:
        paraphrast.mine(texts, model=model, threads=1)
    assert str(caught.value) == message


def test_one_list_twice_is_a_mistake(model: str) -> None:
    with pytest.raises(ConfigError, match="to mine inside texts, leave others out"):
        paraphrast.mine(TEXTS, TEXTS, model=model)


def test_weights_of_another_kind_are_refused(tmp_path: Path) -> None:
    encoder = make_encoder(tmp_path / "encoder")
    with pytest.raises(ModelError, match="embedder"):
        paraphrast.mine(TEXTS, model=str(encoder))


def test_a_work_folder_knows_its_weights(model: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"work": tmp_path / "w", "threads": 1, "threshold": 0.7}
    first = paraphrast.mine(TEXTS, model=model, **options)
    assert paraphrast.mine(TEXTS, model=model, **options).pairs == first.pairs
    other = make_embedder(tmp_path / "other", seed=1)
    message = r"w was made with the weights .*minilm.* \(\w{12}\), not with .* \(\w{12}\); give"
    with pytest.raises(ModelError, match=message):
        paraphrast.mine(TEXTS, model=str(other), **options)
    with pytest.raises(InputError, match=r"w was made from texts \(9 texts, .*, not from texts"):
        paraphrast.mine(TEXTS[:-1], model=model, **options)


def test_the_temporary_folder_lies_beside_the_output_and_is_removed(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("\n".join(TEXTS))
    seen: list[list[str]] = []

    def stage(name: str, total: int) -> Any:
        seen.append(sorted(path.name[:15] for path in Path("out").iterdir()))
        return quiet(name, total)

    from paraphrast.jobs.mine import silent as quiet

    Path("out").mkdir()
    options = MineOptions(model=model, threads=1)
    mine_files(Field("a.txt"), output="out/p.jsonl", options=options, stage=stage)
    assert seen == [[".paraphrast-min"]] * 2
    assert [path.name for path in Path("out").iterdir()] == ["p.jsonl"]
    assert json.loads(Path("out/p.jsonl").read_text().splitlines()[0])["row_a"] == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": "0.8"}, "threshold must be a cosine from 0 to 1"),
        ({"threshold": None}, "threshold must be a cosine from 0 to 1"),
        ({"threshold": True}, "threshold must be a cosine from 0 to 1"),
        ({"work": 3}, "work must be the name of a folder; got 3"),
        ({"work": ""}, "work must be the name of a folder; got ''"),
        ({"keep_trivial": "no"}, "keep_trivial must be true or false; got 'no'"),
    ],
)
def test_options_of_the_wrong_type(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        paraphrast.mine(["a", "b"], **options)


def test_texts_of_millions_of_characters_are_set_aside(model: str, tmp_path: Path) -> None:
    """A text of three million characters would be read for a quarter of an hour."""
    texts = [*TEXTS, "the cat sat " * 200_000, "a dog ran home " * 200_000]
    plain = paraphrast.mine(TEXTS, threshold=0.3, model=model, threads=1)
    for _ in range(2):  # the second time from the folder
        found = paraphrast.mine(texts, threshold=0.3, model=model, threads=1, work=tmp_path / "w")
        assert found.pairs == plain.pairs
        note = "texts: left out 2 texts of more than 100,000 characters; split them into sentences"
        assert note in found.notes
