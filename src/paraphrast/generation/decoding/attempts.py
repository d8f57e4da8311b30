"""Decode sources, and decode again, with kept strings boosted, those that lost one.

The first attempt follows the model, so a draw that kept everything is a fair draw from the texts
that do. Each later attempt multiplies the probability of the sub-words that open or continue a
missing string, and divides that of closing before all are there. What still lacks one after the
last attempt is returned and marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from paraphrast.generation.candidates import Candidate
from paraphrast.generation.decoding.constraints import Favoured, Forbidden, forbidden_in, survives
from paraphrast.generation.decoding.decoding_loop import CLOSING, Steering, batches, run
from paraphrast.generation.decoding.decoding_options import Decoding
from paraphrast.generation.decoding.reversal import Reversal, Spellings
from paraphrast.generation.decoding.samplers import Ints
from paraphrast.generation.decoding.searches import Ended, Item, rank
from paraphrast.models.generator.language_model import LanguageModel

BOOSTS = (1.0, 10.0, 100.0)

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


class Attempts:
    """Decodes items with one model and one set of options."""

    def __init__(self, model: LanguageModel, decoding: Decoding) -> None:
        self._model = model
        self._decoding = decoding
        self._uses_beams = decoding.uses_beams
        self._pieces = model.pieces()
        end = model.end
        silent = [n for n, piece in enumerate(self._pieces) if not piece and n != end]
        # logits beyond the pieces are padding of the weights
        silent += range(len(self._pieces), model.vocabulary)
        self._silent: Ints = np.array(silent, np.int64)
        closing = [n for n, piece in enumerate(self._pieces) if piece.strip() in CLOSING]
        self._closing: Ints = np.array([*closing, end], np.int64)
        self._forbidden = Forbidden(decoding.forbid, self._pieces)
        self._spellings: dict[str, list[Ints]] = {}
        self._openings = Spellings(self._pieces if decoding.reverse else ())

    def decode(self, items: Sequence[Item], settled: Callable[[int], None]) -> list[ItemCandidates]:
        """Return what came of each item; `settled` is told the number of each that is done."""
        found = [_DrawResults() for _ in items]
        waiting = dict(enumerate(items))
        for attempt, boost in enumerate(BOOSTS):
            numbers = list(waiting)
            again: dict[int, Item] = {}
            planned = list(batches(list(waiting.values()), self._decoding))
            left = Counter(numbers[place] for batch in planned for place, _ in batch)
            for batch in planned:
                for place, texts in self._run(batch, boost, attempt):
                    number = numbers[place]
                    self._add(items[number], found[number], texts)
                    left[number] -= 1
                    if left[number]:
                        continue
                    wanting = self._wanting(waiting[number], found[number])
                    if wanting is None or attempt + 1 == len(BOOSTS):
                        settled(number)
                    else:
                        again[number] = wanting
            waiting = again
        return [self._item_candidates(each) for each in found]

    def _run(
        self, batch: Sequence[tuple[int, Item]], boost: float, attempt: int
    ) -> Iterator[tuple[int, dict[int, list[Ended]]]]:
        items = [item for _, item in batch]
        steering = Steering(
            self._decoding,
            items,
            end=self._model.end,
            silent=self._silent,
            closing=self._closing,
            forbidden=self._forbidden,
            reversals=[self._reversal(item) for item in items] if self._decoding.reverse else (),
            favoured=[self._favoured(item) for item in items] if boost > 1 else None,
            boost=boost,
        )
        ended = run(self._model, items, self._decoding, steering, self._pieces, attempt=attempt)
        return zip((place for place, _ in batch), ended, strict=True)

    def _add(self, item: Item, found: _DrawResults, members: dict[int, list[Ended]]) -> None:
        for member, texts in members.items():
            draw = 0 if self._uses_beams else member
            if not texts:
                found.reasons[draw] = NO_WAY_ON
            candidates = found.candidates.setdefault(draw, [])
            decoded = self._model.decode([ended.ids for ended in texts]) if texts else []
            for ended, text in zip(texts, map(str.strip, decoded), strict=True):
                if not text:
                    found.reasons[draw] = EMPTY
                elif forbidden_in(text, self._decoding.forbid) is not None:
                    found.reasons[draw] = FORBIDDEN
                else:
                    candidates.append(self._candidate(item, ended, text))

    def _candidate(self, item: Item, ended: Ended, text: str) -> Candidate:
        penalty = self._decoding.length_penalty if self._uses_beams else 1.0
        return Candidate(
            text=text,
            logprob=ended.logprob,
            tokens=len(ended.ids),
            ids=ended.ids,
            finished=ended.finished,
            score=rank(ended, penalty),
            missing=tuple(string for string in item.kept if not survives(string, text)),
        )

    def _wanting(self, item: Item, found: _DrawResults) -> Item | None:
        """Return the item, with the draws, that is lost or lacks a string the model can write."""
        if self._uses_beams:
            best = self._best(found.candidates.get(0, []))
            mends = any(map(self._spelled, item.kept))
            short = mends and len(best) < self._decoding.n
            return item if short or any(map(self._can_mend, best)) else None
        draws = []
        for draw in item.draws:
            chosen = _chosen(found.candidates[draw])
            if chosen is None or self._can_mend(chosen):
                draws.append(draw)
        return replace(item, draws=tuple(draws)) if draws else None

    def _can_mend(self, candidate: Candidate) -> bool:
        return any(self._spelled(string) for string in candidate.missing)

    def _item_candidates(self, found: _DrawResults) -> ItemCandidates:
        n = self._decoding.n
        if self._uses_beams:
            best = self._best(found.candidates.get(0, []))
            return ItemCandidates(list(best), Counter([TOO_FEW] * (n - len(best))))
        chosen = [_chosen(found.candidates[draw]) for draw in range(n)]
        reasons = (found.reasons[draw] for draw, each in enumerate(chosen) if each is None)
        return ItemCandidates(chosen, Counter(reasons))

    def _best(self, found: Sequence[Candidate]) -> list[Candidate]:
        """Return the n best distinct texts: finished first, then by what is lost, then by score."""
        ranked = sorted(found, key=lambda c: (*_flaws(c), -c.score, c.ids))
        distinct: dict[str, Candidate] = {}
        for candidate in ranked:
            distinct.setdefault(candidate.text, candidate)
        return list(distinct.values())[: self._decoding.n]

    def _favoured(self, item: Item) -> Favoured:
        return Favoured({string: self._spelled(string) for string in item.kept}, self._pieces)

    def _reversal(self, item: Item) -> Reversal:
        return Reversal(item.source.tolist(), self._openings)

    def _spelled(self, string: str) -> list[Ints]:
        """Return the sub-words of a string; nothing if the model cannot write it."""
        if string not in self._spellings:
            forms = [ids[:-1] for ids in self._model.targets([string, " " + string])]
            decoded = self._model.decode([ids.tolist() for ids in forms])
            self._spellings[string] = [
                ids for ids, text in zip(forms, decoded, strict=True) if text.strip() == string
            ]
        return self._spellings[string]


def _flaws(candidate: Candidate) -> tuple[bool, int]:
    """What makes a text worse than another, however likely: cut off, then kept strings lost."""
    return not candidate.finished, len(candidate.missing)


def _chosen(found: Sequence[Candidate]) -> Candidate | None:
    """Return the attempt with the least flaws, the earliest of them."""
    return min(found, key=_flaws, default=None)
