"""What the engine runs: a step makes rows of rows, or sets them aside with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Row = dict[str, Any]
"""One row: JSON values by name."""

Advance = Callable[[int], None]
"""Told how many rows more are done."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A row that goes no further. Equal reasons are counted together; `detail` says more of one."""

    row: Row
    reason: str
    detail: str = ""


Work = Callable[[Sequence[Row]], Iterable[Row | Dropped]]


class Step(Protocol):
    """A step that looks at each row by itself, or at a few of one shard together.

    It is pickled to wherever a shard is worked on, and opened there once for many shards: loading
    a model or starting a process belongs into `open`. What it makes of a row must not depend on
    the other rows. `signature` holds, as JSON values, all that the result depends on.
    """

    @property
    def name(self) -> str: ...

    @property
    def signature(self) -> Mapping[str, Any]: ...

    def open(self) -> AbstractContextManager[Work]: ...


class Whole(Protocol):
    """A step that must see all rows: it may go through `rows` as often as it likes.

    Rows come in a fixed order and do not fit into memory: what grows with their number is hashed
    or lies in files under `scratch`, a folder that is emptied before and removed afterwards.
    """

    @property
    def name(self) -> str: ...

    @property
    def signature(self) -> Mapping[str, Any]: ...

    def run(
        self, rows: Callable[[], Iterator[Row]], scratch: Path, advance: Advance
    ) -> Iterable[Row | Dropped]: ...
