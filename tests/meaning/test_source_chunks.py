"""Sources in chunks: whole sentences, half an overlap, and which of them are read."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.meaning.source_chunks import CutSource, chunks, folded
from paraphrast.text.words import WordText

SENTENCES = [f"The cat number {n} sat on mat number {n}." for n in range(20)]
LONG = " ".join(SENTENCES)
TEXTS = st.lists(
    st.sampled_from(["the", "cat.", "Dogs", "ran!", "猫", "です。", "\n", "\0", "😀", "1,000"]),
    max_size=60,
).map(" ".join)


def test_chunks_are_whole_sentences_that_overlap() -> None:
    found = chunks(LONG, 30)  # three sentences of nine words each
    assert found[0] == " ".join(SENTENCES[:3])
    assert found[1] == " ".join(SENTENCES[1:4])
    assert found[-1].endswith(SENTENCES[-1])
    assert all(any(sentence in chunk for chunk in found) for sentence in SENTENCES)


def test_a_sentence_longer_than_a_chunk_is_cut() -> None:
    found = chunks(" ".join(f"word{n}" for n in range(25)), 10)
    assert max(len(WordText.of(chunk)) for chunk in found) == 10
    assert found[0].split()[0] == "word0"
    assert found[-1].split()[-1] == "word24"


@given(text=TEXTS, words=st.integers(1, 30))
@settings(deadline=None)
def test_every_word_is_in_a_chunk_and_no_chunk_is_too_long(text: str, words: int) -> None:
    found = chunks(text, words)
    assert {word for chunk in found for word in WordText.of(chunk).words} == set(
        WordText.of(text).words
    )
    assert all(0 < len(WordText.of(chunk)) <= words for chunk in found)


def test_no_words_no_chunks() -> None:
    assert chunks("", 10) == chunks(" \n\0 ", 10) == []


def test_the_chunks_that_share_rare_words_are_read_in_their_order() -> None:
    cut = CutSource.of(LONG, 10)
    assert cut.nearest("Number 17 sat.", 1) == [SENTENCES[17]]
    assert cut.nearest("Numbers 17 and 3 sat.", 2) == [SENTENCES[3], SENTENCES[17]]
    assert cut.nearest("Nothing in common", 2) == SENTENCES[:2]
    assert cut.nearest("anything", 100) == list(cut.chunks)


def test_scripts_without_spaces_are_cut_and_found() -> None:
    cut = CutSource.of("猫はマットの上に座った。" * 10 + "犬は家に走った。", 30)
    assert len(cut.chunks) > 3
    assert "犬" in "".join(cut.nearest("犬は走った。", 1))


def test_spaces_and_composition_do_not_tell_sentences_apart() -> None:
    cut = CutSource.of("The  caf\u00e9 is\topen. It rained.", 10)
    assert cut.holds("The cafe\u0301 is open.")
    assert not cut.holds("The cafe is open.")
    assert folded(" a \n b ") == "a b"


def test_a_source_of_ten_thousand_words_is_cut_once_and_asked_often() -> None:
    cut = CutSource.of(" ".join(f"The cat {n} sat on the mat {n}." for n in range(1250)), 100)
    started = time.process_time()
    for n in range(300):
        assert f"cat {n} sat" in "".join(cut.nearest(f"A cat {n} sat.", 3))
    assert time.process_time() - started < 10
