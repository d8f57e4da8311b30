"""The page: what it says, how it is built, and that no text of a report becomes markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest

from paraphrast.render.pages.meta_page import meta_html

HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</style></title></svg><b>",
    "&lt;&amp;'\"",
    "🦊 שלום \u202e مرحبا",
    "a\x00b\x1b[31m\ud800",
    "x" * 300,
]
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Collects elements and text, and checks that every element is closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for kind, attrs in self.elements if kind == tag]


def row(metric: str, value: float | None, **more: Any) -> dict[str, Any]:
    return {"metric": metric, "signature": f"{metric}|nrefs:1", "value": value, "by": {}} | more


def table(rows: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    start = {"task": "wmt17", "title": "WMT17", "level": "segment", "statistic": "pearson"}
    rest = {"groups": [""], "items": 3920, "p": None, "points": {}, "notes": []}
    return {**start, **rest, "rows": rows, **more}


def report(*tables: dict[str, Any], **more: Any) -> dict[str, Any]:
    return (
        {"title": "Title", "command": "run", "version": "0.1.0", "notes": []}
        | more
        | {"tables": list(tables)}
    )


def full() -> dict[str, Any]:
    rows = [
        row("chrf++", 0.578, ci=[0.56, 0.59], cluster=1, published=0.578,
            by={"cs-en": 0.523, "de-en": 0.633}),
        row("ter", 0.475, ci=[0.46, 0.49], cluster=2, by={"cs-en": 0.45, "de-en": 0.5}),
        row("bleu", 0.463, ci=[0.44, 0.48], cluster=2, published=0.423,
            by={"cs-en": 0.46, "de-en": None}),
    ]  # fmt: skip
    p = {
        "metrics": ["chrf++", "ter", "bleu"],
        "matrix": [[None, 0.0001, 0.004], [0.0001, None, 0.3], [0.004, 0.3, None]],
    }
    points = {
        name: {"x": [0.1, 0.2, 0.5], "y": [0.0, 1.0, 2.0], "group": ["cs-en", "cs-en", "de-en"],
               "sampled": 3, "of": 3920}
        for name in ("chrf++", "ter")
    }  # fmt: skip
    return table(rows, groups=["cs-en", "de-en"], p=p, points=points, notes=["2 left out"])


def flat(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.split("</style>", 1)[1]))


def test_the_ranking_shows_value_interval_cluster_and_published_value() -> None:
    html = meta_html(report(full()))
    ranked = html.split('class="ranked', 1)[1].split("</table>")[0]
    text = re.sub(r"\s+", " ", re.sub(r"<svg.*?</svg>|<[^>]+>", " ", ranked))
    assert "chrf++ .578 [.560, .590] .578 (.000)" in text
    assert "bleu .463 [.440, .480] .423 (+.040)†" in text
    assert ranked.count("<tbody>") == 2
    assert re.findall(r'rowspan="(\d)">(\d)', ranked) == [("1", "1"), ("2", "2")]
    assert ranked.count("<svg") == 3


def test_groups_tests_plots_and_words_are_there() -> None:
    html = meta_html(report(full(), notes=["a note"]))
    text = flat(html)
    for expected in (
        "a note", "2 left out", "The 2 groups one by one", "cs-en", ".633", "&lt;.001",
        "p ≥ .05", "A sample of 3 of 3,920 points each.", "Pearson’s r:", "Segment level:",
        "chrf++|nrefs:1", "3,920 items", "Made with paraphrast 0.1.0.",
    ):  # fmt: skip
        assert expected in text, expected
    assert html.count('class="fit"') == 2


def test_p_values_are_coloured_by_level() -> None:
    tests = meta_html(report(full())).split('class="tests"', 1)[1].split("</table>")[0]
    assert '<td class="h7">&lt;.001</td>' in tests
    assert '<td class="h5">.004</td>' in tests
    assert '<td class="plain">.300</td>' in tests
    assert tests.count("same metric") == 3


def test_heat_colours_follow_the_values_and_the_best_is_marked() -> None:
    heat = meta_html(report(full())).split('class="heat"', 1)[1].split("</table>")[0]
    assert '<td class="h8"><span class="best">.633</span></td>' in heat
    assert '<td class="h0">.450</td>' in heat
    assert heat.count('class="best"') == 3
    assert heat.count(">–</td>") == 1


def test_negative_values_have_a_hue_of_their_own() -> None:
    rows = [row("a", 0.4, by={"x": 0.4, "y": 0.1}), row("b", -0.3, by={"x": -0.4, "y": -0.2})]
    html = meta_html(report(table(rows, groups=["x", "y"])))
    assert '<td class="m3">−.400</td>' in html
    assert '<td class="m2">−.200</td>' in html
    assert '<span class="best">.400</span></td>' in html


def test_several_tables_make_an_overview_and_a_table_of_contents() -> None:
    other = table([row("ter", 0.9), row("meteor", 0.8)], task="wmt19", title="Other")
    html = meta_html(report(full(), other))
    overview = html.split('id="overview"', 1)[1].split("</table>")[0]
    assert [m for m in ("chrf++", "ter", "bleu", "meteor") if f"<bdi>{m}</bdi>" in overview]
    assert overview.count("<tr>") == 5
    assert overview.count(">–</td>") == 3
    assert 'href="#t2"' in html
    assert 'id="overview"' not in meta_html(report(full()))


def test_equal_points_are_drawn_once() -> None:
    html = meta_html(report(full(), full() | {"statistic": "kendall"}))
    assert html.count("against human scores</title>") == 2


def test_more_than_a_dozen_plots_fold_away() -> None:
    cloud = {"x": [1, 2], "y": [1, 2], "group": ["", ""]}
    rows = [row(f"m{n}", 0.5 - n / 100) for n in range(30)]
    html = meta_html(report(table(rows, points={f"m{n}": cloud for n in range(30)})))
    assert "18 more plots" in html
    assert html.count("against human scores</title>") == 30


def test_an_undefined_value_is_a_dash_with_its_reason() -> None:
    rows = [row("sacrebleu", None), row("ter", float("nan")), row("bleu", None)]
    notes = ["sacrebleu: undefined: constant scores", "undefined: one system only"]
    html = meta_html(report(table(rows, notes=notes)))
    body = html.split('class="ranked', 1)[1].split("</table>")[0]
    assert re.search(r"sacrebleu.*?–.*?>undefined: constant scores<", body)
    assert re.search(r"ter</bdi>[^–]*–[^–]*>undefined: one system only<", body)
    assert re.search(r">bleu</bdi>[^–]*–[^–]*>undefined: one system only<", body)


def test_what_is_missing_leaves_no_trace() -> None:
    html = meta_html(report(table([row("bleu", 0.4, ci=None, cluster=None, published=None)])))
    for absent in (
        'class="cluster"',
        'class="ci"',
        'class="heat"',
        'class="tests"',
        '<figure class="fig"',
        "published",
    ):
        assert absent not in html, absent
    assert meta_html({"title": "Empty", "tables": []}).endswith("</html>\n")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_becomes_markup(text: str) -> None:
    hostile = full() | {"title": text, "task": text, "level": text, "statistic": text}
    hostile |= {"groups": [text, "b"], "notes": [text, "undefined " + text]}
    hostile["rows"] = [row(text, 0.5, cluster=text, by={text: 0.1}), row("b" + text, None)]
    hostile["p"] = {"metrics": [text, "b"], "matrix": [[None, 0.1], [0.1, None]]}
    hostile["points"] = {text: {"x": [1, 2], "y": [1, 2], "group": [text, "b"]}}
    html = meta_html(report(hostile, full(), title=text, command=text, version=text, notes=[text]))
    page = Page(html)
    page_of_plain = Page(meta_html(report(full(), full())))
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in page_of_plain.elements} | {"pre"}
    assert not any(key.startswith("on") for _, attrs in page.elements for key in attrs)
    shown = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\ud800-\udfff]", "\ufffd", text)
    assert "".join(page.text).count(shown) >= 10
    html.encode("utf-8")


def test_nothing_is_fetched_and_nothing_runs() -> None:
    html = meta_html(report(full(), full(), notes=["see https://example.org/x"]))
    page = Page(html)
    for tag, attrs in page.elements:
        assert tag not in ("script", "link", "img", "iframe", "object", "base", "use", "image")
        for key in ("src", "href", "srcset", "data", "action", "xlink:href"):
            assert (attrs.get(key) or "#").startswith("#")
    assert "default-src 'none'" in str(page.all("meta"))
    assert "url(" not in html
    assert "see https://example.org/x" in "".join(page.text)


def test_the_page_can_be_heard_and_walked_by_keyboard() -> None:
    page = Page(meta_html(report(full(), full())))
    assert all(attrs.get("scope") in ("col", "row", "rowgroup") for attrs in page.all("th"))
    for attrs in page.all("svg"):
        assert attrs.get("role") == "img" or attrs.get("aria-hidden") == "true"
    idents = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(idents) == len(set(idents))
    scrolling = [a for a in page.all("div") if (a.get("class") or "").startswith("scroll")]
    assert scrolling
    assert all(a["tabindex"] == "0" and a["aria-labelledby"] in idents for a in scrolling)
    assert page.all("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
