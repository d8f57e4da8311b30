from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from paraphrast.corpora.array_files import fits, load_array, save_array
from paraphrast.errors import InputError
from tests.disks import small_disk


@pytest.mark.parametrize("shape", [(0,), (3,), (2, 5), (0, 4)])
def test_numpy_reads_what_is_written(shape: tuple[int, ...], tmp_path: Path) -> None:
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    save_array(tmp_path / "a.npy", values)
    assert (np.load(tmp_path / "a.npy") == values).all()
    assert (load_array(tmp_path / "a.npy") == values).all()
    assert fits(tmp_path / "a.npy", shape, np.float32)
    assert not fits(tmp_path / "a.npy", shape, np.float64)
    assert not fits(tmp_path / "a.npy", (*shape, 1), np.float32)


def test_a_cut_off_or_missing_file_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    assert not fits(path, (4,), np.float32)
    save_array(path, np.ones(4, dtype=np.float32))
    path.write_bytes(path.read_bytes()[:-1])
    assert not fits(path, (4,), np.float32)
    path.write_bytes(b"nonsense")
    assert not fits(path, (4,), np.float32)
    with pytest.raises(InputError, match=r"a\.npy cannot be read .*; remove it"):
        load_array(path)


def test_a_write_that_fails_names_the_file_and_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    save_array(path, np.ones(4))
    wanted = pytest.raises(InputError, match=r"cannot write .*a\.npy: File too large")
    with wanted, small_disk(4096):
        save_array(path, np.ones(100_000))
    assert len(load_array(path)) == 4
    assert list(tmp_path.iterdir()) == [path]
