"""The page of verdicts: well-formed, escaped, and each table with a name of its own."""

from __future__ import annotations

import pytest

from paraphrast.render.pages.verdict_page import verdict_fragment, verdicts_html
from tests.render.pages.test_meta_page import HOSTILE, Page
from tests.render.terminal.test_marked_text import Side
from tests.render.terminal.test_verdict_text import REASON, verdict

WORDS = Side("A cat.", ((0, 1), (2, 5), (5, 6)), (0, 1, 0), (0.9, 0.05, 0.5))


def test_a_page_shows_every_verdict() -> None:
    one = verdict(WORDS, WORDS)
    other = verdict(WORDS, WORDS, relation="same", same=True, reasons=[], notes=["a second"])
    html = verdicts_html([one, other], ids=["first", 2], notes=["all"], version="9.9", command="x")
    page = Page(html)
    shown = "".join(page.text)
    for text in (
        *("They contradict each other.", "They say the same.", "changed: cat → dog", "a note"),
        *("above 78 % of human ratings (a set)", "a second", "all", "first", "paraphrast 9.9"),
    ):
        assert text in shown
    idents = [found["id"] for _, found in page.elements if "id" in found]
    assert len(set(idents)) == len(idents)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup(text: str) -> None:
    side = Side(text, ((0, len(text)),), (1,), (0.1,))
    changes = {"reasons": [REASON | {"a": text, "b": text}], "notes": [text], "rated_on": text}
    found = verdict(side, side, **changes)
    html = verdicts_html([found, found], ids=[text], notes=[text], command=text)
    for each in (html, verdict_fragment(found)):
        elements = Page(each).elements
        assert {"script", "img", "b", "a"}.isdisjoint(kind for kind, _ in elements)
        assert not [name for _, given in elements for name in given if name[:2] == "on"]
    html.encode()
