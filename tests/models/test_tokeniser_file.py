"""Tokenisers: the bytes that are used are those whose hash was checked."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from paraphrast.errors import ModelError
from paraphrast.models.embedder.text_embedder import Embedder
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.generator.onnx_generator import OnnxModel
from paraphrast.models.tokeniser_file import open_tokeniser
from paraphrast.models.weights_card import TOKENISER, WeightsCard
from tests.embedders import make_embedder
from tests.encoders import make_encoder
from tests.generators import make_generator


@pytest.mark.parametrize(
    ("make", "load"),
    [
        (make_encoder, lambda folder: EditEncoder.load(str(folder))),
        (make_embedder, lambda folder: Embedder.load(str(folder))),
        (make_generator, OnnxModel),
    ],
    ids=["encoder", "embedder", "generator"],
)
def test_a_tokeniser_that_changes_after_its_hash_was_checked_is_not_read(
    make: Callable[[Path], Path],
    load: Callable[[Path], object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if make is make_generator:
        pytest.importorskip("torch")
    folder = make(tmp_path / "model")
    check = WeightsCard.check_files

    def check_and_change(card: WeightsCard) -> dict[str, bytes]:
        found = check(card)
        (folder / TOKENISER).write_text("[]")
        return found

    monkeypatch.setattr(WeightsCard, "check_files", check_and_change)
    load(folder)
    assert (folder / TOKENISER).read_text() == "[]"


def test_what_is_no_tokeniser_is_refused(tmp_path: Path) -> None:
    path = tmp_path / TOKENISER
    with pytest.raises(ModelError, match=re.escape(f"{path} is not a tokeniser: ")):
        open_tokeniser(path)
    with pytest.raises(ModelError, match=re.escape(f"{path} is not a tokeniser: ")):
        open_tokeniser(path, b"[]")
