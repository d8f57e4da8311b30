"""Keep live programs going: what they die on is asked again alone, then given up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from paraphrast.corpora.translators.programs.process import LivePrograms, Stopped
from paraphrast.corpora.translators.translator import DIED, OUT_OF_STEP, TIMEOUT, Failed
from paraphrast.errors import InputError

WINDOW = 64  # messages under way at once
GIVE_UP = 5  # rows in succession that are lost, each alone in a fresh process

Fits = Callable[[bytes, bytes], bool]
"""Whether an answer is one to that message."""


class Patient:
    """Asks live programs, and starts them again when they die, hang, or answer out of step.

    Answers before a failure are kept, so an answer must bear what tells its message: `fits` says
    whether an answer belongs to a message.
    """

    def __init__(self, name: str, start: Callable[[], LivePrograms], fits: Fits) -> None:
        self._name, self._start, self._fits = name, start, fits
        self._programs: LivePrograms | None = None
        self._lost = 0  # in succession

    @property
    def pids(self) -> list[int]:
        return self._programs.pids if self._programs else []

    def __call__(self, messages: Sequence[bytes]) -> list[bytes | Failed]:
        found: list[bytes | Failed] = []
        for at in range(0, len(messages), WINDOW):
            window = messages[at : at + WINDOW]
            answers, _ = self._answered(window)
            found += answers
            if answers:
                self._lost = 0
            # a later message may have killed a program while an earlier one was on its way
            found += [self._alone(message) for message in window[len(answers) :]]
        return found

    def close(self) -> None:
        if self._programs:
            self._programs.kill()
            self._programs = None

    def _answered(self, messages: Sequence[bytes]) -> tuple[list[bytes], Failed | None]:
        """Return the answers up to the first one missing, and why it is."""
        failed = Failed(OUT_OF_STEP, "its answer is not that of the text")
        try:
            if self._programs is None:
                self._programs = self._start()
            answers = self._programs.ask(messages)
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
        answers, failed = self._answered([message])
        if failed and failed.reason == OUT_OF_STEP:
            answers, failed = self._answered([message])  # it may have been the answer before
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
