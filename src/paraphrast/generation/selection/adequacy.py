"""Does a candidate say what its source says? The judge is asked, and loaded when needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from paraphrast.errors import MissingExtra, ModelError
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.scripts import language_note, letters
from paraphrast.models.store import find

if TYPE_CHECKING:
    from paraphrast.meaning.judge import Judge
    from paraphrast.meaning.opinion import Opinion

DEFAULT = "mini"


def installed_signature(name: str, *, checked: bool = True) -> str | None:
    """Return what opinions by these weights depend on; None where they are not installed."""
    from paraphrast.meaning.checks.evidence import CHECKS
    from paraphrast.meaning.judge import judge_signature

    try:
        card = EncoderCard.read(find(name))
    except ModelError:
        return None
    return judge_signature(card, CHECKS if checked else ())


class AdequacyJudge:
    """The judge of the floors, loaded when it is first asked for.

    Without the weights of the default judge there is no floor, unless it is `required`, and `notes`
    says so. Weights that were asked for by name and are missing, or are damaged, are an error. One
    that is not `checked` has no checks that may overrule its encoder.
    """

    def __init__(
        self,
        name: str = DEFAULT,
        *,
        required: bool = False,
        checked: bool = True,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        self._name = name
        self._required = required or name != DEFAULT
        self._checked = checked
        self._threads, self._device = threads, device
        self._judge: Judge | None = None
        self._missing: str | None = None
        self._letters = np.zeros(2, np.int64)  # all, and those of scripts unknown to the weights

    @property
    def notes(self) -> list[str]:
        """What the user should know of the judge, so far."""
        if self._missing is not None:
            return [f"there is no adequacy floor: {self._missing}"]
        if self._judge is None:
            return []
        card = self._judge.encoder.card
        note = language_note(int(self._letters[0]), int(self._letters[1]), card)
        return [f"adequacy: {note}"] if note else []

    def load(self) -> bool:
        """Tell whether there is a judge; the first call loads it."""
        if self._judge is None and self._missing is None:
            try:
                self._judge = self._found()
            except MissingExtra as error:
                if self._required:
                    raise
                self._missing = str(error)
        return self._judge is not None

    def _found(self) -> Judge | None:
        from paraphrast.meaning.judge import remembering_judge
        from paraphrast.models.encoder.edit_encoder import EditEncoder

        if not self._required:
            try:
                find(self._name)
            except ModelError as error:
                self._missing = str(error)
                return None
        encoder = EditEncoder.load(self._name, threads=self._threads, device=self._device)
        return remembering_judge(encoder, checked=self._checked)

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[Opinion]:
        """Return the judge's opinion of every pair of a source and a candidate."""
        assert self._judge is not None
        languages = self._judge.encoder.card.languages
        for text in {text for pair in pairs for text in pair}:
            self._letters += letters(text, languages)
        return self._judge.opinions(pairs)
