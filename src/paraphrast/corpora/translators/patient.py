"""Keep a live pipeline going: what it dies on is asked again alone, then given up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from paraphrast.corpora.translators.base import DIED, TIMEOUT, Failed
from paraphrast.corpora.translators.process import Pipeline, Stopped
from paraphrast.errors import InputError

WINDOW = 64  # messages under way at once
GIVE_UP = 5  # rows in succession that are lost, each alone in a fresh process

Fits = Callable[[bytes, bytes], bool]
"""Whether an answer is one to that message."""


class Patient:
    """Asks a pipeline, and starts it again when it dies, hangs, or answers out of step."""

    def __init__(self, name: str, start: Callable[[], Pipeline], fits: Fits) -> None:
        self._name, self._start, self._fits = name, start, fits
        self._pipeline: Pipeline | None = None
        self._lost = 0  # in succession

    @property
    def pids(self) -> list[int]:
        return self._pipeline.pids if self._pipeline else []

    @property
    def surplus(self) -> bytes:
        """What the pipeline has written beyond its answers."""
        return self._pipeline.surplus if self._pipeline else b""

    def __call__(self, messages: Sequence[bytes]) -> list[bytes | Failed]:
        found: list[bytes | Failed] = []
        for at in range(0, len(messages), WINDOW):
            window = messages[at : at + WINDOW]
            answers, _ = self._asked(window)
            found += answers
            if answers:
                self._lost = 0
            # a later message may have killed a program while an earlier one was on its way
            found += [self._alone(message) for message in window[len(answers) :]]
        return found

    def close(self) -> None:
        if self._pipeline:
            self._pipeline.kill()
            self._pipeline = None

    def _asked(self, messages: Sequence[bytes]) -> tuple[list[bytes], Failed | None]:
        """Return the answers up to the first one missing, and why it is."""
        failed = Failed(DIED, "it answered out of step")
        try:
            if self._pipeline is None:
                self._pipeline = self._start()
            answers = self._pipeline.ask(messages)
        except Stopped as stopped:
            failed = Failed(TIMEOUT if stopped.hung else DIED, stopped.detail)
            answers = stopped.answers
        # a program that dies may end its last answer half-way, as if it were complete
        pairs = zip(messages, answers, strict=False)
        wrong = next((n for n, pair in enumerate(pairs) if not self._fits(*pair)), len(answers))
        if wrong == len(messages):
            return answers, None
        self.close()
        return answers[:wrong], failed

    def _alone(self, message: bytes) -> bytes | Failed:
        answers, failed = self._asked([message])
        if failed is None:
            self._lost = 0
            return answers[0]
        self._lost += 1
        if self._lost == GIVE_UP:
            raise InputError(
                f"{self._name} failed on {GIVE_UP} texts in succession, each alone; the last: "
                f"{failed.reason}: {failed.detail}"
            )
        return failed
