"""Figures of written paraphrases, as in Patil et al. 2022, figure 2: copying, adequacy, variety."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paraphrast.meaning.assessment import assess
from paraphrast.metrics.base import Batch, batches
from paraphrast.metrics.diversity import VocabularyDiversity
from paraphrast.metrics.paraphrase import RougeP
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.types import Chunk

FIGURES = ("rouge_p", "adequacy", "copying", "length", "vocabulary", "identical")
JUDGED = ("same", "entailment", "tags", "support")


def looked_at(
    sources: Sequence[str], targets: Sequence[str], texts: Sequence[str]
) -> dict[str, float]:
    """Return means over the texts.

    ROUGE-P, with the benchmark of the human targets; its adequacy (ROUGE-1 recall of the source)
    and length factor; copying (ROUGE-L F with the source); vocabulary diversity with source and
    target; and the share of texts that are their source, word for word.
    """
    chunk = Chunk(
        0, {"": [[text] for text in texts]}, [[target] for target in targets], list(sources)
    )
    batch: Batch = batches(chunk)[""]
    metric = RougeP()
    rows = metric.stats(batch)
    means = dict(zip(_PARTS, metric.fit(rows).points(rows)[:, 1:].mean(0).tolist(), strict=True))
    kept = {name: means[name] for name in ("rouge_p", "adequacy", "copying", "length")}
    diversity = VocabularyDiversity().stats(batch)[:, 1].mean()
    same = [text.split() == source.split() for text, source in zip(texts, sources, strict=True)]
    return {**kept, "vocabulary": float(diversity), "identical": float(np.mean(same))}


_PARTS = ("rouge_p", "adequacy", "novelty", "fluency", "length", "copying")


def judge(encoder: str, sources: Sequence[str], texts: Sequence[str]) -> dict[str, float]:
    """Return means of what an edit encoder says.

    They are the probability that both texts say the same, the lower of both entailments, the tag
    probability F and the support of the weakest content word.
    """
    found = assess(EditEncoder.load(encoder), list(zip(sources, texts, strict=True)))
    rows = [
        (one.chances.same, one.chances.entailment, one.tags, one.weakest.support) for one in found
    ]
    return dict(zip(JUDGED, np.mean(rows, axis=0).tolist(), strict=True))
