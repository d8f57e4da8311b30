"""Lines to a program that stays alive and back, each answer surely that of its line.

A line of output does not say which line of input it belongs to. One line too many or too few would
give every later text its neighbour's translation. So a short known line, whose answer was learned
when the program started, follows each line: if one such answer is not where it should be, none of
those that were sent together counts, and they are asked for again, one at a time, of a program that
was started anew. A known line after every few would cost less, and would not notice a line too many
that one too few makes up for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from paraphrast.corpora.translators.programs.patient import GIVE_UP
from paraphrast.corpora.translators.programs.process import LivePrograms, Stopped
from paraphrast.corpora.translators.translator import DIED, OUT_OF_STEP, TIMEOUT, Failed
from paraphrast.errors import InputError

SPAN = 16  # lines that are sent together
_KNOWN, _OTHER = b"12 345 6789", b"98 765 4321"  # of no language
_WAIT = 3.0  # seconds for a line too many when the program has just started


class LiveLines:
    """Asks a program of one line for each line; `shown` is its command, for messages."""

    def __init__(self, name: str, shown: str, start: Callable[[], LivePrograms]) -> None:
        self._name, self._shown, self._start = name, shown, start
        self._program: LivePrograms | None = None
        self._known = b""  # the answer to the known line
        self._lost = 0  # in succession

    def __call__(self, lines: Sequence[bytes]) -> list[bytes | Failed]:
        """Return the answer to each line, or why there is none."""
        found: list[bytes | Failed] = []
        for at in range(0, len(lines), SPAN):
            span = lines[at : at + SPAN]
            answers = self._answers(span)
            if isinstance(answers, Failed):
                found += map(self._alone, span)
            else:
                self._lost = 0
                found += answers
        return found

    def close(self) -> None:
        """End the program."""
        if self._program:
            self._program.kill()
            self._program = None

    def _answers(self, lines: Sequence[bytes]) -> list[bytes] | Failed:
        """Return the answers to lines that are sent together, or why none of them counts."""
        try:
            program = self._ready()
            found = program.ask([each for line in lines for each in (line, _KNOWN)])
        except Stopped as stopped:
            self.close()
            return Failed(TIMEOUT if stopped.hung else DIED, stopped.detail)
        if all(known == self._known for known in found[1::2]):
            return found[::2]
        self.close()
        return Failed(OUT_OF_STEP, "the lines that it wrote are not one for each that it was given")

    def _ready(self) -> LivePrograms:
        """Return a program that has written nothing but answers so far."""
        if self._program and self._program.surplus():
            self.close()
        if self._program is None:
            self._program = self._start()
            self._learn(self._program)
        return self._program

    def _learn(self, program: LivePrograms) -> None:
        """Learn the answer to the known line; refuse a program whose answers cannot be told apart.

        The known line is asked twice, another one between: a greeting would stand in the place of
        the first answer.
        """
        first, _, again = program.ask([_KNOWN, _OTHER, _KNOWN])
        if first == again:
            self._known = first
            return
        surplus = program.surplus(wait=_WAIT)
        self.close()
        if surplus:
            raise InputError(
                f"the command {self._shown} wrote more lines than the 3 it was given; "
                "it must write one line for each"
            )
        raise InputError(
            f"the command {self._shown} answers one line in different ways, so a line too many or "
            "too few would not be noticed; let it repeat the number of each line (numbered = true) "
            "or run it in batches (live = false)"
        )

    def _alone(self, line: bytes) -> bytes | Failed:
        answers = self._answers([line])
        if isinstance(answers, Failed) and answers.reason == OUT_OF_STEP:
            answers = self._answers([line])  # what was too much may have been the line's before
        if not isinstance(answers, Failed):
            self._lost = 0
            return answers[0]
        self._lost += 1
        if self._lost == GIVE_UP:
            raise InputError(
                f"{self._name} failed on {GIVE_UP} texts in succession, each alone; the last: "
                f"{answers.reason}: {answers.detail}"
            )
        return answers
