from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from paraphrast.corpora.array_files import save_array
from paraphrast.corpora.mine import exact
from paraphrast.corpora.mine.exact import ExactSearch
from paraphrast.corpora.mine.vectors import Array, Vectors


def vectors(folder: Path, values: Array, size: int) -> Vectors:
    for number, start in enumerate(range(0, len(values), size)):
        save_array(folder / f"shard-{number:05}.npy", values[start : start + size])
    return Vectors(folder, len(values), size)


@pytest.fixture
def values() -> Array:
    draw = np.random.default_rng(4)
    found = draw.normal(size=(50, 6)).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


@pytest.mark.parametrize("size", [7, 50, 64])
@pytest.mark.parametrize("step", [1, 4, 100])
@pytest.mark.parametrize("lowest", [-2.0, 0.3])
def test_the_nearest_are_those_of_the_whole_product(
    size: int,
    step: int,
    lowest: float,
    values: Array,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exact, "STEP", step)
    found = vectors(tmp_path, values, size)
    product = values @ values.T
    expected = [
        sorted((s for s in row if s > lowest), reverse=True)[:5] for row in product.tolist()
    ]
    search = ExactSearch(found)
    scores, numbers = search.nearest(values, 5, lowest)
    blocks = list(search.sweep(found, 5, lowest))  # each product for both its sides
    assert [first for first, *_ in blocks] == [first for first, _ in found.blocks(step)]
    for got, where in (
        (scores, numbers),
        (np.concatenate([b[1] for b in blocks]), np.concatenate([b[2] for b in blocks])),
    ):
        assert [sorted(row[row > -np.inf], reverse=True) for row in got] == [
            pytest.approx(row, abs=1e-6) for row in expected
        ]
        real = where >= 0
        rows = np.broadcast_to(np.arange(50)[:, None], where.shape)
        assert np.allclose(product[rows[real], where[real]], got[real], atol=1e-6)


def test_many_neighbours_are_searched_block_by_block(
    values: Array, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = vectors(tmp_path, values, 20)
    search = ExactSearch(found)
    at_once = np.concatenate([np.sort(b[1]) for b in search.sweep(found, 5, -2.0)])
    monkeypatch.setattr(exact, "_MOST_HELD", 1)
    monkeypatch.setattr(exact, "_MOST_OF_A_BLOCK", 15)
    blocks = list(search.sweep(found, 5, -2.0))
    assert max(len(scores) for _, scores, _ in blocks) == 3
    assert np.allclose(np.concatenate([np.sort(b[1]) for b in blocks]), at_once, atol=1e-6)


def test_vectors_are_taken_from_their_shards(values: Array, tmp_path: Path) -> None:
    found = vectors(tmp_path, values, 8)
    numbers = np.array([49, 0, 8, 7, 8])
    assert (found.take(numbers) == values[numbers]).all()
    assert (len(found), found.width) == (50, 6)
    assert found.directed().all()
