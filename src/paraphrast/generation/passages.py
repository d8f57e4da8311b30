"""Texts of several sentences: each is paraphrased and judged by itself, then they are joined.

Generator and judge know single sentences. A passage is judged by its weakest sentence, and a
sentence without a paraphrase stays as it was, which the note says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.generation.selection.candidate_choice import Choice, Paraphrase
from paraphrast.text.sentences import split_sentences

WHOLE = 240  # characters up to which a text is read as one sentence
_LOWEST = ("adequacy", "entailment", "support", "novelty")  # of all sentences; others are averaged


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence of a text, and what stands between the one before and it."""

    text: str
    before: str


def cut(text: str) -> list[PassageSentence]:
    """Cut a long text at its sentences; any other is given back as one."""
    found = split_sentences(text) if len(text) > WHOLE else []
    if len(found) < 2:
        return [PassageSentence(text, "")]
    parts, end = [], 0
    for each in found:
        start = text.index(each, end)
        parts.append(PassageSentence(each, text[end:start]))
        end = start + len(each)
    return parts


def joined(
    source: str, parts: Sequence[PassageSentence], choices: Sequence[Choice], n: int
) -> Choice:
    """Put the choices of a passage's sentences together.

    The k-th output has the k-th paraphrase of each sentence, its last if it has fewer, or the
    sentence itself. Scores are the lowest of the sentences' where one bad sentence spoils a text,
    and means of those that were paraphrased otherwise.
    """
    if len(parts) == 1:
        return choices[0]
    rejected = tuple(each for choice in choices for each in choice.rejected)
    kept: dict[str, Paraphrase] = {}
    for place in range(max(len(choice.candidates) for choice in choices)):
        chosen = [
            choice.candidates[min(place, len(choice.candidates) - 1)] if choice.candidates else None
            for choice in choices
        ]
        output = _output(parts, chosen)
        kept.setdefault(output.text, output)
    outputs = tuple(kept.values())[:n]
    return Choice(source, outputs, rejected, _note(choices, len(outputs), n))


def _output(parts: Sequence[PassageSentence], chosen: Sequence[Paraphrase | None]) -> Paraphrase:
    texts = [
        part.before + (part.text if one is None else one.text)
        for part, one in zip(parts, chosen, strict=True)
    ]
    new = [one for one in chosen if one is not None]
    names = dict.fromkeys(name for one in new for name in one.scores)
    scores = {name: _combined(name, [one.scores for one in new]) for name in names}
    why = f"{len(new)} of {len(parts)} sentences are new, each chosen by itself"
    return Paraphrase("".join(texts), sum(one.logprob for one in new), scores, why)


def _combined(name: str, scores: Sequence[dict[str, float]]) -> float:
    values = [each[name] for each in scores if name in each]
    return min(values) if name in _LOWEST else sum(values) / len(values)


def _note(choices: Sequence[Choice], found: int, n: int) -> str | None:
    same = [place for place, choice in enumerate(choices, 1) if not choice.candidates]
    remarks = []
    if not found:
        return f"no output: none of {len(choices)} sentences has a paraphrase; {choices[0].note}"
    if found < n:
        remarks.append(f"{found} of {n} outputs")
    if same:
        places = ", ".join(map(str, same))
        remarks.append(f"{len(same)} of {len(choices)} sentences stay as they were: {places}")
    return "; ".join(remarks) or None
