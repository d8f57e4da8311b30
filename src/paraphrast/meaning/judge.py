"""The judge: pairs of texts in, verdicts out."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from paraphrast import _version, signature
from paraphrast.meaning.assessment import Chances, chances, turned
from paraphrast.meaning.checks.check import Check
from paraphrast.meaning.checks.evidence import CHECKS
from paraphrast.meaning.reason import Reason
from paraphrast.meaning.reasons import reasons
from paraphrast.meaning.tagged_pair import tagged_pair
from paraphrast.meaning.verdict import Verdict, rounded_chances
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.encoder.pair_reading import Reading
from paraphrast.models.scripts import language_note, letters
from paraphrast.text.words import WordText

Pair = tuple[WordText, WordText]
Advance = Callable[[int], None]

_CERTAIN = Chances(1.0, 1.0, 1.0, 0.0)


@dataclass(slots=True)
class Judge:
    """An encoder that judges, with checks that may overrule it, and counts foreign letters."""

    encoder: EditEncoder
    checks: tuple[Check, ...] = CHECKS
    letters: int = 0
    foreign: int = 0

    @classmethod
    def load(cls, model: str, *, threads: int | None = None, device: str = "cpu") -> Judge:
        """Load the weights by name, from a directory or from a hub."""
        return cls(EditEncoder.load(model, threads=threads, device=device))

    def judge(self, pairs: Sequence[Pair], *, advance: Advance | None = None) -> list[Verdict]:
        """Return a verdict for each pair, in their order."""
        card = self.encoder.card
        for side in chain.from_iterable(pairs):
            total, foreign = letters(side.text, card.languages)
            self.letters += total
            self.foreign += foreign
        readings = complete_readings(self.encoder, pairs, advance=advance)
        return [self._verdict(*both) for both in zip(pairs, readings, strict=True)]

    def notes(self) -> list[str]:
        """Return a warning if most letters were foreign to the model."""
        note = language_note(self.letters, self.foreign, self.encoder.card)
        return [note] if note else []

    def _verdict(self, pair: Pair, reading: Reading) -> Verdict:
        card = self.encoder.card
        tags = tagged_pair(pair, reading, threshold=card.thresholds.tag)
        found, vetoes = self._chances(pair, reading), self._vetoes(pair)
        if vetoes and found.relation == "same":
            found = replace(found, same=min(check.doubt for check, _ in vetoes))
        turns_on: tuple[Reason, ...] = ()
        if found.relation != "same":
            turns_on = _without_repeats([reason for _, reason in vetoes], reasons(tags))
        return Verdict(
            **rounded_chances(found),
            score=reading.score,
            percentile=card.percentile(reading.score),
            rated_on=card.calibration.data,
            tags=tags,
            reasons=turns_on,
            signature=judge_signature(card),
            notes=tuple(_notes(tags.windows, tags.limited)),
        )

    def _chances(self, pair: Pair, reading: Reading) -> Chances:
        """Return what the encoder says; a text says what it says, whatever the encoder thinks."""
        a, b = (_folded(side.text) for side in pair)
        return _CERTAIN if a == b else chances(reading.relations, self.encoder.card.certainty)

    def _vetoes(self, pair: Pair) -> list[tuple[Check, Reason]]:
        """Return what the checks hold against the pair, of those that hold for its language."""
        spoken = set(self.encoder.card.languages)
        fit = [check for check in self.checks if spoken <= set(check.languages)]
        return [(one, one.reason(*pair)) for one in fit if not one.accept(one.score(*pair))]


def complete_readings(
    encoder: EditEncoder, pairs: Sequence[Pair], *, advance: Advance | None = None
) -> list[Reading]:
    """Read pairs so that relations are known both ways: twice, if the encoder is of format 1."""
    there = encoder.read(pairs, advance=advance)
    if all(one.relations.complete for one in there):
        return there
    back = encoder.read([(b, a) for a, b in pairs])
    return [
        replace(one, relations=turned(one.relations, other.relations))
        for one, other in zip(there, back, strict=True)
    ]


def judge_signature(card: EncoderCard) -> str:
    """Return what a verdict depends on, to the letter."""
    certainty = card.certainty
    fields: dict[str, signature.Value] = {
        "model": card.model,
        "weights": f"{card.name}-{card.version}",
        "hash": card.fingerprint,
        "dtype": card.dtype,
        "tag": card.thresholds.tag,
        "same": certainty.bias,
    }
    return signature.signature("judge", fields, _version.VERSION)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _without_repeats(vetoes: Sequence[Reason], tagged: Sequence[Reason]) -> tuple[Reason, ...]:
    """Put what checks found first, and leave out what the tags say of the same words again."""
    seen_a = {place for one in vetoes for place in one.words_a}
    seen_b = {place for one in vetoes for place in one.words_b}
    rest = [one for one in tagged if not (seen_a & set(one.words_a) or seen_b & set(one.words_b))]
    return (*vetoes, *rest)


def _notes(windows: int, limited: bool) -> list[str]:
    """Say what makes a verdict weaker."""
    if windows == 1:
        return []
    near = ", of which only those near each other were compared" * limited
    return [f"the pair is too long to be read at once and was read in {windows:,} windows{near}"]
