"""Batches for a generator: sources with the code of how much to copy, and targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from rapidfuzz.distance import LCSseq

from paraphrast.errors import ConfigError
from paraphrast.models.encoder.pair_encoding import EncodedSide, Ints, PairTokeniser
from paraphrast.train.data.examples import Coded, Labels
from paraphrast.train.recipe import SourcePart


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorBatch:
    """Arrays for the generator. `weight` is that of each sub-word of a row's target.

    Weights add up to the number of examples, if their sources all weigh 1.
    """

    source: Ints
    source_mask: Ints
    target: Ints
    target_mask: Labels
    weight: Labels

    def __len__(self) -> int:
        return len(self.source)

    @property
    def tokens(self) -> int:
        return int(self.source_mask.sum() + self.target_mask.sum())

    def share(self, index: int, of: int) -> GeneratorBatch:
        """Return every `of`-th example from `index` on; the first, weightless, if there is none."""
        if of == 1:
            return self
        if index >= len(self):
            return replace(self.share(0, len(self)), weight=np.zeros(1, dtype=np.float32))
        rows = slice(index, None, of)
        wide = int(self.source_mask[rows].sum(1).max())
        long = int(self.target_mask[rows].sum(1).max())
        return GeneratorBatch(
            source=self.source[rows, :wide],
            source_mask=self.source_mask[rows, :wide],
            target=self.target[rows, :long],
            target_mask=self.target_mask[rows, :long],
            weight=self.weight[rows],
        )


@dataclass(frozen=True, slots=True)
class GeneratorBatcher:
    """Makes batches: code, source, end; and target, end.

    The n-th of N `codes` stands before sources whose target has a ROUGE-L F of n/N to (n + 1)/N
    with them, in sub-words. So a generator learns how much to copy by being told, and copies as
    little as it is asked to. Without codes it learns what the pairs do on average.
    """

    codes: tuple[int, ...]
    pad: int
    end: int

    @classmethod
    def of(
        cls, tokeniser: PairTokeniser, codes: Sequence[str], pad: int, end: int
    ) -> GeneratorBatcher:
        """Look the codes up."""
        ids = []
        for code in codes:
            ident = tokeniser.tokeniser.token_to_id(code)
            if ident is None:
                raise ConfigError(f"generation.codes: the tokeniser has no token {code!r}")
            ids.append(ident)
        return cls(tuple(ids), pad, end)

    def batch(self, examples: Sequence[Coded], sources: Sequence[SourcePart]) -> GeneratorBatch:
        """Line up examples."""
        copied = [rouge_l(example.a, example.b) for example in examples]
        read = [self.source(e.a, share) for e, share in zip(examples, copied, strict=True)]
        source, source_mask = self.padded(read)
        target, target_mask = self.padded([[*e.b.ids.tolist(), self.end] for e in examples])
        each = len(examples) / target_mask.sum()
        weight = np.array([sources[example.source].weight * each for example in examples])
        return GeneratorBatch(
            source=source,
            source_mask=source_mask,
            target=target,
            target_mask=target_mask.astype(np.float32),
            weight=weight.astype(np.float32),
        )

    def source(self, side: EncodedSide, copied: float) -> list[int]:
        """Return what the generator reads: the code of that ROUGE-L, the text, its end."""
        places = len(self.codes)
        code = [self.codes[min(int(copied * places), places - 1)]] if places else []
        return [*code, *side.ids.tolist(), self.end]

    def padded(self, texts: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
        """Return ids and mask of texts, with paddings after them."""
        ids = np.full((len(texts), max(map(len, texts))), self.pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        return ids, mask


def rouge_l(a: EncodedSide, b: EncodedSide) -> float:
    """ROUGE-L F of two texts, counted in sub-words."""
    shared = LCSseq.similarity(a.ids.tolist(), b.ids.tolist())
    return 2 * shared / max(len(a) + len(b), 1)
