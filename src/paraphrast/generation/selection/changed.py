"""Small words that change what a sentence says, and that a judge of whole sentences overlooks.

Rules on the texts alone, for English: an opposite in the place of a word, another number in words,
another measure or bound of a number, a hedge, a denial or a speaker that is new or gone, a person
or a sex that is new, a word with content that is said again, one that is gone or new with no
counterpart, a verb in another tense, a day that told when something was said and now tells when it
happened. A text that breaks one may still be a paraphrase ("failed to" for "did not"); there are
others to choose from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from paraphrast.generation.selection.dropped import dropped, is_form
from paraphrast.generation.selection.tense import retensed
from paraphrast.generation.selection.timed import retimed
from paraphrast.text.content import is_content
from paraphrast.text.opposites import GROUPS

_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*(?![^\W_])|[^\W_]+(?:[.&][^\W\d_]+)*(?:['’][^\W\d_]+)?|%")
_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")
_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split(),
        start=2,
    )
}
_WORDED = frozenset(
    "thirty forty fifty sixty seventy eighty ninety dozen half twice "
    "dozens scores hundreds thousands millions billions".split()
)
_SIZES = frozenset("hundred thousand million billion trillion".split())
_UNITS = {
    word: first
    for first, *others in (
        "percent % per-cent".split(),
        "cent cents".split(),
        "dollar dollars".split(),
        "euro euros".split(),
        "pound pounds".split(),
        "point points".split(),
        "year years".split(),
        "month months".split(),
        "week weeks".split(),
        "day days".split(),
        "hour hours".split(),
        "minute minutes".split(),
        "mile miles".split(),
        *([size] for size in sorted(_SIZES)),
    )
    for word in (first, *others)
}
_BOUNDS = {
    **dict.fromkeys(("over", "above", "exceeding"), "more than"),
    **dict.fromkeys(("under", "below"), "less than"),
    **dict.fromkeys(("about", "around", "roughly", "approximately", "some"), "about"),
    **dict.fromkeys(("nearly", "almost"), "nearly"),
    "from": "from",
    "to": "to",
}
_THAN = {"more": "more than", "less": "less than", "fewer": "less than", "least": "at least"}
_HEDGES = frozenset(
    "may might perhaps possibly probably maybe allegedly alleged reportedly apparently".split()
)
_COULD = frozenset("could can likely potentially seemingly supposedly suspected".split())
_DENIALS = frozenset(
    "not no never neither nor none nobody nothing cannot without nowhere denied denies".split()
)
_LIMITS = frozenset("until till unless except only solely".split())
_ALMOST_LIMITS = frozenset("just merely exclusively before if without".split())
_SPEECH = frozenset(
    "say says said saying tell tells told announce announced add added adding according report "
    "reports reported claim claims claimed warn warned note noted explain explained argue argued "
    "inform informs informed contend contends contended allege alleges alleged call called "
    "statement spokesman spokeswoman spokesperson testified confessed insisted asked wrote".split()
)
_PERSONS = {
    "the first person": frozenset("i we me us my our mine ours".split()),
    "the second person": frozenset("you your yours".split()),
    "a man": frozenset("he him his himself".split()),
    "a woman": frozenset("she her hers herself".split()),
}
_MONTHS = frozenset(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sept sep oct nov dec".split()
)
_QUOTES = frozenset('"“”')

Words = Sequence[str]


def changed(source: str, text: str, *, shorter: bool = False) -> str | None:
    """Return what a text changes that its source says, in a few words; None if nothing is seen.

    A text that is meant to be `shorter` may leave words out.

    >>> changed("They left before the police arrived.", "They left after the police arrived.")
    "'before' became 'after'"
    >>> changed("It cut 1,200 jobs.", "It cut over 1,200 jobs.")
    "1200 became 'more than' 1200"
    """
    a, b = _words(source), _words(text)
    for rule in _RULES:
        found = rule(a, b)
        if found is not None:
            return found
    return (
        dropped(a, b, shorter=shorter) or _other_person(source, text, a, b) or retimed(source, text)
    )


def _words(text: str) -> list[str]:
    """Return the words in lower case; numbers up to twenty are written in figures."""
    spelt = ("U.S" if token == "US" else token for token in _TOKEN.findall(text))  # not "us"
    found = (token.casefold().replace("’", "'") for token in spelt)
    return [
        token.replace(",", "") if _FIGURE.fullmatch(token) else _NUMBERS.get(token, token)
        for token in found
    ]


def _opposite(a: Words, b: Words) -> str | None:
    """An opposite that is new where its counterpart is gone."""
    new, gone = Counter(b) - Counter(a), Counter(a) - Counter(b)
    for one, other in GROUPS:
        for here, there in ((one, other), (other, one)):
            lost, made = here & gone.keys(), there & new.keys()
            if lost and made and not (there & gone.keys() or here & new.keys()):
                return f"{min(lost)!r} became {min(made)!r}"
    return None


def _numbers(a: Words, b: Words) -> str | None:
    """A number, in words or figures, that only one text has."""
    one, other = ({word for word in words if _is_number(word)} for words in (a, b))
    for number in sorted(one ^ other):
        return f"the number {number!r} is {'new' if number in other else 'gone'}"
    return None


def _is_number(word: str) -> bool:
    return bool(_FIGURE.fullmatch(word)) or word in _WORDED


def _measures(a: Words, b: Words) -> str | None:
    """A number with another bound, another unit, or what another number counted."""
    one, other = dict(_counted(a)), dict(_counted(b))
    for number in sorted(one.keys() & other.keys()):
        (bound, unit, next_), (new_bound, new_unit, new_next) = one[number], other[number]
        if bound != new_bound:
            return f"{_shown(bound, number)} became {_shown(new_bound, number)}"
        sized = {unit, new_unit} & (_SIZES | {"percent"})
        if unit != new_unit and (sized or (unit and new_unit)):
            measures = (f"{number} {each}" if each else number for each in (unit, new_unit))
            return " became ".join(measures)
        others = {each[2] for key, each in one.items() if key != number} - {""}
        if next_ != new_next and new_next in others and next_ not in others:
            return f"{number} {next_} became {number} {new_next}"
    return None


def _shown(bound: str | None, number: str) -> str:
    return f"{bound!r} {number}" if bound else number


def _counted(words: Words) -> Iterator[tuple[str, tuple[str | None, str | None, str]]]:
    """Yield each number that stands once, with its bound, its unit and the word behind it."""
    counts = Counter(words)
    for place, word in enumerate(words):
        if not _FIGURE.fullmatch(word) or counts[word] > 1:
            continue
        before = words[place - 1] if place else ""
        earlier = words[place - 2] if place > 1 else ""
        bound = _THAN.get(earlier) if before == "than" else _BOUNDS.get(before)
        if before == "least" and earlier == "at":
            bound = "at least"
        behind = words[place + 1] if place + 1 < len(words) else ""
        dated = len(word) == 4 or behind in _MONTHS or not behind.isalpha()
        yield word, (bound, _UNITS.get(behind), "" if dated else behind)


def _presence(
    name: str, kind: frozenset[str], near: frozenset[str] = frozenset()
) -> Callable[[Words, Words], str | None]:
    """Return a rule: words of a kind are in both texts, or in neither; `near` ones will do."""

    def rule(a: Words, b: Words) -> str | None:
        one, other = (sorted({word for word in words if _is(word, kind)}) for words in (a, b))
        if bool(one) == bool(other) or near & set(a if other else b):
            return None
        return f"{name} is {'new' if other else 'gone'}: {(other or one)[0]!r}"

    return rule


def _denied(a: Words, b: Words) -> str | None:
    """A denial that went from one word to another: "pleaded not guilty", "did not plead guilty"."""
    before, after = ([*_behind_denials(words)] for words in (a, b))
    if len(before) != 1 or len(after) != 1 or is_form(before[0], after[0]):
        return None
    held = all(
        any(is_form(word, other) for other in words)
        for word, words in ((before[0], b), (after[0], a))
    )
    return f"'not {before[0]}' became 'not {after[0]}'" if held else None


def _behind_denials(words: Words) -> Iterator[str]:
    """Yield what each "not" denies: the next word with content that is no adverb."""
    for place, word in enumerate(words):
        if word in ("not", "cannot") or word.endswith("n't"):
            behind = (w for w in words[place + 1 :] if is_content(w) and not w.endswith("ly"))
            yield next(behind, "")


def _thing(a: Words, b: Words) -> str | None:
    """A person that became a thing."""
    new, gone = Counter(b) - Counter(a), Counter(a) - Counter(b)
    for word in ("he", "she", "him"):
        if word in gone and "it" in new and not {"he", "she", "him", "her", "they"} & new.keys():
            return f"{word!r} became 'it'"
    return None


def _is(word: str, kind: frozenset[str]) -> bool:
    return word in kind or (kind is _DENIALS and word.endswith("n't"))


def _other_person(source: str, text: str, a: Words, b: Words) -> str | None:
    """A person or a sex that the source has not; unless a quotation became reported speech."""
    if bool(_QUOTES & set(source)) != bool(_QUOTES & set(text)):
        return None
    one, other = ({word.partition("'")[0] for word in words} for words in (a, b))
    for name, kind in _PERSONS.items():
        if other & kind and not one & kind:
            return f"{name} is new: {min(other & kind)!r}"
    return None


def _again(a: Words, b: Words) -> str | None:
    """A number or a word with content that a text says more often than its source."""
    one, other = Counter(map(_plain, a)), Counter(map(_plain, b))
    for word in map(_plain, b):
        if _is(word, _DENIALS) or not is_content(word) or len(word) < 2:
            continue
        if 0 < one[word] < other[word]:
            return f"{word!r} is said again"
    return None


def _plain(word: str) -> str:
    return word.removesuffix("'s").removesuffix("'")


def _tense(a: Words, b: Words) -> str | None:
    """A verb in another tense, where nothing is reported."""
    return None if _SPEECH & {*a, *b} else retensed(a, b)


_RULES: tuple[Callable[[Words, Words], str | None], ...] = (
    _opposite,
    _numbers,
    _measures,
    _presence("a hedge", _HEDGES, _COULD),
    _presence("a denial", _DENIALS),
    _denied,
    _presence("a limit", _LIMITS, _ALMOST_LIMITS),
    _presence("speech", _SPEECH),
    _again,
    _tense,
    _thing,
)
