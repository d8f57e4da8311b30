"""The judge: pairs of texts in, verdicts out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain

from paraphrast import _version, signature
from paraphrast.meaning.assessment import Chances, chances, turned
from paraphrast.meaning.checks.check import Check
from paraphrast.meaning.checks.evidence import CHECKS
from paraphrast.meaning.opinion import MOST_REASONS, Opinion
from paraphrast.meaning.reason import Reason
from paraphrast.meaning.reasons import reasons
from paraphrast.meaning.source_chunks import folded
from paraphrast.meaning.support import SentenceSupport, supports
from paraphrast.meaning.tagged_pair import tagged_pair
from paraphrast.meaning.verdict import Verdict, rated, rounded_chances
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.encoder.pair_reading import Reading, Relations
from paraphrast.models.encoder.pair_summary import Memo, summarise
from paraphrast.models.scripts import language_note, letters
from paraphrast.text.words import WordText

Pair = tuple[WordText, WordText]
Advance = Callable[[int], None]

_CERTAIN = Chances(1.0, 1.0, 1.0, 0.0)
_LEAST = 1e-6  # of a probability, to have a logit
_REMEMBERED = 20_000  # opinions: about 40 MB


@dataclass(slots=True)
class Judge:
    """An encoder that judges, with checks that may overrule it, and counts foreign letters."""

    encoder: EditEncoder
    checks: tuple[Check, ...] = CHECKS
    letters: int = 0
    foreign: int = 0
    memo: Memo[Opinion] = field(default_factory=lambda: Memo(_REMEMBERED), repr=False)

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
        readings = with_support(self.encoder, pairs, readings)
        return [self._verdict(*both) for both in zip(pairs, readings, strict=True)]

    def opinions(self, pairs: Sequence[tuple[str, str]]) -> list[Opinion]:
        """Return what verdicts rest on, without their words; the last are remembered."""
        keys = self.memo.keys(pairs)
        found = {key: known for key in keys if (known := self.memo.get(key)) is not None}
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in found}
        texts = {text: WordText.of(text) for pair in new.values() for text in pair}
        sides = [(texts[a], texts[b]) for a, b in new.values()]
        readings = with_support(self.encoder, sides, complete_readings(self.encoder, sides))
        found |= {
            key: self._opinion(pair, reading)
            for key, pair, reading in zip(new, sides, readings, strict=True)
        }
        self.memo.add({key: found[key] for key in new})
        return [found[key] for key in keys]

    def notes(self) -> list[str]:
        """Return a warning if most letters were foreign to the model."""
        note = language_note(self.letters, self.foreign, self.encoder.card)
        return [note] if note else []

    def _verdict(self, pair: Pair, reading: Reading) -> Verdict:
        card = self.encoder.card
        tags = tagged_pair(pair, reading, threshold=card.thresholds.tag)
        found, vetoes = self._weighed(pair, reading)
        return Verdict(
            **rounded_chances(found),
            **rated(reading.score, card),
            tags=tags,
            reasons=() if found.relation == "same" else _without_repeats(vetoes, reasons(tags)),
            signature=judge_signature(card, self.checks),
            notes=tuple(_notes(tags.windows, tags.limited)),
        )

    def _opinion(self, pair: Pair, reading: Reading) -> Opinion:
        tags = tagged_pair(pair, reading, threshold=self.encoder.card.thresholds.tag)
        found, vetoes = self._weighed(pair, reading)
        read = summarise(reading, *pair)
        against = _without_repeats(vetoes, reasons(tags))[:MOST_REASONS]
        return Opinion(found, read.score, read.probability_f, read.weakest, tuple(vetoes), against)

    def _weighed(self, pair: Pair, reading: Reading) -> tuple[Chances, list[Reason]]:
        """Return what the encoder says, overruled by the checks, and what these found."""
        found, vetoes = self._chances(pair, reading), self._vetoes(pair)
        if vetoes and found.relation == "same":
            found = replace(found, same=min(check.doubt for check, _ in vetoes))
        return found, [reason for _, reason in vetoes]

    def _chances(self, pair: Pair, reading: Reading) -> Chances:
        """Return what the encoder says; a text says what it says, whatever the encoder thinks."""
        a, b = (folded(side.text) for side in pair)
        return _CERTAIN if a == b else chances(reading.relations, self.encoder.card.certainty)

    def _vetoes(self, pair: Pair) -> list[tuple[Check, Reason]]:
        """Return what the checks hold against the pair, of those that hold for its language."""
        spoken = set(self.encoder.card.languages)
        fit = [check for check in self.checks if spoken <= set(check.languages)]
        return [(one, one.reason(*pair)) for one in fit if not one.accept(one.score(*pair))]


@lru_cache(maxsize=8)
def remembering_judge(encoder: EditEncoder, *, checked: bool = True) -> Judge:
    """Return the judge that all who ask for opinions share, with its memory.

    One that is not `checked` has the encoder's word alone.
    """
    return Judge(encoder, CHECKS if checked else ())


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


def with_support(
    encoder: EditEncoder, pairs: Sequence[Pair], readings: Sequence[Reading]
) -> list[Reading]:
    """Let long texts follow from each other as their weakest sentences do from each other's chunks.

    Windows of a long pair need not stand opposite what they say; chunks are looked for.
    """
    found = list(readings)
    places = [place for place, reading in enumerate(readings) if reading.windows > 1]
    texts = [(pairs[place][0].text, pairs[place][1].text) for place in places]
    there = supports(encoder, texts)
    back = supports(encoder, [(b, a) for a, b in texts])
    for place, forward, backward in zip(places, there, back, strict=True):
        relations = readings[place].relations
        follows, entails = _weakest(forward, encoder), _weakest(backward, encoder)
        found[place] = replace(
            readings[place],
            relations=Relations(follows, entails, relations.contradiction, min(follows, entails)),
        )
    return found


def _weakest(sentences: Sequence[SentenceSupport], encoder: EditEncoder) -> float:
    """Return the logit of the weakest sentence, on the encoder's own scale."""
    least = min((one.probability for one in sentences), default=1.0)
    least = min(max(least, _LEAST), 1 - _LEAST)
    return math.log(least / (1 - least)) / encoder.card.certainty.scale


def judge_signature(card: EncoderCard, checks: Sequence[Check] = CHECKS) -> str:
    """Return what a verdict depends on, to the letter."""
    certainty = card.certainty
    fields: dict[str, signature.Value] = {
        "model": card.model,
        "weights": f"{card.name}-{card.version}",
        "hash": card.fingerprint,
        "dtype": card.dtype,
        "tag": card.thresholds.tag,
        "same": certainty.bias,
        "checks": "+".join(check.name for check in checks) or "none",
    }
    return signature.signature("judge", fields, _version.VERSION)


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
