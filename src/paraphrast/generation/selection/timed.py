"""When did it happen, and when was it said? A day that changes sides changes the sense.

"The company said on Monday that it would cut jobs" does not say that it cuts them on Monday. Rules
on the words alone, for English: a day belongs to a verb of saying if nothing that opens another
clause stands between the two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(r"[^\W_]+(?:[.&][^\W\d_]+)*(?:['’][^\W\d_]+)?|[,;:.!?()—–\"“”]")
_DAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday yesterday today tomorrow tonight "
    "ago january february april june july august september october november december".split()
)
_SPANS = frozenset("week month year night weekend".split())  # days if "last" or "next" is before
_NEAR = frozenset("last next this".split())
_SAYING = frozenset(
    "say says said saying tells told telling announces announced adds added reported claims "
    "claimed warns warned notes noted explained argues argued asks asked insisted wrote testified "
    "confirmed acknowledged stated declared disclosed estimates estimated predicts "
    "predicted".split()
)
_BEFORE = frozenset(
    "on in late early earlier last this next the of a an few two three four five day days week "
    "weeks month months year years hour hours".split()
)
_SUBJECTS = frozenset("it he she they we i you".split())
_CLAUSE = _SUBJECTS | frozenset(
    "that which who whom there would will can could may might must should "
    "shall is are was were has have had be been being do does did if when while after before "
    "because since until".split()
)
_REACH = 8  # words between a day and the verb it belongs to
_STOPS = frozenset(',;:.!?()—–"“”')


def retimed(source: str, text: str) -> str | None:
    """Return which day tells when something was said in one text only; None if none is seen.

    Only days that each text names once are looked at.

    >>> retimed("He said on Monday it would close.", "It would close on Monday, he said.")
    "'monday' no longer tells when it was said"
    """
    before, after = dict(_days(_tokens(source))), dict(_days(_tokens(text)))
    for day in before:
        if day in after and before[day] != after[day]:
            return f"{day!r} {'no longer' if before[day] else 'now'} tells when it was said"
    return None


def _tokens(text: str) -> list[str]:
    return [token.casefold().replace("’", "'") for token in _TOKEN.findall(text)]


def _days(words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield each day that is named once, and whether something was said on it."""
    counts = Counter(words)
    for place, word in enumerate(words):
        spans = word in _SPANS and place > 0 and words[place - 1] in _NEAR
        if counts[word] == 1 and (word in _DAYS or spans):
            yield word, _is_of_speech(words, place)


def _is_of_speech(words: Sequence[str], place: int) -> bool:
    """Look back for a verb of saying; from the start of a clause, look ahead for one."""
    start = place
    while start and words[start - 1] in _BEFORE:
        start -= 1
    if _reaches(reversed(words[max(0, start - _REACH) : start])):
        return True
    if start and words[start - 1] not in _STOPS:  # "the company on Monday said"
        return place + 1 < len(words) and words[place + 1] in _SAYING
    ahead = list(words[place + 1 : place + 3 + _REACH])
    for opening in ({","}, _SUBJECTS):  # "On Monday, he said"
        if ahead and ahead[0] in opening:
            del ahead[0]
    return _reaches(ahead)


def _reaches(words: Iterator[str] | Sequence[str]) -> bool:
    """Tell whether a verb of saying comes before anything that parts clauses."""
    for word in words:
        if word in _SAYING:
            return True
        if word in _CLAUSE or word in _STOPS:
            return False
    return False
