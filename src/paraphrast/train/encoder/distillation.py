"""Distillation: what the teacher says of unlabelled pairs becomes their labels.

Labels are written in shards named after all that they depend on, so that a killed run takes them
up again and a changed one never does.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, replace
from pathlib import Path
from random import Random

import numpy as np

from paraphrast.io import atomic_writer
from paraphrast.io.resume import is_sealed, seal_file
from paraphrast.models.encoder.edit_encoder import EditEncoder, Reading
from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.models.encoder.tag_scores import probability
from paraphrast.text.words import WordText
from paraphrast.train.data.assembly import Corpus, Part, add, code
from paraphrast.train.data.corruption import corrupt
from paraphrast.train.data.examples import Example, Labels, entailed
from paraphrast.train.recipe import SourcePart, TrainingRecipe

SHARD = 1000


def add_labelled(
    corpus: Corpus,
    recipe: TrainingRecipe,
    tokeniser: PairTokeniser,
    parts: Sequence[Part],
    folder: Path,
    *,
    tell: Callable[[str], None] = lambda _line: None,
) -> None:
    """Let the teacher label every unlabelled source of the recipe, and add them to the corpus."""
    if recipe.teacher is None:
        return
    folder.mkdir(exist_ok=True)
    teacher = EditEncoder.load(recipe.teacher.encoder)
    for number, (source, part) in enumerate(zip(recipe.source, parts, strict=True)):
        if source.unlabelled:
            rows = unlabelled(source, recipe.seed, part.train)
            key = _key(source, recipe.seed, _identity(teacher), rows)
            rows = label(rows, teacher, folder / f"{source.name}-{key}", tell=tell)
            rows = [with_labels(row, recipe.teacher.labels) for row in rows]
            add(corpus, code(rows, number, tokeniser), source, recipe.max_tokens)
            corpus.kept_out[source.name] = part.kept_out


def unlabelled(source: SourcePart, seed: int, examples: Sequence[Example]) -> list[Example]:
    """Return the pairs of a source without their labels, and corrupted ones beside them."""
    rows = [_bare(row, row.b) for row in examples]
    rng = Random(seed)  # noqa: S311
    vocabulary = [word for row in rows for word in row.b.words if word[:1].isalpha()]
    whole, part = divmod(source.corrupted, 1)
    chosen = rows * int(whole) + rng.sample(rows, round(part * len(rows)))
    return rows + [_bare(row, corrupt(row.b, vocabulary, rng)) for row in chosen]


def label(
    rows: Sequence[Example],
    teacher: EditEncoder,
    stem: Path,
    *,
    tell: Callable[[str], None] = lambda _line: None,
) -> list[Example]:
    """Return the rows with the teacher's score, entailment probability and tag probabilities."""
    found: list[Example] = []
    for start in range(0, len(rows), SHARD):
        part = rows[start : start + SHARD]
        path = stem.with_name(f"{stem.name}-{start // SHARD:04d}.npz")
        if not is_sealed(path):
            _write(path, teacher.read([(row.a, row.b) for row in part]))
            seal_file(path)
            tell(f"{stem.name}: {start + len(part):,} of {len(rows):,} pairs labelled")
        found += _labelled(part, path)
    return found


def with_labels(row: Example, labels: Sequence[str]) -> Example:
    """Return the row with those labels alone."""
    return replace(
        row,
        score=row.score if "score" in labels else None,
        forward=row.forward if "relations" in labels else None,
        backward=row.backward if "relations" in labels else None,
        same=row.same if "same" in labels else None,
        tags_a=row.tags_a if "tags" in labels else None,
        tags_b=row.tags_b if "tags" in labels else None,
    )


def _write(path: Path, readings: Sequence[Reading]) -> None:
    sides = [side for one in readings for side in (one.tags_a, one.tags_b)]
    with atomic_writer(path, binary=True) as file:
        np.savez(
            file,
            score=np.array([one.score for one in readings]),
            relations=np.array([astuple(one.relations) for one in readings]),
            tags=1 - np.concatenate([probability(side) for side in sides]),
        )


def _labelled(rows: Sequence[Example], path: Path) -> list[Example]:
    with np.load(path, allow_pickle=False) as saved:
        scores, logits, tags = saved["score"], saved["relations"], saved["tags"]
    ends = np.cumsum([len(side) for row in rows for side in (row.a, row.b)])
    sides = np.split(tags.astype(np.float32), ends[:-1])
    chances = (1 / (1 + np.exp(-logits))).tolist()
    return [
        replace(
            row,
            score=score,
            forward=_soft(forward, against),
            backward=_soft(backward, against),
            same=None if math.isnan(same) else same,
            tags_a=tags_a,
            tags_b=tags_b,
        )
        for row, score, (forward, backward, against, same), tags_a, tags_b in zip(
            rows, scores.tolist(), chances, sides[::2], sides[1::2], strict=True
        )
    ]


def _soft(follows: float, against: float) -> Labels | None:
    """Return the probabilities of the three relations; a teacher of format 1 knows less."""
    if math.isnan(follows):
        return None
    if math.isnan(against):
        return entailed(follows)
    against = min(against, 1 - follows)
    return np.array([follows, 1 - follows - against, against], dtype=np.float32)


def _bare(row: Example, candidate: WordText) -> Example:
    return Example(a=row.a, b=candidate, group=row.group)


def _identity(teacher: EditEncoder) -> str:
    """Name the network and how much it reads at once; thresholds do not change what it says."""
    card = teacher.card
    return json.dumps([dict(card.files), card.max_tokens, card.window], sort_keys=True)


def _key(source: SourcePart, seed: int, fingerprint: str, rows: Sequence[Example]) -> str:
    """Name what labels depend on; passes, weight and the like are about their use."""
    texts = hashlib.sha256()
    for row in rows:
        texts.update(json.dumps([row.a.text, row.a.spans, row.b.text, row.b.spans]).encode())
    kept = ("reader", "files", "validation", "limit", "corrupted")
    plain = (
        json.dumps([{name: asdict(source)[name] for name in kept}, seed, fingerprint])
        + texts.hexdigest()
    )
    return hashlib.sha256(plain.encode()).hexdigest()[:10]
