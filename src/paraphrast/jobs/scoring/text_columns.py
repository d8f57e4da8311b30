"""Texts from Python become checked chunks; whatever is wrong is named with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, Protocol

from paraphrast.errors import ConfigError, InputError, check_characters
from paraphrast.types import Chunk

CHUNK = 4096
Order = Literal["segment", "reference"]


class ArrayColumn(Protocol):
    """A column of numpy, pandas, polars or Arrow: it has a length and can be gone through."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    @property
    def dtype(self) -> Any: ...


class ArrowColumn(Protocol):
    """A column of Arrow: an array, or one in chunks."""

    def __len__(self) -> int: ...
    def to_pylist(self) -> list[Any]: ...


TextColumn = Sequence[str] | ArrayColumn | ArrowColumn
"""A text for each segment: a list, or a column of numpy, pandas, polars or Arrow."""

Texts = TextColumn | Sequence[Sequence[str]]
"""A text, or a list of texts, for each segment."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """Checked texts, cut into chunks as often as one asks."""

    systems: dict[str, list[list[str]]]
    refs: list[list[str]] | None
    sources: list[str] | None
    trees: dict[str, list[list[str]]] | None

    def __iter__(self) -> Iterator[Chunk]:
        return _cut(self.systems, self.refs, self.sources, self.trees)

    def references(self) -> Iterator[list[str]]:
        """Yield the references of all segments, one list after another, in pieces."""
        for chunk in self:
            yield list(chain.from_iterable(chunk.references or ()))


def python_chunks(
    candidates: Texts | Mapping[str, Texts],
    references: Texts | None,
    sources: TextColumn | None,
    trees: Texts | Mapping[str, Texts] | None,
    references_by: Order,
) -> tuple[list[str], Chunks]:
    """Return the systems' names and the chunks; every argument is checked before any work."""
    systems = _systems(candidates, "candidates")
    size = len(next(iter(systems.values())))
    for name, texts in systems.items():
        if len(texts) != size:
            first = next(iter(systems))
            raise InputError(
                f"system {name!r} has {len(texts)} candidates but {first!r} has {size}; "
                "every system must answer the same segments"
            )
    refs = None if references is None else _references(references, size, references_by)
    srcs = None if sources is None else _sources(sources, size)
    parsed = None if trees is None else _trees(trees, systems)
    return list(systems), Chunks(systems, refs, srcs, parsed)


def _cut(
    systems: dict[str, list[list[str]]],
    references: list[list[str]] | None,
    sources: list[str] | None,
    trees: dict[str, list[list[str]]] | None,
) -> Iterator[Chunk]:
    for start in range(0, len(next(iter(systems.values()))), CHUNK):
        part = slice(start, start + CHUNK)
        yield Chunk(
            start,
            {name: texts[part] for name, texts in systems.items()},
            references and references[part],
            sources and sources[part],
            trees and {name: texts[part] for name, texts in trees.items()},
        )


def _systems(given: Texts | Mapping[str, Texts], what: str) -> dict[str, list[list[str]]]:
    if not isinstance(given, Mapping):
        return {"": _sets(given, what)}
    if not given:
        raise InputError(f"{what}: no system given")
    if len(set(map(str, given))) != len(given):
        raise InputError(f"{what}: two systems have the same name as text: {list(given)!r:.60}")
    return {str(name): _sets(texts, f"{what} of {name!r}") for name, texts in given.items()}


def _listed(given: Any, what: str) -> list[Any]:
    """Turn a sequence into a list; a string, a table or a set, which has no order, is not one."""
    if isinstance(given, str):
        raise InputError(f"{what} must be a list of strings, not one string: write [{given!r:.40}]")
    if hasattr(given, "columns"):
        raise InputError(f"{what} must be a list of strings, not a table; choose a column")
    if getattr(given, "ndim", 1) == 0:
        raise InputError(f"{what} must be a list of strings; got an array without a dimension")
    if not isinstance(given, Iterable) or isinstance(given, bytes | bytearray | Mapping | Set):
        raise InputError(f"{what} must be a list of strings; got {type(given).__name__}")
    items = _python_list(given)
    if not items:
        raise InputError(f"{what} is empty: there is nothing to score")
    return items


def _python_list(given: Any) -> list[Any]:
    """Return the items; columns of Arrow and polars give their values as Python's own."""
    for method in ("to_pylist", "to_list"):
        if hasattr(given, method):
            return list(getattr(given, method)())
    return list(given)


def _sets(given: Any, what: str) -> list[list[str]]:
    """Return the texts of each segment; plain strings become sets of one."""
    items = _listed(given, what)
    if all(isinstance(item, str) for item in items):
        return _sound([[item] for item in items], what)
    rows = [_strings(item, f"{what}, segment {row}") for row, item in enumerate(items, 1)]
    return _sound(rows, what)


def _sound(rows: list[list[str]], what: str) -> list[list[str]]:
    """Refuse half a surrogate pair; a block is looked at as a whole first, which is fast."""
    for start in range(0, len(rows), CHUNK):
        block = rows[start : start + CHUNK]
        try:
            "".join(chain.from_iterable(block)).encode()
        except UnicodeEncodeError:
            for row, texts in enumerate(block, start + 1):
                check_characters("".join(texts), f"{what}, segment {row}")
    return rows


def _strings(item: Any, where: str) -> list[str]:
    if isinstance(item, str):
        return [item]
    if not _is_list(item):
        raise InputError(f"{where}: expected text, got {_kind(item)}")
    texts = list(item)
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"{where}: expected text, got {_kind(text)}")
    return texts


def _is_list(item: Any) -> bool:
    """Tell lists, arrays and series from single values; numpy's numbers have no dimension."""
    if isinstance(item, str | bytes | bytearray):
        return False
    return isinstance(item, Sequence) or getattr(item, "ndim", 0) > 0


def _kind(value: object) -> str:
    if value is None:
        return "None; give an empty string if the text is empty"
    if isinstance(value, float) and value != value:
        return "NaN; a missing value in a table? Drop the row or give an empty string"
    return f"{type(value).__name__} {value!r:.40}"


def _references(given: Any, size: int, order: Order) -> list[list[str]]:
    if order not in ("segment", "reference"):
        raise ConfigError(f"references_by must be 'segment' or 'reference'; got {order!r}")
    if order == "reference":
        return _by_reference(given, size)
    items = _listed(given, "references")
    if len(items) != size:
        raise InputError(_count_message(items, size))
    return _sets(items, "references")


def _by_reference(given: Any, size: int) -> list[list[str]]:
    """Turn sacrebleu's nesting (one list per reference) round; None leaves a reference out."""
    streams = [
        _listed(stream, f"reference list {n}")
        for n, stream in enumerate(_listed(given, "references"), 1)
    ]
    for number, stream in enumerate(streams, 1):
        if len(stream) != size:
            raise InputError(
                f"reference list {number} has {len(stream)} texts but there are {size} segments"
            )
    rows = [
        _strings([text for text in row if text is not None], f"references, segment {number}")
        for number, row in enumerate(zip(*streams, strict=True), 1)
    ]
    return _sound(rows, "references")


def _count_message(items: list[Any], size: int) -> str:
    nested = [item for item in items if _is_list(item)]
    text = f"there are {size} segments but references has {len(items)} entries"
    if len(nested) == len(items) and all(len(item) == size for item in nested):
        return (
            f"{text}, each of {size} texts: they are nested by reference, as sacrebleu wants them. "
            "Here references[i] holds the references of segment i: pass references_by='reference', "
            "or turn them round with list(zip(*references))"
        )
    if len(nested) == len(items):
        return (
            f"{text}; references[i] holds the references of segment i. If yours hold one list per "
            "reference, pass references_by='reference'"
        )
    if size == 1 and not nested:
        return f"{text}; for several references of one segment write references=[[...]]"
    return f"{text}; give one string, or one list of strings, per segment"


def _sources(given: Any, size: int) -> list[str]:
    items = _listed(given, "sources")
    if len(items) != size:
        raise InputError(f"there are {size} segments but sources has {len(items)} entries")
    for row, item in enumerate(items, 1):
        if not isinstance(item, str):
            raise InputError(f"sources, segment {row}: expected text, got {_kind(item)}")
    _sound([[item] for item in items], "sources")
    return items


def _trees(given: Any, systems: dict[str, list[list[str]]]) -> dict[str, list[list[str]]]:
    trees = _systems(given, "trees")
    if set(trees) != set(systems):
        raise InputError(f"trees are for systems {sorted(trees)}, candidates for {sorted(systems)}")
    for name, texts in systems.items():
        check_trees(name, texts, trees[name], 0)
    return trees


def check_trees(system: str, texts: list[list[str]], trees: list[list[str]], start: int) -> None:
    """Demand one tree for each candidate."""
    if len(texts) != len(trees):
        raise InputError(f"there are {len(texts)} segments but {len(trees)} entries of trees")
    for row, (mine, theirs) in enumerate(zip(texts, trees, strict=True), start + 1):
        if len(mine) != len(theirs):
            who = f" of system {system!r}" if system else ""
            raise InputError(
                f"segment {row}{who} has {len(mine)} candidates but {len(theirs)} trees"
            )
