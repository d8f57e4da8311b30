"""Paraphrast tells whether two texts say the same thing.

The public surface; everything is loaded when first used, so `import paraphrast` stays light.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from paraphrast import _version

if TYPE_CHECKING:
    from paraphrast.corpora.mine.mining import MinedPair
    from paraphrast.errors import (
        ConfigError,
        InputError,
        MissingExtra,
        ModelError,
        ParaphrastError,
    )
    from paraphrast.generation.selection.candidate_choice import Choice, Paraphrase, Rejected
    from paraphrast.jobs.build import build
    from paraphrast.jobs.explain import Explanation, explain
    from paraphrast.jobs.generate import generate
    from paraphrast.jobs.mine import MinedPairs, mine
    from paraphrast.jobs.score import compare, score
    from paraphrast.jobs.tag import tag
    from paraphrast.meaning.tagged_pair import TaggedPair, TaggedText
    from paraphrast.metrics.base import Batch, Card, MeanMetric, Metric
    from paraphrast.results import Comparison, PairedTest, Report, Score

__version__ = _version.VERSION

_WHERE = {
    "score": "paraphrast.jobs.score",
    "compare": "paraphrast.jobs.score",
    "tag": "paraphrast.jobs.tag",
    "explain": "paraphrast.jobs.explain",
    "generate": "paraphrast.jobs.generate",
    "Choice": "paraphrast.generation.selection.candidate_choice",
    "Paraphrase": "paraphrast.generation.selection.candidate_choice",
    "Rejected": "paraphrast.generation.selection.candidate_choice",
    "mine": "paraphrast.jobs.mine",
    "build": "paraphrast.jobs.build",
    "Report": "paraphrast.results",
    "Comparison": "paraphrast.results",
    "Score": "paraphrast.results",
    "PairedTest": "paraphrast.results",
    "TaggedPair": "paraphrast.meaning.tagged_pair",
    "TaggedText": "paraphrast.meaning.tagged_pair",
    "Explanation": "paraphrast.jobs.explain",
    "MinedPair": "paraphrast.corpora.mine.mining",
    "MinedPairs": "paraphrast.jobs.mine",
    "Metric": "paraphrast.metrics.base",
    "MeanMetric": "paraphrast.metrics.base",
    "Batch": "paraphrast.metrics.base",
    "Card": "paraphrast.metrics.base",
    "ParaphrastError": "paraphrast.errors",
    "InputError": "paraphrast.errors",
    "ConfigError": "paraphrast.errors",
    "ModelError": "paraphrast.errors",
    "MissingExtra": "paraphrast.errors",
}

__all__ = [
    "Batch",
    "Card",
    "Choice",
    "Comparison",
    "ConfigError",
    "Explanation",
    "InputError",
    "MeanMetric",
    "Metric",
    "MinedPair",
    "MinedPairs",
    "MissingExtra",
    "ModelError",
    "PairedTest",
    "Paraphrase",
    "ParaphrastError",
    "Rejected",
    "Report",
    "Score",
    "TaggedPair",
    "TaggedText",
    "__version__",
    "build",
    "compare",
    "explain",
    "generate",
    "mine",
    "score",
    "tag",
]


_FORMER = {"Kept": "Paraphrase"}  # old names, which still work


def __getattr__(name: str) -> Any:
    if name in _FORMER:
        message = f"paraphrast.{name} is now called paraphrast.{_FORMER[name]}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        name = _FORMER[name]
    if name not in _WHERE:
        raise AttributeError(f"module 'paraphrast' has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return __all__
