"""Share pairs out over splits, so that no sentence is in two of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paraphrast.corpora.build.build_step import PAIRS, BuildStep, Resolve, build_step
from paraphrast.corpora.build.corpus_files import check_split
from paraphrast.corpora.word_ids import Ints, Keys, seeded, sentence_keys
from paraphrast.engine.step import Advance, Dropped, Row
from paraphrast.errors import ConfigError, InputError
from paraphrast.io import chunks

if TYPE_CHECKING:
    from paraphrast.corpora.build.corpus_recipe import CorpusRecipe
    from paraphrast.corpora.build.recipe_run import RecipeRun


_BLOCK = 1 << 12
_TEXTS = ("text1", "text2", "source")


@build_step("split", takes=(PAIRS,), gives=PAIRS)
@dataclass(frozen=True, kw_only=True)
class SplitStep(BuildStep):
    """Add `split`, one of the names in `shares`, to each pair.

    Pairs that share a sentence (the normal form of text1, text2 or source), directly or through
    other pairs, go together. Such groups are drawn by a seeded hash of their texts until a split
    has its share; one that is larger than half of the smallest share goes to the largest split.
    """

    shares: dict[str, float] = field(
        default_factory=lambda: {"train": 0.8, "dev": 0.1, "test": 0.1}
    )
    seed: int = 0
    name: ClassVar[str] = "split"

    def __post_init__(self) -> None:
        if not self.shares:
            raise ConfigError("shares are missing; for example { train = 0.8, test = 0.2 }")
        for name, share in self.shares.items():
            if not 0 <= share <= 1:
                raise ConfigError(f"the share of {name} must be between 0 and 1; got {share}")
        if not math.isclose(total := sum(self.shares.values()), 1, abs_tol=1e-9):
            raise ConfigError(f"the shares must add up to 1; they add up to {total:g}")

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "step": "split",
            "shares": [list(item) for item in self.shares.items()],
            "seed": self.seed,
        }

    def check_place(self, recipe: CorpusRecipe, number: int) -> None:
        if is_split_before(recipe, number):
            raise ConfigError("the pairs are split already; keep one split")

    def check_resources(self, recipe: CorpusRecipe, resolve: Resolve) -> None:
        for name in self.shares:
            check_split(name)

    def apply(self, run: RecipeRun) -> None:
        run.all_rows(self)

    def run(
        self, rows: Callable[[], Iterator[Row]], scratch: Path, advance: Advance
    ) -> Iterator[Row | Dropped]:
        keys = _keys(rows())
        groups = components(keys)
        assigned = self._assigned(groups, keys)
        names = list(self.shares)
        places = iter(assigned.tolist())
        for block in chunks(rows(), _BLOCK):
            for row in block:
                yield {**row, "split": names[next(places)]}
            advance(len(block))

    def _assigned(self, groups: Ints, keys: Keys) -> Ints:
        """Return the number of the split of each row."""
        if not len(groups):
            return groups
        _, inverse, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        least = np.full(len(sizes), np.iinfo(np.uint64).max, dtype=np.uint64)
        np.minimum.at(least, inverse, keys.min(axis=1))  # whatever the order of the rows
        wanted = np.array(list(self.shares.values())) * len(groups)
        largest = int(wanted.argmax())
        big = (sizes > 1) & (sizes > wanted[wanted > 0].min() / 2)
        wanted[largest] = max(wanted[largest] - int(sizes[big].sum()), 0.0)
        split = np.full(len(sizes), largest, dtype=np.int64)
        small = np.flatnonzero(~big)
        if len(small) and wanted.any():
            small = small[np.argsort(seeded(least[small], self.seed))]
            reached = np.cumsum(sizes[small])
            ends = np.cumsum(wanted / wanted.sum()) * reached[-1]
            split[small] = np.searchsorted(ends, reached - sizes[small] / 2, side="right")
        found: Ints = split[inverse]
        return found


def is_split_before(recipe: CorpusRecipe, number: int) -> bool:
    """Tell whether a step before this one has split the pairs."""
    return any(isinstance(step, SplitStep) for step in recipe.steps[:number])


def _keys(rows: Iterator[Row]) -> Keys:
    """Return the keys of the sentences of each row; a missing source repeats text1."""
    blocks = [np.zeros((0, len(_TEXTS)), dtype=np.uint64)]
    for block in chunks(rows, _BLOCK):
        columns = [sentence_keys([_text(row, name) for row in block]) for name in _TEXTS]
        blocks.append(np.stack(columns, axis=1))
    return np.concatenate(blocks)


def _text(row: Row, name: str) -> str:
    text = row.get(name)
    if name == "source" and not text:
        text = row["text1"]
    if not isinstance(text, str):
        raise InputError(f"pair {row.get('id', '?')} has no {name}: found {text!r}")
    return text


def components(keys: Keys) -> Ints:
    """Return a number for each row, equal for rows that share a key, directly or through others.

    Every key hooks the groups of its rows to the lowest of them, then paths are cut short, until
    nothing is left to hook: a few rounds, whatever the number of rows.
    """
    count, width = keys.shape
    _, nodes = np.unique(keys.ravel(), return_inverse=True)
    nodes = nodes.reshape(-1)
    rows = np.repeat(np.arange(count), width)
    parent = np.arange(count)
    order = np.argsort(nodes, kind="stable")
    nodes, rows = nodes[order], rows[order]
    starts = np.flatnonzero(np.r_[True, nodes[1:] != nodes[:-1]]) if count else nodes
    spans = np.diff(starts, append=len(nodes))
    while count:
        roots = parent[rows]
        lowest = np.repeat(np.minimum.reduceat(roots, starts), spans)
        if (roots == lowest).all():
            break
        np.minimum.at(parent, roots, lowest)
        while ((above := parent[parent]) != parent).any():
            parent = above
    return parent
