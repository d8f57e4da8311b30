"""Past or present? "The dog ran home" does not say that it runs home.

Rules on the words alone, for English: a verb in the past that is gone while its third person of the
present is new, or the other way round. Reported speech shifts its tenses ("he said it was late",
"it is late, he said"), so texts with a verb of saying pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

_IRREGULAR = {
    present: past
    for past, present in (
        pair.split("/")
        for pair in """
        was/is were/are had/has did/does became/becomes began/begins bit/bites blew/blows
        bought/buys broke/breaks brought/brings built/builds came/comes caught/catches chose/chooses
        drank/drinks drew/draws drove/drives ate/eats fell/falls felt/feels fought/fights
        flew/flies forgot/forgets found/finds gave/gives got/gets grew/grows held/holds hid/hides
        kept/keeps knew/knows led/leads left/leaves lost/loses made/makes meant/means met/meets
        paid/pays ran/runs rang/rings rode/rides rose/rises sang/sings sank/sinks sat/sits saw/sees
        sent/sends shook/shakes shot/shoots slept/sleeps sold/sells spent/spends spoke/speaks
        stole/steals stood/stands struck/strikes swam/swims taught/teaches thought/thinks
        threw/throws took/takes understood/understands went/goes won/wins wore/wears wrote/writes
        """.split()
    )
}
_NOUNS_FOLLOW = frozenset(
    "a an the this that these those its his her their our my your of in for with no any some more "
    "new old many several two three has have had".split()
)


def retensed(source: Sequence[str], text: Sequence[str]) -> str | None:
    """Return which verb changed its tense, given the words of both in lower case; or None.

    >>> retensed("the dog ran home".split(), "the dog runs home".split())
    "'ran' became 'runs'"
    """
    new, gone = Counter(text) - Counter(source), Counter(source) - Counter(text)
    for present in _verbs(text, new):
        for past in _pasts(present):
            if past in gone and past not in text:
                return f"{past!r} became {present!r}"
    for present in _verbs(source, gone):
        for past in _pasts(present):
            if past in new and past not in source:
                return f"{present!r} became {past!r}"
    return None


def _verbs(words: Sequence[str], among: Counter[str]) -> list[str]:
    """Return words that may be a third person of the present: no article is before them."""
    return [
        word
        for place, word in enumerate(words)
        if word in among
        and (word in _IRREGULAR or (word.endswith("s") and len(word) > 3))
        and not (place and words[place - 1] in _NOUNS_FOLLOW)
    ]


def _pasts(present: str) -> list[str]:
    """Return how the past of a verb may be spelt."""
    if present in _IRREGULAR:
        return [_IRREGULAR[present]]
    base = present[:-1]
    found = [f"{base}ed", f"{base}d", f"{base}{base[-1]}ed"]
    if present.endswith("es"):
        found.append(f"{present[:-2]}ed")
    return [*found, f"{present[:-3]}ied"] if present.endswith("ies") else found
