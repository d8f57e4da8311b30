"""The pages of tagged and explained pairs: well-formed, escaped, shaded, self-contained."""

from __future__ import annotations

import re

import pytest

from paraphrast.render.pages.explain_page import explanation_html
from paraphrast.render.pages.tags_page import tags_html
from tests.render.pages.test_meta_page import HOSTILE, Page
from tests.render.terminal.test_explained_pair import explained
from tests.render.terminal.test_marked_text import Pair, Side

WORDS = Side("A cat.", ((0, 1), (2, 5), (5, 6)), (0, 1, 0), (0.9, 0.05, 0.5))
VALUES = {"precision": 0.5, "recall": 0.25, "f1": 1 / 3}
JUDGED = {"pairs": 1, "words": 3, "gold": 1, "tagger": VALUES, "baseline": VALUES}


def spans(page: Page) -> list[dict[str, str | None]]:
    return [a for kind, a in page.elements if kind == "span" and "title" in a]


def test_words_are_shaded_and_have_their_numbers() -> None:
    page = Page(tags_html([Pair(WORDS, Side("", (), ()))]))
    assert spans(page) == [
        {"class": "w h0", "title": "paraphrased with probability 0.900; tag 0"},
        {"class": "w h8 t1", "title": "paraphrased with probability 0.050; tag 1"},
        {"class": "w h4", "title": "paraphrased with probability 0.500; tag 0"},
    ]
    shown = "".join(page.text)
    assert "A cat." in shown
    assert "0.050" in shown  # the table for those who cannot hover


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup(text: str) -> None:
    one = Side(text, ((0, len(text)),), (1,), (0.1,))
    html = tags_html([Pair(one, one)], ids=[text], notes=[text], command=text)
    page = Page(html)
    assert {kind for kind, _ in page.elements} <= {
        *("html", "head", "meta", "title", "style", "body", "main", "header", "h1", "p", "pre"),
        *("code", "ul", "li", "div", "dl", "dt", "dd", "span", "i", "bdi", "details", "summary"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    assert not [name for _, attributes in page.elements for name in attributes if name[:2] == "on"]
    html.encode()


def test_the_page_is_self_contained_and_fits_everywhere() -> None:
    html = tags_html([Pair(WORDS, WORDS)])
    assert not re.search(r"https?://|<script|<link|<img|url\(", html)
    for rule in ("prefers-color-scheme:dark", "@media print", "max-width:40rem", "width=device"):
        assert rule in html
    widths = [int(found) for found in re.findall(r"[^-]width:(\d+)px", html)]
    assert all(width <= 328 for width in widths)


def test_ids_and_the_judgement_are_shown() -> None:
    html = tags_html([Pair(WORDS, WORDS)] * 2, ids=["first", 2], evaluation=JUDGED)
    assert '<p class="id"><bdi>first</bdi></p>' in html
    assert '<p class="id"><bdi>2</bdi></p>' in html
    assert "Against the right tags: 1 pair, 3 words, 1 of them to be tagged 1." in html
    assert '<td class="num">.333</td>' in html


def test_an_explained_pair_is_a_page_too() -> None:
    page = Page(explanation_html(explained(WORDS, WORDS), version="9.9"))
    shown = "".join(page.text)
    for text in ("reference", "above 78 % of human ratings (a set)", "ter ↓", "66.67", "a note"):
        assert text in shown
    assert "Made with paraphrast 9.9." in shown
    assert len(spans(page)) == 6


@pytest.mark.parametrize("text", HOSTILE)
def test_no_explained_text_becomes_markup(text: str) -> None:
    one = Side(text, ((0, len(text)),), (1,), (0.1,))
    html = explanation_html(explained(one, one, notes=[text], rated_on=text), command=text)
    assert {"script", "img", "b"}.isdisjoint(kind for kind, _ in Page(html).elements)
