"""Assemble what a recipe names: read, split, sample, turn into sub-words, and count it all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from paraphrast.errors import ConfigError
from paraphrast.io.data_folder import expected_data_folder
from paraphrast.models.encoder.pair_encoding import EncodedSide, PairTokeniser
from paraphrast.train.data.altered_copies import altered
from paraphrast.train.data.examples import Coded, Example
from paraphrast.train.data.readers import read
from paraphrast.train.data.withheld_texts import keys_of, texts_of, without_texts
from paraphrast.train.recipe import SourcePart, TrainingRecipe


@dataclass(frozen=True)
class Corpus:
    """Everything a run sees. `too_long` counts, per source, the pairs left out for their length.

    `kept_out` counts those left out because one of their texts is for testing or validation.
    """

    train: list[Coded]
    validation: dict[str, list[Coded]]
    rows: dict[str, int]
    too_long: dict[str, int] = field(default_factory=dict)
    kept_out: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """A source's rows: those to train on, those held out, and how many are neither."""

    train: list[Example]
    held_out: list[Example]
    kept_out: int


def data_root() -> Path:
    """The folder of the data that PARAPHRAST_DATA names."""
    return expected_data_folder()


def parts(recipe: TrainingRecipe, root: Path) -> list[Part]:
    """Read and split every source of a recipe, and keep what is for testing or validation apart.

    No text of the files that the recipe is `without` is in any part, and no training row, of any
    source, shares a text with a row that any source holds out.
    """
    tested = texts_of(recipe.without, root)
    found = []
    for source in recipe.source:
        train, held_out = split(source, recipe.seed, root)
        found.append((len(train), without_texts(train, tested), without_texts(held_out, tested)))
    validated = keys_of(row for *_, held_out in found for row in held_out)
    kept = [without_texts(train, validated) for _, train, _ in found]
    return [
        Part(train, held_out, before - len(train))
        for train, (before, _, held_out) in zip(kept, found, strict=True)
    ]


def assemble(recipe: TrainingRecipe, tokeniser: PairTokeniser, found: Sequence[Part]) -> Corpus:
    """Turn the labelled sources of a recipe into sub-words."""
    corpus = Corpus([], {}, {})
    for number, (source, part) in enumerate(zip(recipe.source, found, strict=True)):
        if source.unlabelled:
            continue
        rows = part.train + altered(part.train, source.altered, recipe.seed)
        add(corpus, code(rows, number, tokeniser), source, recipe.max_tokens)
        corpus.kept_out[source.name] = part.kept_out
        if part.held_out:
            kept = _sample(part.held_out, recipe.loop.validation_limit, recipe.seed)
            corpus.validation[source.name] = code(kept, number, tokeniser)
    return corpus


def add(corpus: Corpus, coded: list[Coded], source: SourcePart, max_tokens: int) -> None:
    """Put a source's examples into the training part, without those that are too long."""
    short = [example for example in coded if len(example) + 4 <= max_tokens]
    if not short:
        raise ConfigError(f"the source {source.name!r} has no pair within {max_tokens} sub-words")
    corpus.train.extend(short)
    corpus.rows[source.name] = len(short)
    corpus.too_long[source.name] = len(coded) - len(short)


def split(source: SourcePart, seed: int, root: Path) -> tuple[list[Example], list[Example]]:
    """Return training and validation examples; a group of rows is on one side only."""
    examples = _read(source, source.files, root)
    if source.limit is not None:
        examples = _sample(examples, source.limit, seed)
    held_out = _read(source, source.validation_files, root)
    if not source.validation:
        return examples, held_out
    aside = {id(row) for row in examples if _draw(row.group, seed) < source.validation}
    held_out += [row for row in examples if id(row) in aside]
    return [row for row in examples if id(row) not in aside], held_out


def _read(source: SourcePart, names: Iterable[str], root: Path) -> list[Example]:
    return [row for name in names for row in read(source.reader, path_of(name, root))]


def path_of(name: str, root: Path) -> Path:
    """Return where a file is: under the root, or here if its name begins with ./."""
    return Path(name) if name.startswith("./") else root / name


def digest(corpus: Corpus) -> str:
    """Hash what a run learns from, so that it is not resumed on other rows than it began with.

    Two hashes: of the sub-words of the training rows, and of everything else that the rows hold
    (labels, sources, and so their weights) together with all of the validation rows.
    """
    texts, rest = hashlib.sha256(), hashlib.sha256()
    for example in corpus.train:
        for side in (example.a, example.b):
            texts.update(len(side).to_bytes(4, "big"))
            texts.update(side.ids.astype("<i4").tobytes())
        rest.update(_plain_bytes(example))
    for name, rows in corpus.validation.items():
        rest.update(f"{name} {len(rows)}\n".encode())
        for example in rows:
            rest.update(example.a.ids.astype("<i4").tobytes() + b"|")
            rest.update(example.b.ids.astype("<i4").tobytes() + b"|")
            rest.update(_plain_bytes(example))
    return f"{texts.hexdigest()[:12]}-{rest.hexdigest()[:12]}"


def _plain_bytes(example: Coded) -> bytes:
    """Return every field of a row but its sub-words, whichever fields there are."""
    values = (getattr(example, one.name) for one in fields(example))
    plain = [value for value in values if not isinstance(value, EncodedSide)]
    return repr([v.tolist() if isinstance(v, np.ndarray) else v for v in plain]).encode()


def code(examples: Iterable[Example], source: int, tokeniser: PairTokeniser) -> list[Coded]:
    """Turn a source's examples into sub-words."""
    rows = list(examples)
    left = tokeniser.sides([row.a for row in rows])
    right = tokeniser.sides([row.b for row in rows])
    return [
        Coded(
            a=a,
            b=b,
            score=row.score,
            forward=row.forward,
            backward=row.backward,
            same=row.same,
            tags_a=row.tags_a,
            tags_b=row.tags_b,
            source=source,
        )
        for row, a, b in zip(rows, left, right, strict=True)
    ]


def _draw(group: str, seed: int) -> float:
    """A number in [0, 1) that depends on the text alone, so that splits survive new files."""
    digest = hashlib.sha256(f"{seed}\n{group}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8]) / 2**64


def _sample(examples: list[Example], limit: int, seed: int) -> list[Example]:
    if len(examples) <= limit:
        return examples
    chosen = np.sort(np.random.default_rng(seed).choice(len(examples), limit, replace=False))
    return [examples[place] for place in chosen]
