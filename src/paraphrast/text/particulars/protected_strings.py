"""What a paraphrase must not change: names, numbers, addresses, code. Rules on the text alone.

Names are runs of capitalised words. At the start of a sentence any word has a capital, so there a
word counts only as a part of a run, with a capital or digit further on ("DVD", "eBay"), or if it
stands capitalised elsewhere too; and it is left out where it opens sentences commonly or is met in
lower case. In a headline, whose every word has a capital but the commonest, no names can be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import regex

from paraphrast.text.sentences import split_sentences

_LITERAL = re.compile(
    r"""
      (?<!`)(`+)(?![\s`])[^`]+(?<!\s)\1(?!`)                     # code between backticks
    | \b(?:https?|ftp)://[^\s<>"'’”)\]]*[\w/]                    # addresses
    | \bwww\.[\w-]+(?:\.[\w-]+)+(?:/[^\s<>"'’”)\]]*[\w/])?
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
    | (?<![\w@#])[@#]\w*[^\W\d]\w*                               # @someone, #topic
    | (?<!\w)(?:[^\W_]+(?:_[^\W_]+)+(?:\(\))?|\w+\(\))           # snake_case, call()
    | (?<!\w)[vV]\d+(?:\.\d+)+(?![\w.]*\w)                       # v2.0.1
    | (?<!\w)[A-Z](?:\+\+|\#)(?!\w)                              # C++, C#
    | (?<![\w.])(?:~|\.{1,2})?(?:/[\w.-]*\w){2,}/?               # /a/path
    | (?<!\w)(?:[\w-]+\.)+(?:com|org|net|edu|gov|io|py|js|txt|csv|json|html?|exe|pdf)\b
    """,
    re.VERBOSE,
)
_PLACEHOLDER = re.compile(
    r"""
      \$?\{\{?\s?[\w.\[\]-]*\s?\}?\}                            # {name}, {{ name }}, ${name}
    | %\(\w+\)[sdif] | (?<![\w%])%(?:\d+\$)?(?:\.\d+)?[sdif](?!\w)  # %(name)s, %s
    | </?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>                           # <b>, </b>
    | (?<!\w)[a-z]+(?:[A-Z][a-z]+)+(?!\w)                         # camelCase
    | (?<!\w)[\w-]+\.(?:[ch]pp|[ch]|rs|go|java|ts|css|md|toml|ya?ml|xml)\b  # file.h
    | (?<!\w)[\w-]+\.(?:zip|gz|docx?|xlsx?|png|jpe?g)\b
    """,
    re.VERBOSE,
)
_LETTER = r"\p{Lu}\p{Ll}"  # scripts without case are written without spaces: 3月 is a number
_NUMBER = regex.compile(
    rf"""
    (?<![{_LETTER}\d_]) (?<!\d[.,:/-])
    (?: [A-Z]{{0,3}}[$€£¥₹](?:US|AU?|C|NZ|HK|S)?+ | (?<![\w.,)])[-−] )?+
    (?: \d++(?:[.,:/-]\d++)*+ | \.\d++ )
    (?: st|nd|rd|th|s|am|pm )?+
    (?: [ -]?(?:hundred|thousand|million|billion|trillion|dozen|bn|mn|[kKmM])(?![{_LETTER}])
      | [ \u00a0]?(?: °\s?[CF] | (?: km/h|mph|kWh|[kcmµ]?m|[kmµ]?g|[KkMGT]i?B|[kMG]?Hz|[kM]?W|k?V|ms
                                   |m[Ll]|ft|lbs?|oz )(?![{_LETTER}]) )
    )?+
    (?![{_LETTER}])
    | (?<![{_LETTER}\d_]) \d++(?:[.,:/-]\d++)*+[{_LETTER}]\w*+  # 3D, 1-1/4p
    """,
    regex.VERBOSE,
)
_WORD = re.compile(
    r"(?<!\w)[^\W\d_](?:[\w&]|['’.\-‐](?=[^\W_]))*(?:(?<=(?<![\w'’&])[^\W\d_])\.(?=\s|$))?"
)
_LINKS = frozenset("of de du del della da di van von der den la le el al bin ibn y &".split())
_TITLES = frozenset("mr mrs ms miss dr prof sir lady lord mister madam".split())
_ABBREVIATED = _TITLES | frozenset("st mt ft gen sen rep gov col lt capt sgt rev jr sr".split())
_CONTRACTED = re.compile(r"(?:['’](?:s|re|m|ll|ve|d|t|em)|n['’]t)$", re.IGNORECASE)
_ATTACHED = re.compile(r"(?<=\w)(?:['’]s|(?:[-‐][^\W\d_A-Z][^\W\d_]*)+)$")

# Words that open sentences, or stand before a name, with a capital that says nothing.
_COMMON = frozenset(
    """
    a about above according across after afterwards again against all almost along already also
    although always am among an and another any anybody anyone anything are around as at away back
    be because been before behind being below beneath beside besides between beyond both but by can
    cannot could did do does doing down during each earlier either else elsewhere especially even
    eventually ever every everybody everyone everything except few fewer finally first for former
    formerly fortunately from further furthermore generally given had has have having he hence her
    here hers herself him himself his how however i if in including indeed inside instead into is it
    its itself just last lastly later least less let like likewise many may maybe me meanwhile might
    mine more moreover most mostly much must my myself near nearly neither never nevertheless
    next no nobody none nonetheless nor normally not nothing now nowadays nowhere of off often ok on
    once one only onto or other others otherwise our ours ourselves out outside over overall
    own particularly per perhaps please previously probably quite rather really recently regarding
    said same say says second secondly several shall she should similarly since so some somebody
    somehow someone something sometimes soon still subsequently such suddenly surely than thank
    thanks that the their theirs them themselves then there thereafter therefore these they third
    this those though three through throughout thus to today together tomorrow tonight too toward
    towards two under unfortunately unless unlike until up upon us usually very via was we well were
    what whatever when whenever where whereas wherever whether which whichever while who whoever
    whole whom whose why will with within without would yes yesterday yet you your yours yourself
    four five six seven eight nine ten eleven twelve twenty thirty hundred thousand half
    """.split()
)
_NAMING = frozenset(
    "may one two three four five six seven eight nine ten first second third".split()
)
_OPENING = re.compile(
    r"""(?: ^ | (?<!\w)["“‘«('`]+(?=\S) | [:;•*]\s+ | (?<!\w)[-–—]\s+ ) [^\w`]*""", re.VERBOSE
)


def protected(text: str) -> list[str]:
    """Return the strings of a text that must survive, each once, in the order they stand.

    >>> protected("The firm paid Ann Lee of Ohio $2.5 billion in 1998; see www.lee.org.")
    ['Ann Lee of Ohio', '$2.5 billion', '1998', 'www.lee.org']
    """
    found = list(_literals(text))
    covered = bytearray(len(text))
    for start, end in found:
        covered[start:end] = b"\1" * (end - start)
    for start, end in (*_numbers(text), *_names(text)):
        if not any(covered[start:end]):
            found.append((start, end))
            covered[start:end] = b"\1" * (end - start)
    return list(dict.fromkeys(text[start:end] for start, end in sorted(found)))


def verbatim_spans(text: str) -> list[tuple[int, int]]:
    """Return where addresses, code and placeholders stand, in characters.

    >>> verbatim_spans("Mail {name} at info@lee.org")
    [(5, 11), (15, 27)]
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted({*_literals(text), *(m.span() for m in _PLACEHOLDER.finditer(text))}):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def name_spans(text: str) -> list[tuple[int, int]]:
    """Return where names stand, in characters; addresses and code are none."""
    literal = list(_literals(text))
    return [
        (start, end)
        for start, end in _names(text)
        if not any(start < last and first < end for first, last in literal)
    ]


def opens_sentences(word: str) -> bool:
    """Tell whether a word commonly has its capital from the sentence that it opens."""
    return word.lower() in _COMMON


def _literals(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _LITERAL.finditer(text))


def _numbers(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _NUMBER.finditer(text))


def _names(text: str) -> Iterator[tuple[int, int]]:
    words = list(_WORD.finditer(text))
    if len(words) > 3 and not any(character.islower() for character in text):
        return
    content = [match[0] for match in words if match[0].lower() not in _COMMON]
    if len(content) > 3 and all(map(_is_capitalised, content)):
        return
    openings = _openings(text)
    inner = {m[0] for m in words if _is_capitalised(m[0]) and m.start() not in openings}
    lower = {match[0] for match in words if match[0].islower()}
    for run in _runs(text, words, openings):
        first = run[0]
        opening = first.start() in openings
        while run and _says_nothing(run[0][0], opening and run[0] is first, lower):
            run = run[1:]
        lonely = opening and len(run) == 1 and run[0] is first
        if run and not (lonely and not _is_marked(first[0]) and first[0] not in inner):
            yield run[0].start(), _end(run[-1])


def _openings(text: str) -> set[int]:
    """Return where words open a sentence, a quotation, a clause after a colon or a list item."""
    starts, place = set(), 0
    for sentence in split_sentences(text):
        place = text.index(sentence, place)
        for match in _OPENING.finditer(sentence):
            starts.add(place + match.end())
        place += len(sentence)
    return starts


def _runs(
    text: str, words: list[re.Match[str]], openings: set[int]
) -> Iterator[list[re.Match[str]]]:
    """Yield runs of capitalised words with a space, or a linking word, between them."""
    run: list[re.Match[str]] = []
    links: list[re.Match[str]] = []
    previous: re.Match[str] | None = None
    for word in words:
        between = "" if previous is None else text[previous.end() : word.start()]
        apart = word.start() in openings or not _is_joint(between, previous[0] if previous else "")
        if run and (apart or _CONTRACTED.search(run[-1][0] if not links else "")):
            yield run
            run, links = [], []
        if _is_capitalised(word[0]):
            run += [*links, word] if run else [word]
            links = []
        elif run and word[0] in _LINKS and len(links) < 2:
            links.append(word)
        elif run:
            yield run
            run, links = [], []
        previous = word
    if run:
        yield run


def _is_joint(between: str, before: str) -> bool:
    if between in (" ", " & "):
        return True
    return between == ". " and before.lower() in _ABBREVIATED


def _is_capitalised(word: str) -> bool:
    return word[0].isupper() or (word[0].islower() and _is_marked(word))


def _is_marked(word: str) -> bool:
    """Whether a word shows that it is a name wherever it stands: "DVD", "eBay", "MP3"."""
    bare = _CONTRACTED.sub("", word)
    tail = bare[1:].split("-")[0] if "-" in bare else bare[1:]
    return any(character.isupper() or character.isdigit() for character in tail)


def _says_nothing(word: str, opening: bool, lower: set[str]) -> bool:
    bare = _CONTRACTED.sub("", word).lower().rstrip(".")
    if bare in _TITLES or bare == "i":
        return True
    if word.endswith("."):  # an initial
        return False
    if opening and bare in lower:
        return True
    return bare in _COMMON and not _is_marked(word) and (opening or bare not in _NAMING)


def _end(word: re.Match[str]) -> int:
    """Return where a name ends, before its 's or "-based"."""
    return word.start() + len(_ATTACHED.sub("", word[0]))
