"""Which pairs a generator learns from."""

from __future__ import annotations

import pytest

from paraphrast.train.generator.pair_filter import Limits, names, numbers, rouge_l, unfit, words

SOURCE = "Shares of Acme rose 4.5 percent to $1,200 in Paris on Monday."


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("On Monday in Paris, Acme's stock gained 4.5 percent and closed at $1200.", "names"),
        ("On Monday in Paris, the stock of Acme gained 4.5 percent to close at $1200.", None),
        ("On Monday in Paris, the stock of Acme gained 4.6 percent to close at $1200.", "numbers"),
        ("On Monday in Rome, the stock of Acme gained 4.5 percent to close at $1200.", "names"),
        ("Shares of Acme rose 4.5 percent to $1,200 in Paris on Monday!", "copy"),
        ("Monday, on in Paris, to $1,200 percent 4.5 rose Acme shares of.", "copy"),
        ("Acme rose.", "length"),
        ("...", "empty"),
    ],
)
def test_reasons(target: str, reason: str | None) -> None:
    assert unfit(SOURCE, target, Limits(lost=0)) == reason


def test_a_target_may_lose_some_names_and_invent_none() -> None:
    short = "On Monday, the stock of Acme gained 4.5 percent to close at $1200."
    assert unfit(SOURCE, short, Limits(lost=0.4)) is None
    assert unfit(SOURCE, short, Limits(lost=0.3)) == "names"
    assert unfit(short, SOURCE, Limits(lost=0.4)) == "names"


def test_names_are_not_what_sentences_begin_with() -> None:
    text = 'The Nasdaq fell. "Nobody knew," I told Ann. I\'m sure: Bob did (Or Eve).'
    assert names(text) == {"nasdaq", "ann", "eve"}


def test_numbers_and_words() -> None:
    assert numbers("1,000 of 3.5 in 10:30 and 1000") == {"1000": 2, "3.5": 1, "10:30": 1}
    assert words("Don't stop: a well-known $5.20 U.S. law.") == (
        ["don't", "stop", "a", "well-known", "5.20", "u.s", "law"]
    )


def test_rouge_l() -> None:
    assert rouge_l(["a", "b", "c"], ["a", "c"]) == pytest.approx(0.8)
    assert rouge_l([], []) == 0
