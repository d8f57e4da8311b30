"""Tercom against sacrebleu 2.6, whose numbers it promises: tokens, edits, and the beam alone."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from sacrebleu.metrics import lib_ter
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from paraphrast.text.alignment import editbeam
from paraphrast.text.alignment.editbeam import Alignment, BeamMatrix, EditMatrix, beam_is_idle
from paraphrast.text.alignment.tercom import edits, normalise

DATA = Path(os.environ.get("PARAPHRAST_DATA", Path(__file__).parents[2] / "../shared/data"))
OPTIONS = [
    dict(zip(("normalized", "no_punct", "asian_support", "case_sensitive"), flags, strict=True))
    for flags in itertools.product((False, True), repeat=4)
]
TOKENIZERS = [TercomTokenizer(**options) for options in OPTIONS]

slow_oracle = settings(deadline=None)


def oracle(candidate: list[str], reference: list[str]) -> int:
    return int(lib_ter.translation_edit_rate(candidate, reference)[0])


def words(alphabet: str, *, least: int = 0, most: int = 14) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(alphabet), min_size=least, max_size=most)


# --- normalisation -------------------------------------------------------------------------------

LATIN = [*"aBs'50-.,?&;$(\"_~İßé", "'s", ",,", "&quot;", "&amp;", "&lt;", "&gt;"]
SPACES = ["\n", "\n-", " ", "\t", "\x1c"]
# One of each range that sacrebleu names, its odd end (3f22) included, and kana, which it keeps.
ASIAN = [
    *"\u6f22\u5b57\u3400\u31c0\u2e80\u3300\uf900\ufe30\u3200\u3f22\u3f23\u3072\u30a2\u31f0",
    *"\u3001\u3002\u300c\u301c\u3014\u30fb\uff61\uff65\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff08",
]
TRICKY = st.lists(st.sampled_from([*LATIN, *SPACES, *ASIAN]), max_size=12).map("".join)


@given(text=TRICKY | st.text())
@example("'s")
@example("ひらがな")
@example("&amp;lt; 1,000.5, 3-4 x...y's\n-z")
@settings(max_examples=400, deadline=None)
def test_normalise_is_sacrebleus_for_every_option(text: str) -> None:
    for options, tokenizer in zip(OPTIONS, TOKENIZERS, strict=True):
        assert normalise(text, **options) == tokenizer(text), options


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_normalise_treats_every_character_as_sacrebleu(options: dict[str, bool]) -> None:
    characters = [*map(chr, range(0x20, 0x250)), *map(chr, range(0x2E70, 0xA010))]
    characters += map(chr, range(0xF8F0, 0xFFF0))
    tokenizer = TercomTokenizer(**options)
    # A digit on one side and a letter on the other meet every condition on neighbours.
    text = "".join(f"x{c}5{c}x " for c in characters)
    assert normalise(text, **options).split() == tokenizer(text).split()


def test_normalise_by_hand() -> None:
    text = "It's  the 3-day, $1,000.50 \n &quot;Deal&quot;."
    assert normalise(text) == "it's the 3-day, $1,000.50 &quot;deal&quot;."
    assert normalise(text, normalized=True, case_sensitive=True) == (
        """It 's the 3 - day , $ 1,000.50 " Deal " ."""
    )
    asian = "「漢字」 です。"
    assert normalise(asian, normalized=True, asian_support=True) == "「 漢 字 」 です 。"
    assert normalise(asian, no_punct=True, asian_support=True) == "漢字 です"


# --- edits: known numbers ------------------------------------------------------------------------


def test_the_papers_example_takes_one_shift_and_three_edits() -> None:
    # Snover et al. 2006, section 3: the published count for this pair is 4.
    reference = "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times"
    candidate = "THIS WEEK THE SAUDIS denied information published in the new york times"
    assert edits(candidate.split(), reference.split()) == 4


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        ("", "", 0),
        ("", "a b c", 3),
        ("a b c", "", 3),
        ("a b c", "a b c", 0),
        ("a b c", "d e f g", 4),
        ("b a", "a b", 1),
        ("d e f a b c", "a b c d e f", 1),
        ("f e d c b a", "a b c d e f", 5),
        ("a a b b a a b", "b a b a b a a", 3),
        # Ten words go in one shift, eleven do not.
        ("k l m n o p q r s t a b c d e f g h i j", "a b c d e f g h i j k l m n o p q r s t", 1),
        (
            "l m n o p q r s t u v a b c d e f g h i j k",
            "a b c d e f g h i j k l m n o p q r s t u v",
            2,
        ),
    ],
)
def test_edits_by_hand(candidate: str, reference: str, expected: int) -> None:
    assert edits(candidate.split(), reference.split()) == expected
    assert oracle(candidate.split(), reference.split()) == expected


def permuted(length: int, distinct: int) -> tuple[list[int], list[int]]:
    reference = [i * i % distinct for i in range(length)]
    candidate = [reference[i * 171 % length] for i in range(length)]
    return candidate, reference


@pytest.mark.parametrize(("distinct", "expected"), [(10**9, 390), (211, 386), (23, 314)])
def test_a_long_shuffle_stops_where_sacrebleu_does_and_soon(distinct: int, expected: int) -> None:
    # Counts from sacrebleu 2.6.0, which needs 3 to 23 seconds for each and stops at 1,000
    # checked shifts without taking the last one.
    candidate, reference = permuted(400, distinct)
    began = time.process_time()
    assert edits(candidate, reference) == expected
    assert time.process_time() - began < 1


# --- edits: sacrebleu's on anything --------------------------------------------------------------


@given(candidate=words("abc"), reference=words("abc"))
@settings(max_examples=300, deadline=None)
def test_few_words_with_many_ties(candidate: list[str], reference: list[str]) -> None:
    assert edits(candidate, reference) == oracle(candidate, reference)


@given(candidate=words("abcdefghijkl", most=30), reference=words("abcdefghijkl", most=30))
@slow_oracle
def test_sentences(candidate: list[str], reference: list[str]) -> None:
    assert edits(candidate, reference) == oracle(candidate, reference)


@given(data=st.data(), reference=st.lists(st.integers(0, 40), min_size=2, max_size=35))
@slow_oracle
def test_reordered_sentences(data: st.DataObject, reference: list[int]) -> None:
    candidate = data.draw(st.permutations(reference))
    expected = oracle([*map(str, candidate)], [*map(str, reference)])
    assert edits(candidate, reference) == expected


def lagging(length: int, lag: int, kept: int) -> tuple[list[str], list[str]]:
    """A candidate that says the reference `lag` words late, with every `kept` words a wrong one.

    The cheapest path runs `lag` columns off the diagonal, where there is no beam beyond 25.
    """
    reference = [f"r{i}" for i in range(length)]
    late = [word if i % (kept + 1) else f"c{i}" for i, word in enumerate(reference)]
    return [f"x{i}" for i in range(lag)] + late[:-lag], reference


def is_cut(candidate: list[str], reference: list[str]) -> bool:
    ids = {word: chr(i) for i, word in enumerate({*candidate, *reference})}
    one, other = ("".join(ids[word] for word in side) for side in (candidate, reference))
    return BeamMatrix(other, len(one)).distance(one) > Levenshtein.distance(one, other)


@pytest.mark.parametrize(
    ("length", "lag", "kept", "expected"),
    [(80, 27, 2, 68), (100, 30, 1, 100), (100, 30, 3, 94), (120, 49, 5, 116), (400, 40, 1, 400)],
)
def test_many_shifts_where_the_beam_cuts(length: int, lag: int, kept: int, expected: int) -> None:
    # Counts from sacrebleu 2.6.0, which takes seconds over them.
    candidate, reference = lagging(length, lag, kept)
    assert is_cut(candidate, reference)
    assert edits(candidate, reference) == expected


@contextmanager
def beam_width(width: int) -> Iterator[None]:
    """A narrow beam on both sides, so that it cuts where the oracle is still quick."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lib_ter, "_BEAM_WIDTH", width)
        patch.setattr(editbeam, "_WIDTH", width)
        yield


@given(
    width=st.integers(2, 6),
    candidate=words("abcdefg", most=24),
    reference=words("abcdefg", most=24),
)
@settings(max_examples=200, deadline=None)
def test_where_a_narrow_beam_cuts(width: int, candidate: list[str], reference: list[str]) -> None:
    with beam_width(width):
        assert edits(candidate, reference) == oracle(candidate, reference)


@pytest.mark.parametrize("most", [0, 30])
def test_four_hundred_words(most: int) -> None:
    candidate, reference = lagging(400, 60, 9)
    candidate[100:130:7] = reference[130 - most : 160 - most : 7]
    assert edits(candidate, reference) == oracle(candidate, reference)


@given(short=words("abcd", most=4), long=words("abcdefgh", least=100, most=300))
@settings(max_examples=25, deadline=None)
@example(short=["a", "b"], long=["x"] * 298 + ["b", "a"])
@example(short=["a", "b"], long=["b", *["x"] * 50, "a", *["x"] * 248])
def test_wildly_different_lengths(short: list[str], long: list[str]) -> None:
    assert edits(short, long) == oracle(short, long)
    assert edits(long, short) == oracle(long, short)


@given(candidate=words("abcde"), reference=words("abcde"))
def test_ids_in_any_order_give_the_words_number(candidate: list[str], reference: list[str]) -> None:
    backwards = [[-ord(word) for word in side] for side in (candidate, reference)]
    assert edits(*backwards) == edits(candidate, reference)


def test_real_pairs() -> None:
    path = DATA / "pairs/mrpc.test.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no data at {DATA}: set PARAPHRAST_DATA")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in itertools.islice(lines, 400)]
    for row in rows:
        candidate, reference = (normalise(row[side]).split() for side in ("text1", "text2"))
        assert edits(candidate, reference) == oracle(candidate, reference), row["id"]


# --- the beam alone ------------------------------------------------------------------------------


def oracle_beam(candidate: str, reference: str) -> tuple[int, Alignment]:
    distance, trace = lib_ter.BeamEditDistance(list(reference))(list(candidate))
    flipped = trace.translate(str.maketrans("id", "di"))
    align, wrong_r, wrong_c = lib_ter.trace_to_alignment(flipped)
    consumed = [0, *(align[place] + 1 for place in range(len(reference)))]
    return distance, Alignment(consumed, gaps(wrong_c), gaps(wrong_r))


def gaps(wrong: list[int]) -> list[int]:
    found = [1 << 30]
    for error in reversed(wrong):
        found.append(0 if error else found[-1] + 1)
    return found[::-1]


@st.composite
def long_pairs(draw: st.DrawFn) -> tuple[str, str]:
    rng = random.Random(draw(st.integers(0, 10**6)))
    alphabet = [chr(97 + i) for i in range(draw(st.sampled_from([1, 2, 5, 30, 200])))]
    reference = "".join(rng.choices(alphabet, k=draw(st.integers(1, 400))))
    if draw(st.booleans()):
        return "".join(rng.choices(alphabet, k=draw(st.integers(1, 400)))), reference
    extra = "".join(rng.choices(alphabet, k=draw(st.integers(1, 60))))
    return reference[draw(st.integers(0, 60)) :] + extra, reference


def check_beam(candidate: str, reference: str) -> None:
    distance, alignment = oracle_beam(candidate, reference)
    beam = BeamMatrix(reference, len(candidate))
    assert beam.distance(candidate) == distance
    assert beam.align(candidate) == alignment
    plain = Levenshtein.distance(candidate, reference)
    if beam_is_idle(len(candidate), len(reference), plain):
        assert (plain, EditMatrix(reference).align(candidate)) == (distance, alignment)


@given(pair=long_pairs(), swap=st.booleans())
@slow_oracle
@example(pair=("a" + "b" * 59, "b" * 59 + "c" * 60), swap=False)
@example(pair=("ab", "b" * 101), swap=False)
@example(pair=("ab", "b" * 100), swap=False)
def test_beam_matrix(pair: tuple[str, str], swap: bool) -> None:
    check_beam(*(pair[::-1] if swap else pair))


@given(
    width=st.integers(2, 6),
    candidate=st.text("abc", min_size=1, max_size=40),
    reference=st.text("abc", min_size=1, max_size=40),
)
@settings(max_examples=400, deadline=None)
def test_narrow_beam_matrix(width: int, candidate: str, reference: str) -> None:
    with beam_width(width):
        check_beam(candidate, reference)


@given(pair=long_pairs(), seed=st.integers(0, 10**6))
@slow_oracle
def test_beam_matrix_reuses_rows(pair: tuple[str, str], seed: int) -> None:
    candidate, reference = pair
    rng = random.Random(seed)
    kept, changed = sorted(rng.choices(range(len(candidate) + 1), k=2))
    middle = candidate[kept:changed]
    other = candidate[:kept] + "".join(rng.sample(middle, len(middle))) + candidate[changed:]
    beam = BeamMatrix(reference, len(candidate))
    beam.align(candidate)
    fresh = BeamMatrix(reference, len(candidate))
    assert beam.distance(other, kept, changed) == fresh.distance(other)
    assert beam.align(other, kept) == fresh.align(other)
