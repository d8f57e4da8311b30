"""Small steps to run engines with."""

from __future__ import annotations

import os
import signal
import subprocess
import time
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
class Reader:
    """Puts what a file holds behind each text; with `spoil` the file changes before it is read."""

    model: Path
    spoil: bool = False
    name: str = "reader"

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"model": self.model.read_text()}

    @contextmanager
    def open(self) -> Iterator[Work]:
        if self.spoil:
            self.model.write_text("two")
        found = self.model.read_text()
        yield lambda rows: ({**row, "text": f"{row['text']} {found}"} for row in rows)


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


@dataclass(frozen=True)
class Starting(Upper):
    """Is killed as long as fewer than `kills` starts are noted in `seen`."""

    kills: int = 1
    name: str = "starting"

    @contextmanager
    def _opened(self) -> Iterator[Work]:
        assert self.seen is not None
        with self.seen.open("a") as file:
            file.write("start\n")
        if len(self.seen.read_text().split()) <= self.kills:
            os.kill(os.getpid(), signal.SIGKILL)
        yield self.work_quietly

    def work_quietly(self, rows: Sequence[Row]) -> Iterable[Row | Dropped]:
        yield from rows


@dataclass(frozen=True)
class Slow(Upper):
    """Takes a while over each shard; ends with an error at a text with "stop"."""

    name: str = "slow"
    seconds: float = 0.2

    def work(self, rows: Sequence[Row]) -> Iterable[Row | Dropped]:
        if self.seen is not None and not self.seen.exists() and rows[0]["text"] == "stop":
            self.seen.write_text("stopped")
            raise InputError("stopped")
        time.sleep(self.seconds)
        yield from rows


@dataclass(frozen=True)
class Running(Upper):
    """Starts a program in a session of its own, notes its number, and waits for it."""

    name: str = "running"

    def work(self, rows: Sequence[Row]) -> Iterable[Row | Dropped]:
        assert self.seen is not None
        program = subprocess.Popen(["sleep", "300"], start_new_session=True)
        try:
            self.seen.write_text(f"{os.getpid()} {program.pid}\n")
            program.wait()
        finally:
            program.kill()
            program.wait()
        yield from rows


@dataclass(frozen=True)
class Environment(Upper):
    """Puts what the environment of a program holds into the text."""

    name: str = "environment"

    def work(self, rows: Sequence[Row]) -> Iterable[Row | Dropped]:
        said = subprocess.run(["env"], capture_output=True, text=True, check=True).stdout
        paths = [line for line in said.splitlines() if line.startswith("PYTHONPATH=")]
        yield from ({**row, "text": "".join(paths)} for row in rows)
