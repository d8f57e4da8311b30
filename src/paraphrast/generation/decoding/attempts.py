"""Decode sources; search again, with constraints, for what draws or a free search have lost.

The first attempt follows the method. Beams are held to what is required from the start; what is
only protected they mostly keep of themselves, and better unheld. Where a text lacks something that
the model can write, beams that must contain it all (dynamic beam allocation, see `banks`) look for
texts to take its place. What still lacks something is returned and marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from paraphrast.generation.candidates import Candidate
from paraphrast.generation.decoding.banks import Banks
from paraphrast.generation.decoding.constraints import Forbidden, forbidden_in
from paraphrast.generation.decoding.decoding_loop import Steering, batches, run
from paraphrast.generation.decoding.decoding_options import BEAMS, Decoding, read_by
from paraphrast.generation.decoding.required_spelling import RequirementSpeller, SpelledRequirement
from paraphrast.generation.decoding.requirements import CLOSING, Requirement
from paraphrast.generation.decoding.reversal import Reversal, Spellings
from paraphrast.generation.decoding.samplers import Ints
from paraphrast.generation.decoding.searches import Ended, Item, rank
from paraphrast.models.generator.language_model import LanguageModel

DRAWN = 3  # times that a draw which gave no text at all is made
REPLACING = 10  # beams that look for texts in the place of draws

NO_WAY_ON = "every next sub-word is forbidden"
FORBIDDEN = "the text holds a forbidden string"
EMPTY = "the text is empty"
TOO_FEW = "the search found fewer distinct texts"


@dataclass(frozen=True, slots=True)
class ItemCandidates:
    """Candidates in the order of draws or best first, None for a lost draw; why n are not there."""

    candidates: list[Candidate | None]
    shortfalls: Counter[str]


@dataclass(slots=True)
class _DrawResults:
    """Candidates of one item per draw (beams: all under 0), and why a draw gave none."""

    candidates: dict[int, list[Candidate]] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    searched: list[Candidate] = field(default_factory=list)


class Attempts:
    """Decodes items with one model and one set of options."""

    def __init__(self, model: LanguageModel, decoding: Decoding) -> None:
        self._model = model
        self._decoding = decoding
        self._search = decoding if decoding.uses_beams else _replacing(decoding)
        self._pieces = model.pieces()
        end = model.end
        silent = [n for n, piece in enumerate(self._pieces) if not piece and n != end]
        # logits beyond the pieces are padding of the weights
        silent += range(len(self._pieces), model.vocabulary)
        self._silent: Ints = np.array(silent, np.int64)
        closing = [n for n, piece in enumerate(self._pieces) if piece.strip() in CLOSING]
        self._closing: Ints = np.array([*closing, end], np.int64)
        self._forbidden = Forbidden(decoding.forbid, self._pieces)
        self._speller = RequirementSpeller(model, self._pieces)
        self._openings = Spellings(self._pieces if decoding.reverse else ())

    def decode(self, items: Sequence[Item], settled: Callable[[int], None]) -> list[ItemCandidates]:
        """Return what came of each item; `settled` is told the number of each that is done."""
        found = [_DrawResults() for _ in items]
        waiting, lacking = dict(enumerate(items)), dict[int, Item]()
        for attempt in range(DRAWN):
            again: dict[int, Item] = {}
            for number, members in self._round(waiting, self._decoding, attempt):
                self._add(items[number], found[number], members)
                lost = self._lost_draws(items[number], found[number])
                if lost and attempt + 1 < DRAWN:
                    again[number] = replace(items[number], draws=lost)
                elif self._lacks(items[number], found[number]):
                    lacking[number] = _held(items[number])
                else:
                    settled(number)
            waiting = again
        for number, members in self._round(lacking, self._search, 0):
            for texts in members.values():
                found[number].searched += self._candidates(items[number], texts)[0]
            settled(number)
        return [self._item_candidates(item, each) for item, each in zip(items, found, strict=True)]

    def _round(
        self, waiting: dict[int, Item], decoding: Decoding, attempt: int
    ) -> Iterator[tuple[int, dict[int, list[Ended]]]]:
        """Yield each item's number with its texts, once all its draws are made."""
        numbers = list(waiting)
        planned = list(batches(list(waiting.values()), decoding, self._banks))
        left = Counter(place for batch in planned for place, _ in batch)
        ended: dict[int, dict[int, list[Ended]]] = {}
        for batch in planned:
            items = [item for _, item in batch]
            made = run(
                self._model,
                items,
                decoding,
                self._steering(items, decoding),
                self._pieces,
                attempt=attempt,
                banks=[self._banks(item) for item in items] if decoding.uses_beams else (),
            )
            for (place, _), members in zip(batch, made, strict=True):
                ended.setdefault(place, {}).update(members)
                left[place] -= 1
                if not left[place]:
                    yield numbers[place], ended.pop(place)

    def _steering(self, items: Sequence[Item], decoding: Decoding) -> Steering:
        return Steering(
            decoding,
            items,
            end=self._model.end,
            silent=self._silent,
            closing=self._closing,
            forbidden=self._forbidden,
            reversals=[self._reversal(item) for item in items] if decoding.reverse else (),
        )

    def _add(self, item: Item, found: _DrawResults, members: dict[int, list[Ended]]) -> None:
        for member, texts in members.items():
            draw = 0 if self._decoding.uses_beams else member
            candidates, reason = self._candidates(item, texts)
            found.candidates.setdefault(draw, []).extend(candidates)
            if reason is not None:
                found.reasons[draw] = reason

    def _candidates(self, item: Item, texts: Sequence[Ended]) -> tuple[list[Candidate], str | None]:
        """Return the texts that may be used, and why another may not."""
        reason = None if texts else NO_WAY_ON
        candidates = []
        decoded = self._model.decode([ended.ids for ended in texts]) if texts else []
        for ended, text in zip(texts, map(str.strip, decoded), strict=True):
            if not text:
                reason = EMPTY
            elif forbidden_in(text, self._decoding.forbid) is not None:
                reason = FORBIDDEN
            else:
                candidates.append(self._candidate(item, ended, text))
        return candidates, reason

    def _candidate(self, item: Item, ended: Ended, text: str) -> Candidate:
        penalty = self._decoding.length_penalty if self._decoding.uses_beams else 1.0
        return Candidate(
            text=text,
            logprob=ended.logprob,
            tokens=len(ended.ids),
            ids=ended.ids,
            finished=ended.finished,
            score=rank(ended, penalty),
            missing=item.lacking(text),
        )

    def _lost_draws(self, item: Item, found: _DrawResults) -> tuple[int, ...]:
        """Return the draws that gave no text."""
        return tuple(draw for draw in item.draws if not found.candidates.get(draw))

    def _lacks(self, item: Item, found: _DrawResults) -> bool:
        """Whether a search for what is missing could find better texts than are there."""
        can_mend = {each.requirement.name for each in self._spelled(_held(item))}
        if self._decoding.uses_beams:
            if self._spelled(item) == self._spelled(_held(item)):
                return False  # the search was held to all of it
            best = self._best(found.candidates.get(0, []))
            short = bool(can_mend) and len(best) < self._decoding.n
            return short or any(can_mend.intersection(each.missing) for each in best)
        chosen = (each for draw in item.draws for each in found.candidates.get(draw, ()))
        return any(can_mend.intersection(each.missing) for each in chosen)

    def _item_candidates(self, item: Item, found: _DrawResults) -> ItemCandidates:
        n = self._decoding.n
        if self._decoding.uses_beams:
            best = self._best([*found.candidates.get(0, []), *found.searched])[:n]
            return ItemCandidates(list(best), Counter([TOO_FEW] * (n - len(best))))
        chosen = [next(iter(found.candidates[draw]), None) for draw in range(n)]
        _replace_worse(chosen, _distinct(found.searched))
        reasons = (found.reasons[draw] for draw, each in enumerate(chosen) if each is None)
        return ItemCandidates(chosen, Counter(reasons))

    def _best(self, found: Sequence[Candidate]) -> list[Candidate]:
        return _distinct(found)[: self._decoding.n]

    def _banks(self, item: Item) -> Banks | None:
        spelled = self._spelled(item)
        return Banks(spelled, self._pieces) if spelled else None

    def _spelled(self, item: Item) -> list[SpelledRequirement]:
        """Return what is required of an item's texts, as far as the model can write it there."""
        spelled = map(self._speller.spell, item.required)
        return [each for each in spelled if each and each.shortest <= item.bounds.most]

    def _reversal(self, item: Item) -> Reversal:
        return Reversal(item.source.tolist(), self._openings)


def _replacing(decoding: Decoding) -> Decoding:
    """Return the beams that look for texts in the place of draws."""
    shared = {
        each.name: getattr(decoding, each.name)
        for each in fields(Decoding)
        if read_by(each.name, BEAMS[0]) and each.name not in ("method", "n", "beams")
    }
    return Decoding(method=BEAMS[0], n=REPLACING, beams=REPLACING, **shared)


def _held(item: Item) -> Item:
    """Return an item all of whose strings are required."""
    required: tuple[Requirement, ...] = tuple(dict.fromkeys((*item.required, *item.protected)))
    return replace(item, required=required, protected=(), draws=())


def _distinct(found: Sequence[Candidate]) -> list[Candidate]:
    """Return distinct texts, best first: finished, then by what is lost, then by score."""
    ranked = sorted(found, key=lambda c: (*_flaws(c), -c.score, c.ids))
    distinct: dict[str, Candidate] = {}
    for candidate in ranked:
        distinct.setdefault(candidate.text, candidate)
    return list(distinct.values())


def _replace_worse(chosen: list[Candidate | None], searched: Sequence[Candidate]) -> None:
    """Put the texts of a search, best first, in the place of draws that lack more."""
    left = list(searched)
    for draw, candidate in enumerate(chosen):
        if left and candidate and candidate.missing and _flaws(left[0]) < _flaws(candidate):
            chosen[draw] = left.pop(0)


def _flaws(candidate: Candidate) -> tuple[bool, int]:
    """What makes a text worse than another, however likely: cut off, then kept strings lost."""
    return not candidate.finished, len(candidate.missing)
