"""Paraphrast tells whether two texts say the same thing.

The public surface; everything is loaded when first used, so `import paraphrast` stays light.
"""

from __future__ import annotations

import os
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
    from paraphrast.jobs.annotation.projects import (
        AnnotationProject,
        add_pairs,
        init_annotation,
        suggest_answers,
    )
    from paraphrast.jobs.annotation.transfer import (
        export_annotations,
        import_annotations,
        restore_annotations,
    )
    from paraphrast.jobs.build import build
    from paraphrast.jobs.corpus import evaluate_corpora, verify_corpus
    from paraphrast.jobs.explain import Explanation, explain
    from paraphrast.jobs.export import train_export
    from paraphrast.jobs.generate import generate
    from paraphrast.jobs.judge import judge
    from paraphrast.jobs.meta import (
        compare_metrics,
        correlate,
        evaluate_metrics,
        judgement_tasks,
        reference_study,
        size_study,
    )
    from paraphrast.jobs.mine import MinedPairs, mine
    from paraphrast.jobs.scoring.cards import metric_card, metric_names
    from paraphrast.jobs.scoring.score import compare, score
    from paraphrast.jobs.scoring.scorer import Scorer
    from paraphrast.jobs.stress import stress_metrics
    from paraphrast.jobs.study import decoding_study
    from paraphrast.jobs.support import support
    from paraphrast.jobs.tag import tag, tag_rows
    from paraphrast.jobs.train import train_plot, train_resume, train_run
    from paraphrast.meaning.reason import Reason
    from paraphrast.meaning.support_report import Claim, SupportReport
    from paraphrast.meaning.tagged_pair import TaggedPair, TaggedText
    from paraphrast.meaning.verdict import Verdict
    from paraphrast.meta.report import MetaReport
    from paraphrast.meta.stress.stress_report import StressReport
    from paraphrast.meta.stress.suite import StressPair, stress_pairs
    from paraphrast.metrics.base import Batch, Card, MeanMetric, Metric
    from paraphrast.results import Comparison, PairedTest, Report, Score
    from paraphrast.studies.judgement_sizes import SizeStudy
    from paraphrast.studies.metric_comparison import MetricComparison
    from paraphrast.studies.reference_gain import ReferenceStudy

__version__ = _version.VERSION

# onnxruntime reads this when it is imported: without it, it queues events and looks up their host.
# Every process that works for us imports this module first; a value that the user set stays.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

_WHERE = {
    "score": "paraphrast.jobs.scoring.score",
    "compare": "paraphrast.jobs.scoring.score",
    "Scorer": "paraphrast.jobs.scoring.scorer",
    "metric_card": "paraphrast.jobs.scoring.cards",
    "metric_names": "paraphrast.jobs.scoring.cards",
    "tag": "paraphrast.jobs.tag",
    "tag_rows": "paraphrast.jobs.tag",
    "explain": "paraphrast.jobs.explain",
    "judge": "paraphrast.jobs.judge",
    "support": "paraphrast.jobs.support",
    "generate": "paraphrast.jobs.generate",
    "Choice": "paraphrast.generation.selection.candidate_choice",
    "Paraphrase": "paraphrast.generation.selection.candidate_choice",
    "Rejected": "paraphrast.generation.selection.candidate_choice",
    "mine": "paraphrast.jobs.mine",
    "build": "paraphrast.jobs.build",
    "AnnotationProject": "paraphrast.jobs.annotation.projects",
    "add_pairs": "paraphrast.jobs.annotation.projects",
    "export_annotations": "paraphrast.jobs.annotation.transfer",
    "import_annotations": "paraphrast.jobs.annotation.transfer",
    "init_annotation": "paraphrast.jobs.annotation.projects",
    "restore_annotations": "paraphrast.jobs.annotation.transfer",
    "suggest_answers": "paraphrast.jobs.annotation.projects",
    "evaluate_corpora": "paraphrast.jobs.corpus",
    "verify_corpus": "paraphrast.jobs.corpus",
    "decoding_study": "paraphrast.jobs.study",
    "train_run": "paraphrast.jobs.train",
    "train_resume": "paraphrast.jobs.train",
    "train_plot": "paraphrast.jobs.train",
    "train_export": "paraphrast.jobs.export",
    "correlate": "paraphrast.jobs.meta",
    "evaluate_metrics": "paraphrast.jobs.meta",
    "compare_metrics": "paraphrast.jobs.meta",
    "reference_study": "paraphrast.jobs.meta",
    "size_study": "paraphrast.jobs.meta",
    "judgement_tasks": "paraphrast.jobs.meta",
    "stress_metrics": "paraphrast.jobs.stress",
    "stress_pairs": "paraphrast.meta.stress.suite",
    "MetaReport": "paraphrast.meta.report",
    "StressPair": "paraphrast.meta.stress.suite",
    "StressReport": "paraphrast.meta.stress.stress_report",
    "MetricComparison": "paraphrast.studies.metric_comparison",
    "ReferenceStudy": "paraphrast.studies.reference_gain",
    "SizeStudy": "paraphrast.studies.judgement_sizes",
    "Report": "paraphrast.results",
    "Comparison": "paraphrast.results",
    "Score": "paraphrast.results",
    "PairedTest": "paraphrast.results",
    "TaggedPair": "paraphrast.meaning.tagged_pair",
    "TaggedText": "paraphrast.meaning.tagged_pair",
    "Verdict": "paraphrast.meaning.verdict",
    "Claim": "paraphrast.meaning.support_report",
    "SupportReport": "paraphrast.meaning.support_report",
    "Reason": "paraphrast.meaning.reason",
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
    "AnnotationProject",
    "Batch",
    "Card",
    "Choice",
    "Claim",
    "Comparison",
    "ConfigError",
    "Explanation",
    "InputError",
    "MeanMetric",
    "MetaReport",
    "Metric",
    "MetricComparison",
    "MinedPair",
    "MinedPairs",
    "MissingExtra",
    "ModelError",
    "PairedTest",
    "Paraphrase",
    "ParaphrastError",
    "Reason",
    "ReferenceStudy",
    "Rejected",
    "Report",
    "Score",
    "Scorer",
    "SizeStudy",
    "StressPair",
    "StressReport",
    "SupportReport",
    "TaggedPair",
    "TaggedText",
    "Verdict",
    "__version__",
    "add_pairs",
    "build",
    "compare",
    "compare_metrics",
    "correlate",
    "decoding_study",
    "evaluate_corpora",
    "evaluate_metrics",
    "explain",
    "export_annotations",
    "generate",
    "import_annotations",
    "init_annotation",
    "judge",
    "judgement_tasks",
    "metric_card",
    "metric_names",
    "mine",
    "reference_study",
    "restore_annotations",
    "score",
    "size_study",
    "stress_metrics",
    "stress_pairs",
    "suggest_answers",
    "support",
    "tag",
    "tag_rows",
    "train_export",
    "train_plot",
    "train_resume",
    "train_run",
    "verify_corpus",
]


_FORMER = {"Kept": "Paraphrase"}  # old names, which still work


def __getattr__(name: str) -> Any:
    if name in _FORMER:
        message = f"paraphrast.{name} is now called paraphrast.{_FORMER[name]}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        name = _FORMER[name]
    if name not in _WHERE:
        raise AttributeError(f"module 'paraphrast' has no attribute {name!r}")
    module, _, attribute = _WHERE[name].partition(":")
    return getattr(import_module(module), attribute or name)


def __dir__() -> list[str]:
    return __all__
