"""What kind of words stand at places of two texts: numbers, names, denials, or others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from paraphrast.meaning.reason import Kind
from paraphrast.text.content import is_content
from paraphrast.text.lexicon import lexicon
from paraphrast.text.particulars.protected_strings import opens_sentences
from paraphrast.text.particulars.quantities import quantities
from paraphrast.text.particulars.quantity import Quantity
from paraphrast.text.words import WordText

_STEM = 4  # letters that forms of a verb share; "sold" and "sell" share one
_ARTICLES = ("a", "an", "the")
_OPENINGS = (".", "!", "?", ":", '"', "“")
Places = Sequence[int]


def difference_kind(a: WordText, b: WordText, in_a: Places, in_b: Places) -> Kind:
    """Name the difference between words of one text and those in their place in another.

    A denial that one side alone has and that leaves the other words as they were is a negation.
    Other words without a counterpart are missing or added. Other numbers, other names; all else,
    little words that came or went among it, is a change.
    """
    if _is_turned(a.words, b.words, in_a, in_b):
        return "negation"
    one, other = (_plain(text, at) for text, at in ((a, in_a), (b, in_b)))
    if one != other and (one <= other or other <= one):
        more = (one - other) + (other - one)
        if not any(map(_is_detail, more)):
            return "changed"
        return "missing" if one > other else "added"
    if _counts_otherwise(_numbers(a, in_a), _numbers(b, in_b)):
        return "number"
    return "name" if _is_named_otherwise(a.words, b.words, in_a, in_b) else "changed"


def is_name(words: Sequence[str], place: int) -> bool:
    """Tell whether a word is a name: it has a capital, and not because a sentence begins there."""
    word = words[place]
    if not word[:1].isupper() or word in ("I", "I'm", "I'll", "I've", "I'd"):
        return False
    begins = place == 0 or words[place - 1] in _OPENINGS
    return not (begins and opens_sentences(word))


def is_negation(words: Sequence[str], place: int) -> bool:
    """Tell whether a word denies."""
    word = words[place].casefold().replace("’", "'")
    return word in lexicon().negations or word.endswith("n't")


def _plain(text: WordText, at: Places) -> Counter[str]:
    words = (text.words[place].casefold() for place in at)
    said = (word for word in words if any(char.isalnum() for char in word))
    return Counter(word for word in said if word not in _ARTICLES)


def _is_detail(word: str) -> bool:
    known = lexicon()
    return is_content(word) and word not in known.modal_words


def _is_turned(a: Sequence[str], b: Sequence[str], in_a: Places, in_b: Places) -> bool:
    """Tell whether one side denies, the other does not, and their other words are forms of one."""
    sides = ((a, in_a), (b, in_b))
    denied = [
        any(is_negation(words, place) and not _is_either_way(words, place) for place in at)
        for words, at in sides
    ]
    if denied[0] == denied[1]:
        return False
    left, right = (
        [
            words[place].casefold()
            for place in at
            if is_content(words[place]) and not is_negation(words, place)
        ]
        for words, at in sides
    )
    rest = [*left]
    for word in right:
        form = next((one for one in rest if _is_form(word, one)), None)
        if form is None:
            return False
        rest.remove(form)
    return not rest


def _is_either_way(words: Sequence[str], place: int) -> bool:
    """Tell whether a denial is that of "whether or not"."""
    return place > 0 and words[place - 1].casefold() == "or"


def _is_form(word: str, other: str) -> bool:
    """Tell whether two words may be forms of one verb, which share their first letters."""
    shared = min(_STEM, len(word), len(other))
    irregular = word[:1] == other[:1] and max(len(word), len(other)) <= _STEM + 2
    return word[:shared] == other[:shared] or irregular


def _numbers(text: WordText, at: Places) -> list[Quantity]:
    spans = [text.spans[place] for place in at]
    return [
        replace(one, rough=False)
        for one in quantities(text.text)
        if any(start < one.end and one.start < end for start, end in spans)
    ]


def _counts_otherwise(one: list[Quantity], other: list[Quantity]) -> bool:
    """Tell whether both sides count, and one has a number that the other has not."""
    only = [n for n in one if not any(map(n.agrees, other))]
    lacked = [n for n in other if not any(map(n.agrees, one))]
    return bool(only and lacked) and any(n.firm for n in (*only, *lacked))


def _is_named_otherwise(a: Sequence[str], b: Sequence[str], in_a: Places, in_b: Places) -> bool:
    """Tell whether both sides have names the other lacks, and little else of their own."""
    own = []
    for words, at, others, there in ((a, in_a, b, in_b), (b, in_b, a, in_a)):
        said = {_bare(others[place]) for place in there}
        alone = [place for place in at if _bare(words[place]) not in said]
        own.append([place for place in alone if is_content(words[place])])
    return all(own) and all(
        is_name(words, place) for words, at in ((a, own[0]), (b, own[1])) for place in at
    )


def _bare(word: str) -> str:
    return word.casefold().replace("’", "'").removesuffix("'s")
