"""The folder that mining works in: what it was made from, and what of it can be used again."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from paraphrast.corpora.text_store import TEXT_FILES, Intake
from paraphrast.errors import InputError, ModelError
from paraphrast.io import atomic_writer
from paraphrast.io.atomic import make_folder
from paraphrast.io.resume import alone, file_sha256, remove_leftovers

MANIFEST = "manifest.json"
INDEX = "index.faiss"
_KIND, _FORMAT = "paraphrast mining", 1
_FIX = "give another --work folder, or remove this one"
LOCK = ".lock"
_OURS = (LOCK, ".paraphrast-*.tmp")
_PREFIX = ".paraphrast-mine-"  # of temporary folders


@dataclass(frozen=True, slots=True)
class Weights:
    """What the vectors come from."""

    name: str
    fingerprint: str
    width: int

    def __str__(self) -> str:
        return f"{self.name} ({self.fingerprint})"


@dataclass(frozen=True, slots=True)
class Entry:
    """What the manifest says of one source."""

    name: str
    texts: int
    empty: int
    repeated: int
    sha256: str
    long: int = 0

    @classmethod
    def of(cls, name: str, intake: Intake) -> Entry:
        return cls(name, **asdict(intake))

    def __str__(self) -> str:
        return f"{self.name} ({self.texts:,} texts, sha256 {self.sha256[:12]})"


class Work:
    """An open work folder; the manifest is there from the first moment."""

    def __init__(self, folder: Path, weights: Weights, shard: int) -> None:
        self.folder = folder
        self.weights = weights
        known = _read(folder / MANIFEST)
        if known is not None:
            self._check_weights(known)
        elif strange := [path.name for path in folder.iterdir() if not _is_ours(path)]:
            raise InputError(
                f"{folder} is no work folder of mine: it has no {MANIFEST} but holds "
                f"{strange[0]}; give a new or empty folder"
            )
        for path in folder.rglob(_OURS[1]):  # what a killed process was writing
            path.unlink()
        self._entries: dict[str, Any] = known or {
            "kind": _KIND,
            "format": _FORMAT,
            "weights": asdict(weights),
            "options": {"shard": shard},
        }
        if known is None:
            self._write()

    @property
    def shard(self) -> int:
        """Vectors of a shard, as the folder was begun."""
        return int(self._entries["options"]["shard"])

    @property
    def inputs(self) -> list[Entry] | None:
        """What the texts of the folder came from; None before they were all read."""
        found = self._entries.get("inputs")
        return None if found is None else [Entry(**entry) for entry in found]

    def side(self, number: int) -> Path:
        """Return the folder of the first or the second source, made if need be."""
        path = self.folder / ("first", "other")[number]
        path.mkdir(exist_ok=True)
        return path

    def set_inputs(self, entries: list[Entry]) -> None:
        self._entries["inputs"] = [asdict(entry) for entry in entries]
        self._entries["texts"] = [
            {name: file_sha256(self.side(number) / name) for name in TEXT_FILES}
            for number in range(len(entries))
        ]
        self._write()

    def texts_are_whole(self) -> bool:
        """Whether the texts are as they were written; a folder of before has no hashes of them."""
        return all(
            (self.side(number) / name).is_file() and file_sha256(self.side(number) / name) == digest
            for number, files in enumerate(self._entries.get("texts", ()))
            for name, digest in files.items()
        )

    def differs(self, now: list[tuple[str, int, str]]) -> InputError:
        """Say that the folder belongs to other texts; `now` holds names, numbers and hashes."""
        made = " and ".join(map(str, self.inputs or []))
        given = " and ".join(str(Entry(name, texts, 0, 0, sha)) for name, texts, sha in now)
        return InputError(f"{self.folder} was made from {made}, not from {given}; {_FIX}")

    @property
    def index(self) -> Path:
        return self.folder / INDEX

    def has_index(self) -> bool:
        """Whether an index is there; ModelError if it is not the one that was built here."""
        listed = self._entries.get("index")
        if listed is None or not self.index.exists():
            return False
        if file_sha256(self.index) != listed:
            raise ModelError(
                f"{self.index} is not the index that was built here from {self.weights}: its "
                f"hash is not the one in {MANIFEST}; remove it, and it is built again"
            )
        return True

    def set_index(self) -> None:
        self._entries["index"] = file_sha256(self.index)
        self._write()

    def _check_weights(self, known: dict[str, Any]) -> None:
        made = Weights(**known["weights"])
        if made != self.weights:
            raise ModelError(
                f"{self.folder} was made with the weights {made}, not with {self.weights}; {_FIX}"
            )

    def _write(self) -> None:
        with atomic_writer(self.folder / MANIFEST) as file:
            file.write(json.dumps(self._entries, indent=1, ensure_ascii=False) + "\n")


@contextmanager
def opened(
    folder: Path | None, weights: Weights, *, shard: int, beside: Path | None = None
) -> Iterator[Work]:
    """Open a work folder for this process alone.

    Without one, a temporary folder is made, `beside` a file if one is given, and removed.
    """
    if folder is None:
        with _temporary(beside) as name, opened(Path(name), weights, shard=shard) as work:
            yield work
        return
    try:
        make_folder(folder)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        raise InputError(f"cannot write into {folder}: Permission denied")
    with alone(folder, doing="mining"):
        yield Work(folder, weights, shard)


def _temporary(beside: Path | None) -> tempfile.TemporaryDirectory[str]:
    place = None if beside is None else beside.resolve().parent
    remove_leftovers(place or Path(tempfile.gettempdir()), f"{_PREFIX}*")
    try:
        return tempfile.TemporaryDirectory(prefix=_PREFIX, dir=place)
    except OSError as error:
        raise InputError(
            f"cannot make a temporary folder in {place or tempfile.gettempdir()}: "
            f"{error.strerror}; give one with --work"
        ) from error


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read: {error}; {_FIX}") from error
    try:
        kind, form, _ = found["kind"], found["format"], Weights(**found["weights"])
        _ = int(found["options"]["shard"]), [Entry(**entry) for entry in found.get("inputs", ())]
        _ = [dict(files) for files in found.get("texts", ())]
    except (KeyError, TypeError, ValueError):
        kind = form = None
    if (kind, form) != (_KIND, _FORMAT):
        raise InputError(f"{path} is no manifest of a mining folder of this version; {_FIX}")
    return dict(found)


def _is_ours(path: Path) -> bool:
    return any(path.match(pattern) for pattern in _OURS)
