"""The card of an encoder directory: what the weights are, and what their files must hash to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.errors import ModelError

CARD = "card.json"
KIND = "paraphrast edit encoder"
FORMAT = 1
NETWORK, TOKENISER = "model.onnx", "tokenizer.json"
_LEAST_TOKENS = 16  # fewer leave no room for a window of each text
_SHORT = 12
_REINSTALL = "install the weights again or export them anew"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where a yes begins, as chosen on training data."""

    tag: float  # a word is tagged 1, not paraphrased, when its support is below
    entailment: float  # on the logit
    score: float  # on the raw score, for "is a paraphrase"


@dataclass(frozen=True, slots=True)
class Calibration:
    """Scores and the percentile of human ratings they stand for; both ascending."""

    data: str
    score: tuple[float, ...]
    percentile: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class EncoderCard:
    """What card.json says; `files` holds the sha256 of each file that the model consists of.

    Pairs of up to `max_tokens` sub-words are read at once, longer ones in windows of `window`.
    """

    directory: Path
    name: str
    model: str
    version: str
    dtype: str
    languages: tuple[str, ...]
    max_tokens: int
    window: int
    thresholds: Thresholds
    calibration: Calibration
    files: Mapping[str, str]
    results: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, directory: Path) -> EncoderCard:
        """Read the card of an encoder directory; whatever is wrong with it is a ModelError."""
        path = directory / CARD
        try:
            entries = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise ModelError(f"{directory} holds no {CARD}: it is not an encoder") from None
        except OSError as error:
            raise ModelError(f"cannot read {path}: {error.strerror}") from error
        except ValueError as error:
            raise ModelError(f"{path} is not JSON: {error}") from error
        return _parse(directory, _Entries(path, entries))

    @property
    def fingerprint(self) -> str:
        """A short hash of all that results depend on: the files, limits and calibration."""
        parts = (self.max_tokens, self.window, asdict(self.thresholds), asdict(self.calibration))
        listed = json.dumps([dict(self.files), *parts], sort_keys=True)
        return hashlib.sha256(listed.encode()).hexdigest()[:_SHORT]

    def percentile(self, score: float) -> float:
        """Return the share of human ratings, in percent, that lie below this score."""
        return float(np.interp(score, self.calibration.score, self.calibration.percentile))

    def content(self, name: str) -> bytes:
        """Return a listed file's bytes, after checking their hash."""
        path = self.directory / name
        try:
            found = path.read_bytes()
        except FileNotFoundError:
            raise ModelError(f"{path} is missing, but {CARD} lists it; {_REINSTALL}") from None
        except OSError as error:
            raise ModelError(f"cannot read {path}: {error.strerror}") from error
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


class _Entries:
    """A JSON object whose keys are asked for with their types."""

    def __init__(self, path: Path, entries: Any, inside: str = "") -> None:
        if not isinstance(entries, dict):
            raise ModelError(f"{path}: {inside or 'the card'} must be an object")
        self.path, self.entries, self._inside = path, entries, inside

    def _get(self, key: str) -> tuple[str, Any]:
        name = f"{self._inside}.{key}" if self._inside else key
        if key not in self.entries:
            raise ModelError(f"{self.path} has no {name!r}")
        return name, self.entries[key]

    def text(self, key: str) -> str:
        name, value = self._get(key)
        if not isinstance(value, str) or not value:
            raise ModelError(f"{self.path}: {name!r} must be text; got {value!r}")
        return value

    def label(self, key: str) -> str:
        """Return text that may stand in a signature."""
        found = self.text(key)
        if set("|:") & set(found):
            raise ModelError(f"{self.path}: {key!r} must not hold '|' or ':'; got {found!r}")
        return found

    def number(self, key: str) -> float:
        name, value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            raise ModelError(f"{self.path}: {name!r} must be a number; got {value!r}")
        return float(value)

    def texts(self, key: str) -> tuple[str, ...]:
        name, value = self._get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ModelError(f"{self.path}: {name!r} must be a list of texts")
        return tuple(value)

    def ascending(self, key: str) -> tuple[float, ...]:
        name, value = self._get(key)
        right = isinstance(value, list) and all(
            isinstance(item, int | float) and not isinstance(item, bool) for item in value
        )
        if not right or len(value) < 2 or sorted(value) != value:
            raise ModelError(f"{self.path}: {name!r} must be a list of ascending numbers")
        return tuple(map(float, value))

    def inner(self, key: str) -> _Entries:
        name, value = self._get(key)
        return _Entries(self.path, value, name)

    def mapping(self, key: str) -> dict[str, Any]:
        return self.inner(key).entries if key in self.entries else {}


def _parse(directory: Path, card: _Entries) -> EncoderCard:
    kind = card.text("kind")
    if kind != KIND:
        raise ModelError(f"{card.path}: the kind must be {KIND!r}; got {kind!r}")
    version = card.number("format")
    if version != FORMAT:
        raise ModelError(
            f"{card.path} has format {version:g}, but this version of paraphrast reads format "
            f"{FORMAT}; update paraphrast or the weights"
        )
    limits = card.inner("thresholds")
    return EncoderCard(
        directory=directory,
        name=card.label("name"),
        model=card.label("model"),
        version=card.label("version"),
        dtype=card.label("dtype"),
        languages=card.texts("languages"),
        max_tokens=_tokens(card, "max_tokens"),
        window=_window(card),
        thresholds=Thresholds(
            *(limits.number(name) for name in ("tag", "entailment", "score")),
        ),
        calibration=_calibration(card),
        files=_files(card),
        results=card.mapping("results"),
        training=card.mapping("training"),
    )


def _tokens(card: _Entries, key: str) -> int:
    found = card.number(key)
    if found < _LEAST_TOKENS or found != int(found):
        raise ModelError(
            f"{card.path}: {key!r} must be a whole number, at least {_LEAST_TOKENS}; got {found:g}"
        )
    return int(found)


def _window(card: _Entries) -> int:
    """Return the size of windows: as much as is read at once, unless the card says less."""
    most = _tokens(card, "max_tokens")
    found = _tokens(card, "window") if "window" in card.entries else most
    if found > most:
        raise ModelError(
            f"{card.path}: 'window' must not be more than 'max_tokens', {most}; got {found}"
        )
    return found


def _calibration(card: _Entries) -> Calibration:
    entries = card.inner("calibration")
    scores, percentiles = entries.ascending("score"), entries.ascending("percentile")
    if len(scores) != len(percentiles):
        raise ModelError(
            f"{card.path}: 'calibration' has {len(scores)} scores for {len(percentiles)} "
            "percentiles"
        )
    return Calibration(entries.text("data"), scores, percentiles)


def _files(card: _Entries) -> dict[str, str]:
    entries = card.inner("files")
    names = card.mapping("files")
    for needed in (NETWORK, TOKENISER):
        entries.text(needed)
    for name in names:
        if Path(name).name != name or name in (".", ".."):
            raise ModelError(f"{card.path}: 'files' names {name!r}, which is not a plain file name")
    return {name: entries.text(name) for name in names}
