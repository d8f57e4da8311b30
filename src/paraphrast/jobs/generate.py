"""Write paraphrases: the function behind `paraphrast.generate` and `paraphrast generate`."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import islice
from typing import Any, overload

import numpy as np

from paraphrast.errors import ConfigError, InputError, check_characters, did_you_mean
from paraphrast.generation.decoding.constraints import survives
from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.generation.decoding.decoding_options import BEAMS, refuse_unread
from paraphrast.generation.passages import cut, joined
from paraphrast.generation.selection.candidate_choice import Choice, Chooser, Selection
from paraphrast.io import chunks
from paraphrast.jobs.tag import Tagger
from paraphrast.meaning.tagged_pair import TaggedPair
from paraphrast.models.generator.generator_loading import card_of, load_generator, told_to_copy
from paraphrast.models.generator.language_model import LanguageModel
from paraphrast.models.scripts import language_note, letters
from paraphrast.text.words import WordText

MODEL, JUDGE, METHOD = "paraphraser", "mini", "top-p"
SELECT = "harmonic:w=3 + quality + 0.3*logprob"
POOL, FLOOR, SUPPORT, SEED = 10, 0.9, 0.85, 12345
TEMPERATURE, VARIED, COPIED = 0.7, 0.85, 0.55  # of one text, of several; 1 if novel ones
AT_ONCE = 64  # sources that are held while they are worked on
_OURS = ("method", "n", "seed", "keep", "forbid", "protect")  # of Decoding, given by name below
_STEERED = tuple(each.name for each in fields(Decoding) if each.name not in _OURS)
_LISTED = 5  # strings that a note names
HOTTER, CAUTIOUS = 0.9, 0.75  # temperature of a second pool, and how much to copy in it
_AIM = 0.05  # a generator is asked for a little more novelty than the least


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOptions:
    """The options that Python and the command line share; `generate` tells what they mean."""

    n: int = 1
    method: str = METHOD
    pool: int | None = None
    select: str = SELECT
    novelty: float | None = None
    floor: float | None = FLOOR
    quality: float | None = None
    support: float | None = SUPPORT
    required: bool = False
    diverse: bool = False
    keep: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    protect: bool = True
    seed: int = SEED
    steering: dict[str, Any] = field(default_factory=dict)
    model: str = MODEL
    judge: str = JUDGE
    check: str | None = None
    threads: int | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        for name in self.steering:
            if name not in _STEERED:
                near = did_you_mean(name, _STEERED)
                raise ConfigError(f"generate has no option {name!r}{near}")
        for name in ("n", "pool", "seed"):
            if isinstance(value := getattr(self, name), np.integer):
                object.__setattr__(self, name, int(value))
        self.selection()
        refuse_unread(self.decoding(), self.steering)

    def selection(self) -> Selection:
        """Return how candidates are chosen."""
        return Selection(
            n=self.n,
            select=self.select,
            novelty=self.novelty,
            floor=self.floor,
            quality=self.quality,
            support=self.support,
            required=self.required,
            diverse=self.diverse,
            protect=self.protect,
            shorter=self.steering.get("shorten") is not None,
            judge=self.judge,
            check=self.check,
        )

    def decoding(self) -> Decoding:
        """Return how candidates are written: as many as the pool is to hold."""
        pool = self._pool()
        more = dict(self.steering)
        if self.method in BEAMS:
            more.setdefault("beams", pool)
        elif self.method == METHOD:
            usual = TEMPERATURE if self.n == 1 else VARIED
            more.setdefault("temperature", usual if self.novelty is None else 1.0)
        return Decoding(
            method=self.method,
            n=pool,
            keep=tuple(self.keep),
            forbid=tuple(self.forbid),
            protect=self.protect,
            seed=self.seed,
            **more,
        )

    def hotter(self) -> Decoding | None:
        """Return how a second pool is written for texts without an output.

        None where the caller said how to draw: another method, a pool, a temperature or a novelty.
        """
        given = self.pool is not None or self.novelty is not None or "temperature" in self.steering
        if given or self.method != METHOD:
            return None
        return replace(self.decoding(), temperature=HOTTER, seed=self.seed + 1)

    def _pool(self) -> int:
        if self.method == "greedy":
            pool = 1 if self.pool is None else self.pool
            if self.n > 1 or pool != 1:
                raise ConfigError(
                    f"greedy writes one text for each source, so n={self.n} and pool="
                    f"{pool} must be 1; choose a sampled method or beam"
                )
            return 1
        beams = self.steering.get("beams") if self.method in BEAMS else None
        usual = max(POOL, 2 * self.n) if beams is None else beams
        pool = usual if self.pool is None else self.pool
        if not isinstance(pool, int) or isinstance(pool, bool) or pool < 1:
            raise ConfigError(f"pool must be a whole number, at least 1; got {pool!r}")
        if pool < self.n:
            raise ConfigError(
                f"n={self.n} is more than the {pool} candidates that are written for a source; "
                f"raise pool{' or beams' if beams else ''}"
            )
        if isinstance(beams, int) and pool > beams:
            raise ConfigError(
                f"pool={pool} is more than the {beams} texts that beams={beams} can give; lower "
                "pool or raise beams"
            )
        return pool


@overload
def generate(texts: str, **options: Any) -> Choice: ...
@overload
def generate(texts: Iterable[str], **options: Any) -> list[Choice]: ...
def generate(
    texts: str | Iterable[str],
    *,
    n: int = 1,
    method: str = METHOD,
    pool: int | None = None,
    select: str = SELECT,
    novelty: float | None = None,
    floor: float | None = FLOOR,
    quality: float | None = None,
    support: float | None = SUPPORT,
    diverse: bool = False,
    keep: Sequence[str] = (),
    forbid: Sequence[str] = (),
    protect: bool = True,
    seed: int = SEED,
    model: str = MODEL,
    judge: str = JUDGE,
    check: str | None = None,
    threads: int | None = None,
    device: str = "cpu",
    **steering: Any,
) -> Choice | list[Choice]:
    """Return up to `n` paraphrases of each text, best first, with their scores; nothing is sent.

    `method` writes a `pool` of candidates for each text: 10, or twice n, unless given; top-p at a
    temperature of 0.7, 0.85 for n above 1, 1 for novelty, unless given. `select` ranks them:
    "harmonic:w=3", "quality", "cosine", "mbr:chrf", "logprob", any metric held against the source,
    or a weighted sum of these. `keep`, `protect`, `novelty`, `floor`, `support`, `quality` and
    `check` refuse some (see `Selection`); if too few remain, `note` says why. `diverse` chooses the
    n farthest from each other. A long text is taken sentence by sentence, and one without a
    paraphrase stays as it was, which `note` tells too. `steering` takes the other options of
    decoding: temperature, top_k, top_p, typical, beams, groups, repetition_penalty, no_repeat,
    min_length, max_length, reverse, shorten and so on. One text gives one Choice, several a list.
    """
    options = GenerateOptions(
        n=n,
        method=method,
        pool=pool,
        select=select,
        novelty=novelty,
        floor=floor,
        quality=quality,
        support=support,
        diverse=diverse,
        keep=_several("keep", keep),
        forbid=_several("forbid", forbid),
        protect=protect,
        seed=seed,
        steering=steering,
        model=model,
        judge=judge,
        check=check,
        threads=threads,
        device=device,
    )
    found = _generated([texts] if isinstance(texts, str) else texts, options)
    return found[0] if isinstance(texts, str) else found


def _generated(texts: Iterable[str], options: GenerateOptions) -> list[Choice]:
    sources = list(_checked(texts))
    writer = Paraphraser(options)
    found = [choice for block in chunks(sources, AT_ONCE) for choice in writer.write(block)]
    for note in [*writer.notes(), *Tally.of(found, options.n).notes()]:
        warnings.warn(note, UserWarning, stacklevel=3)
    return found


@dataclass(slots=True)
class Tally:
    """Counts sources that have fewer paraphrases than were asked for."""

    wanted: int
    sources: int = 0
    without: int = 0
    fewer: int = 0

    @classmethod
    def of(cls, found: Iterable[Choice], wanted: int) -> Tally:
        """Count what was found."""
        tally = cls(wanted)
        for choice in found:
            tally.count(len(choice.candidates))
        return tally

    def count(self, found: int) -> None:
        """Count a source with so many paraphrases."""
        self.sources += 1
        self.without += not found
        self.fewer += 0 < found < self.wanted

    def notes(self) -> list[str]:
        """Return what fell short."""
        notes = []
        if self.without:
            notes.append(f"{self.without:,} of {self.sources:,} sources have no paraphrase")
        if self.fewer:
            notes.append(f"{self.fewer:,} have fewer than the {self.wanted} asked for")
        return notes


class Paraphraser:
    """A generator and what chooses from its candidates; counts what falls short."""

    def __init__(self, options: GenerateOptions) -> None:
        self.options = options
        place: dict[str, Any] = {"threads": options.threads, "device": options.device}
        self.model: LanguageModel = load_generator(options.model, **place)
        asked = COPIED if options.novelty is None else max(0.0, 1 - options.novelty - _AIM)
        self.model = told_to_copy(self.model, asked)
        self._decoding = options.decoding()
        self._chooser = Chooser(options.selection(), **place)
        self._chooser.prepare()
        self._hotter = options.hotter()
        self._absent = dict.fromkeys(options.keep)  # strings that no source has had so far
        self._shortfalls: Counter[str] = Counter()
        self._letters = self._foreign = 0

    def look(self, source: str) -> None:
        """Take note of a source that is written for, or was."""
        for string in [each for each in self._absent if survives(each, source)]:
            del self._absent[string]

    def write(
        self, sources: Sequence[str], advance: Callable[[int], None] | None = None
    ) -> list[Choice]:
        """Return a choice for each source."""
        card = card_of(self.model)
        for source in sources:
            self.look(source)
        for source in sources if card else ():
            total, foreign = letters(source, card.languages if card else ())
            self._letters += total
            self._foreign += foreign
        plans = [cut(source) for source in sources]
        parts = [part.text for plan in plans for part in plan]
        single = len(parts) == len(sources)
        found = decode(
            self.model,
            parts,
            self._decoding,
            advance=advance if single else None,
            shortfalls=self._shortfalls,
        )
        choices = iter(self._again(parts, self._chooser.choose(parts, found)))
        if advance and not single:
            advance(len(sources))
        return [
            joined(source, plan, [next(choices) for _ in plan], self.options.n)
            for source, plan in zip(sources, plans, strict=True)
        ]

    def _again(self, parts: Sequence[str], choices: list[Choice]) -> list[Choice]:
        """Write a second pool for the texts without an output, hotter and nearer to the source."""
        lacking = [n for n, one in enumerate(choices) if parts[n].strip() and not one.candidates]
        if self._hotter is None or not lacking:
            return choices
        texts = [parts[number] for number in lacking]
        model = told_to_copy(self.model, CAUTIOUS)
        found = decode(model, texts, self._hotter, shortfalls=self._shortfalls)
        for number, new in zip(lacking, self._chooser.choose(texts, found), strict=True):
            kept = tuple(replace(one, why=f"{one.why}, of a second pool") for one in new.candidates)
            rejected = (*choices[number].rejected, *new.rejected)
            choices[number] = replace(new, candidates=kept, rejected=rejected)
        return choices

    def notes(self) -> list[str]:
        """Return what a reader of the results has to know."""
        notes = list(self._chooser.notes)
        card = card_of(self.model)
        foreign = language_note(self._letters, self._foreign, card) if card else None
        notes += [foreign] if foreign else []
        if self._absent:
            listed = ", ".join(map(repr, islice(self._absent, _LISTED)))
            more = ", …" if len(self._absent) > _LISTED else ""
            count, every = len(self._absent), len(set(self.options.keep))
            notes.append(f"{count:,} of {every:,} strings to keep stand in no text: {listed}{more}")
        notes += [f"{count:,} candidates fewer: {why}" for why, count in self._shortfalls.items()]
        return notes


@dataclass(frozen=True, slots=True)
class Written:
    """A choice, and the tagged differences of each of its candidates if they were asked for."""

    choice: Choice
    tagged: tuple[TaggedPair, ...] = ()

    def to_dict(self, *, rejected: bool = True) -> dict[str, Any]:
        """Return a row of JSONL."""
        candidates = [asdict(kept) for kept in self.choice.candidates]
        for candidate, pair in zip(candidates, self.tagged, strict=False):
            candidate["differences"] = pair.to_dict()
        row: dict[str, Any] = {"source": self.choice.source, "candidates": candidates}
        if rejected:
            row["rejected"] = [asdict(each) for each in self.choice.rejected]
        return row | ({"note": self.choice.note} if self.choice.note else {})


def written_rows(
    writer: Paraphraser,
    sources: Iterable[str],
    *,
    explain: bool = False,
    advance: Callable[[int], None] | None = None,
) -> Iterator[Written]:
    """Yield what is written for each source, reading some at a time."""
    options = writer.options
    place: dict[str, Any] = {"threads": options.threads, "device": options.device}
    tagger = Tagger.load(options.judge, **place) if explain else None
    for block in chunks(sources, AT_ONCE):
        choices = writer.write(block, advance)
        if tagger is None:
            yield from map(Written, choices)
            continue
        pairs = [
            (WordText.of(choice.source), WordText.of(kept.text))
            for choice in choices
            for kept in choice.candidates
        ]
        tagged = iter(tagger.tag(pairs))
        for choice in choices:
            yield Written(choice, tuple(next(tagged) for _ in choice.candidates))


def _several(name: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, Iterable):
        raise ConfigError(f"{name} takes several strings; write {name}=['…']; got {given!r:.40}")
    return (given,) if isinstance(given, str) else tuple(given)


def _checked(texts: Any) -> Iterator[str]:
    if isinstance(texts, bytes | dict | set) or not isinstance(texts, Iterable):
        raise InputError(f"texts must be a list of strings; got {type(texts).__name__}")
    for row, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise InputError(f"texts, row {row}: expected text, got {text!r:.40}")
        check_characters(text, f"texts, row {row}")
        yield text
