"""The quality table: what installed encoders reach on held-out sets, beside baselines.

Nothing of these sets was trained or tuned on: the recipes leave their texts out of every source.
Thresholds for "is a paraphrase" are chosen on the slice of each training file that the recipe set
aside, and tags use the threshold of the card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from paraphrast.meaning.assessment import assess
from paraphrast.meaning.tag_evaluation import TagCounts, absent, count_tags
from paraphrast.meaning.tag_rows import read_pairs
from paraphrast.meta.report import MetaReport
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.tag_scores import support
from paraphrast.studies.paraphrase_identification import Pairs, decided, metric_values
from paraphrast.studies.quality_line import Line
from paraphrast.studies.screening_quality import screening
from paraphrast.train.data.assembly import data_root, parts
from paraphrast.train.data.examples import Example
from paraphrast.train.data.readers import read
from paraphrast.train.recipe import read_recipe
from paraphrast.types import Floats

TAGS = ("etpc.dev", "multimwa_wiki.test", "multimwa_mtref.test")
RECIPE = Path("recipes/mini.toml")  # says which rows are set aside; base.toml says the same
PARAPHRASE = {"mrpc": "mrpc", "paws": "paws_wiki"}  # the recipe's sources and their files
BASELINES = ("chrf++", "bleu")
ROUGE2 = "rouge2:preset=google,stemmer=true"

Tell = Callable[[str], None]


class EvaluateMetrics(Protocol):
    """Scores and correlates metrics on tasks of human judgement: `paraphrast.jobs.meta`'s."""

    def __call__(
        self, tasks: Sequence[str], metrics: Sequence[str], *, statistics: Sequence[str]
    ) -> MetaReport:
        """Return the correlations of the metrics on the tasks."""
        ...


def quality(
    models: Sequence[str], evaluate_metrics: EvaluateMetrics, *, tell: Tell = lambda _line: None
) -> list[Line]:
    """Measure every model, and the baselines, on every task; `tell` hears of each figure."""
    lines: list[Line] = []
    tasks: list[Callable[[Sequence[str]], list[Line]]] = [
        *(partial(task, evaluate_metrics=evaluate_metrics) for task in (_translation, _factuality)),
        _tags,
        _paraphrase,
        screening,
    ]
    for task in tasks:
        for line in task(models):
            tell(f"{line.task}, {line.figure}: {line.system} {line}")
            lines.append(line)
    return lines


def _translation(models: Sequence[str], evaluate_metrics: EvaluateMetrics) -> list[Line]:
    requests = {name: name for name in BASELINES}
    requests |= {f"parableu:model={model}": model for model in models}
    report = evaluate_metrics(["wmt17"], list(requests), statistics=("pearson", "kendall"))
    return _lines("WMT17 to-English segments", report, requests)


def _factuality(models: Sequence[str], evaluate_metrics: EvaluateMetrics) -> list[Line]:
    """ParaTag's P in both scales: means of logits, as in the paper, and of probabilities."""
    scales = {
        scale: {ROUGE2: "ROUGE-2"}
        | {f"paratag.P:model={model},scale={scale}": model for model in models}
        for scale in ("logit", "probability")
    }
    every = list(dict.fromkeys(name for requests in scales.values() for name in requests))
    report = evaluate_metrics(["qags_cnn"], every, statistics=("pearson",))
    return [
        replace(line, figure=f"{line.figure}, {scale}")
        for scale, requests in scales.items()
        for line in _lines("QAGS-CNN factuality", report, requests)
    ]


def _lines(task: str, report: MetaReport, requests: dict[str, str]) -> list[Line]:
    """Take the values of a meta-evaluation; a lone metric goes by its bare name there."""
    names = {request.partition(":")[0]: system for request, system in requests.items()} | requests
    return [
        Line(task, table.statistic, names[row.metric], row.value)
        for table in report.tables
        for row in table.rows
        if row.value is not None and row.metric in names
    ]


def _tags(models: Sequence[str]) -> list[Line]:
    lines = []
    for name in TAGS:
        found_rows = list(read_pairs(str(data_root() / "tags" / f"{name}.jsonl.gz"), gold=True))
        pairs = [row.pair for row in found_rows]
        gold = [tags for row in found_rows for tags in row.gold or ()]
        found = {"word absent": [absent(*_words(p)) + absent(*_words(p[::-1])) for p in pairs]}
        for model in models:
            encoder = EditEncoder.load(model)
            cut = encoder.card.thresholds.tag
            found[model] = [
                [*_below(one.tags_a, cut), *_below(one.tags_b, cut)] for one in encoder.read(pairs)
            ]
        right = [[*first, *second] for first, second in zip(gold[::2], gold[1::2], strict=True)]
        for system, tags in found.items():
            counts = [count_tags(*both) for both in zip(tags, right, strict=True)]
            f1 = sum(counts, TagCounts()).f1
            lines.append(Line(f"tags, {name}", "F1 of tag 1", system, f1))
    return lines


def _words(pair: Sequence[object]) -> tuple[list[str], list[str]]:
    return pair[0].words, pair[1].words  # type: ignore[attr-defined]


def _below(logits: Floats, cut: float) -> list[int]:
    """Tag words; those that the tokeniser drops are never tagged."""
    return [int(tag) for tag in (support(logits) < cut) & logits.any(axis=1)]


def _paraphrase(models: Sequence[str]) -> list[Line]:
    lines = []
    for source, name in PARAPHRASE.items():
        aside = _held_out(source)
        test = read("pairs", data_root() / "pairs" / f"{name}.test.jsonl.gz")
        systems = {"chrf++": metric_values("chrf++")}
        systems |= {model: _reader(model) for model in models}
        for system, values in systems.items():
            found = decided(system, values, aside, test)
            lines.append(Line(f"{name} test", "accuracy", system, found.accuracy))
            lines.append(Line(f"{name} test", "F1", system, found.f1))
    return lines


def _held_out(name: str) -> list[Example]:
    recipe = read_recipe(RECIPE)
    alone = tuple(source for source in recipe.source if source.name == name)
    return parts(replace(recipe, source=alone), data_root())[0].held_out


def _reader(model: str) -> Callable[[Pairs], Floats]:
    """The probability that both texts say the same."""

    def values(rows: Pairs) -> Floats:
        found = assess(EditEncoder.load(model), [(row.a.text, row.b.text) for row in rows])
        return np.array([one.chances.same for one in found])

    return values


def encoder_sizes(models: Sequence[str]) -> dict[str, int]:
    """Return the bytes of each model's network."""
    cards = {model: EditEncoder.load(model).card for model in models}
    return {
        model: (Path(card.directory) / "model.onnx").stat().st_size for model, card in cards.items()
    }
