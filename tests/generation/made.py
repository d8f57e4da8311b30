"""Candidates as decoding would give them, and a judge that says what the test wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from paraphrast.generation.candidates import Candidate
from paraphrast.meaning.assessment import Chances
from paraphrast.meaning.opinion import Opinion
from paraphrast.meaning.reason import Reason
from paraphrast.models.encoder.pair_summary import Weakest


def drawn(
    text: str, logprob: float = -5.0, *, finished: bool = True, missing: Sequence[str] = ()
) -> Candidate:
    """Return a candidate with a sub-word for each word."""
    ids = tuple(range(len(text.split())))
    return Candidate(text, logprob, len(ids), ids, finished, logprob, tuple(missing))


class FixedJudge:
    """Stands for the judge: `same(source, text)` is the probability that they say the same.

    The last word of a text is the one with the least support, the square of that probability, and
    the reason why it may not say the same. A check vetoes texts with the word "veto".
    """

    encoder = SimpleNamespace(card=SimpleNamespace(languages=("en",), model="mini"))

    def __init__(self, same: Callable[[str, str], float]) -> None:
        self.same = same
        self.checked: bool | None = None
        self.asked: list[list[tuple[str, str]]] = []

    def opinions(self, pairs: Sequence[tuple[str, str]]) -> list[Opinion]:
        self.asked.append(list(pairs))
        return [self._opinion(*pair) for pair in pairs]

    def _opinion(self, source: str, text: str) -> Opinion:
        p = self.same(source, text)
        word = (text.split() or [""])[-1]
        reason = Reason("added", "", word, 1 - p, (), (len(text.split()) - 1,))
        veto = Reason("number", "1", "2", 1.0, (0,), (0,))
        return Opinion(
            Chances(p, min(1.0, p + 0.1), min(1.0, p + 0.2), 0.0),
            score=2 * p - 1,
            tags=p / 2,
            weakest=Weakest(word, p * p),
            vetoes=(veto,) if self.checked and "veto" in text.split() else (),
            reasons=(reason,),
        )


@contextmanager
def judged_by(same: Callable[[str, str], float]) -> Iterator[FixedJudge]:
    """Put a judge of our own in the place of the shipped one."""
    from paraphrast.models.encoder.edit_encoder import EditEncoder

    judge = FixedJudge(same)

    def remembering(encoder: object, *, checked: bool) -> FixedJudge:
        judge.checked = checked
        return judge

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paraphrast.generation.selection.adequacy.find", lambda name: name)
        patch.setattr(EditEncoder, "load", lambda *args, **place: None)
        patch.setattr("paraphrast.meaning.judge.remembering_judge", remembering)
        yield judge
