"""What the tests of the commands share: a small encoder, and commands run in a folder of theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from paraphrast.cli.main import run
from tests.encoders import make_encoder

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The directory of a small encoder."""
    return str(make_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture
def with_model(
    capsys: pytest.CaptureFixture[str],
    model: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str], Cli]:
    """A function from a verb to the command with that encoder: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def command(verb: str) -> Cli:
        def call(*arguments: str) -> tuple[int, str, str]:
            code = run([verb, "--model", model, "--threads", "1", *arguments])
            out, err = capsys.readouterr()
            return code, out, err

        return call

    return command
