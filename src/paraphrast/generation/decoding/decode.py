"""From sources to candidates: decoding as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paraphrast.errors import check_characters
from paraphrast.generation.candidates import Candidate
from paraphrast.generation.decoding.attempts import Attempts, ItemCandidates
from paraphrast.generation.decoding.constraints import forbidden_in, survives
from paraphrast.generation.decoding.decoding_options import METHODS, Decoding, bounds
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
    advance: Callable[[int], None] | None = None,
    shortfalls: Counter[str] | None = None,
) -> list[list[Candidate]]:
    """Return up to n candidates per source: best first for beams, in the order of draws otherwise.

    Beams give distinct texts, draws may repeat themselves. Where there are fewer than n,
    `shortfalls` counts why. An empty source has none. `advance` is told how many sources more are
    done. Everything is held in memory: a caller with many sources passes some at a time, which
    changes no result.
    """
    tally: Counter[str] = Counter() if shortfalls is None else shortfalls
    for number, source in enumerate(sources, 1):
        check_characters(source, f"source {number}")
    plans = [part(source, model) for source in sources]
    numbers: dict[tuple[str, float], int] = {}  # equal parts are decoded once
    for plan in plans:
        for each in plan:
            numbers.setdefault((each.text, each.share), len(numbers))
    wanted = [[numbers[each.text, each.share] for each in plan] for plan in plans]
    items = _items(model, list(numbers), decoding)
    progress = _Progress(wanted, advance or (lambda _done: None))
    found = Attempts(model, decoding).decode(items, progress.settled)
    return [
        _assembled(plan, [found[number] for number in places], decoding, tally)
        for plan, places in zip(plans, wanted, strict=True)
    ]


def _items(
    model: LanguageModel, parts: Sequence[tuple[str, float]], decoding: Decoding
) -> list[Item]:
    texts = [text for text, _ in parts]
    if not texts:
        return []
    draws = () if decoding.uses_beams else tuple(range(decoding.n))
    items = []
    encoded = zip(parts, model.encode(texts), model.targets(texts), strict=True)
    for (text, share), prompt, target in encoded:
        source = target[:-1]
        room = model.max_target - 1  # the end needs a place
        limits = bounds(decoding, len(source), room=room, share=share)
        items.append(Item(text, prompt, source, limits, _kept(text, decoding), draws))
    return items


def _kept(text: str, decoding: Decoding) -> tuple[str, ...]:
    """Return the strings of a text that must survive; what is forbidden is not protected."""
    kept = [string for string in decoding.keep if survives(string, text)]
    if decoding.protect:
        kept += [
            string for string in protected(text) if forbidden_in(string, decoding.forbid) is None
        ]
    return tuple(dict.fromkeys(kept))


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
class LongTextPart:
    """A part of a text, what stands between the one before and it, and its share of the length."""

    text: str
    before: str
    share: float


def part(text: str, model: LanguageModel) -> list[LongTextPart]:
    """Cut a text into parts that the model can read and write; none if it is empty.

    Up to WHOLE sub-words it stays whole; a longer one is cut at sentences, and a sentence that is
    still too long at a pause or between words near its middle, again and again.
    """
    text = text.strip()
    if not text:
        return []
    room = min(model.max_source, model.max_target)
    if _length(text, model) <= min(room, WHOLE):
        return [LongTextPart(text, "", 1.0)]
    pieces = sentences(text, lambda piece: _length(piece, model) <= room)
    lengths = [_length(piece, model) for piece in pieces]
    return _placed(text, pieces, [length / sum(lengths) for length in lengths])


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
