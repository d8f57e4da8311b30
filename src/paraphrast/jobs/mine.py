"""Mine paraphrase pairs: the function behind `paraphrast.mine` and `paraphrast mine`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, overload

from paraphrast.corpora.mine.mining import (
    SEARCHES,
    How,
    Mined,
    MinedPair,
    Stage,
    TextSource,
    mining,
    silent,
)
from paraphrast.corpora.mine.mining_folder import Weights
from paraphrast.corpora.mine.neighbours import Wanted
from paraphrast.errors import ConfigError, InputError, check_characters, did_you_mean
from paraphrast.io import Field, Rows, check_target, write_table
from paraphrast.io.fields import STDIN, check_format, label
from paraphrast.models.embedder.text_embedder import Embedder

TOP_K, THRESHOLD, MODEL = 5, 0.8, "minilm"
TABLES = ("jsonl", "tsv")


@dataclass(frozen=True, slots=True)
class MinedPairs(Sequence[MinedPair]):
    """Mined pairs, best first; `notes` say what was left out, and how the search was made."""

    pairs: tuple[MinedPair, ...]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    @overload
    def __getitem__(self, place: int) -> MinedPair: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[MinedPair, ...]: ...
    def __getitem__(self, place: int | slice) -> MinedPair | tuple[MinedPair, ...]:
        return self.pairs[place]


@dataclass(frozen=True, slots=True, kw_only=True)
class MineOptions:
    """The options that Python and the command line share; `mine` tells what they mean."""

    top_k: int = TOP_K
    threshold: float = THRESHOLD
    search: str | None = None
    keep_trivial: bool = False
    work: str | os.PathLike[str] | None = None
    model: str = MODEL
    threads: int | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not isinstance(self.top_k, int) or isinstance(self.top_k, bool) or self.top_k < 1:
            raise ConfigError(f"top_k must be a whole number, at least 1; got {self.top_k!r}")
        if not _is_number(self.threshold) or not 0 <= self.threshold <= 1:
            raise ConfigError(
                f"threshold must be a cosine from 0 to 1, for example 0.8; got {self.threshold!r}"
            )
        if not isinstance(self.keep_trivial, bool):
            raise ConfigError(f"keep_trivial must be true or false; got {self.keep_trivial!r}")
        if self.work is not None and not (
            isinstance(self.work, str | os.PathLike) and os.fspath(self.work)
        ):
            raise ConfigError(f"work must be the name of a folder; got {self.work!r}")
        if self.search is not None and self.search not in SEARCHES:
            near = did_you_mean(str(self.search), SEARCHES)
            raise ConfigError(
                f"unknown search {self.search!r}{near}; one of {', '.join(SEARCHES)} is needed"
            )


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def mine(
    texts: Iterable[str],
    others: Iterable[str] | None = None,
    *,
    top_k: int = TOP_K,
    threshold: float = THRESHOLD,
    search: str | None = None,
    keep_trivial: bool = False,
    work: str | os.PathLike[str] | None = None,
    model: str = MODEL,
    threads: int | None = None,
    device: str = "cpu",
) -> MinedPairs:
    """Return the pairs of texts whose sentence embeddings have a cosine of at least `threshold`.

    A pair that two texts have in common comes once. Best pairs come first, then those of the lowest
    rows. Empty texts, texts without a known sub-word and repetitions are left out; the notes of the
    result count them.

    texts: the texts to pair with each other, or with `others`.
    others: the texts to pair those of `texts` with.
    top_k: how many of the nearest texts each one is paired with at most.
    threshold: the lowest cosine of a pair, from 0 to 1.
    search: "exact" or "approximate" (faiss, extra `mine`); exact up to 100,000 texts unless given.
    keep_trivial: whether pairs equal but for case, white space and punctuation are kept.
    work: a folder that keeps the embeddings: a call that was stopped goes on from there, and
        another threshold or top_k needs no new ones.
    model: the embedder: "minilm", a folder, or a hub's org/name.
    threads: threads of the model and of faiss; as many as there are cores unless given.
    device: where the model runs: "cpu", or "cuda" where onnxruntime has it.
    """
    options = MineOptions(
        top_k=top_k,
        threshold=threshold,
        search=search,
        keep_trivial=keep_trivial,
        work=work,
        model=model,
        threads=threads,
        device=device,
    )
    if others is texts:
        raise ConfigError("texts and others are the same; to mine inside texts, leave others out")
    given = [("texts", texts)] + ([] if others is None else [("others", others)])
    sources = [TextSource(name, _checked(some, name)) for name, some in given]
    with _mining(sources, options, silent, None) as found:
        return MinedPairs(tuple(found), tuple(found.notes))


def mine_files(
    first: Field,
    other: Field | None = None,
    *,
    output: str | None = None,
    format: str | None = None,
    safe_cells: bool = False,
    options: MineOptions | None = None,
    stage: Stage = silent,
) -> list[str]:
    """Mine inside a file or between two, write the pairs and return the notes.

    `output` None is standard output; `safe_cells` is that of `write_table`; `stage` shows progress.
    """
    options = options or MineOptions()
    fields = [first] if other is None else [first, other]
    _check_files(fields, output, format)
    sources = [_source(field) for field in fields]
    with _mining(sources, options, stage, _beside(output)) as found:
        rows = (pair.to_dict() for pair in found)
        write_table(output, rows, format=format, safe_cells=safe_cells)
        return found.notes


@contextmanager
def _mining(
    sources: Sequence[TextSource], options: MineOptions, stage: Stage, beside: Path | None
) -> Iterator[Mined]:
    embedder = Embedder.load(options.model, threads=options.threads, device=options.device)
    card = embedder.card
    weights = Weights(f"{card.name} {card.model} {card.version}", card.fingerprint, card.width)
    wanted = Wanted(options.top_k, options.threshold, options.keep_trivial)
    work = None if options.work is None else Path(options.work)
    how = How(search=options.search, work=work, beside=beside, threads=options.threads)
    with mining(sources, embedder, weights, wanted, how, stage) as found:
        yield found


def _checked(texts: Any, name: str) -> Iterator[str]:
    """Yield texts given in Python, refusing all else; what is no list is refused at once."""
    if isinstance(texts, str):
        raise InputError(f"{name} must be a list of strings, not one string: write [{texts!r:.40}]")
    plain = isinstance(texts, Iterable) and not isinstance(texts, bytes | Mapping | Set)
    if not plain or hasattr(texts, "columns"):
        raise InputError(f"{name} must be a list of strings; got {type(texts).__name__}")
    return _each(texts, name)


def _each(texts: Iterable[Any], name: str) -> Iterator[str]:
    for row, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise InputError(f"{name}, row {row}: expected text, got {text!r:.40}")
        check_characters(text, f"{name}, row {row}")
        yield text


def _source(field: Field) -> TextSource:
    rows = Rows([field])
    return TextSource(label(field.path), _cells(rows, label(field.path)), rows.notes)


def _cells(rows: Rows, name: str) -> Iterator[str]:
    """Yield the texts of a column; null is an empty text."""
    for number, (value,) in enumerate(rows, start=1):
        if isinstance(value, list):
            raise InputError(f"{name}, row {number}: one text is needed, not a list")
        yield value or ""


def _check_files(fields: Sequence[Field], output: str | None, format: str | None) -> None:
    """Refuse what can be seen to be wrong before any work."""
    for field in fields:
        if field.path != STDIN and not os.path.exists(field.path):
            raise InputError(f"cannot read {field.path}: No such file or directory")
    if len(fields) == 2 and _same(*fields):
        raise ConfigError(
            f"{label(fields[0].path)} is given twice; to mine inside it, name it once"
        )
    if format is not None:
        check_format(format, TABLES)
    if output is None or output == STDIN:
        return
    check_target(output, table=format is None)
    real = os.path.realpath(output)
    for field in fields:
        if field.path != STDIN and os.path.realpath(field.path) == real:
            raise ConfigError(f"{field.path} is an input and would be written over")


def _same(one: Field, two: Field) -> bool:
    if STDIN in (one.path, two.path):
        return one.path == two.path
    columns = [field.column or "text" for field in (one, two)]  # what a table is read by
    return os.path.samefile(one.path, two.path) and columns[0] == columns[1]


def _beside(output: str | None) -> Path | None:
    """Return the file to work beside; a pipe or a device is no place for a folder."""
    if output is None or output == STDIN:
        return None
    path = Path(os.path.realpath(output))
    return path if path.is_file() or not path.exists() else None
