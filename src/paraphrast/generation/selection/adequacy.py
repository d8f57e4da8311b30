"""Does a candidate say what its source says? The edit encoder is asked both ways round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paraphrast.errors import MissingExtra, ModelError
from paraphrast.models.encoder.tag_scores import sigmoid
from paraphrast.models.scripts import language_note, letters
from paraphrast.models.store import find

if TYPE_CHECKING:
    from paraphrast.models.encoder.edit_encoder import EditEncoder
    from paraphrast.models.encoder.pair_summary import Summary

DEFAULT = "mini"


@dataclass(frozen=True, slots=True)
class PairAdequacy:
    """What the encoder says of one pair, read both ways round.

    `adequacy` is the lower probability of entailment, `tags` the mean probability that a word of
    either text is said by the other, `quality` the mean score, a z-score of human ratings.
    `support` is the probability that the other text says the content word `word`, the one of all
    for which it is least, as a mean of both readings: a word that was lost or made up shows there,
    and not in a mean over all words.
    """

    adequacy: float
    tags: float
    quality: float
    support: float
    word: str


class AdequacyJudge:
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
        from paraphrast.models.encoder.edit_encoder import EditEncoder

        if not self._required:
            try:
                find(self._name)
            except ModelError as error:
                self._missing = str(error)
                return None
        return EditEncoder.load(self._name, threads=self._threads, device=self._device)

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[PairAdequacy]:
        """Judge every pair."""
        assert self._encoder is not None
        languages = self._encoder.card.languages
        for text in {text for pair in pairs for text in pair}:
            self._letters += letters(text, languages)
        found = self._encoder.summaries([*pairs, *((b, a) for a, b in pairs)])
        return list(map(_pair_adequacy, found[: len(pairs)], found[len(pairs) :]))


def _pair_adequacy(there: Summary, back: Summary) -> PairAdequacy:
    return PairAdequacy(
        adequacy=float(sigmoid(np.array(min(there.entailment, back.entailment)))),
        tags=(there.probability_f + back.probability_f) / 2,
        quality=(there.score + back.score) / 2,
        support=(there.weakest.support + back.weakest.support) / 2,
        word=min(there.weakest, back.weakest, key=lambda each: each.support).word,
    )
