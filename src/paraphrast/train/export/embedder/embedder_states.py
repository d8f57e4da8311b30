"""The texts that an embedder is measured on, as rows of sub-words and as states of some layers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, Rows
from paraphrast.models.embedder.text_embedder import TextTokeniser, layer_name
from paraphrast.models.encoder.pair_encoding import Ints
from paraphrast.models.feeding import batches, padded
from paraphrast.models.session import Session

DEFAULT = Path("text") / "en_ud_ewt.jsonl.gz"  # in the folder of the data; English
LEAST = 100


@dataclass(frozen=True)
class MeasuringTexts:
    """Distinct texts in an order drawn at random, and the file that they are from."""

    name: str
    sha256: str
    texts: list[str]


def default_texts(root: Path, languages: Iterable[str]) -> Path | None:
    """Return the texts of the data folder if they are there and in a language asked for."""
    found = root / DEFAULT
    return found if "en" in languages and found.is_file() else None


def read_texts(given: str, *, name: str | None = None, seed: int) -> MeasuringTexts:
    """Read a text per line, or the column "text" of a table (FILE:COLUMN names another)."""
    field = Field.parse(given, role="text")
    path = Path(field.path)
    if not path.is_file():
        raise InputError(f"there is no file {path} to read texts from")
    found: dict[str, None] = {}
    for (value,) in Rows([field]):
        parts = [value] if isinstance(value, str) else value or []
        found.update((text.strip(), None) for text in parts)
    found.pop("", None)
    if len(found) < LEAST:
        raise InputError(
            f"{path} holds {len(found)} different texts; at least {LEAST} are needed to compare "
            "and to calibrate with"
        )
    ordered = list(found)
    order = np.random.default_rng(seed).permutation(len(ordered))
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return MeasuringTexts(name or path.name, digest, [ordered[place] for place in order])


def check_pairs(pairs: int, texts: int) -> None:
    """Refuse a number of pairs that the texts cannot give."""
    most = texts * (texts - 1) // 2
    if not 1 <= pairs <= most:
        raise ConfigError(f"pairs is {pairs:,}; {texts:,} texts make 1 to {most:,} pairs")


States = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TextRow:
    """A text as sub-words, special ones included; `special` marks those."""

    ids: Ints
    special: NDArray[np.bool_]

    @property
    def types(self) -> Ints:
        return np.zeros_like(self.ids)

    def __len__(self) -> int:
        return len(self.ids)


def rows_of(texts: Sequence[str], tokeniser: TextTokeniser, longest: int) -> list[TextRow]:
    """Turn texts into rows; those without a sub-word or with too many are left out."""
    made = []
    start, end = len(tokeniser.before), len(tokeniser.after)
    for inner in tokeniser.inner(texts):
        if 0 < len(inner) <= longest - start - end:
            special = np.ones(len(inner) + start + end, dtype=np.bool_)
            special[start : start + len(inner)] = False
            made.append(TextRow(tokeniser.framed(inner), special))
    return made


def long_rows(
    rows: Sequence[TextRow], tokeniser: TextTokeniser, longest: int, count: int
) -> list[TextRow]:
    """Join rows to some that are as long as the network can read, so that it is seen to do so."""
    inner = np.concatenate([row.ids[~row.special] for row in rows])
    size = longest - tokeniser.overhead
    many = min(count, len(inner) // size)
    special = np.zeros(longest, dtype=np.bool_)
    special[: len(tokeniser.before)] = special[longest - len(tokeniser.after) :] = True
    pieces = (inner[number * size : (number + 1) * size] for number in range(many))
    return [TextRow(tokeniser.framed(piece), special) for piece in pieces]


class Network:
    """A graph of all layers at work."""

    def __init__(self, path: Path, layers: int, pad: int) -> None:
        self._names = tuple(layer_name(layer) for layer in range(layers + 1))
        self._session = Session.load(path.read_bytes(), path, outputs=self._names)
        self._pad = pad

    def read(self, rows: Sequence[TextRow], layers: Sequence[int] | None = None) -> list[States]:
        """Return for each row the states of the layers, [layers, sub-words, width]; all if None."""
        found: dict[int, States] = {}
        for batch in batches([len(row) for row in rows]):
            read = self.read_at_once([rows[place] for place in batch], layers)
            found |= dict(zip(batch, read, strict=True))
        return [found[place] for place in range(len(rows))]

    def read_at_once(
        self, rows: Sequence[TextRow], layers: Sequence[int] | None = None
    ) -> list[States]:
        """Do the same in one batch, whatever padding that takes."""
        names = tuple(self._names[layer] for layer in layers) if layers else self._names
        given = [row.ids for row in rows]
        ids = padded(given, self._pad)
        feed = {
            "input_ids": ids,
            "attention_mask": padded([np.ones_like(row) for row in given], 0),
            "token_type_ids": np.zeros_like(ids),
        }
        found = self._session.run(names, feed)
        return [
            np.stack([layer[number, : len(row)] for layer in found])
            for number, row in enumerate(rows)
        ]
