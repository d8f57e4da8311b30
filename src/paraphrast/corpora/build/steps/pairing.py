"""From translated sentences to pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from paraphrast.corpora.build.source_rows import places
from paraphrast.corpora.text_store import normal_form
from paraphrast.corpora.word_ids import word_tokeniser, words_label
from paraphrast.corpora.word_overlap import overlap, rates
from paraphrast.engine.step import Dropped, Row, Work
from paraphrast.errors import ConfigError, did_you_mean

TARGET, ROUND_TRIP, SOURCE = WAYS = ("target", "round-trip", "source")
EXACT_MATCH, EMPTY, NO_PAIR = "exact match", "empty", "nothing to pair"

_ORIGINS = {TARGET: "translation", ROUND_TRIP: "round-trip", SOURCE: "round-trip"}
_RANKS = ("perplexity", "logprob")  # of the sentence, kept among the scores


class _Found(NamedTuple):
    """Two texts, the systems that made them, and the way."""

    text1: str
    text2: str
    systems: tuple[str, ...]
    way: str


@dataclass(frozen=True, kw_only=True)
class PairStep:
    """Make pairs of each sentence's translations, for every two systems.

    The `ways`: "target" pairs two translations, "round-trip" two of their ways back, "source" the
    sentence with each way back (then one system made the pair). Pairs of equal normal form are
    dropped as exact matches, and those with an empty text. A pair's id is the sentence's with a
    number; `quality` is the sentence's own, among its `scores` is its perplexity.
    """

    ways: tuple[str, ...] = (TARGET,)
    systems: tuple[str, ...] = ()  # all of a row's unless given
    tokenize: str = "unicode"
    name: str = "pair"

    def __post_init__(self) -> None:
        word_tokeniser(self.tokenize)
        if not self.ways:
            raise ConfigError(f"name a way to pair: {', '.join(WAYS)}")
        for way in self.ways:
            if way not in WAYS:
                near = did_you_mean(way, WAYS)
                raise ConfigError(f"unknown way {way!r}{near}; known: {', '.join(WAYS)}")

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "step": "pair",
            "places": "lists",
            "ways": list(self.ways),
            "systems": list(self.systems),
            "tokenize": words_label(self.tokenize),
        }

    @contextmanager
    def open(self) -> Iterator[Work]:
        yield self._pairs

    def _pairs(self, rows: Sequence[Row]) -> Iterator[Row | Dropped]:
        found = [list(self._of(row)) for row in rows]
        flat = [pair for pairs in found for pair in pairs]
        counts = overlap([p.text1 for p in flat], [p.text2 for p in flat], self.tokenize)
        shares = iter(rates(*counts).tolist())
        for row, pairs in zip(rows, found, strict=True):
            if not pairs:
                yield Dropped(row, NO_PAIR, _lacking(row, self.ways))
            for number, pair in enumerate(pairs, 1):
                made = _row(row, pair, number, next(shares))
                reason = _against(pair)
                yield Dropped(made, reason, " and ".join(pair.systems)) if reason else made

    def _of(self, row: Row) -> Iterator[_Found]:
        text = row["text"]
        for way in self.ways:
            texts = row.get("translations" if way == TARGET else "back") or {}
            names = [name for name in self.systems or texts if name in texts]
            if way == SOURCE:
                yield from (_Found(text, texts[name] or "", (name,), way) for name in names)
            else:
                for one, two in combinations(names, 2):
                    yield _Found(texts[one] or "", texts[two] or "", (one, two), way)


def _against(pair: _Found) -> str:
    """Return why a pair is none."""
    if not (pair.text1.strip() and pair.text2.strip()):
        return EMPTY
    same = pair.text1 == pair.text2 or normal_form(pair.text1) == normal_form(pair.text2)
    return EXACT_MATCH if same else ""


def _lacking(row: Row, ways: Sequence[str]) -> str:
    names = list(row.get("translations") or row.get("back") or {})
    return f"{' and '.join(ways)}; there is {', '.join(names) or 'no translation'}"


def _row(row: Row, pair: _Found, number: int, share: float) -> Row:
    ranks = {rank: row[rank] for rank in _RANKS if rank in row}
    return {
        "id": f"{row['id']}-{number:02d}",
        "text1": pair.text1,
        "text2": pair.text2,
        "overlap": share,
        "quality": row.get("quality"),
        "origin": _ORIGINS[pair.way],
        "systems": list(pair.systems),
        "source": row["text"],
        **places([row]),
        "scores": {**ranks, **(row.get("scores") or {})},
        "label": None,
    }
