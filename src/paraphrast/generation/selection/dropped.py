"""Words with content that are gone with nothing in their place, or came in the place of nothing.

A paraphrase puts one word for another, so both texts have words that the other has not. Where only
one of them has, something was left out ("awake by day and asleep at night", "awake by day and
night") or made up. Forms of one word count as the same; words that add next to nothing are free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from paraphrast.text.content import is_content

_FREE = frozenset(
    """
    all already another both called currently each either entire entitled even ever every exactly
    following former good however indeed instead itself kind least like located lot more most much
    named new old one ones only order other others own particular quite rather really respectively
    same several simply some still such thing things together total type use used using well whole
    able go going make makes made making take takes took get gets got come comes came became become
    percent per cent % it's let's let put set way time times fact number
    not no never n't cannot neither nor none nobody nothing without
    """.split()
)
_SAYING = frozenset("say says said saying told adding added according".split())
_STEM = 4  # letters that forms of a word share at least
_ENDING = 4  # letters that they may differ in at the end


def dropped(source: Sequence[str], text: Sequence[str], *, shorter: bool = False) -> str | None:
    """Return which word of two texts, given as words in lower case, has no counterpart; or None.

    Rules on the words can tell only if one text alone has such words. A text that is meant to be
    `shorter` may leave words out.

    >>> dropped("they eat and sleep at home".split(), "they eat at home".split())
    "'sleep' is gone, and nothing stands for it"
    """
    gone, new = _unmatched(source, text)
    for words, others, said in (
        (gone, new, "gone, and nothing stands for it"),
        (new, gone, "new, and stands for nothing"),
    ):
        weighty = [word for word in words if is_content(word) and word not in _FREE]
        if weighty and not others and not (shorter and words is gone):
            return f"{weighty[0]!r} is {said}"
    return None


def _unmatched(source: Sequence[str], text: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of each text that are not the other's, nor forms of words that are not."""
    a, b = ([_plain(word) for word in words if _counts(word)] for words in (source, text))
    gone, new = list((Counter(a) - Counter(b)).elements()), Counter(b) - Counter(a)
    alone = []
    for word in gone:
        form = next((other for other in new if new[other] and is_form(word, other)), None)
        if form is None:
            alone.append(word)
        else:
            new[form] -= 1
    return alone, list(new.elements())


def _counts(word: str) -> bool:
    """Tell whether a word can stand for another: all that have content, and verbs of saying."""
    return not word.endswith("n't") and (is_content(word) or word in _SAYING)


def is_form(word: str, other: str) -> bool:
    """Tell whether two words may be forms of one; short ones must be the same but for an s."""
    if word.rstrip("s") == other.rstrip("s"):
        return True
    shared = max(_STEM, max(len(word), len(other)) - _ENDING)
    return word[:shared] == other[:shared]


def _plain(word: str) -> str:
    return word.replace(".", "").removesuffix("'s").removesuffix("'")
