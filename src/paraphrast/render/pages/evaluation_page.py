"""The evaluation of labelled corpora as one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paraphrast.render.charts.corpus_plots import accuracy_svg, mirror_svg
from paraphrast.render.markup import esc, name, tag
from paraphrast.render.pages.corpus_page import table_html
from paraphrast.render.pages.page import exhibit, page, scroller
from paraphrast.render.terminal.evaluation_tables import (
    ACCURACY,
    PAIRS,
    bins,
    confused,
    confusion,
    judged,
    summary,
    thresholds,
)
from paraphrast.render.values import show

Part = Mapping[str, Any]

_ABOUT = (
    "A corpus is trivial as far as word overlap alone tells its paraphrases from the rest. "
    "“Accuracy” is that of the best threshold of overlap, “majority” that of giving every pair the "
    "more frequent label; only positive and negative pairs count."
)


def evaluation_html(report: Part) -> str:
    """Return the page; no script, nothing remote, every text escaped."""
    body = tag("p", esc(_ABOUT))
    body += table_html("corpora", "The corpora side by side.", summary(report))
    body += _curves(report) + _mirrors(report)
    body += table_html("bins", f"{PAIRS}.", bins(report))
    body += table_html("thresholds", f"{ACCURACY}.", thresholds(report))
    for number, corpus in enumerate(judged(report)):
        body += table_html(f"agreement{number}", f"{confused(corpus)}.", confusion(corpus))
    return page(
        "Labelled corpora",
        body + _labels(report),
        notes=[str(note) for note in report.get("notes") or ()],
        command=str(report.get("command") or ""),
        version=str(report.get("version") or ""),
    )


def _curves(report: Part) -> str:
    curves = {corpus["name"]: corpus["curve"] for corpus in report["corpora"]}
    baselines = {corpus["name"]: corpus["majority"] for corpus in report["corpora"]}
    drawn = accuracy_svg(curves, baselines, "Accuracy by threshold")
    words = (
        "Accuracy of calling a pair a paraphrase if its word overlap reaches the threshold; the "
        "dashes on the left are the majority baselines."
    )
    inner = tag("div", drawn, style="max-width:40rem;min-width:26rem")
    return exhibit("fig", "accuracy", words, scroller("accuracy", inner))


def _mirrors(report: Part) -> str:
    plots = [
        tag(
            "div",
            tag(
                "h3",
                name(corpus["name"]),
                tag("span", esc(f"best {show(corpus['best']['accuracy'])}")),
            ),
            mirror_svg(
                report["bins"],
                corpus["bins"]["positive"],
                corpus["bins"]["negative"],
                title=f"{corpus['name']}: pairs by word overlap",
            ),
        )
        for corpus in report["corpora"]
    ]
    words = "Pairs by word overlap: positive above the line, negative below it."
    return exhibit("fig", "pairs", words, tag("div", *plots, class_="plots"))


def _labels(report: Part) -> str:
    entries = [
        tag("li", tag("b", esc(one["name"]) + ":"), " ", esc(one["definition"]))
        for one in report["labels"]
    ]
    return tag(
        "details", tag("summary", "What the labels mean"), tag("ul", *entries, class_="terms")
    )
