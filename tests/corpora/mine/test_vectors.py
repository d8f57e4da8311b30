"""Texts pass through the network in the same batches whatever was there already."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from paraphrast.corpora.mine import vectors
from paraphrast.corpora.mine.vectors import Vectors, embed, shards
from paraphrast.corpora.text_store import StoredTexts, store
from tests.corpora.stubs import WIDTH, Stub


def test_a_damaged_shard_is_embedded_again(tmp_path: Path) -> None:
    given = [f"text {number}" for number in range(11)]
    store(given, tmp_path)
    texts = StoredTexts(tmp_path)
    embed(texts, Stub(), tmp_path, width=WIDTH, size=5)
    damaged = tmp_path / "shard-00001.npy"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))  # as long as it was
    stub = Stub()
    assert embed(texts, stub, tmp_path, width=WIDTH, size=5) == 2
    assert stub.asked == given[5:10]
    assert damaged.read_bytes() == whole


def test_every_text_is_embedded_once_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "READ_AT_ONCE", 2)
    given = [f"text {number}" for number in range(11)]
    store(given, tmp_path)
    stub, done = Stub(), list[int]()
    assert (
        embed(StoredTexts(tmp_path), stub, tmp_path, width=WIDTH, size=5, advance=done.append) == 0
    )
    assert stub.asked == given
    assert sum(done) == 11
    assert shards(11, 5) == len(list(tmp_path.glob("shard-*.npy"))) == 3
    found = Vectors(tmp_path, 11, 5)
    assert [block.shape[0] for _, block in found.blocks(4)] == [4, 1, 4, 1, 1]
    for number, text in enumerate(given):
        assert found.take(np.array([number]))[0] == pytest.approx(stub.vector(text))
