"""What belongs to a corpus: files with their sizes and hashes, written last and checked later."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from paraphrast._version import VERSION
from paraphrast.errors import InputError
from paraphrast.io import atomic_writer

MANIFEST = "manifest.json"

_KIND = "paraphrast corpus"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """How the pairs were made; `steps` maps each step's name to the hash of its signature."""

    recipe: str
    recipe_sha256: str
    seed: int
    steps: Mapping[str, str] = field(default_factory=dict)
    version: str = VERSION

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"steps": dict(self.steps)}


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of the corpus; `rows` and `split` are those of data files."""

    path: str
    bytes: int
    sha256: str
    rows: int | None = None
    split: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """All files of a corpus and how it was made."""

    provenance: Mapping[str, Any]
    files: tuple[CorpusFile, ...]

    @property
    def rows(self) -> int:
        """Pairs in the corpus, however many formats they are written in."""
        return sum({file.split: file.rows or 0 for file in self.files if file.split}.values())

    def with_files(self, folder: str | Path, names: Iterable[str]) -> Manifest:
        """Return the manifest with more files of the folder: the recipe, the data card."""
        more = (described(folder, name) for name in names)
        return replace(self, files=(*self.files, *more))

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": _KIND,
            **self.provenance,
            "rows": self.rows,
            "files": [asdict(file) for file in self.files],
        }


@dataclass(frozen=True, slots=True)
class Verified:
    """A corpus whose files are all as its manifest says; `others` are files it does not name."""

    files: int
    rows: int
    others: tuple[str, ...]


def described(
    folder: str | Path, name: str, *, rows: int | None = None, split: str | None = None
) -> CorpusFile:
    """Return the size and hash of a file of the folder."""
    path = Path(folder) / name
    size, digest = _hashed(path)
    return CorpusFile(name, size, digest, rows, split)


def write_manifest(folder: str | Path, manifest: Manifest) -> Path:
    """Write manifest.json: with it the corpus is complete."""
    path = Path(folder) / MANIFEST
    with atomic_writer(path) as file:
        file.write(json.dumps(manifest.to_dict(), ensure_ascii=False, indent=2) + "\n")
    return path


def read_manifest(folder: str | Path) -> Manifest:
    """Read a folder's manifest, refusing what is none."""
    path = Path(folder) / MANIFEST
    try:
        raw = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        why = "there is no such folder" if not path.parent.is_dir() else f"it has no {MANIFEST}"
        raise InputError(f"{folder} is not a finished corpus: {why}") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON: {error}") from error
    if not isinstance(raw, dict) or raw.get("kind") != _KIND:
        raise InputError(f'{path} is not the manifest of a corpus: it lacks "kind": "{_KIND}"')
    files = raw.get("files")
    if not isinstance(files, list):
        raise InputError(f"{path}: no list of files; build the corpus anew")
    made = {key: value for key, value in raw.items() if key not in ("kind", "rows", "files")}
    return Manifest(provenance=made, files=tuple(_file(one, path) for one in files))


def verify(folder: str | Path) -> Verified:
    """Hash every file of a corpus again; InputError names all that are missing or altered."""
    home, manifest = Path(folder), read_manifest(folder)
    wrong = [said for file in manifest.files if (said := _difference(home, file))]
    if wrong:
        raise InputError(f"{folder} is not as it was built: {'; '.join(wrong)}")
    named = {MANIFEST, *(file.path for file in manifest.files)}
    there = (path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file())
    return Verified(len(manifest.files), manifest.rows, tuple(sorted({*there} - named)))


def _difference(home: Path, file: CorpusFile) -> str:
    path = home / file.path
    if not path.is_file():
        return f"{file.path} is missing"
    size, digest = _hashed(path)
    if size != file.bytes:
        return f"{file.path} was altered: {size:,} bytes instead of {file.bytes:,}"
    return "" if digest == file.sha256 else f"{file.path} was altered: other contents"


def _file(entry: object, path: Path) -> CorpusFile:
    """Read an entry; a name that leads out of the folder is refused."""
    try:
        file = CorpusFile(**entry)  # type: ignore[arg-type]
        name = PurePosixPath(file.path)
        _check_types(file)
    except TypeError as error:
        raise InputError(f"{path}: an entry of a file is damaged: {entry!r:.80}") from error
    if name.is_absolute() or ".." in name.parts or "\\" in file.path:
        raise InputError(f"{path} names {file.path!r}, which is not inside the folder")
    return file


def _check_types(file: CorpusFile) -> None:
    whole = type(file.bytes) is int and isinstance(file.sha256, str)
    rows = file.rows is None or type(file.rows) is int
    if not (whole and rows and (file.split is None or isinstance(file.split, str))):
        raise TypeError("a value is of the wrong type")


def _hashed(path: Path) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
                size += len(block)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    return size, digest.hexdigest()
