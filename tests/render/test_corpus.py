"""The data card and the evaluation of corpora: complete, escaped, self-contained."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from paraphrast.render.charts.corpus_plots import accuracy_svg, funnel_svg, mirror_svg, stacked_svg
from paraphrast.render.pages.corpus_card import corpus_card, escaped, markdown_table, usage
from paraphrast.render.pages.corpus_page import corpus_html, short_name
from paraphrast.render.pages.evaluation_page import evaluation_html
from paraphrast.render.terminal.evaluation_tables import at, corpus_markdown, corpus_text

EVIL = "<script>alert(1)</script> & *x* | `y` [a](b)"
BINS = [*(f"[{k / 10:g}, {(k + 1) / 10:g})" for k in range(10)), "1"]


def one_bin(place: int, **more: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"bin": BINS[place], "available": 10, "wanted": 2, "sampled": 2}
    row |= {"mined": 0, "words_source": 4.0, "words_text1": 3.25, "words_text2": None}
    return row | {"quality": 0.4, "labels": {}, "short": 0} | more


def report(**more: Any) -> dict[str, Any]:
    example = {"bin": BINS[1], "id": "1", "text1": EVIL, "text2": "dois", "overlap": 0.125}
    example |= {"quality": 0.5, "origin": "translation", "systems": ["a", "b"], "source": EVIL}
    step = {"name": "clean", "rows_in": 1200, "rows_out": 900, "dropped": {"too short": 300}}
    base: dict[str, Any] = {
        "name": EVIL,
        "version": "1.2",
        "command": "paraphrast build x.toml",
        "seed": 13,
        "recipe_sha256": "ab" * 32,
        "recipe_text": 'name = "x"\n# ```',
        "language": "pt",
        "licence": "CC0",
        "description": EVIL,
        "tokenize": "unicode",
        "engine": "2 processes",
        "pairs": 22,
        "labels": dict.fromkeys(("positive", "negative", "unnatural", "other"), 0),
        "definitions": [{"name": "positive", "definition": "the same"}],
        "splits": {"train": 20, "test": 2},
        "steps": [{**step, "seconds": 2.0, "peak_bytes": 5_000_000, "rate": 600.0}],
        "bins": [one_bin(place) for place in range(11)],
        "systems": [{"name": EVIL, "kind": "k", "version": "", "usage": {"cost": 0.5, "calls": 0}}],
        "files": [{"path": "train.jsonl", "rows": 20, "bytes": 1234, "sha256": "cd" * 32}],
        "examples": [{**example, "label": None}],
        "method": [EVIL],
        "limits": [EVIL],
        "notes": [EVIL],
    }
    return base | more


class Page(HTMLParser):
    """Checks that elements close in order, and collects ids and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.said = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.ids += [value or "" for key, value in attrs if key == "id"]
        assert tag != "script"
        assert not [value for key, value in attrs if key in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data


def test_the_card_holds_everything_and_no_markup_of_others() -> None:
    card = corpus_card(report())
    assert "<script" not in card
    assert card.startswith(r"# &lt;script&gt;alert(1)&lt;/script&gt; &amp; \*x\* \| \`y\` [a\](b)")
    for said in (
        "22 pairs (train 20, test 2); language pt; licence CC0.",
        "Built with paraphrast 1.2 on 2 processes from the recipe below, seed 13.",
        "| [0, 0.1) | 10 | 4.00 | 3.25 | .400 | 2 | 0 |",
        "| all | 110 | – | – | – | 22 | 0 |",
        "| train | 20 | 90.9% |",
        "| positive | the same |",
        "| clean | 1,200 | 900 | 300 | 2.0 | 600 | 5 |",
        "| clean | too short | 300 |",
        "| train.jsonl | 20 | 1,234 | " + "cd" * 32,
        "(overlap .125, quality .500, translation, a + b; from “&lt;script",
        "they are candidates, not paraphrases",
        '````toml\nname = "x"\n# ```\n````',
        "The field “label” of every pair is empty",
    ):
        assert said in card, said
    assert "cost 0.5 |" in card  # what was not used is not told
    assert "unnatural" not in card.split("## Labels", maxsplit=1)[0]


def test_labels_mined_pairs_and_shortfalls_are_told() -> None:
    bins = [
        one_bin(place, mined=place, labels={"positive": 2}, short=place == 3, lacking=place // 9)
        for place in range(11)
    ]
    labels = {"positive": 22, "negative": 0, "unnatural": 0, "other": 0}
    card = corpus_card(report(bins=bins, labels=labels))
    assert "Missing of the pairs wanted: 1, in [0.3, 0.4)." in card
    assert "Missing of the mined pairs wanted: 2, in [0.9, 1), 1." in card
    assert "| all | 110 | – | – | – | 22 | 55 | 22 |" in card
    assert "Mined pairs are taken for negatives" in card
    assert "No person has judged" not in card
    page = Page(corpus_html(report(bins=bins, labels=labels)))
    assert {"pairs", "labelled", "quality", "funnel"} <= set(page.ids)
    assert "mined" in page.said


def test_small_and_large_costs_are_told() -> None:
    assert usage({"cost": 0.0046, "seconds": 0.25}) == "cost 0.0046, seconds 0.25"
    assert usage({"cost": 12345.67, "texts": 1234}) == "cost 12,346, texts 1,234"


def test_the_page_is_whole_and_escaped() -> None:
    page = Page(corpus_html(report()))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert page.said.count("<script>alert(1)</script>") >= 8  # as text
    assert "labelled" not in page.ids  # nothing is labelled
    bare = report(steps=[], systems=[], files=[], examples=[], method=[], limits=[], notes=[])
    assert "funnel" not in Page(corpus_html(bare)).ids
    corpus_card(bare)


def test_tables_and_escapes() -> None:
    assert markdown_table([["a", "b"], ["x|y", "1"]]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |"
    assert escaped("a\n b\\") == "a b\\\\"
    assert [short_name(name) for name in (BINS[0], BINS[3], BINS[9], BINS[10])] == [
        "0–.1", ".3–.4", ".9–1", "1",
    ]  # fmt: skip


def bars(svg: str) -> list[float]:
    drawn = ElementTree.fromstring(svg)
    return [float(bar.attrib["height"]) for bar in drawn.iter("rect")]


def test_bars_stand_for_their_counts() -> None:
    heights = bars(stacked_svg(["a", "b"], {"x": [10, 5]}, title="t", y_label="y"))
    assert heights[0] == pytest.approx(2 * heights[1], abs=0.2)
    stacked = bars(stacked_svg(["a", "b"], {"x": [6, 5], "y": [4, 0]}, title="t", y_label="y"))
    assert stacked[0] + stacked[1] == pytest.approx(heights[0], abs=0.2)
    up, down = bars(mirror_svg(["a"], [8], [2], title="t"))
    assert up == pytest.approx(4 * down, abs=0.2)
    drawn = ElementTree.fromstring(funnel_svg([("<a>", 100, 50)], title="t"))
    widths = [float(bar.attrib["width"]) for bar in drawn.iter("rect")]
    assert widths[0] == pytest.approx(2 * widths[1], abs=0.2)
    assert [text.text for text in drawn.iter("text")] == ["<a>", "100 → 50"]


def test_nothing_to_draw_is_drawn() -> None:
    for svg in (
        stacked_svg([], {"x": []}, title="t", y_label="y"),
        stacked_svg(["a"], {"x": [0]}, title="t", y_label="y"),
        mirror_svg(["a"], [0], [0], title="t"),
        funnel_svg([], title="t"),
        accuracy_svg({"x": [(None, 1.0)]}, {"x": 1.0}, "t"),
    ):
        assert ElementTree.fromstring(svg).tag == "svg"


def evaluation(**more: Any) -> dict[str, Any]:
    corpus = {
        "name": EVIL,
        "pairs": 3,
        "labels": {"positive": 1, "negative": 2, "unnatural": 0, "other": 0},
        "bins": {"positive": [0] * 10 + [1], "negative": [2] + [0] * 10},
        "best": {"threshold": None, "accuracy": 2 / 3},
        "majority": 2 / 3,
        "curve": [[0.05, 1 / 3], [1.0, 1.0], [None, 2 / 3]],
        "agreement": None,
    }
    labels = [{"name": "positive", "definition": "the same"}]
    return {"bins": BINS, "labels": labels, "corpora": [corpus | more], "notes": [EVIL]}


def test_evaluations_in_every_format() -> None:
    text = corpus_text(evaluation())
    assert re.search(r"> 1 +\.667 +\.667 +\.000", text)
    assert "κ" not in text
    assert at([[0.05, 0.3], [1.0, 0.9], [None, 0.6]], 0.05) == 0.3
    assert at([[0.05, 0.3], [1.0, 0.9], [None, 0.6]], 0.06) == 0.9
    agreement = {"kappa": 0.5, "labels": ["positive", "negative"], "table": [[1, 0], [1, 2]]}
    judged = evaluation(agreement=agreement)
    assert "κ" in corpus_text(judged).splitlines()[0]
    for markdown in (corpus_markdown(evaluation()), corpus_markdown(judged)):
        assert "<script" not in markdown
    assert "| positive | 1 | 0 |\n| negative | 1 | 2 |" in corpus_markdown(judged)
    page = Page(evaluation_html(judged))
    assert page.open == []
    assert {"corpora", "accuracy", "pairs", "bins", "thresholds", "agreement0"} <= set(page.ids)
