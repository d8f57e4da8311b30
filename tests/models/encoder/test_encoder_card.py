"""Cards of encoders: what must be in them, and what their files must hash to."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from paraphrast.errors import ModelError
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.encoder_card import Certainty, EncoderCard
from tests.encoders import CERTAINTY, make_encoder, write_card


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    return make_encoder(tmp_path / "tiny")


def test_a_card_is_what_the_file_says(encoder: Path) -> None:
    card = EncoderCard.read(encoder)
    assert (card.directory, card.name, card.model) == (encoder, "paraphrast-encoder", "mini")
    assert (card.version, card.dtype, card.languages) == ("0.1.0", "float32", ("en",))
    assert (card.max_tokens, card.window) == (64, 64)
    assert (card.thresholds.tag, card.thresholds.entailment, card.thresholds.score) == (0, 0, 0.1)
    assert card.calibration.data == "WMT16 validation split"
    assert set(card.files) == {"model.onnx", "tokenizer.json"}


@pytest.mark.parametrize(
    ("score", "percentile"), [(-3, 0), (-1, 0), (-0.5, 20), (0.25, 60), (1, 100), (9, 100)]
)
def test_percentiles_are_interpolated(encoder: Path, score: float, percentile: float) -> None:
    assert EncoderCard.read(encoder).percentile(score) == pytest.approx(percentile)


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "kind": ({"kind": "bert"}, "the kind must be 'paraphrast edit encoder'; got 'bert'"),
    "format": (
        {"format": 3},
        "has format 3, but this version of paraphrast reads format 1 and 2; update paraphrast or "
        "the weights",
    ),
    "no certainty": ({"format": 2, "certainty": None}, "certainty must be an object"),
    "part of certainty": (
        {"format": 2, "certainty": {"same": 1, "entailment": 0, "bias": 0}},
        "has no 'certainty.scale'",
    ),
    "scale": (
        {"format": 2, "certainty": {"same": 1, "entailment": 0, "bias": 0, "scale": 0}},
        "'scale' of 'certainty' must be above 0; got 0",
    ),
    "name": ({"name": ""}, "'name' must be text; got ''"),
    "version": ({"version": "a|b"}, "'version' must not hold '|' or ':'; got 'a|b'"),
    "languages": ({"languages": "en"}, "'languages' must be a list of texts, at least one"),
    "max_tokens": (
        {"max_tokens": 8},
        "'max_tokens' must be a whole number, at least 16; got 8",
    ),
    "window": ({"window": 8}, "'window' must be a whole number, at least 16; got 8"),
    "wide window": ({"window": 65}, "'window' must not be more than 'max_tokens', 64; got 65"),
    "max_tokens text": ({"max_tokens": "64"}, "'max_tokens' must be a number; got '64'"),
    "thresholds": ({"thresholds": 1}, "thresholds must be an object"),
    "threshold": ({"thresholds": {"tag": 1}}, "has no 'thresholds.entailment'"),
    "descending": (
        {"calibration": {"data": "x", "score": [1, 0], "percentile": [0, 100]}},
        "'calibration.score' must be a list of ascending numbers",
    ),
    "lengths": (
        {"calibration": {"data": "x", "score": [0, 1, 2], "percentile": [0, 100]}},
        "'calibration' has 3 scores for 2 percentiles",
    ),
    "files": ({"files": {"model.onnx": "0"}}, "has no 'files.tokenizer.json'"),
    "escape": (
        {"files": {"model.onnx": "0", "tokenizer.json": "0", "../x": "0"}},
        "'files' names '../x', which is not a plain file name",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_card_says_what_is_wrong(encoder: Path, case: str) -> None:
    changes, message = BROKEN[case]
    write_card(encoder, **changes)
    with pytest.raises(ModelError, match=re.escape(message) + "$") as caught:
        EncoderCard.read(encoder)
    assert str(encoder / "card.json") in str(caught.value)


def test_an_encoder_of_format_1_has_a_threshold_for_its_certainty(encoder: Path) -> None:
    assert str(EncoderCard.read(encoder).certainty.bias) == "0.0"  # and not -0.0
    write_card(encoder, thresholds={"tag": 0, "entailment": 1.5, "score": 0})
    assert EncoderCard.read(encoder).certainty == Certainty(0.0, 1.0, -1.5, 1.0)


def test_an_encoder_of_format_2_says_how_certain_it_is(tmp_path: Path) -> None:
    made = make_encoder(tmp_path / "tiny", format=2)
    card = EncoderCard.read(made)
    assert (card.format, card.certainty) == (2, Certainty(**CERTAINTY))
    write_card(made, format=2, certainty=CERTAINTY | {"bias": 0.125})
    assert EncoderCard.read(made).fingerprint != card.fingerprint


@pytest.mark.parametrize("key", ["kind", "format", "name", "dtype", "max_tokens", "calibration"])
def test_a_missing_key_is_named(encoder: Path, key: str) -> None:
    path = encoder / "card.json"
    entries = json.loads(path.read_text())
    del entries[key]
    path.write_text(json.dumps(entries))
    with pytest.raises(ModelError, match=re.escape(f"{path} has no '{key}'") + "$"):
        EncoderCard.read(encoder)


def test_a_card_that_is_not_there_or_no_json(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"holds no card\.json: it is not an encoder$"):
        EncoderCard.read(tmp_path)
    (tmp_path / "card.json").write_bytes(b"\xff{")
    with pytest.raises(ModelError, match=r"card\.json is not JSON: "):
        EncoderCard.read(tmp_path)
    (tmp_path / "card.json").write_text("[]")
    with pytest.raises(ModelError, match=r"card\.json: the card must be an object$"):
        EncoderCard.read(tmp_path)


def test_a_tampered_file_is_refused(encoder: Path) -> None:
    card = EncoderCard.read(encoder)
    assert card.check_files()["model.onnx"] == (encoder / "model.onnx").read_bytes()
    with (encoder / "model.onnx").open("ab") as file:
        file.write(b"\0")
    expected = card.files["model.onnx"]
    with pytest.raises(ModelError) as caught:
        card.check_files()
    assert re.fullmatch(
        f"{re.escape(str(encoder / 'model.onnx'))} is not the file that card.json lists: expected "
        f"sha256 {expected}, found [0-9a-f]{{64}}; install the weights again or export them anew",
        str(caught.value),
    )
    assert expected not in str(caught.value).partition("found")[2]


def test_a_missing_file_is_named(encoder: Path) -> None:
    (encoder / "tokenizer.json").unlink()
    with pytest.raises(ModelError) as caught:
        EncoderCard.read(encoder).check_files()
    assert str(caught.value) == (
        f"{encoder / 'tokenizer.json'} is missing, but card.json lists it; install the weights "
        "again or export them anew"
    )


def test_the_fingerprint_changes_with_all_that_changes_results(encoder: Path) -> None:
    prints = {EncoderCard.read(encoder).fingerprint}
    calibration = {"data": "x", "score": [0, 1], "percentile": [0, 100]}
    thresholds = {"tag": 1, "entailment": 0, "score": 0}
    for change in (
        {"max_tokens": 32},
        {"window": 32},
        {"calibration": calibration},
        {"thresholds": thresholds},
        {"files": {"model.onnx": "0", "tokenizer.json": "0"}},
    ):
        write_card(encoder, **change)
        prints.add(EncoderCard.read(encoder).fingerprint)
    assert len(prints) == 6
    assert all(re.fullmatch(r"[0-9a-f]{12}", one) for one in prints)
    write_card(encoder, results={"r": 1}, training={"seed": 2})
    assert EncoderCard.read(encoder).fingerprint in prints


NESTED = "[" * 200_000


@pytest.mark.parametrize("text", [NESTED, '{"kind": ' + NESTED])
def test_brackets_inside_brackets_are_no_traceback(encoder: Path, text: str) -> None:
    (encoder / "card.json").write_text(text)
    with pytest.raises(ModelError, match=r"card\.json is not JSON: "):
        EncoderCard.read(encoder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "card.json"])
@pytest.mark.parametrize("kind", ["pipe", "endless device", "folder"])
def test_what_is_no_plain_file_is_refused_at_once(encoder: Path, name: str, kind: str) -> None:
    """Read like a file, the pipe would wait for ever and the device would fill the memory."""
    path = encoder / name
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(ModelError, match=rf"cannot read .*{re.escape(name)}: it is not a plain fi"):
        EditEncoder.load(encoder)
