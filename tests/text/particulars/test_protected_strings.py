"""What counts as a name, a number, an address or code."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.generation.decoding.constraints import survives
from paraphrast.text.particulars.protected_strings import protected

CASES = [
    ("", []),
    ("They came home.", []),
    ("A", []),
    ("I said I'm sure, so am I.", []),
    ('"Accusations are false," Grella said.', ["Grella"]),
    ("The Northfield-based firm paid Mr. Smith.", ["Northfield", "Smith"]),
    (
        "She told A. B. Smith: Go. The U.S. Supreme Court said.",
        ["A. B. Smith", "U.S. Supreme Court"],
    ),
    ("John F. Kennedy met St. Louis fans.", ["John F. Kennedy", "St. Louis"]),
    ("Standard & Poor's fell, and so did AT&T.", ["Standard & Poor", "AT&T"]),
    ("He joined the Bank of America.", ["Bank of America"]),
    ("Meanwhile Microsoft won.", ["Microsoft"]),
    ("President Bush became the first president here.", ["Bush"]),
    ("Shares rose 1-1/4p in May.", ["1-1/4p", "May"]),
    ("May it last.", []),
    ("Ann's book is Ann's.", ["Ann"]),
    ("DVD sales fell; eBay's did not.", ["DVD", "eBay"]),
    ("Stocks Fall As Fears Of War Grow", []),
    ("STOCKS FALL AS FEARS OF WAR GROW", []),
    ("On June 10, 2003, at 3:30 the 1990s ended.", ["June", "10", "2003", "3:30", "1990s"]),
    ("It paid $2.5 billion, €3.5m or A$4.56.", ["$2.5 billion", "€3.5m", "A$4.56"]),
    ("up 4.4%, or 4.4 percent, by -5 to .25", ["4.4", "-5", ".25"]),
    ("5 km, 10 MB, 3.5kg, 20°C, 12 ft", ["5 km", "10 MB", "3.5kg", "20°C", "12 ft"]),
    ("a 10-year note won 7-4, a 4x4 in 3D", ["10", "7-4", "4x4", "3D"]),
    ("see https://a.org/b?c=d#e. or www.x.org/y, me@x.co.uk", None),
    ("run `rm -rf x` on my_file via call() in /usr/lib as @bob #win", None),
    ("彼は3月に東京で会った。", ["3"]),
    ("он жил в Москве в 1998 году", ["Москве", "1998"]),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=lambda value: str(value)[:30])
def test_what_is_protected(text: str, expected: list[str] | None) -> None:
    if expected is not None:
        assert protected(text) == expected


def test_addresses_and_code_stay_whole() -> None:
    assert protected("see https://a.org/b?c=d#e. or www.x.org/y, me@x.co.uk") == [
        "https://a.org/b?c=d#e",
        "www.x.org/y",
        "me@x.co.uk",
    ]
    assert protected("run `rm -rf X 2` on my_file via call() in /usr/lib as @bob #win") == [
        "`rm -rf X 2`",
        "my_file",
        "call()",
        "/usr/lib",
        "@bob",
        "#win",
    ]


@given(st.text("aAbB1 .,'\"`$-:/@é%", max_size=40))
def test_everything_protected_survives_in_the_text_itself(text: str) -> None:
    for string in protected(text):
        assert string.strip() == string != ""
        assert survives(string, text), string


GOLD = {
    "Yucaipa owned Dominick's before selling the chain to Safeway in 1998 for $2.5 billion.": [
        "Dominick",
        "Safeway",
        "1998",
        "$2.5 billion",
    ],
    "The stock rose $2.11, or about 11 percent, to close Friday at $21.51 on the New York Stock "
    "Exchange.": ["$2.11", "11", "Friday", "$21.51", "New York Stock Exchange"],
    "The DVD-CCA then appealed to the state Supreme Court.": ["DVD-CCA", "Supreme Court"],
    "Around 0335 GMT, Tab shares were up 19 cents, or 4.4%, at A$4.56, having earlier set a record "
    "high of A$4.57.": ["0335", "GMT", "Tab", "19", "4.4", "A$4.56", "A$4.57"],
}


def test_real_sentences(data: Callable[[str], Path]) -> None:
    with gzip.open(data("pairs/mrpc.train.jsonl.gz"), "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text1"] for line in lines]
    for text, expected in GOLD.items():
        assert text in texts
        assert protected(text) == expected
    numbers = names = kept_numbers = kept_names = 0
    for text in texts:
        strings = protected(text)
        assert all(survives(string, text) for string in strings), text
        joined = "\n".join(strings)
        digits = re.findall(r"\d+", text)
        numbers += len(digits)
        kept_numbers += sum(each in joined for each in digits)
        inner = re.findall(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b", text)
        names += len(inner)
        kept_names += sum(each in joined for each in inner)
    assert kept_numbers == numbers
    assert kept_names / names > 0.97
    mean = sum(len(protected(text)) for text in texts) / len(texts)
    assert 2 < mean < 4
