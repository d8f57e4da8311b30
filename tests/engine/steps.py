"""Small steps to run engines with."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paraphrast.engine.step import Advance, Dropped, Row, Work
from paraphrast.errors import InputError


@dataclass(frozen=True)
class Upper:
    """Writes texts in capitals; sets those with "no" aside, and notes each shard in `seen`."""

    seen: Path | None = None
    mark: str = ""
    name: str = "upper"

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"mark": self.mark}

    def open(self) -> AbstractContextManager[Work]:
        return self._opened()

    @contextmanager
    def _opened(self) -> Iterator[Work]:
        yield self.work

    def work(self, rows: Sequence[Row]) -> Iterable[Row | Dropped]:
        if self.seen is not None and rows:
            with self.seen.open("a") as file:
                file.write(f"{rows[0]['id']}\n")
        for row in rows:
            if "no" in row["text"].split():
                yield Dropped(row, "no", row["text"])
            else:
                yield {**row, "text": row["text"].upper() + self.mark}


@dataclass(frozen=True)
class Deadly(Upper):
    """Kills its process at a text with "poison", always; at "once" only while no file says so."""

    name: str = "deadly"

    def work(self, rows: Sequence[Row]) -> Iterable[Row | Dropped]:
        for row in rows:
            words = row["text"].split()
            if "poison" in words:
                os.kill(os.getpid(), signal.SIGKILL)
            if "once" in words and self.seen is not None and not self.seen.exists():
                self.seen.write_text("killed")
                os.kill(os.getpid(), signal.SIGKILL)
            if "wrong" in words:
                raise InputError(f"row {row['id']} is wrong; mend it")
            if "bug" in words:
                raise ZeroDivisionError(row["id"])
            yield {**row, "text": row["text"].upper()}


@dataclass(frozen=True)
class Reversed:
    """Sees all rows: the last comes first; duplicates of a text are set aside."""

    name: str = "reversed"

    @property
    def signature(self) -> Mapping[str, Any]:
        return {}

    def run(
        self, rows: Callable[[], Iterator[Row]], scratch: Path, advance: Advance
    ) -> Iterable[Row | Dropped]:
        assert not any(scratch.iterdir())
        (scratch / "something").write_text("kept on disk")
        first = {row["text"]: row["id"] for row in reversed(list(rows()))}
        for row in reversed(list(rows())):
            advance(1)
            yield row if first[row["text"]] == row["id"] else Dropped(row, "seen")


def made_rows(texts: Iterable[str]) -> list[Row]:
    """Rows with numbers."""
    return [{"id": f"{number:09d}", "text": text} for number, text in enumerate(texts)]
