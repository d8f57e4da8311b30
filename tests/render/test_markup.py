"""Text that becomes part of a page."""

from __future__ import annotations

import pytest

from paraphrast.render.markup import esc


def test_markup_is_escaped() -> None:
    assert esc("<b a='\"'>&") == "&lt;b a=&#x27;&quot;&#x27;&gt;&amp;"


@pytest.mark.parametrize("char", ["\x00", "\ud800", "\u202a", "\u202e", "\u2066", "\u2069"])
def test_what_cannot_be_seen_or_turns_the_order_round_is_shown(char: str) -> None:
    assert esc(f"40{char} trucks") == "40\ufffd trucks"


def test_marks_of_right_to_left_scripts_stay() -> None:
    assert esc("a\u200fb\u05d0") == "a\u200fb\u05d0"
