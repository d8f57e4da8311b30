from __future__ import annotations

from pathlib import Path

import pytest

from paraphrast.errors import ConfigError
from paraphrast.train.lock import alone


def test_a_second_process_is_refused_until_the_first_is_done(tmp_path: Path) -> None:
    with (
        alone(tmp_path),
        pytest.raises(ConfigError, match=f"another process is training in {tmp_path}; wait for it"),
        alone(tmp_path),
    ):
        pass
    with alone(tmp_path):
        pass


def test_the_other_processes_of_a_group_take_no_lock(tmp_path: Path) -> None:
    with alone(tmp_path), alone(tmp_path, main=False):
        pass
