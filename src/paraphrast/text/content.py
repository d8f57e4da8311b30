"""Words that carry content, told from those that only hold a sentence together."""

from __future__ import annotations

_FUNCTION = frozenset(
    """
    a an the this that these those there here such
    and or nor but yet so as than though although because while when whenever where whereas
    whether if unless until till once since after before
    of in on at by for from to into onto with within without about over under around through
    during between among against per via toward towards upon up down out off along across
    i you he she it we they me him her us them my your his its our their mine yours hers ours
    theirs myself yourself himself herself itself ourselves themselves
    who whom whose which what how why
    be am is are was were been being do does did done doing have has had having
    will would shall should can could may might must
    's 're 've 'll 'd 'm s t also too very just then now
    say says said saying according told adding added mr mrs ms dr
    """.split()
)


def is_content(word: str) -> bool:
    """Tell whether a word of an English text names, counts, denies or describes something.

    Articles, prepositions, pronouns, auxiliaries, conjunctions, verbs of saying and punctuation do
    not. Words of other languages all do.

    >>> list(filter(is_content, "He did not say that 40 people , he said , left".split()))
    ['not', '40', 'people', 'left']
    """
    plain = word.casefold().replace("’", "'").strip("'.")
    stem = plain.partition("'")[0]
    if plain in _FUNCTION or (stem in _FUNCTION and not plain.endswith("n't")):
        return False
    return any(char.isalnum() for char in plain)
