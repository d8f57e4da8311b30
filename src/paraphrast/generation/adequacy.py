"""Does a candidate say what its source says? The edit encoder is asked both ways round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from paraphrast.errors import MissingExtra, ModelError
from paraphrast.models.languages import language_note, letters
from paraphrast.models.store import find
from paraphrast.models.tagscores import sigmoid
from paraphrast.types import Floats

if TYPE_CHECKING:
    from paraphrast.models.encoder import EditEncoder

DEFAULT = "mini"


class Judge:
    """The edit encoder of the floor, loaded when it is first asked for.

    Without the weights of the default judge there is no floor, unless it is `required`, and `notes`
    says so. Weights that were asked for by name and are missing, or are damaged, are an error.
    """

    def __init__(
        self,
        name: str = DEFAULT,
        *,
        required: bool = False,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        self._name = name
        self._required = required or name != DEFAULT
        self._threads, self._device = threads, device
        self._encoder: EditEncoder | None = None
        self._missing: str | None = None
        self._letters = np.zeros(2, np.int64)  # all, and those of scripts unknown to the weights

    @property
    def notes(self) -> list[str]:
        """What the user should know of the judge, so far."""
        if self._missing is not None:
            return [f"there is no adequacy floor: {self._missing}"]
        if self._encoder is None:
            return []
        note = language_note(int(self._letters[0]), int(self._letters[1]), self._encoder.card)
        return [f"adequacy: {note}"] if note else []

    def load(self) -> bool:
        """Tell whether there is a judge; the first call loads it."""
        if self._encoder is None and self._missing is None:
            try:
                self._encoder = self._found()
            except MissingExtra as error:
                if self._required:
                    raise
                self._missing = str(error)
        return self._encoder is not None

    def _found(self) -> EditEncoder | None:
        from paraphrast.models.encoder import EditEncoder

        if not self._required:
            try:
                find(self._name)
            except ModelError as error:
                self._missing = str(error)
                return None
        return EditEncoder.load(self._name, threads=self._threads, device=self._device)

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> tuple[Floats, Floats, Floats]:
        """Return the lower probability of entailment, the mean one of the tags, the mean score."""
        assert self._encoder is not None
        back = [(b, a) for a, b in pairs]
        found = self._encoder.summaries([*pairs, *back])
        entailed = sigmoid(np.array([one.entailment for one in found], np.float64))
        languages = self._encoder.card.languages
        for text in {text for pair in pairs for text in pair}:
            self._letters += letters(text, languages)
        size = len(pairs)
        lower: Floats = np.minimum(entailed[:size], entailed[size:])
        tagged, rated = (
            np.array([getattr(one, name) for one in found], np.float64)
            .reshape(2, size)
            .mean(axis=0)
            for name in ("probability_f", "score")
        )
        return lower, tagged, rated
