"""Does a small generator write what the full one writes? If not, it is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paraphrast.errors import ModelError
from paraphrast.models.generator.language_model import Ints, LanguageModel
from paraphrast.models.generator.subword_text import TextIds
from paraphrast.models.generator.text_likelihood import token_logprobs
from paraphrast.models.generator.torch_generator import TorchModel
from paraphrast.train.export.generator.generator_source import LmSource

LEAST_AGREEMENT, MOST_CHANGE, MOST_BATCH = 0.95, 0.05, 1e-4
MOST_DIFFERENCE = 1e-4  # of logits from torch's, or of the largest where it is above 1
_AT_ONCE, _LENGTH, _SINGLES = 16, 64, 24
_SEED = 13


@dataclass(frozen=True)
class LmParity:
    """Small against full.

    `agreement`: of the sub-words that both were asked for after the same beginning, going on
    greedily until they part, the share that is the same. `change`: how far the log-probability
    of a sub-word of the targets differs on average. `batch_difference`: the largest difference of
    a log-probability read alone from one read in a batch.
    """

    pairs: int
    agreement: float
    same_texts: float
    change: float
    batch_difference: float

    @property
    def good(self) -> bool:
        return (
            self.agreement >= LEAST_AGREEMENT
            and self.change <= MOST_CHANGE
            and self.batch_difference <= MOST_BATCH
        )

    def told(self) -> str:
        """Return the figures beside what they have to be."""
        return (
            f"next sub-words agree in {self.agreement:.4f} (at least {LEAST_AGREEMENT}), whole "
            f"texts in {self.same_texts:.3f}, log-probabilities differ by {self.change:.4f} on "
            f"average (at most {MOST_CHANGE}), batch against single {self.batch_difference:.1e} "
            f"(at most {MOST_BATCH:.0e})"
        )

    def check(self) -> None:
        """Raise ModelError with the figures unless they are good enough."""
        if not self.good:
            raise ModelError(
                f"the generator differs too much from the full one on {self.pairs} pairs: "
                f"{self.told()}"
            )


@dataclass(frozen=True)
class Expected:
    """What the full generator wrote and thought."""

    greedy_ids: list[list[int]]
    logprobs: list[Any]


def expect(model: LanguageModel, pairs: Sequence[tuple[str, str]]) -> Expected:
    """Ask the full generator."""
    sources, targets = zip(*pairs, strict=True)
    return Expected(greedy(model, sources), list(token_logprobs(model, sources, targets)))


def compare(model: LanguageModel, expected: Expected, pairs: Sequence[tuple[str, str]]) -> LmParity:
    """Ask a small generator the same."""
    sources, targets = zip(*pairs, strict=True)
    same = asked = whole = 0
    for ours, theirs in zip(greedy(model, sources), expected.greedy_ids, strict=True):
        equal = _common(ours, theirs)
        whole += ours == theirs
        same += equal
        asked += equal + (ours != theirs)
    found = token_logprobs(model, sources, targets)
    both = zip(found, expected.logprobs, strict=True)
    change = np.concatenate([np.abs(a - b) for a, b in both]).mean()
    return LmParity(
        pairs=len(pairs),
        agreement=_rounded(same / max(asked, 1)),
        same_texts=_rounded(whole / len(pairs)),
        change=_rounded(change),
        batch_difference=_batch_difference(model, pairs[:_SINGLES]),
    )


def greedy(model: LanguageModel, sources: Sequence[str]) -> list[list[int]]:
    """Write one text per source, always going on with the most probable sub-word."""
    prompts = model.encode(sources)
    order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
    found: list[list[int]] = [[] for _ in prompts]
    for start in range(0, len(order), _AT_ONCE):
        rows = order[start : start + _AT_ONCE]
        state, logits = model.start([prompts[row] for row in rows])
        while True:
            tokens: Ints = logits.argmax(axis=1)
            for row, token in zip(rows, tokens.tolist(), strict=True):
                found[row].append(token)
            going = [n for n, row in enumerate(rows) if _goes_on(found[row], model)]
            if not going:
                break
            state, rows = model.reorder(state, np.array(going)), [rows[n] for n in going]
            logits = model.step(state, tokens[going])
    return found


def _goes_on(ids: list[int], model: LanguageModel) -> bool:
    return ids[-1] != model.end and len(ids) < min(_LENGTH, model.max_target)


def _common(a: Sequence[int], b: Sequence[int]) -> int:
    equal = (one == other for one, other in zip(a, b, strict=False))
    return next((n for n, same in enumerate(equal) if not same), min(len(a), len(b)))


def _batch_difference(model: LanguageModel, pairs: Sequence[tuple[str, str]]) -> float:
    """Read pairs alone, and with others beside them, by whole targets and by steps."""
    sources, targets = zip(*pairs, strict=True)
    together = token_logprobs(model, sources, targets)
    worst = 0.0
    for (source, target), one in zip(pairs, together, strict=True):
        alone = token_logprobs(model, [source], [target])[0]
        worst = max(worst, float(np.abs(alone - one).max()))
    return worst


def torch_difference(model: LanguageModel, source: LmSource, kept: Ints) -> float:
    """Return how far logits are from those of transformers, rows and lengths differing.

    Rows are repeated, swapped and dropped on the way. A difference above the limit is a
    ModelError: the network has something that the graphs leave out.
    """
    words = int(source.network.config.vocab_size)
    text = TextIds(source.tokeniser, source.frame, words)
    reference = TorchModel(source.network, text, vocabulary=words)
    draw = np.random.default_rng(_SEED)
    prompts = [draw.integers(0, model.vocabulary, n) for n in (3, 17, 9)]
    ours, logits = model.start(prompts)
    theirs, truth = reference.start([kept[ids] for ids in prompts])
    worst = _apart(logits, truth, kept)
    for rows in _moves(draw):
        ours, theirs = model.reorder(ours, rows), reference.reorder(theirs, rows)
        for _ in range(3):
            tokens = draw.integers(0, model.vocabulary, len(rows))
            logits = model.step(ours, tokens)
            truth = reference.step(theirs, kept[tokens])
            worst = max(worst, _apart(logits, truth, kept))
    if not worst <= MOST_DIFFERENCE:
        raise ModelError(
            f"the graphs differ from torch by {worst:.1e} (at most {MOST_DIFFERENCE:.0e}): this "
            "generator cannot be exported"
        )
    return worst


def _moves(draw: np.random.Generator) -> list[Ints]:
    """Grow to three rows a source, swap some, drop some of a source, then a whole one."""
    grown = np.repeat(np.arange(3), 3)
    swapped = [np.sort(draw.integers(0, 3, 3)) + 3 * group for group in range(3)]
    return [grown, np.concatenate(swapped), np.array([0, 1, 2, 4, 5, 8]), np.array([1, 0])]


def _apart(ours: Any, truth: Any, kept: Ints) -> float:
    scale = max(1.0, float(np.abs(truth[:, kept]).max()))
    return float(np.abs(ours - truth[:, kept]).max()) / scale


def _rounded(value: float) -> float:
    return round(float(value), 6)
