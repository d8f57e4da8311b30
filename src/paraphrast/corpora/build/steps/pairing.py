"""From translated sentences to pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from paraphrast.corpora.build.build_step import PAIRS, TRANSLATED, BuildStep, build_step
from paraphrast.corpora.build.source_rows import places
from paraphrast.corpora.build.steps.translation import translating
from paraphrast.corpora.text_store import normal_form
from paraphrast.corpora.translators.translator import System
from paraphrast.corpora.word_ids import word_tokeniser, words_label
from paraphrast.corpora.word_overlap import overlap, rates
from paraphrast.engine.step import Dropped, Row, Work
from paraphrast.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from paraphrast.corpora.build.corpus_recipe import CorpusRecipe
    from paraphrast.corpora.build.recipe_run import RecipeRun


TARGET, ROUND_TRIP, SOURCE = WAYS = ("target", "round-trip", "source")
EXACT_MATCH, EMPTY, NO_PAIR = "exact match", "empty", "nothing to pair"

_ORIGINS = {TARGET: "translation", ROUND_TRIP: "round-trip", SOURCE: "round-trip"}
_RANKS = ("perplexity", "logprob")  # of the sentence, kept among the scores


class _TextPair(NamedTuple):
    """Two texts, the systems that made them, and the way."""

    text1: str
    text2: str
    systems: tuple[str, ...]
    way: str


@build_step("pair", takes=(TRANSLATED,), gives=PAIRS)
@dataclass(frozen=True, kw_only=True)
class PairStep(BuildStep):
    """Make pairs of each sentence's translations, for every two systems.

    The `ways`: "target" pairs two translations, "round-trip" two of their ways back, "source" the
    sentence with each way back (then one system made the pair). Pairs of equal normal form are
    dropped as exact matches, and those with an empty text. A pair's id is the sentence's with a
    number; `quality` is the sentence's own, among its `scores` is its perplexity.
    """

    ways: tuple[str, ...] = (TARGET,)
    systems: tuple[str, ...] = ()  # all of a row's unless given
    tokenize: str = "unicode"
    name: ClassVar[str] = "pair"

    def __post_init__(self) -> None:
        word_tokeniser(self.tokenize)
        if not self.ways:
            raise ConfigError(f"ways is empty; name a way to pair: {', '.join(WAYS)}")
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

    def check_place(self, recipe: CorpusRecipe, number: int) -> None:
        systems, ways = translating(recipe), " and ".join(self.ways)
        if len(systems) < 2 and set(self.ways) & {TARGET, ROUND_TRIP}:
            names = ", ".join(system.name for system in systems)
            raise ConfigError(
                f"{ways} needs at least two systems; sentences are translated with {names} only"
            )
        _check_same("source", systems, "one sentence has one language")
        if TARGET in self.ways:
            _check_same("target", systems, "their translations are no paraphrases of each other")
            there = systems[0].forward
            if set(self.ways) != {TARGET} and there.source != there.target:
                raise ConfigError(
                    f"{ways}: target gives pairs in {there.target}, the other ways in "
                    f"{there.source}; make a corpus of each"
                )
        lacking = [system.name for system in systems if system.backward is None]
        if lacking and set(self.ways) != {TARGET}:
            raise ConfigError(
                f"{ways}: round trips need a way back, which {', '.join(lacking)} has not; give it "
                "back_modes or back_command"
            )

    def apply(self, run: RecipeRun) -> None:
        run.each_row(self)
        run.pool = run.last

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
                new = _row(row, pair, number, next(shares))
                reason = _against(pair)
                yield Dropped(new, reason, " and ".join(pair.systems)) if reason else new

    def _of(self, row: Row) -> Iterator[_TextPair]:
        text = row["text"]
        for way in self.ways:
            texts = row.get("translations" if way == TARGET else "back") or {}
            names = [name for name in self.systems or texts if name in texts]
            if way == SOURCE:
                yield from (_TextPair(text, texts[name] or "", (name,), way) for name in names)
            else:
                for one, two in combinations(names, 2):
                    yield _TextPair(texts[one] or "", texts[two] or "", (one, two), way)


def in_target_language(recipe: CorpusRecipe) -> bool:
    """Tell whether the pairs are in the language that is translated into, and that is another."""
    ways = {way for step in recipe.steps if isinstance(step, PairStep) for way in step.ways}
    other = any(one.forward.source != one.forward.target for one in translating(recipe))
    return TARGET in ways and other


def _check_same(side: str, systems: Sequence[System], why: str) -> None:
    """Refuse systems that differ in their source or target language."""
    if len({getattr(system.forward, side) for system in systems}) > 1:
        listed = ", ".join(f"{one.name} ({getattr(one.forward, side)})" for one in systems)
        raise ConfigError(f"the systems differ in {side}: {listed}; {why}")


def _against(pair: _TextPair) -> str:
    """Return why a pair is none."""
    if not (pair.text1.strip() and pair.text2.strip()):
        return EMPTY
    same = pair.text1 == pair.text2 or normal_form(pair.text1) == normal_form(pair.text2)
    return EXACT_MATCH if same else ""


def _lacking(row: Row, ways: Sequence[str]) -> str:
    names = list(row.get("translations") or row.get("back") or {})
    return f"{' and '.join(ways)}; there is {', '.join(names) or 'no translation'}"


def _row(row: Row, pair: _TextPair, number: int, share: float) -> Row:
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
