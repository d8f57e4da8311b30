"""Words that carry content, told from those that only hold a sentence together."""

from __future__ import annotations

from paraphrast.text.lexicon import lexicon


def is_content(word: str) -> bool:
    """Tell whether a word of an English text names, counts, denies or describes something.

    Articles, prepositions, pronouns, auxiliaries, conjunctions, verbs of saying and punctuation do
    not. Words of other languages all do.

    >>> list(filter(is_content, "He did not say that 40 people , he said , left".split()))
    ['not', '40', 'people', 'left']
    """
    function_words = lexicon().function_words
    plain = word.casefold().replace("’", "'").strip("'.")
    stem = plain.partition("'")[0]
    if plain in function_words or (stem in function_words and not plain.endswith("n't")):
        return False
    return any(char.isalnum() for char in plain)
