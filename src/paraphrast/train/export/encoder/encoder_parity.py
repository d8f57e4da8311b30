"""Does the small file say what the full one says? An export that does not is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from paraphrast.errors import ModelError
from paraphrast.models.encoder.edit_encoder import EditEncoder, Reading
from paraphrast.models.encoder.tag_scores import support
from paraphrast.stats.correlation import pearson
from paraphrast.text.words import WordText

LEAST_R, LEAST_AGREEMENT, MOST_DIFFERENCE = 0.99, 0.985, 1e-4
_SINGLES = 100


@dataclass(frozen=True)
class Parity:
    """Pearson of the scores, share of equal tags, largest difference between batch and single."""

    pairs: int
    score_r: float
    tag_agreement: float
    batch_difference: float

    @property
    def good(self) -> bool:
        return (
            self.score_r >= LEAST_R
            and self.tag_agreement >= LEAST_AGREEMENT
            and self.batch_difference <= MOST_DIFFERENCE
        )

    def told(self) -> str:
        """Return the figures beside what they have to be."""
        return (
            f"score r {self.score_r:.4f} (at least {LEAST_R}), tag agreement "
            f"{self.tag_agreement:.4f} (at least {LEAST_AGREEMENT}), batch against single "
            f"{self.batch_difference:.1e} (at most {MOST_DIFFERENCE:.0e})"
        )

    def summary(self) -> str:
        """Return the figures in a few words."""
        return (
            f"against the full file on {self.pairs:,} pairs, score r {self.score_r:.4f}, "
            f"{self.tag_agreement:.1%} of the tags equal"
        )

    def check(self) -> None:
        """Raise ModelError with the figures unless all three are good enough."""
        if not self.good:
            raise ModelError(
                f"the small file differs too much from the full one on {self.pairs} pairs: "
                + self.told()
            )


def compare(
    small: EditEncoder,
    expected: Sequence[Reading],
    pairs: Sequence[tuple[WordText, WordText]],
    threshold: float = 0.0,
) -> Parity:
    """Read the pairs, and some of them one by one, beside what the full network said of them."""
    ours = small.read(pairs)
    step = max(1, len(pairs) // _SINGLES)
    alone = [small.read([pair])[0] for pair in pairs[::step]]
    cuts = [_tags(readings, threshold) for readings in (ours, expected)]
    return Parity(
        len(pairs),
        pearson([one.score for one in ours], [one.score for one in expected]),
        float((cuts[0] == cuts[1]).mean()),
        max(_difference(*both) for both in zip(alone, ours[::step], strict=True)),
    )


def _tags(readings: Sequence[Reading], threshold: float) -> np.ndarray:
    sides = [side for one in readings for side in (one.tags_a, one.tags_b)]
    return np.concatenate([support(side) for side in sides]) < threshold


def _difference(one: Reading, other: Reading) -> float:
    differences = [abs(one.score - other.score)]
    for left, right in zip(astuple(one.relations), astuple(other.relations), strict=True):
        differences.append(abs(left - right))
    for left, right in ((one.tags_a, other.tags_a), (one.tags_b, other.tags_b)):
        differences.append(float(np.abs(left - right).max(initial=0.0)))
    return max(differences)
