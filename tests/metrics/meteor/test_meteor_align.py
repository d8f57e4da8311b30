"""The beam aligner on matches written by hand."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from paraphrast.metrics.meteor.align import align, chunks
from paraphrast.metrics.meteor.match import Match, Module


def by_position(size: int, matches: Iterable[Match]) -> list[list[Match]]:
    found: list[list[Match]] = [[] for _ in range(size)]
    for match in matches:
        found[match.start].append(match)
    return found


def exact(start: int, candidate_start: int) -> Match:
    return Match(Module.EXACT, start, 1, candidate_start, 1)


def test_nothing_to_align() -> None:
    assert align([]) == []
    assert align([[], []]) == []


def test_fewer_chunks_win_among_alignments_that_cover_as_much() -> None:
    # Reference "a b", candidate "a x a b".
    found = by_position(2, [exact(0, 0), exact(0, 2), exact(1, 3)])
    assert align(found) == [exact(0, 2), exact(1, 3)]


def test_more_exact_words_win_over_fewer_chunks() -> None:
    phrase = Match(Module.PARAPHRASE, 0, 2, 0, 2)
    found = by_position(2, [exact(0, 1), exact(1, 0), phrase])
    assert align(found) == [exact(0, 1), exact(1, 0)]


def test_a_single_stem_covers_nothing_and_yields_to_fewer_chunks() -> None:
    # Both stems contend for candidate word 5, so neither is certain; taking one adds a chunk.
    stems = [Match(Module.STEM, 1, 1, 5, 1), Match(Module.STEM, 2, 1, 5, 1)]
    assert align(by_position(3, [exact(0, 0), *stems])) == [exact(0, 0)]


def test_a_match_without_rivals_is_always_taken() -> None:
    stem = Match(Module.STEM, 2, 1, 5, 1)
    assert align(by_position(3, [exact(0, 0), stem])) == [exact(0, 0), stem]


def test_the_first_of_equal_matches_is_taken() -> None:
    found = by_position(1, [exact(0, 0), exact(0, 1)])
    assert align(found) == [exact(0, 0)]


def test_chunks_need_adjacency_on_both_sides() -> None:
    assert chunks([]) == 0
    assert chunks([exact(0, 0), exact(1, 1)]) == 1
    assert chunks([exact(0, 0), exact(2, 1)]) == 2
    assert chunks([exact(0, 0), exact(1, 2)]) == 2
    phrase = Match(Module.PARAPHRASE, 0, 2, 3, 1)
    assert chunks([phrase, exact(2, 4)]) == 1


@st.composite
def found_matches(draw: st.DrawFn) -> list[list[Match]]:
    size, candidate_size = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    matches = []
    for _ in range(draw(st.integers(0, 40))):
        start = draw(st.integers(0, size - 1))
        candidate_start = draw(st.integers(0, candidate_size - 1))
        length = draw(st.integers(1, min(3, size - start)))
        candidate_length = draw(st.integers(1, min(3, candidate_size - candidate_start)))
        module = draw(st.sampled_from(Module)) if length == candidate_length == 1 else Module(3)
        matches.append(Match(module, start, length, candidate_start, candidate_length))
    return by_position(size, matches)


@given(found_matches())
def test_chosen_matches_never_overlap(found: list[list[Match]]) -> None:
    chosen = align(found)
    words = [word for match in chosen for word in range(match.start, match.start + match.length)]
    assert words == sorted(set(words))
    used = [match.candidate_start + n for match in chosen for n in range(match.candidate_length)]
    assert len(used) == len(set(used))
    assert all(match in found[match.start] for match in chosen)
