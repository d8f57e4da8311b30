"""Rows of a long job, kept beside its output while it runs: a job that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from paraphrast.errors import ConfigError, InputError
from paraphrast.io.atomic import flush_folder
from paraphrast.io.resume import lock_file, sealed_line, unsealed_line, whole_lines

_KIND = "paraphrast journal"


class Journal:
    """An open journal: `done` rows are in it, in order; more are put behind them.

    A row is in it whole or not at all, whenever the process is killed. Each line holds its
    checksum: rows from the first damaged one on are made again.
    """

    def __init__(self, path: Path, file: IO[bytes], first: int, done: int) -> None:
        self.path, self.done = path, done
        self._file, self._first = file, first

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Put rows to the end; they are safe when this returns."""
        lines = list(map(sealed_line, rows))
        try:
            self._file.write(b"".join(lines))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise InputError(
                f"cannot write {self.path}: {error.strerror or error}; the {self.done:,} rows in "
                "it are kept, and the same command goes on from there"
            ) from error
        self.done += len(rows)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows from the first on."""
        with self.path.open("rb") as file:
            file.seek(self._first)
            for _, line in zip(range(self.done), file, strict=False):
                row = unsealed_line(line)
                if row is None:
                    raise InputError(f"{self.path} was changed by another program; remove it")
                yield row


def journal_of(output: str | Path) -> Path:
    """Return where the journal of an output lies: beside it, hidden."""
    real = Path(os.path.realpath(output))
    short = hashlib.sha256(real.name.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return real.with_name(f".paraphrast-{short}.part")


@contextmanager
def open_journal(output: str | Path, identity: Mapping[str, Any]) -> Iterator[Journal]:
    """Open the journal of an output, a new one or that of a job that was stopped.

    A journal of a job with another identity is left alone, ConfigError, unless it has no row. The
    journal goes when the block ends well, or before the first row; it stays otherwise.
    """
    path = journal_of(output)
    head = json.dumps({"kind": _KIND, "job": dict(identity)}, sort_keys=True).encode() + b"\n"
    try:
        file = path.open("a+b")
    except OSError as error:
        raise InputError(f"cannot write {output}: {error.strerror or error}") from error
    with file:
        if not lock_file(file):
            raise ConfigError(f"another process is writing {output}; wait for it")
        file.seek(0)
        first = file.readline()
        if first == head:
            done, end = whole_lines(file)
        elif first.endswith(b"\n") and not (_KIND.encode() in first and not whole_lines(file)[0]):
            raise ConfigError(
                f"{path} is what a job with other options or another input left of {output}; "
                "repeat that command to finish it, or remove the file to begin anew"
            )
        else:  # new, killed before the first line was whole, or without a row
            done, end = 0, 0
        file.truncate(end)
        if end == 0:
            file.write(head)
            file.flush()
            flush_folder(path.parent)  # else a power cut could take the name, and all rows with it
        journal = Journal(path, file, len(head), done)
        ended = False
        try:
            yield journal
            ended = True
        finally:
            if ended or not journal.done:
                path.unlink()
