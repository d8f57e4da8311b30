"""Notes on texts that a metric was not made for: the number is right, but may mean little."""

from __future__ import annotations

from collections.abc import Sequence

from paraphrast.metrics.base import Metric
from paraphrast.text.traits import TextTraits

_MOST = 0.5  # share of letters above which a corpus counts as written in a script
_TOKENISED = 100  # candidates with a detached full stop, as sacrebleu counts; fewer if most have it
_FEW = 10
_FIX = {  # for the tokenisers that leave a sentence of Chinese in one piece
    **dict.fromkeys(("13a", "intl", "none"), "tokenize=zh, ja-mecab or char"),
    "tercom": "normalized=true,asian_support=true",
}
_WRITTEN = ("13a", "intl")  # these expect text that no other tokeniser has cut before


def text_notes(metrics: Sequence[Metric], traits: TextTraits) -> list[str]:
    """Return what the user should know of these texts under these metrics."""
    notes = []
    by_tokeniser: dict[str, list[str]] = {}
    for metric in metrics:
        by_tokeniser.setdefault(_tokeniser(metric), []).append(metric.name)
    for tokeniser, names in by_tokeniser.items():
        who = ", ".join(dict.fromkeys(names))
        notes += [f"{who}: {note}" for note in _tokeniser_notes(tokeniser, traits)]
    other = traits.letters - traits.latin
    if other > _MOST * traits.letters:
        notes += [
            f"{metric.name}: {other / traits.letters:.0%} of the letters are not Latin, and its "
            "stems, synonyms and paraphrases are those of English; the value may mean little"
            for metric in metrics
            if metric.describe().get("lang") == "en"
        ]
    return notes


def _tokeniser(metric: Metric) -> str:
    """Return the tokeniser that the signature names; TER's has no name of its own there."""
    described = metric.describe()
    if described.get("asian_support") is False:
        return "tercom"
    return str(described.get("tok", ""))


def _tokeniser_notes(tokeniser: str, traits: TextTraits) -> list[str]:
    notes = []
    if tokeniser in _FIX and traits.spaceless > _MOST * traits.letters:
        notes.append(
            f"{traits.spaceless / traits.letters:.0%} of the letters are of a script without "
            f"spaces, such as Chinese or Japanese, and the tokeniser {tokeniser} cuts at spaces: "
            f"a whole sentence counts as one word; use {_FIX[tokeniser]}"
        )
    if tokeniser in _WRITTEN and _looks_tokenised(traits):
        notes.append(
            f"{traits.detached} of {traits.candidates} candidates end in a full stop after a "
            f"space: they look tokenised, and the tokeniser {tokeniser} expects text as it is "
            "written; detokenise it, or use tokenize=none if the references are tokenised alike"
        )
    return notes


def _looks_tokenised(traits: TextTraits) -> bool:
    if traits.detached >= _TOKENISED:
        return True
    return traits.detached >= _FEW and traits.detached > _MOST * traits.candidates
