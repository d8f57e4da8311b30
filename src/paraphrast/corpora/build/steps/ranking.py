"""Rank sentences by a language model, and keep the best."""

from __future__ import annotations

import hashlib
import heapq
import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.build.build_step import (
    SENTENCES,
    BuildStep,
    Resolve,
    build_step,
    check_loading,
)
from paraphrast.corpora.word_ids import word_tokeniser, words_label
from paraphrast.engine.step import Advance, Dropped, Row, Step, Work
from paraphrast.errors import ConfigError, InputError, MissingExtra, did_you_mean
from paraphrast.io import chunks
from paraphrast.metrics.base import Batch, Place
from paraphrast.metrics.likelihood import Perplexity
from paraphrast.text.column import Column, Vocabularies
from paraphrast.types import Floats

if TYPE_CHECKING:
    from paraphrast.corpora.build.corpus_recipe import CorpusRecipe
    from paraphrast.corpora.build.recipe_run import RecipeRun


PERPLEXITY, LOGPROB = RANKS = ("perplexity", "logprob")
KENLM = "kenlm"
_MODELS = (PERPLEXITY, KENLM)
NO_WORD = "no word that the model knows"

_PLACES = 4  # of what is written, so that no batch's last digit shows
_BITE = 512  # sentences that are read at once
_READ = 1 << 20


@build_step("rank", takes=(SENTENCES,), gives=SENTENCES)
@dataclass(frozen=True, kw_only=True)
class RankStep(BuildStep):
    """Keep the `keep` sentences that a language model finds likeliest.

    `model` is a generator, or the file of an n-gram model (by "kenlm"), which sees words as
    `tokenize` and `lowercase` say; these two are of n-gram models alone.
    """

    keep: int
    by: str = PERPLEXITY
    model: str = ""
    tokenize: str | None = None
    lowercase: bool | None = None

    def check_resources(self, recipe: CorpusRecipe, resolve: Resolve) -> None:
        rating, _ = self.workers()
        if not isinstance(rating, KenlmStep):  # n-gram models may be huge; their file is there
            check_loading(rating)

    def apply(self, run: RecipeRun) -> None:
        rating, best = self.workers()
        run.each_row(rating)
        run.all_rows(best)

    def workers(self) -> tuple[Step, KeepBest]:
        """Return what rates sentences, and what keeps the best."""
        if self.by not in _MODELS:
            near = did_you_mean(self.by, _MODELS)
            raise ConfigError(f"unknown by {self.by!r}{near}; known: {', '.join(_MODELS)}")
        best = KeepBest(keep=self.keep, name="rank")
        words = {"tokenize": self.tokenize, "lowercase": self.lowercase}
        keys: dict[str, Any] = {key: value for key, value in words.items() if value is not None}
        if self.by == KENLM:
            if not self.model:
                raise ConfigError('by = "kenlm" needs model = "FILE", an ARPA or binary file')
            return KenlmStep(model=self.model, **keys), best
        if keys:
            raise ConfigError(
                f'{" and ".join(keys)}: only of by = "kenlm"; a neural model has words of its own'
            )
        return PerplexityStep(model=self.model or "paraphraser", threads=1), best


@dataclass(frozen=True, kw_only=True)
class PerplexityStep:
    """Add `perplexity` by a generator, as the metric of that name defines it; lower is likelier.

    Sentences of which the model knows no word have none and are dropped.
    """

    model: str = "paraphraser"
    threads: int | None = None
    device: str = "cpu"
    name: str = "perplexity"

    def __post_init__(self) -> None:
        Perplexity(model=self.model)

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"step": "perplexity", "metric": Perplexity(model=self.model).signature()}

    @contextmanager
    def open(self) -> Iterator[Work]:
        metric, place = Perplexity(model=self.model), Place(self.threads, self.device)
        metric.prepare(place)

        def values(texts: list[str]) -> Floats:
            points = metric.stats(Batch(Column(texts, Vocabularies()), place=place))
            return metric.segment_value(points)[:, 0]

        yield lambda rows: _with_perplexity(rows, values)


@dataclass(frozen=True, kw_only=True)
class KenlmStep:
    """Add `perplexity` by an n-gram model that KenLM reads, an ARPA or binary file.

    10^(−Σ log₁₀ p / (words + 1)): the end of the sentence counts as a word. `tokenize` and
    `lowercase` are those that the model was trained with; "none" splits at white space.
    """

    model: str
    tokenize: str = "none"
    lowercase: bool = False
    name: str = "perplexity"

    def __post_init__(self) -> None:
        word_tokeniser(self.tokenize)
        _kenlm()
        if not Path(self.model).is_file():
            raise ConfigError(f"there is no n-gram model {self.model}")

    @property
    def signature(self) -> Mapping[str, Any]:
        found = Path(self.model).stat()
        return {
            "step": "kenlm",
            "model": _sha256(self.model, found.st_size, found.st_mtime_ns),
            "tokenize": words_label(self.tokenize),
            "lowercase": self.lowercase,
        }

    @contextmanager
    def open(self) -> Iterator[Work]:
        try:
            model = _kenlm().Model(self.model)
        except OSError as error:
            why = str(error).strip().splitlines()[-1]
            raise InputError(f"{self.model} is no n-gram model: {why}") from error
        tokeniser = word_tokeniser(self.tokenize)

        def values(texts: list[str]) -> Floats:
            if self.lowercase:
                texts = [text.lower() for text in texts]
            found = [
                10 ** (-model.score(" ".join(words)) / (len(words) + 1)) if words else math.nan
                for words in tokeniser(texts)
            ]
            return np.array(found)

        yield lambda rows: _with_perplexity(rows, values)


def _with_perplexity(
    rows: Sequence[Row], values: Callable[[list[str]], Floats]
) -> Iterator[Row | Dropped]:
    for start in range(0, len(rows), _BITE):
        some = rows[start : start + _BITE]
        found = values([row["text"] for row in some]).tolist()
        for row, value in zip(some, found, strict=True):
            if math.isfinite(value):
                yield {**row, PERPLEXITY: round(value, _PLACES)}
            else:
                yield Dropped(row, NO_WORD)


@dataclass(frozen=True, kw_only=True)
class KeepBest:
    """Keep the `keep` rows of lowest perplexity (or highest `logprob`), in their order.

    Of equal ones, those whose ids come first.
    """

    keep: int
    by: str = PERPLEXITY
    name: str = "best"

    def __post_init__(self) -> None:
        if self.keep < 1:
            raise ConfigError(f"keep must be at least 1; got {self.keep}")
        if self.by not in RANKS:
            near = did_you_mean(self.by, RANKS)
            raise ConfigError(f"by must be one of {', '.join(RANKS)}; got {self.by!r}{near}")

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"step": "best", "keep": self.keep, "by": self.by}

    @property
    def reason(self) -> str:
        """What is said of rows that are not kept."""
        return f"ranked below the first {self.keep:,}"

    def run(
        self, rows: Callable[[], Iterator[Row]], scratch: Path, advance: Advance
    ) -> Iterator[Row | Dropped]:
        values = np.array(array("d", map(self._value, rows())))
        kept = np.ones(len(values), dtype=np.bool_)
        if len(values) > self.keep:
            last = np.partition(values, self.keep - 1)[self.keep - 1]
            kept = values < last
            kept[self._first_ids(rows(), values == last, self.keep - int(kept.sum()))] = True
        marks = iter(kept.tolist())
        for block in chunks(rows(), _BITE):
            for row in block:
                yield row if next(marks) else Dropped(row, self.reason, f"{row[self.by]:g}")
            advance(len(block))

    def _value(self, row: Row) -> float:
        """Return what is the lower the better."""
        value = row.get(self.by)
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise InputError(
                f"row {row.get('id', '?')} has no {self.by} to be ranked by: found {value!r}"
            )
        return float(value) if self.by == PERPLEXITY else -float(value)

    @staticmethod
    def _first_ids(rows: Iterator[Row], tied: NDArray[np.bool_], count: int) -> list[int]:
        """Return the places of the tied rows whose ids come first."""
        ids = (
            (str(row["id"]), place)
            for place, (row, is_tied) in enumerate(zip(rows, tied.tolist(), strict=True))
            if is_tied
        )
        return [place for _, place in heapq.nsmallest(count, ids)]


def _kenlm() -> Any:
    try:
        return import_module("kenlm")
    except ImportError as error:
        raise MissingExtra("kenlm", "kenlm") from error


@lru_cache(maxsize=8)
def _sha256(path: str, _size: int, _changed: int) -> str:
    found = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(_READ):
            found.update(block)
    return found.hexdigest()
