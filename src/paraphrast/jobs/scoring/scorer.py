"""A scorer for loops: metrics are built, and models loaded, once."""

from __future__ import annotations

import os
from collections.abc import Sequence

from paraphrast.errors import ConfigError, InputError, check_characters
from paraphrast.jobs.scoring.score import build_metrics, score
from paraphrast.jobs.scoring.score_options import Metrics, ScoreOptions
from paraphrast.jobs.scoring.text_columns import TextColumn, Texts
from paraphrast.metrics import corpus_fitting as surveys
from paraphrast.metrics.base import REFERENCES, SET, SOURCE, TREES, Metric, batches
from paraphrast.metrics.demands import check_inputs, checked_stats
from paraphrast.metrics.run import labels
from paraphrast.results import Report
from paraphrast.types import Chunk

_ALL_INPUTS = frozenset({REFERENCES, SOURCE, TREES})


class Scorer:
    """Scores one segment at a call, or a list of them.

    metrics: Names such as "chrf++" or "paratag.P", or metric objects.
    threads: Threads where a model runs; one for each core.
    device: Where a model runs: "cpu", "cuda" or "cuda:1".
    cache: A folder in which embeddings are kept for later runs.
    """

    def __init__(
        self,
        metrics: Metrics,
        *,
        threads: int | None = None,
        device: str = "cpu",
        cache: str | os.PathLike[str] | None = None,
    ) -> None:
        self._options = ScoreOptions(threads=threads, device=device, cache=cache)
        place = self._options.place()
        built = build_metrics(metrics, _ALL_INPUTS)
        for metric in built:
            _check_segment(metric)
            metric.prepare(place)
        self._place = place
        self._metrics = surveys.survey(built, place, None, [])
        self._names = labels(self._metrics)
        self._needs = frozenset[str]().union(*(metric.required() for metric in self._metrics))

    def score(
        self,
        candidate: str,
        references: str | Sequence[str] | None = None,
        source: str | None = None,
    ) -> dict[str, float]:
        """Return the value of each metric for one segment; NaN where it is undefined.

        candidate: The text to score.
        references: The reference, or a list of references.
        source: The source.
        """
        several = [references] if isinstance(references, str) else references
        _check_texts(candidate, several, source)
        absent = (several is None, REFERENCES), (source is None, SOURCE)
        if any(lacking and need in self._needs for lacking, need in absent):
            given = frozenset(need for lacking, need in absent if not lacking)
            check_inputs(self._metrics, given)
        chunk = Chunk(
            0,
            {"": [[candidate]]},
            None if several is None else [list(several)],
            None if source is None else [source],
        )
        batch = batches(chunk, self._place)[""]
        found = {}
        for name, metric in zip(self._names, self._metrics, strict=True):
            rows = checked_stats(metric, batch)
            fitted = metric.fit(rows) if metric.whole_corpus else metric
            values = fitted.part_first(fitted.segment_value(fitted.points(rows)))
            found[name] = float(values[0, 0])
        return found

    def score_all(
        self,
        candidates: Texts,
        references: Texts | None = None,
        sources: TextColumn | None = None,
    ) -> Report:
        """Return the report of a list of segments, as `paraphrast.score` does.

        candidates: A text for each segment.
        references: The reference, or the list of references, of each segment.
        sources: The source of each segment.
        """
        options = self._options
        return score(
            candidates,
            references,
            sources,
            metrics=self._metrics,
            threads=options.threads,
            device=options.device,
            cache=options.cache,
        )


def _check_segment(metric: Metric) -> None:
    """Refuse a metric that one candidate and its references cannot feed."""
    if metric.required() & {SET, TREES}:
        raise ConfigError(
            f"metric {metric.name!r} scores sets of candidates; use paraphrast.score for it"
        )
    if metric.corpus() == REFERENCES:
        raise ConfigError(
            f"metric {metric.name!r} counts the references of a whole corpus (idf=references); "
            "use paraphrast.score for it, or name a file to count"
        )


def _check_texts(candidate: str, references: Sequence[str] | None, source: str | None) -> None:
    """Demand texts, and at least one reference where references are given."""
    if references is not None and not len(references):
        raise InputError("references is empty; give a text or leave it out")
    texts = [candidate, *(references or ()), *(() if source is None else (source,))]
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"a text is needed; got {type(text).__name__} {text!r:.40}")
        if not text.isascii():
            check_characters(text, "the text")
