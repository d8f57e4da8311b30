"""The words on which a verdict turns.

Two texts are laid side by side; wherever they differ, the words that the encoder tags are a reason,
the stronger the less probable it is that the other text says them.
"""

from __future__ import annotations

from paraphrast.meaning.checks.word_kinds import difference_kind
from paraphrast.meaning.reason import Reason
from paraphrast.meaning.tagged_pair import TaggedPair, TaggedText
from paraphrast.text.word_changes import Span, word_changes
from paraphrast.text.words import WordText


def reasons(pair: TaggedPair) -> tuple[Reason, ...]:
    """Return the reasons why two texts do not say the same, the strongest first.

    Where texts differ and no word is tagged, the least supported words of each place are taken.
    """
    places = word_changes(pair.a.words, pair.b.words)
    found = [_reason(pair, _weak(pair.a, place.a), _weak(pair.b, place.b)) for place in places]
    tagged = [one for one in found if one.words_a or one.words_b]
    if not tagged:
        tagged = [
            _reason(pair, _weakest(pair.a, place.a), _weakest(pair.b, place.b)) for place in places
        ]
    return tuple(sorted(tagged, key=lambda one: -one.weight))


def _weak(text: TaggedText, span: Span) -> tuple[int, ...]:
    """Return the places of the tagged words of a span."""
    return tuple(place for place in range(*span) if text.tags[place])


def _weakest(text: TaggedText, span: Span) -> tuple[int, ...]:
    """Return the place of the word of a span that the other text is least likely to say."""
    places = [place for place in range(*span) if text.words[place].isalnum()] or [*range(*span)]
    return (min(places, key=lambda place: text.probabilities[place]),) if places else ()


def _reason(pair: TaggedPair, a: tuple[int, ...], b: tuple[int, ...]) -> Reason:
    sides = ((pair.a, a), (pair.b, b))
    chances = [text.probabilities[place] for text, places in sides for place in places]
    words = [[text.words[place] for place in places] for text, places in sides]
    return Reason(
        difference_kind(_bare(pair.a), _bare(pair.b), a, b),
        " ".join(words[0]),
        " ".join(words[1]),
        round(1 - min(chances, default=1.0), 6),
        a,
        b,
    )


def _bare(text: TaggedText) -> WordText:
    return WordText(text.text, text.spans)
