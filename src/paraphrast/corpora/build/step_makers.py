"""From the steps of a recipe to what the engine runs; making one refuses values that are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from paraphrast.corpora.build import corpus_recipe as recipes
from paraphrast.corpora.build.steps import balance, duplicates, intake, pairing, splits
from paraphrast.corpora.build.steps.negatives import Mining, Negatives, Sentences
from paraphrast.corpora.build.steps.quality import QualityStep
from paraphrast.corpora.build.steps.ranking import KeepBest, KenlmStep, PerplexityStep
from paraphrast.engine.step import Step
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.tag_scores import sigmoid

PERPLEXITY, KENLM = RANKS = ("perplexity", "kenlm")
_ALL = 1 << 40  # no text has more words or characters


def clean(step: recipes.Clean) -> intake.IntakeStep:
    """Return what `clean` runs."""
    return intake.IntakeStep(**asdict(step), name="clean")


def deduplicate(step: recipes.Deduplicate, seed: int) -> duplicates.Deduplicate:
    """Return what `deduplicate` runs."""
    return duplicates.Deduplicate(near=step.near, seed=seed)


def rank(step: recipes.Rank) -> tuple[Step, KeepBest]:
    """Return what rates sentences, and what keeps the best."""
    if step.by not in RANKS:
        near = did_you_mean(step.by, RANKS)
        raise ConfigError(f"unknown by {step.by!r}{near}; known: {', '.join(RANKS)}")
    best = KeepBest(keep=step.keep, name="rank")
    words = {"tokenize": step.tokenize, "lowercase": step.lowercase}
    given: dict[str, Any] = {key: value for key, value in words.items() if value is not None}
    if step.by == KENLM:
        if not step.model:
            raise ConfigError('by = "kenlm" needs model = "FILE", an ARPA or binary file')
        return KenlmStep(model=step.model, **given), best
    if given:
        raise ConfigError(
            f'{" and ".join(given)}: only of by = "kenlm"; a neural model has words of its own'
        )
    return PerplexityStep(model=step.model or "paraphraser", threads=1), best


def estimate(step: recipes.Estimate) -> QualityStep:
    """Return what `estimate` runs."""
    return QualityStep(metric=step.metric, tokenize=step.tokenize, name="estimate")


def pair(step: recipes.Pair) -> pairing.PairStep:
    """Return what `pair` runs."""
    return pairing.PairStep(ways=step.ways, tokenize=step.tokenize)


def sample(step: recipes.Balance, seed: int) -> balance.Balance:
    """Return what `balance` runs."""
    return balance.Balance(per_bin=step.per_bin, repeat_sources=step.repeat_sources, seed=seed)


def split(step: recipes.Split, seed: int) -> splits.Split:
    """Return what `split` runs."""
    return splits.Split(shares=step.shares, seed=seed)


def negatives(step: recipes.Negatives, seed: int, sentences: Sentences) -> Negatives:
    """Return what `negatives` runs over the texts that it searches."""
    judge = Adequacy(step.judge) if step.judge else None
    mining = Mining(tokenize=step.tokenize, seed=seed, judge=judge, ceiling=step.ceiling)
    return Negatives(sentences=sentences, per_bin=step.per_bin, lowest=step.lowest, mining=mining)


def clean_texts(recipe: recipes.Recipe, step: recipes.Negatives) -> list[intake.IntakeStep]:
    """Return what the files of `negatives` go through: each `clean` of the recipe.

    Texts in the target language are not asked for the source language; their words are told apart
    as the step says. Without a `clean` texts are normalised, and that is all.
    """
    given = [each for each in recipe.steps if isinstance(each, recipes.Clean)]
    if not given:
        how: dict[str, Any] = {"check": "none", "tokenize": step.tokenize, "letters": 0.0}
        how |= {"strip_tags": False}
        how |= {"min_words": 0, "min_chars": 0, "max_words": _ALL, "max_chars": _ALL}
        return [intake.IntakeStep(**how, name="clean texts")]
    other = (
        {"language": "", "check": "none", "tokenize": step.tokenize}
        if recipe.in_target_language
        else {}
    )
    return [intake.IntakeStep(**{**asdict(each), **other}, name="clean texts") for each in given]


@dataclass(frozen=True)
class Adequacy:
    """An edit encoder that says how sure it is that two texts follow from each other."""

    model: str
    name: str = "adequacy"

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"encoder": EditEncoder.load(self.model).card.fingerprint}

    def __call__(self, texts1: Sequence[str], texts2: Sequence[str]) -> list[float]:
        """Return the lower probability of both directions."""
        pairs = list(zip(texts1, texts2, strict=True))
        found = EditEncoder.load(self.model).summaries([*pairs, *((b, a) for a, b in pairs)])
        both = sigmoid(np.array([one.entailment for one in found])).reshape(2, -1)
        return [float(value) for value in both.min(axis=0)]
