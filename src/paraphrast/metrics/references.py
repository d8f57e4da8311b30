"""Several references per segment: compare with each, then combine, never silently."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paraphrast.text.column import Column, Encoded
from paraphrast.text.ngrams import Overlap, clipped_matches, overlap, take
from paraphrast.types import Floats

Ints = NDArray[np.int64]
COMBINE = ("best", "mean")


def per_reference(candidates: Encoded, references: Column) -> Encoded:
    """Repeat each candidate once per reference of its segment, so both sides pair up."""
    return candidates if references.single else take(candidates, references.owners)


def paired_overlap(left: Encoded, right: Encoded, orders: int) -> Overlap:
    """Compare texts pair by pair."""
    pairs = np.arange(len(left.starts) - 1)
    return overlap(left, right, pairs, pairs, len(pairs), orders)


def paired_matches(left: Encoded, right: Encoded, orders: int) -> Ints:
    """Count the n-grams that texts share, pair by pair."""
    pairs = np.arange(len(left.starts) - 1)
    return clipped_matches(left, right, pairs, pairs, len(pairs), orders)


def best(key: Floats, references: Column) -> Ints:
    """Return, per segment, the first reference with the largest key."""
    if references.single:
        return np.arange(len(key))
    top = np.maximum.reduceat(key, references.offsets[:-1])
    hits = np.where(key >= np.repeat(top, references.counts), np.arange(len(key)), len(key))
    return np.minimum.reduceat(hits, references.offsets[:-1])


def combine(values: Floats, references: Column, how: str) -> Floats:
    """Reduce rows per reference to rows per segment: best first column, or the mean."""
    if how == "best":
        return values[best(values[:, 0], references)]
    return np.add.reduceat(values, references.offsets[:-1], axis=0) / references.counts[:, None]


def closest_length(lengths: Ints, reference_lengths: Ints, references: Column) -> Ints:
    """Return BLEU's reference length: the closest to the candidate's, the shorter of two."""
    if references.single:
        return reference_lengths
    distance = np.abs(np.repeat(lengths, references.counts) - reference_lengths)
    scale = int(reference_lengths.max(initial=0)) + 1
    return (
        np.minimum.reduceat(distance * scale + reference_lengths, references.offsets[:-1]) % scale
    )
