"""The bar of a training run: in a terminal only."""

from __future__ import annotations

import io
import sys

import pytest

from paraphrast.render.terminal.training_progress import step_progress


class Terminal(io.StringIO):
    """Says that somebody is looking."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_steps_and_words(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", terminal)
    with step_progress("training") as advance:
        advance(40, 100, "")
        advance(41, 100, "loss 0.5000 · 99 tokens/s")
    shown = terminal.getvalue()
    assert "41/100" in shown
    assert "loss 0.5000 · 99 tokens/s" in shown


@pytest.mark.parametrize("quiet", [True, False])
def test_elsewhere_it_is_silent(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, quiet: bool
) -> None:
    if quiet:
        monkeypatch.setattr(sys, "stderr", Terminal())
    with step_progress("training", quiet=quiet) as advance:
        advance(1, 2, "loss")
    assert tuple(capsys.readouterr()) == ("", "")
    assert not quiet or not sys.stderr.getvalue()  # type: ignore[attr-defined]
