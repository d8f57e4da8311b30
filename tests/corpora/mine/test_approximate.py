from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from paraphrast.corpora.mine import approximate
from paraphrast.corpora.mine.mining import MinedPair
from paraphrast.corpora.mine.mining_folder import Weights
from paraphrast.corpora.mine.neighbours import Wanted
from paraphrast.errors import InputError, MissingExtra
from tests.corpora.stubs import Stub, mined

WIDE = 24
WEIGHTS = Weights("stub 1", "abc", WIDE)
WANTED = Wanted(3, 0.7)


class Groups(Stub):
    """Texts "group/number" lie around the middle of their group."""

    def vector(self, text: str) -> np.ndarray:  # type: ignore[type-arg]
        group, number = map(int, text.split("/"))
        middle = np.random.default_rng(group).normal(size=WIDE)
        away = np.random.default_rng([group, number]).normal(size=WIDE)
        found = middle + 0.5 * away
        return np.asarray(found / np.linalg.norm(found))


TEXTS = [f"{group}/{number}" for number in range(4) for group in range(400)]


def grouped(
    search: str, *, threads: int = 1, work: Path | None = None, shard: int = 500
) -> list[MinedPair]:
    return mined(
        TEXTS,
        embedder=Groups(WIDE),
        wanted=WANTED,
        weights=WEIGHTS,
        search=search,
        threads=threads,
        shard=shard,
        work=work,
    )


def test_nearly_all_pairs_are_found_and_none_is_misstated() -> None:
    exact, near = grouped("exact"), grouped("approximate")
    assert len(exact) > 1000
    assert len(set(near) & set(exact)) > 0.98 * len(exact)
    scores = {(pair.a, pair.b): pair.score for pair in exact}
    assert all(scores.get((pair.a, pair.b), pair.score) == pair.score for pair in near)


def test_threads_shards_and_a_kept_index_change_nothing(tmp_path: Path) -> None:
    first = grouped("approximate", work=tmp_path / "w")
    assert (tmp_path / "w" / "index.faiss").exists()
    built = (tmp_path / "w" / "index.faiss").stat()
    assert first == grouped("approximate", work=tmp_path / "w")
    assert (tmp_path / "w" / "index.faiss").stat().st_mtime_ns == built.st_mtime_ns
    assert first == grouped("approximate", threads=2) == grouped("approximate", shard=77)


def test_threads_are_given_back() -> None:
    library = approximate.faiss()
    before = library.omp_get_max_threads()
    with approximate.using(1):
        assert library.omp_get_max_threads() == 1
    assert library.omp_get_max_threads() == before


def test_without_faiss_the_extra_is_named_before_any_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtra, match=r"pip install 'paraphrast\[mine\]'"):
        mined(["a", "b"], search="approximate", work=tmp_path / "w")
    assert not (tmp_path / "w").exists()
    monkeypatch.setattr("paraphrast.corpora.mine.mining.EXACT_UP_TO", 1)
    stub = Stub()
    with pytest.raises(MissingExtra):
        mined(["a", "b"], search=None, embedder=stub)
    assert stub.asked == []
    assert mined(["a", "b"], search="exact") is not None


def test_an_index_of_other_vectors_is_refused(tmp_path: Path) -> None:
    from tests.corpora.mine.test_exact import vectors

    draw = np.random.default_rng(0)
    values = draw.normal(size=(40, 8)).astype(np.float32)
    one = vectors(tmp_path, values, 40)
    approximate.save_index(approximate.build_index(one, lambda _done: None), tmp_path / "i")
    (tmp_path / "two").mkdir()
    two = vectors(tmp_path / "two", values[:30], 30)
    with pytest.raises(InputError, match="holds 40 vectors of width 8; this run has 30 of width 8"):
        approximate.load_index(tmp_path / "i", two)
    (tmp_path / "i").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="is not an index that faiss reads; remove it"):
        approximate.load_index(tmp_path / "i", one)
