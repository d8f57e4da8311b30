"""The one file of English words."""

from __future__ import annotations

from paraphrast.text.lexicon import lexicon


def test_it_is_read_once() -> None:
    assert lexicon() is lexicon()


def test_words_are_in_lower_case_and_no_number_denies() -> None:
    known = lexicon()
    numbers = {**known.numbers, **known.multipliers, **known.ordinals}
    for word in (*known.function_words, *known.negations, *numbers):
        assert word == word.casefold()
    assert not known.negations & set(numbers)


def test_numbers_are_what_their_words_say() -> None:
    known = lexicon()
    assert (known.numbers["twelve"], known.numbers["ninety"]) == (12, 90)
    assert (known.multipliers["hundred"], known.multipliers["million"]) == (100, 1_000_000)
    assert (known.ordinals["third"], known.ordinals["twelfth"]) == (3, 12)


def test_negations_deny() -> None:
    assert {"not", "no", "never", "nobody", "without"} & lexicon().negations >= {"not", "no"}
