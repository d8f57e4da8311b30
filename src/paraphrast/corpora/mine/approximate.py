"""Approximate nearest neighbours: faiss looks into the cells of space that lie nearest.

The vectors are put into about 4 √n cells around centres found by k-means, and each is kept in
one byte a dimension (IVF with a scalar quantiser: a quarter of the vectors' memory). A query is
compared with the vectors of its nearest cells only. What is found is scored again with the whole
vectors, so approximate search misses pairs but never misstates one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.corpora.mine.exact import Found, Numbers
from paraphrast.corpora.mine.vectors import Array, Vectors
from paraphrast.engine.step import Advance
from paraphrast.errors import InputError, MissingExtra
from paraphrast.io import atomic_writer

CELLS_PER_ROOT = 4
PROBES = 64  # cells that a query is compared with
SEED = 1
_FEWEST_OF_A_CELL = 39  # faiss's own demand for a sound centre
_SAMPLE_OF_A_CELL = 40  # so that 1,000,000 texts need 250 MB of vectors to learn cells from
_ADD_AT_ONCE = 16_384
_ASK_AT_ONCE = 1024
_BUFFER = 1 << 20
_COARSE = 0.03  # more than one byte a dimension shifts a cosine


def faiss() -> Any:
    """Return the library; MissingExtra where it is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # SWIG's, under newer Pythons
            return import_module("faiss")
    except ModuleNotFoundError as error:
        raise MissingExtra("mine", "faiss-cpu") from error


@contextmanager
def using(threads: int | None) -> Iterator[None]:
    """Let faiss use that many threads within the block."""
    library = faiss()
    before = library.omp_get_max_threads()
    library.omp_set_num_threads(threads or before)
    try:
        yield
    finally:
        library.omp_set_num_threads(before)


def build_index(vectors: Vectors, advance: Advance) -> Any:
    """Put vectors into cells; the same vectors give the same index."""
    library = faiss()
    cells = max(
        1, min(int(CELLS_PER_ROOT * len(vectors) ** 0.5), len(vectors) // _FEWEST_OF_A_CELL)
    )
    index = library.index_factory(vectors.width, f"IVF{cells},SQ8", library.METRIC_INNER_PRODUCT)
    index.cp.seed = SEED
    index.cp.min_points_per_centroid = 1  # few texts are no reason for a warning
    index.cp.max_points_per_centroid = _SAMPLE_OF_A_CELL
    draw = np.random.default_rng(SEED)
    size = min(len(vectors), max(_SAMPLE_OF_A_CELL * cells, 1024))
    sample = np.sort(draw.choice(len(vectors), size, replace=False))
    index.train(vectors.take(sample))
    for _, block in vectors.blocks(_ADD_AT_ONCE):
        index.add(np.ascontiguousarray(block))
        advance(len(block))
    return index


def save_index(index: Any, path: Path) -> None:
    """Write an index; a full disk leaves nothing under the name and is an InputError."""
    library = faiss()
    with atomic_writer(path, binary=True) as file:
        library.write_index(index, library.PyCallbackIOWriter(file.write, _BUFFER))


def load_index(path: Path, vectors: Vectors) -> Any:
    """Read an index and check that it is one of as many vectors of this width."""
    try:
        index = faiss().read_index(str(path))
    except RuntimeError as error:
        raise InputError(f"{path} is not an index that faiss reads; remove it") from error
    if (index.ntotal, index.d) != (len(vectors), vectors.width):
        raise InputError(
            f"{path} holds {index.ntotal:,} vectors of width {index.d}; this run has "
            f"{len(vectors):,} of width {vectors.width}; remove it"
        )
    return index


class ApproximateSearch:
    """Only the cells nearest to a query are looked at."""

    slack = 0.0  # nothing is promised of neighbours that were not found

    def __init__(self, index: Any, *, probes: int = PROBES) -> None:
        self._index = index
        index.nprobe = min(probes, index.nlist)

    def nearest(self, queries: Array, most: int, lowest: float) -> tuple[Array, Numbers]:
        """Return scores above `lowest` and numbers of the near candidates that were found."""
        scores, numbers = self._index.search(np.ascontiguousarray(queries), most)
        return scores, np.where(scores > lowest - _COARSE, numbers, -1).astype(np.int32)

    def sweep(self, queries: Vectors, most: int, lowest: float) -> Iterator[Found]:
        """Yield the same for all queries, in order, a block at a time."""
        for first, block in queries.blocks(_ASK_AT_ONCE):
            yield first, *self.nearest(block, most, lowest)
