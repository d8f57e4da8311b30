"""What the cards of all weights share: who they are, and what their files must hash to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paraphrast.errors import ModelError
from paraphrast.models.card_entries import Entries

CARD = "card.json"
NETWORK, TOKENISER = "model.onnx", "tokenizer.json"
FORMAT = 1
_LEAST_TOKENS = 16  # fewer leave no room for a window of each text
_SHORT = 12
_REINSTALL = "install the weights again or export them anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsCard:
    """What every card.json says; `files` holds the sha256 of each file the model consists of."""

    directory: Path
    name: str
    model: str
    version: str
    dtype: str
    languages: tuple[str, ...]
    max_tokens: int
    files: Mapping[str, str]
    results: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)

    def content(self, name: str) -> bytes:
        """Return a listed file's bytes, after checking their hash."""
        path = self.directory / name
        try:
            found = _file_bytes(path)
        except FileNotFoundError:
            raise ModelError(f"{path} is missing, but {CARD} lists it; {_REINSTALL}") from None
        digest = hashlib.sha256(found).hexdigest()
        if digest != self.files[name]:
            raise ModelError(
                f"{path} is not the file that {CARD} lists: expected sha256 {self.files[name]}, "
                f"found {digest}; {_REINSTALL}"
            )
        return found

    def check_files(self) -> dict[str, bytes]:
        """Return the bytes of every listed file, each checked."""
        return {name: self.content(name) for name in self.files}


def short_hash(*parts: Any) -> str:
    """Return twelve hexadecimal digits that stand for the parts."""
    listed = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(listed.encode()).hexdigest()[:_SHORT]


def card_stamp(directory: Path) -> str:
    """Return a hash of the card as it is now, to notice that it has changed; "" without one."""
    try:
        return hashlib.sha256(_file_bytes(directory / CARD)).hexdigest()
    except (FileNotFoundError, ModelError):  # `open_card` says what is wrong with it
        return ""


def _file_bytes(path: Path) -> bytes:
    """Return a plain file's bytes; a pipe or a device, which might never end, is a ModelError."""
    try:
        if path.exists() and not path.is_file():
            raise ModelError(f"cannot read {path}: it is not a plain file; {_REINSTALL}")
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror}") from error


def open_card(
    directory: Path, kind: str, what: str, *, formats: tuple[int, ...] = (FORMAT,)
) -> Entries:
    """Read the card of a directory that must hold `what`; all that is wrong is a ModelError."""
    path = directory / CARD
    try:
        entries = json.loads(_file_bytes(path))
    except FileNotFoundError:
        raise ModelError(
            f"{directory} holds no {CARD}: it is not {what}{_hint(directory)}"
        ) from None
    except (ValueError, RecursionError) as error:  # RecursionError: brackets inside brackets
        raise ModelError(f"{path} is not JSON: {error}") from error
    card = Entries(path, entries)
    found = card.text("kind")
    if found != kind:
        raise ModelError(f"{path}: the kind must be {kind!r}; got {found!r}")
    version = card.number("format")
    if version not in formats:
        raise ModelError(
            f"{path} has format {version:g}, but this version of paraphrast reads format "
            f"{' and '.join(map(str, formats))}; update paraphrast or the weights"
        )
    return card


def _hint(directory: Path) -> str:
    """Tell what to do with a model of transformers."""
    if not (directory / "config.json").is_file():
        return ""
    return (
        f"; a model of transformers becomes one by: paraphrast train export {directory} -o FOLDER"
    )


def shared_entries(
    directory: Path, card: Entries, *, needed: tuple[str, ...] = (NETWORK, TOKENISER)
) -> dict[str, Any]:
    """Return the fields of WeightsCard; the `needed` files must be among those listed."""
    return {
        "directory": directory,
        **{key: card.label(key) for key in ("name", "model", "version", "dtype")},
        "languages": card.texts("languages"),
        "max_tokens": card.whole("max_tokens", _LEAST_TOKENS),
        "files": _files(card, needed),
        "results": card.mapping("results"),
        "training": card.mapping("training"),
    }


def _files(card: Entries, needed: tuple[str, ...]) -> dict[str, str]:
    entries = card.inner("files")
    names = card.mapping("files")
    for name in needed:
        entries.text(name)
    for name in names:
        if Path(name).name != name or name in (".", ".."):
            raise ModelError(f"{card.path}: 'files' names {name!r}, which is not a plain file name")
    return {name: entries.text(name) for name in names}
