"""Hide sub-words, to be guessed again (Devlin et al. 2019, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from paraphrast.errors import ConfigError
from paraphrast.models.encoder.pair_encoding import Ints, PairTokeniser
from paraphrast.train.data.batches import EncoderBatch

_NAMES = ("[MASK]", "<mask>")


@dataclass(frozen=True, slots=True)
class Masker:
    """Hides a share of the sub-words: 80 % masked, 10 % random, 10 % left as they are.

    Special tokens and paddings are never hidden. `vocabulary` is how many ids the network knows.
    """

    share: float
    mask: int
    special: Ints
    vocabulary: int

    @classmethod
    def of(cls, tokeniser: PairTokeniser, share: float, vocabulary: int) -> Masker:
        """Read the ids off the tokeniser."""
        inner = tokeniser.tokeniser
        found = [inner.token_to_id(name) for name in _NAMES]
        masks = [ident for ident in found if ident is not None]
        if not masks:
            raise ConfigError("the masked-word loss needs a tokeniser with a [MASK] or <mask>")
        added = inner.get_added_tokens_decoder()
        special = [ident for ident, token in added.items() if token.special]
        return cls(share, masks[0], np.array(special, dtype=np.int64), vocabulary)

    def __call__(self, batch: EncoderBatch, seed: Sequence[int]) -> EncoderBatch:
        """Return the batch with words hidden, as the seed says.

        Call it with the whole batch of a step, before processes take their shares: then they
        hide the same words however many they are. Weights make the loss the mean over the hidden
        sub-words times the number of examples.
        """
        rng = np.random.default_rng(seed)
        free = (batch.mask == 1) & ~np.isin(batch.ids, self.special)
        row, place = np.nonzero(free & (rng.random(free.shape) < self.share))
        target = batch.ids[row, place]
        kind = rng.random(len(row))
        new = np.where(kind < 0.8, self.mask, rng.integers(0, self.vocabulary, len(row)))
        ids = batch.ids.copy()
        ids[row, place] = np.where(kind < 0.9, new, target)
        weight = np.full(len(row), len(batch) / max(len(row), 1), dtype=np.float32)
        return replace(
            batch,
            ids=ids,
            masked_row=row,
            masked_place=place,
            masked_id=target,
            masked_weight=weight,
        )
