"""Mine paraphrase pairs: texts to disk, vectors to disk, search, sort."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from paraphrast.corpora.mine import approximate
from paraphrast.corpora.mine.exact import ExactSearch
from paraphrast.corpora.mine.mining_folder import Entry, Weights, Work, opened
from paraphrast.corpora.mine.neighbours import (
    MOST_TEXTS,
    Neighbours,
    NeighbourSearch,
    Packed,
    SearchSide,
    Wanted,
    unpacked,
)
from paraphrast.corpora.mine.vectors import SHARD, SentenceEmbedder, Vectors, embed, shards
from paraphrast.corpora.text_store import LONGEST, StoredTexts, examine, store
from paraphrast.engine.step import Advance
from paraphrast.errors import InputError

EXACT, APPROXIMATE = SEARCHES = ("exact", "approximate")
EXACT_UP_TO = 100_000  # texts of one file; between two files, as many comparisons

Stage = Callable[[str, int], AbstractContextManager[Advance]]
"""From the name of a stage and the number of texts in it to a function that counts them."""

_PAIRS = ".paraphrast-pairs.tmp"
_READ_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class MinedPair:
    """Two texts, the cosine of their vectors to four decimals, and their rows, counted from 1."""

    score: float
    a: str
    b: str
    row_a: int
    row_b: int

    def to_dict(self) -> dict[str, object]:
        """Return the pair as the command writes it."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class TextSource:
    """Texts with a name for messages; the notes are complete when all texts were read."""

    name: str
    texts: Iterable[str]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class How:
    """How to search, and where to work."""

    search: str | None = None
    work: Path | None = None
    beside: Path | None = None
    threads: int | None = None
    shard: int = SHARD


@dataclass(frozen=True, slots=True)
class Mined:
    """What was found: iterate over the pairs while the work folder is there."""

    pairs: int
    notes: list[str]
    _path: Path
    _texts: tuple[StoredTexts, StoredTexts]

    def __iter__(self) -> Iterator[MinedPair]:
        ours, theirs = self._texts
        for block in read_sorted(self._path):
            scores, ones, twos = (values.tolist() for values in unpacked(block))
            for score, one, two in zip(scores, ones, twos, strict=True):
                rows = int(ours.rows[one]), int(theirs.rows[two])
                yield MinedPair(score, ours[one], theirs[two], *rows)


def silent(_name: str, _total: int) -> AbstractContextManager[Advance]:
    """Show no progress."""
    return nullcontext(lambda _done: None)


@contextmanager
def mining(
    sources: Sequence[TextSource],
    embedder: SentenceEmbedder,
    weights: Weights,
    wanted: Wanted,
    how: How,
    stage: Stage = silent,
) -> Iterator[Mined]:
    """Mine inside one source or between two; yields the pairs while the work folder exists."""
    if how.search == APPROXIMATE:
        approximate.faiss()  # before hours of work
    with opened(how.work, weights, shard=how.shard, beside=how.beside) as work:
        pairs = work.folder / _PAIRS
        try:
            with _room(how.work):
                entries = _read(work, sources)
                texts = [StoredTexts(work.side(number)) for number in range(len(sources))]
                notes = _input_notes(sources, entries)
                _check_sizes(entries, texts)
                search = _search_kind(how.search, texts, notes)
                sides = _sides(work, texts, entries, embedder, stage, notes)
                notes += _trivial_note(sides, wanted)
                found = _found(work, sides, search, wanted, how.threads, stage)
                count = write_sorted(found, pairs)
            notes += [] if count else [f"no pair reaches the threshold of {wanted.threshold:g}"]
            yield Mined(count, notes, pairs, (texts[0], texts[-1]))
        finally:
            pairs.unlink(missing_ok=True)


@contextmanager
def _room(work: Path | None) -> Iterator[None]:
    """Say what to do about a full disk."""
    try:
        yield
    except InputError as error:
        cause = error.__cause__
        if not isinstance(cause, OSError) or cause.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        fix = (
            f"what is finished stays in {work}: make room and run the same command again"
            if work
            else "make room, or name a folder on a larger disk with --work"
        )
        raise InputError(f"{error}; {fix}") from cause


def _read(work: Work, sources: Sequence[TextSource]) -> list[Entry]:
    """Take the texts in, or check that they are those the folder was made from.

    Texts that are damaged on disk are taken in again.
    """
    known = work.inputs
    if known is None or not work.texts_are_whole():
        entries = [
            Entry.of(source.name, store(source.texts, work.side(number)))
            for number, source in enumerate(sources)
        ]
        if known and [entry.sha256 for entry in known] != [entry.sha256 for entry in entries]:
            raise work.differs([(entry.name, entry.texts, entry.sha256) for entry in entries])
        work.set_inputs(entries)
        return entries
    now = [(source.name, *examine(source.texts)) for source in sources]
    if [(entry.texts, entry.sha256) for entry in known] != [(n, sha) for _, n, sha in now]:
        raise work.differs(now)
    return [replace(entry, name=name) for entry, (name, *_) in zip(known, now, strict=True)]


def _input_notes(sources: Sequence[TextSource], entries: Sequence[Entry]) -> list[str]:
    notes = []
    for source, entry in zip(sources, entries, strict=True):
        notes += source.notes
        if entry.empty:
            notes.append(f"{entry.name}: left out {_many(entry.empty, 'empty text')}")
        if entry.long:
            long = f"{_many(entry.long, 'text')} of more than {LONGEST:,} characters"
            notes.append(f"{entry.name}: left out {long}; split them into sentences")
        if entry.repeated:
            repeats = _many(entry.repeated, "text")
            notes.append(f"{entry.name}: left out {repeats} that an earlier row holds already")
    return notes


def _check_sizes(entries: Sequence[Entry], texts: Sequence[StoredTexts]) -> None:
    needed = 2 if len(texts) == 1 else 1
    for entry, distinct in zip(entries, texts, strict=True):
        if len(distinct) < needed:
            raise _too_few(entry, len(distinct), needed)
        if len(distinct) > MOST_TEXTS:
            raise InputError(
                f"{entry.name} has {len(distinct):,} distinct texts; at most {MOST_TEXTS:,} can "
                "be mined at once: split the file, and mine the parts and between them"
            )


def _too_few(entry: Entry, left: int, needed: int) -> InputError:
    why = "a pair takes two" if needed == 2 else "there is nothing to pair"
    return InputError(
        f"{entry.name}: of {_many(entry.texts, 'text')}, {left} can be mined (empty, repeated and "
        f"very long ones and those without a known sub-word are left out); {why}"
    )


def _search_kind(wanted: str | None, texts: Sequence[StoredTexts], notes: list[str]) -> str:
    if wanted is not None:
        return wanted
    if len(texts[0]) * len(texts[-1]) <= EXACT_UP_TO**2:
        return EXACT
    approximate.faiss()
    notes.append(
        f"searched approximately, as is the default above {EXACT_UP_TO:,} texts: a few pairs may "
        "be missing; --search exact finds all"
    )
    return APPROXIMATE


def _sides(
    work: Work,
    texts: Sequence[StoredTexts],
    entries: Sequence[Entry],
    embedder: SentenceEmbedder,
    stage: Stage,
    notes: list[str],
) -> list[SearchSide]:
    """Embed what is not embedded yet; texts without a direction cannot be used."""
    sides, taken = [], 0
    with stage("embedding", sum(map(len, texts))) as advance:
        for number, some in enumerate(texts):
            place, width = work.side(number), work.weights.width
            taken += embed(some, embedder, place, width=width, size=work.shard, advance=advance)
            vectors = Vectors(place, len(some), work.shard)
            sides.append(SearchSide(vectors, some.keys, vectors.directed()))
    if taken:
        all_shards = sum(shards(len(some), work.shard) for some in texts)
        notes.append(f"{work.folder}: {taken} of {all_shards} shards were there already")
    for entry, some, side in zip(entries, texts, sides, strict=True):
        left = int(side.usable.sum())
        if unknown := len(side.usable) - left:
            what = f"{_many(unknown, 'text')} without a sub-word that the model knows"
            row = some.rows[np.argmin(side.usable)]
            notes.append(f"{entry.name}: left out {what}, the first in row {row:,}")
        if left < (2 if len(sides) == 1 else 1):
            raise _too_few(entry, left, 2 if len(sides) == 1 else 1)
    return sides


def _trivial_note(sides: Sequence[SearchSide], wanted: Wanted) -> list[str]:
    if wanted.keep_trivial:
        return []
    counts = [np.unique(side.keys[side.usable], return_counts=True) for side in sides]
    if len(sides) == 1:
        equal = int((counts[0][1] * (counts[0][1] - 1) // 2).sum())
    else:
        _, ours, theirs = np.intersect1d(counts[0][0], counts[1][0], return_indices=True)
        equal = int((counts[0][1][ours] * counts[1][1][theirs]).sum())
    kind = "equal but for case, white space and punctuation; --keep-trivial keeps them"
    return [f"left out {_many(equal, 'pair')} {kind}"] if equal else []


def _found(
    work: Work,
    sides: Sequence[SearchSide],
    search: str,
    wanted: Wanted,
    threads: int | None,
    stage: Stage,
) -> Iterator[Packed]:
    ours, theirs = sides[0], sides[-1]
    with approximate.using(threads) if search == APPROXIMATE else nullcontext():
        engine: NeighbourSearch = ExactSearch(theirs.vectors)
        if search == APPROXIMATE:
            engine = approximate.ApproximateSearch(_index(work, theirs.vectors, stage))
        with stage("searching", len(ours.vectors)) as advance:
            yield from Neighbours(ours, theirs, engine, wanted).pairs(advance)


def _index(work: Work, vectors: Vectors, stage: Stage) -> object:
    if work.has_index():
        return approximate.load_index(work.index, vectors)
    with stage("indexing", len(vectors)) as advance:
        index = approximate.build_index(vectors, advance)
    approximate.save_index(index, work.index)
    work.set_index()
    return index


# Pairs on disk: each is one number of 64 bits, so the system pages the file in and out and memory
# stays bounded however many pairs there are.


def write_sorted(pairs: Iterable[Packed], path: Path) -> int:
    """Write all pairs to a file, best first and each once; return how many they are."""
    try:
        with path.open("wb") as file:
            for block in pairs:
                file.write(block.tobytes())
        if not path.stat().st_size:
            return 0
        found = np.memmap(path, dtype=np.uint64, mode="r+")
        found.sort()
        found.flush()
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    return sum(len(block) for block in read_sorted(path))


def read_sorted(path: Path) -> Iterator[Packed]:
    """Yield the pairs of a file that `write_sorted` wrote, a block at a time."""
    if not path.stat().st_size:
        return
    found: Packed = np.memmap(path, dtype=np.uint64, mode="r")
    for start in range(0, len(found), _READ_AT_ONCE):
        block = np.array(found[start : start + _READ_AT_ONCE])
        new = np.ones(len(block), dtype=np.bool_)
        new[1:] = block[1:] != block[:-1]
        new[0] = start == 0 or found[start - 1] != block[0]
        yield block[new]


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
