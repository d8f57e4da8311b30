"""Arrays as .npy files that appear complete or not at all, with failures that name the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from paraphrast.errors import InputError
from paraphrast.io import atomic_writer


def save_array(path: Path, values: NDArray[Any]) -> None:
    """Write an array; a full disk leaves nothing under the name and is an InputError."""
    values = np.ascontiguousarray(values)
    with atomic_writer(path, binary=True) as file:
        # np.save would write past Python's file object, whose errors name the path
        npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(values))
        file.write(values.data.cast("B") if values.size else b"")


def load_array(path: Path, *, mapped: bool = False) -> NDArray[Any]:
    """Read an array, or map it into memory, where the system pages it in and out."""
    try:
        loaded: NDArray[Any] = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(
            f"{path} cannot be read ({error}); remove it and run the same command again"
        ) from error
    return loaded


def fits(path: Path, shape: tuple[int, ...], dtype: type) -> bool:
    """Whether the file holds a whole array of that shape."""
    try:
        with path.open("rb") as file:
            npy.read_magic(file)
            found, order, kind = npy.read_array_header_1_0(file)
            start, end = file.tell(), file.seek(0, 2)
    except (OSError, ValueError):
        return False
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return (found, order, kind, end - start) == (shape, False, np.dtype(dtype), size)
