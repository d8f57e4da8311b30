"""METEOR's statistics of a segment, which add up over a corpus, and the score made from them.

Denkowski and Lavie (2014), section 2, with the English parameters of METEOR 1.5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import InputError
from paraphrast.metrics.meteor.align import align, chunks
from paraphrast.metrics.meteor.match import Match, Module, Sentence, matches
from paraphrast.metrics.meteor.resources import load

Array = NDArray[np.float64]

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.20, 0.60, 0.75
WEIGHTS = {Module.EXACT: 1.0, Module.STEM: 0.6, Module.SYNONYM: 0.8, Module.PARAPHRASE: 0.6}

_COUNTS = ("candidate_content", "reference_content", "candidate_function", "reference_function")
STATISTICS = (
    "candidate_length",
    "reference_length",
    "candidate_function_words",
    "reference_function_words",
    *(f"{module.name.lower()}_{count}" for module in Module for count in _COUNTS),
    "chunks",
)
"""Columns of the statistics: words, function words, words matched by each module, chunks."""

PARTS = ("score", "precision", "recall", "f_mean", "penalty")
"""Columns of a score."""

_MATCHED = slice(4, 20)


def segment_statistics(candidate: str, references: Sequence[str]) -> list[float]:
    """Return the ``STATISTICS`` of a candidate against its best-scoring reference.

    The first reference wins a tie. A segment whose every word matches in one chunk counts no
    chunk, which makes the statistics additive: the jar leaves such segments out of the sum too.
    """
    if not references:
        raise InputError("METEOR needs at least one reference per segment")
    resources = load()
    sentence = Sentence.of(candidate, resources)
    rows = []
    for text in references:
        reference = Sentence.of(text, resources)
        found = matches(sentence, reference, resources.paraphrases)
        rows.append(_statistics(sentence, reference, align(found)))
    best = int(np.argmax(score(np.array(rows))[:, 0])) if len(rows) > 1 else 0
    return rows[best]


def _statistics(candidate: Sentence, reference: Sentence, chosen: list[Match]) -> list[float]:
    matched = [0] * (len(Module) * len(_COUNTS))
    for module, start, length, candidate_start, candidate_length in chosen:
        first = module * len(_COUNTS)
        functions = sum(candidate.is_function_word[candidate_start:][:candidate_length])
        matched[first] += candidate_length - functions
        matched[first + 2] += functions
        functions = sum(reference.is_function_word[start:][:length])
        matched[first + 1] += length - functions
        matched[first + 3] += functions
    sizes = [len(candidate.words), len(reference.words)]
    runs = chunks(chosen)
    if runs == 1 and sizes == [sum(matched[0::2]), sum(matched[1::2])]:
        runs = 0
    functions_in = [sum(candidate.is_function_word), sum(reference.is_function_word)]
    return [float(value) for value in (*sizes, *functions_in, *matched, runs)]


def score(statistics: Array) -> Array:
    """Return the ``PARTS`` of each row of statistics, shape (m, 21) -> (m, 5), all in 0..1.

    Words count ``DELTA`` if content words and ``1 - DELTA`` if function words, matched ones times
    their module's weight. P and R are matched over all; ``F = PR / (ALPHA P + (1 - ALPHA) R)``;
    penalty ``GAMMA (chunks / matched words) ** BETA``; score ``F (1 - penalty)``. Without a match,
    and so for an empty candidate or reference, everything is 0 (where the jar may print NaN).
    Give it the column sums to get the value of a corpus.
    """
    lengths, functions, counted = statistics[:, 0:2], statistics[:, 2:4], statistics[:, _MATCHED]
    weighted_lengths = DELTA * (lengths - functions) + (1.0 - DELTA) * functions
    by_module = counted.reshape(-1, len(Module), 2, 2)
    weighted = np.zeros_like(weighted_lengths)
    for kind, share in enumerate((DELTA, 1.0 - DELTA)):
        for module, weight in WEIGHTS.items():
            weighted += by_module[:, module, kind] * weight * share
    precision, recall = _ratio(weighted, weighted_lengths).T
    f_mean = _ratio(precision * recall, ALPHA * precision + (1.0 - ALPHA) * recall)
    penalty = GAMMA * _ratio(statistics[:, -1], counted.sum(axis=1) / 2.0) ** BETA
    return np.stack([f_mean * (1.0 - penalty), precision, recall, f_mean, penalty], axis=1)


def _ratio(numerator: Array, denominator: Array) -> Array:
    """Divide, with 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
