"""The decoding study as one self-contained HTML page: table, plots, and outputs to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paraphrast.render.charts.study_plots import bars_svg, histogram_svg, plane_svg
from paraphrast.render.markup import esc, name, row_head, tag
from paraphrast.render.pages.page import exhibit, page, scroller
from paraphrast.render.terminal.study_table import cell, heading
from paraphrast.render.values import finite, show, typeset

Part = Mapping[str, Any]


def study_html(report: Part) -> str:
    """Return the page; no script, nothing remote, every text escaped."""
    body = "".join(tag("p", esc(line), dir="auto") for line in heading(report))
    body += settings_table(report) + _terms(report) + _bars(report) + _histograms(report)
    body += _plane(report) + _samples(report) + _signatures(report)
    return page(
        "Decoding study",
        body,
        notes=[str(note) for note in report.get("notes") or ()],
        command=str(report.get("command") or ""),
        version=str(report.get("version") or ""),
    )


def settings_table(report: Part) -> str:
    """Return the table of settings, as a figure with its caption."""
    columns = report["columns"]
    heads = [
        tag("th", esc(column["title"]), scope="col", class_="num", title=column["about"])
        for column in columns
    ]
    rows = []
    for row in report["rows"]:
        cells = [
            tag("td", esc(typeset(cell(row.get(one["name"]), one["form"]))), class_="num")
            for one in columns
        ]
        rows.append(tag("tr", row_head(str(row["title"])), *cells))
    head = tag("thead", tag("tr", tag("th", "setting", scope="col", class_="who"), *heads))
    whole = tag("table", head, tag("tbody", *rows), aria_labelledby="settings")
    words = "Every setting on the same sources, with the same model."
    return exhibit("tab", "settings", words, scroller("settings", whole, kind="wide"))


def _terms(report: Part) -> str:
    pairs = [(row["title"], row["about"]) for row in report["rows"]]
    pairs += [(column["title"], column["about"]) for column in report["columns"]]
    entries = [tag("li", tag("b", esc(title) + ":"), " ", esc(about)) for title, about in pairs]
    summary = tag("summary", "What the rows and columns mean")
    return tag("details", summary, tag("ul", *entries, class_="terms"))


def _bars(report: Part) -> str:
    values = [
        (str(row["title"]), value)
        for row in report["rows"]
        if (value := finite(row.get("rouge_p"))) is not None
    ]
    human = finite(report["rows"][0].get("rouge_p"))
    drawn = bars_svg(values, title="ROUGE-P by setting", line=human)
    words = "ROUGE-P by setting; the line is what people reach."
    return exhibit("fig", "rouge-p", words, drawn)


def _histograms(report: Part) -> str:
    plots = [
        tag("div", tag("h3", name(row["title"]), tag("span", _mean(row))),
            histogram_svg(row["histogram"], line=report["benchmark"],
                          title=f"{row['title']}: source ROUGE-L"))
        for row in report["rows"]
        if any(row["histogram"])
    ]  # fmt: skip
    words = (
        "Sentences by ROUGE-L with the source, and its mean; the line is the benchmark, "
        f"{esc(show(report['benchmark']))}. Right of it an output copies more than people do."
    )
    return exhibit("fig", "copying", words, tag("div", *plots, class_="plots"))


def _mean(row: Part) -> str:
    return esc(f"{show(row.get('source_rougeL'))} ± {show(row.get('source_rougeL_sd'))}")


def _plane(report: Part) -> str:
    """Draw adequacy against novelty; without a judge adequacy is the recall of source words."""
    judged = report.get("judge") is not None
    measure = "same" if judged else "source_rouge1"
    label = "probability of saying the same" if judged else "source ROUGE-1"
    points = [
        (str(row["title"]), 1 - copied, kept)
        for row in report["rows"]
        if (copied := finite(row.get("source_rougeL"))) is not None
        and (kept := finite(row.get(measure))) is not None
    ]
    if not points:
        return ""
    drawn = plane_svg(
        points, x_label="novelty: 1 − source ROUGE-L", y_label=label, title="Adequacy and novelty"
    )
    words = f"Adequacy ({esc(label)}) against novelty: means of each setting."
    return exhibit("fig", "plane", words, scroller("plane", drawn))


def _samples(report: Part) -> str:
    shown = report["samples"]["shown"]
    if not shown:
        return ""
    titles = {row["setting"]: row["title"] for row in report["rows"]}
    title = titles[report["samples"]["setting"]]
    heads = ["row", "source, reference, output", "R-L", "same"]
    head = tag("tr", *(tag("th", esc(text), scope="col") for text in heads))
    rows = [
        tag(
            "tr",
            tag("td", esc(one["row"]), class_="num"),
            tag("td", *map(_text, ("source", "reference", "output"), _texts(one))),
            *(tag("td", esc(show(one[key])), class_="num") for key in ("rougeL", "same")),
        )
        for one in shown
    ]
    whole = tag("table", tag("thead", head), tag("tbody", *rows), aria_labelledby="samples")
    words = f"{len(shown):,} outputs of “{esc(title)}”, drawn at random."
    return tag("h2", "Outputs to read") + exhibit(
        "tab long", "samples", words, scroller("samples", whole)
    )


def _texts(one: Part) -> list[str]:
    return [str(one[key]) for key in ("source", "reference", "output")]


def _text(kind: str, text: str) -> str:
    written = tag("b", esc(text)) if kind == "output" else esc(text)
    return tag("div", written, title=kind, dir="auto")


def _signatures(report: Part) -> str:
    entries = [
        tag("dt", esc(metric)) + tag("dd", tag("code", esc(text)))
        for metric, text in (report.get("signatures") or {}).items()
    ]
    summary = tag("summary", "Signatures: what was measured, to the letter")
    return tag("details", summary, tag("dl", *entries, class_="signatures")) if entries else ""
