"""From sources to candidates: decoding as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from paraphrast.errors import ConfigError, InputError, check_characters
from paraphrast.generation.candidates import Candidate
from paraphrast.generation.decoding.attempts import Attempts, ItemCandidates
from paraphrast.generation.decoding.constraints import forbidden_in, survives
from paraphrast.generation.decoding.decoding_options import METHODS, Decoding, bounds
from paraphrast.generation.decoding.required_spelling import RequirementSpeller
from paraphrast.generation.decoding.requirements import Requirement, home, parse_all
from paraphrast.generation.decoding.searches import Item
from paraphrast.models.generator.language_model import LanguageModel
from paraphrast.models.generator.long_texts import sentences
from paraphrast.text.particulars.protected_strings import protected

__all__ = ["EMPTY_SOURCE", "METHODS", "Candidate", "Decoding", "decode"]

EMPTY_SOURCE = "the source is empty"
LOST_PART = "a part of a long text has no output"
WHOLE = 128  # sub-words up to which a text of several sentences is decoded in one piece


def decode(
    model: LanguageModel,
    sources: Sequence[str],
    decoding: Decoding,
    *,
    must: Sequence[Sequence[str]] | None = None,
    advance: Callable[[int], None] | None = None,
    shortfalls: Counter[str] | None = None,
) -> list[list[Candidate]]:
    """Return up to n candidates per source: best first for beams, in the order of draws otherwise.

    Beams give distinct texts, draws may repeat themselves. Where there are fewer than n,
    `shortfalls` counts why. An empty source has none. `must` holds, for each source, strings that
    its texts must contain, in place of `decoding.must`. `advance` is told how many sources more are
    done. Everything is held in memory: a caller with many sources passes some at a time, which
    changes no result.
    """
    tally: Counter[str] = Counter() if shortfalls is None else shortfalls
    for number, source in enumerate(sources, 1):
        check_characters(source, f"source {number}")
    required = _required(model, sources, decoding, must)
    plans = [part(source, model, wanted) for source, wanted in zip(sources, required, strict=True)]
    numbers: dict[_Piece, int] = {}  # equal parts are decoded once
    for plan in plans:
        for each in plan:
            numbers.setdefault(each.piece, len(numbers))
    wanted = [[numbers[each.piece] for each in plan] for plan in plans]
    items = _items(model, list(numbers), decoding)
    progress = _Progress(wanted, advance or (lambda _done: None))
    found = Attempts(model, decoding).decode(items, progress.settled)
    return [
        _assembled(plan, [found[number] for number in places], decoding, tally)
        for plan, places in zip(plans, wanted, strict=True)
    ]


def check_spelling(model: LanguageModel, decoding: Decoding, written: Sequence[str]) -> None:
    """Raise ConfigError for a string of `must` that no text of the model can contain."""
    speller = RequirementSpeller(model, model.pieces())
    most = model.max_target - 1
    if isinstance(decoding.max_length, int):
        most = min(most, decoding.max_length)
    for requirement in parse_all(written, decoding.forbid):
        spelled = speller.spell(requirement)
        if spelled is None:
            raise ConfigError(
                f"must={requirement.name!r} cannot be spelt with the vocabulary of the model "
                f"{model.name}; choose other words"
            )
        if spelled.shortest > most:
            raise ConfigError(
                f"must={requirement.name!r} has {spelled.shortest} sub-words, but a text has at "
                f"most {most}; shorten it or raise max_length"
            )


def _required(
    model: LanguageModel,
    sources: Sequence[str],
    decoding: Decoding,
    must: Sequence[Sequence[str]] | None,
) -> list[tuple[Requirement, ...]]:
    """Return what the texts of each source must contain."""
    if must is None:
        must = [decoding.must] * len(sources)
    if len(must) != len(sources):
        raise InputError(f"{len(sources)} sources, but strings that must appear for {len(must)}")
    parsed: dict[tuple[str, ...], tuple[Requirement, ...]] = {}
    for each in dict.fromkeys(map(tuple, must)):
        check_spelling(model, decoding, each)
        parsed[each] = parse_all(each, decoding.forbid)
    return [parsed[tuple(each)] for each in must]


def _items(model: LanguageModel, pieces: Sequence[_Piece], decoding: Decoding) -> list[Item]:
    texts = [piece.text for piece in pieces]
    if not texts:
        return []
    draws = () if decoding.uses_beams else tuple(range(decoding.n))
    items = []
    encoded = zip(pieces, model.encode(texts), model.targets(texts), strict=True)
    for piece, prompt, target in encoded:
        source = target[:-1]
        room = model.max_target - 1  # the end needs a place
        limits = bounds(decoding, len(source), room=room, share=piece.share)
        kept = [Requirement.kept(each) for each in decoding.keep if survives(each, piece.text)]
        required = (*piece.required, *dict.fromkeys(kept))
        guarded = _protected(piece.text, decoding)
        items.append(Item(piece.text, prompt, source, limits, required, guarded, draws))
    return items


def _protected(text: str, decoding: Decoding) -> tuple[Requirement, ...]:
    """Return the strings of a text that are protected; what is forbidden is not."""
    if not decoding.protect:
        return ()
    strings = (each for each in protected(text) if forbidden_in(each, decoding.forbid) is None)
    return tuple(map(Requirement.kept, strings))


def _assembled(
    plan: Sequence[LongTextPart],
    found: Sequence[ItemCandidates],
    decoding: Decoding,
    tally: Counter[str],
) -> list[Candidate]:
    if not plan:
        tally[EMPTY_SOURCE] += decoding.n
        return []
    if len(plan) == 1:
        tally.update(found[0].shortfalls)
        return [candidate for candidate in found[0].candidates if candidate is not None]
    lists = [each.candidates for each in found]
    outputs = []
    for number in range(max(map(len, lists))):
        # a part whose search found fewer texts repeats its last
        chosen = [each[min(number, len(each) - 1)] if each else None for each in lists]
        whole = [candidate for candidate in chosen if candidate is not None]
        if len(whole) == len(plan):
            outputs.append(joined(plan, whole))
    if len(outputs) < decoding.n:
        tally[LOST_PART] += decoding.n - len(outputs)
    return outputs


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is decoded by itself: a text, its share of the length, what is required of it."""

    text: str
    share: float
    required: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class LongTextPart:
    """A part of a text, what stands between the one before and it, and its share of the length.

    `required` is what this part must contain for the whole to contain it.
    """

    text: str
    before: str
    share: float
    required: tuple[Requirement, ...] = ()

    @property
    def piece(self) -> _Piece:
        """What of it decoding depends on."""
        return _Piece(self.text, self.share, self.required)


def part(
    text: str, model: LanguageModel, required: tuple[Requirement, ...] = ()
) -> list[LongTextPart]:
    """Cut a text into parts that the model can read and write; none if it is empty.

    Up to WHOLE sub-words it stays whole; a longer one is cut at sentences, and a sentence that is
    still too long at a pause or between words near its middle, again and again. What is required
    of the text is required of one part (see `home`).
    """
    text = text.strip()
    if not text:
        return []
    room = min(model.max_source, model.max_target)
    if _length(text, model) <= min(room, WHOLE):
        return [LongTextPart(text, "", 1.0, required)]
    pieces = sentences(text, lambda piece: _length(piece, model) <= room)
    lengths = [_length(piece, model) for piece in pieces]
    parts = _placed(text, pieces, [length / sum(lengths) for length in lengths])
    homes = [home(each, pieces) for each in required]
    return [
        replace(each, required=tuple(compress(required, (at == place for at in homes))))
        for place, each in enumerate(parts)
    ]


def _length(text: str, model: LanguageModel) -> int:
    return len(model.encode([text])[0])


def _placed(text: str, pieces: Sequence[str], shares: Sequence[float]) -> list[LongTextPart]:
    parts = []
    end = 0
    for piece, share in zip(pieces, shares, strict=True):
        start = text.index(piece, end)
        parts.append(LongTextPart(piece, text[end:start], share))
        end = start + len(piece)
    return parts


def joined(parts: Sequence[LongTextPart], chosen: Sequence[Candidate]) -> Candidate:
    """Put one candidate of each part together; log-probabilities add up, scores are averaged."""
    if len(chosen) == 1:
        return chosen[0]
    texts = [each.before + piece.text for each, piece in zip(parts, chosen, strict=True)]
    return Candidate(
        text="".join(texts).strip(),
        logprob=sum(piece.logprob for piece in chosen),
        tokens=sum(piece.tokens for piece in chosen),
        ids=tuple(token for piece in chosen for token in piece.ids),
        finished=all(piece.finished for piece in chosen),
        score=sum(piece.score for piece in chosen) / len(chosen),
        missing=tuple(dict.fromkeys(name for piece in chosen for name in piece.missing)),
    )


class _Progress:
    """Counts sources that are done as their parts are."""

    def __init__(self, wanted: Sequence[Sequence[int]], advance: Callable[[int], None]) -> None:
        self._advance = advance
        self._left = [len(set(places)) for places in wanted]
        self._users: dict[int, list[int]] = {}
        for source, places in enumerate(wanted):
            for place in set(places):
                self._users.setdefault(place, []).append(source)
        empty = self._left.count(0)
        if empty:
            advance(empty)

    def settled(self, item: int) -> None:
        users = self._users[item]
        for source in users:
            self._left[source] -= 1
        done = sum(self._left[source] == 0 for source in users)
        if done:
            self._advance(done)
