from __future__ import annotations

from pathlib import Path

import pytest

from paraphrast.errors import ConfigError, InputError
from paraphrast.io.lock import alone


def test_a_second_process_is_refused_until_the_first_is_done(tmp_path: Path) -> None:
    with (
        alone(tmp_path, doing="training"),
        pytest.raises(ConfigError, match=f"another process is training in {tmp_path}; wait for it"),
        alone(tmp_path, doing="training"),
    ):
        pass
    with alone(tmp_path, doing="training"):
        pass


def test_the_other_processes_of_a_group_take_no_lock(tmp_path: Path) -> None:
    with alone(tmp_path, doing="training"), alone(tmp_path, doing="training", main=False):
        pass


def test_a_folder_that_cannot_be_written_into_is_named(tmp_path: Path) -> None:
    """As a read-only one; permissions do not stop root."""
    (tmp_path / ".lock").mkdir()
    with (
        pytest.raises(InputError, match=f"cannot write into {tmp_path}: Is a directory"),
        alone(tmp_path, doing="training"),
    ):
        pass
