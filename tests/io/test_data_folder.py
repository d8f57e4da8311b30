"""One way to find the data: the folder named, or PARAPHRAST_DATA, or a clear error."""

from __future__ import annotations

from pathlib import Path

import pytest

from paraphrast.errors import ConfigError, InputError
from paraphrast.io.data_folder import VARIABLE, data_file, data_folder, expected_data_folder


def test_the_folder_named_comes_before_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "theirs")
    assert data_folder("mine") == Path("mine")
    assert data_folder() == expected_data_folder() == Path("theirs")


def test_without_either_there_is_an_error_and_no_guess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for value in (None, ""):
        if value is None:
            monkeypatch.delenv(VARIABLE, raising=False)
        else:
            monkeypatch.setenv(VARIABLE, value)
        with pytest.raises(ConfigError, match="name it with --data, or set PARAPHRAST_DATA"):
            data_folder()
        assert str(expected_data_folder()) == "$PARAPHRAST_DATA"


def test_a_missing_file_names_who_needs_it(tmp_path: Path) -> None:
    (tmp_path / "there.txt").touch()
    assert data_file("there.txt", "this", tmp_path) == tmp_path / "there.txt"
    with pytest.raises(InputError, match=r"task 'x' needs gone\.txt, which is not under"):
        data_file("gone.txt", "task 'x'", tmp_path)
