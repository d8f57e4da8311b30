"""The evaluation of labelled corpora as tables, for a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paraphrast.render.pages.corpus_card import escaped, markdown_table
from paraphrast.render.terminal.tables import align
from paraphrast.render.values import MISSING, show

Part = Mapping[str, Any]
Table = list[list[str]]

PAIRS = "Pairs by word overlap: positive + negative"
ACCURACY = "Accuracy of “a paraphrase if the overlap is at least …”"
GRID = tuple(step / 10 for step in range(11))


def corpus_text(report: Part) -> str:
    """Return the tables of all corpora, one below the other, and notes."""
    blocks = [align(summary(report)), f"{PAIRS}\n" + align(bins(report))]
    blocks.append(f"{ACCURACY}\n" + align(thresholds(report)))
    blocks += [f"{confused(corpus)}\n" + align(confusion(corpus)) for corpus in judged(report)]
    notes = "\n".join(f"note: {note}" for note in report.get("notes") or ())
    return "\n\n".join([*blocks, *([notes] if notes else [])])


def corpus_markdown(report: Part) -> str:
    """Return the same tables in Markdown."""
    blocks = ["# Labelled corpora", markdown_table(summary(report))]
    blocks += [f"## {PAIRS}", markdown_table(bins(report))]
    blocks += [f"## {ACCURACY}", markdown_table(thresholds(report))]
    for corpus in judged(report):
        blocks += [f"## {escaped(confused(corpus))}", markdown_table(confusion(corpus))]
    blocks += [f"- {escaped(note)}" for note in report.get("notes") or ()]
    return "\n\n".join(blocks) + "\n"


def judged(report: Part) -> list[Part]:
    """Return the corpora that two annotators labelled."""
    both = (corpus for corpus in report["corpora"] if corpus["agreement"])
    return [corpus for corpus in both if corpus["agreement"]["labels"]]


def confused(corpus: Part) -> str:
    """Head the table of two annotators' labels."""
    return f"{corpus['name']}: labels of the first annotator (rows) and of the other (columns)"


def summary(report: Part) -> Table:
    """One row per corpus: labels, the best threshold, the baseline, κ."""
    two = any(corpus["agreement"] for corpus in report["corpora"])
    shown = [
        name
        for name in report["corpora"][0]["labels"]
        if name in ("positive", "negative") or any(c["labels"][name] for c in report["corpora"])
    ]
    head = ["corpus", "pairs", *shown]
    rows = [[*head, "threshold", "accuracy", "majority", "gain", *(["κ"] if two else [])]]
    for corpus in report["corpora"]:
        best, labels = corpus["best"], corpus["labels"]
        row = [corpus["name"], f"{corpus['pairs']:,}"]
        row += [f"{labels[name]:,}" for name in shown]
        row += [threshold(best["threshold"]), show(best["accuracy"]), show(corpus["majority"])]
        row.append(show(best["accuracy"] - corpus["majority"]))
        rows.append([*row, *([kappa(corpus)] if two else [])])
    return rows


def threshold(value: float | None) -> str:
    """Write a threshold; None is above every overlap."""
    return "> 1" if value is None else show(value)


def kappa(corpus: Part) -> str:
    """Write κ, or that there is none."""
    return show(corpus["agreement"]["kappa"]) if corpus["agreement"] else MISSING


def bins(report: Part) -> Table:
    """Positives and negatives of each corpus by bin, and how many there are in all."""
    rows = [["overlap", *(corpus["name"] for corpus in report["corpora"])]]
    for place, name in enumerate(report["bins"]):
        cells = []
        for corpus in report["corpora"]:
            found = corpus["bins"]
            cells.append(f"{found['positive'][place]:,} + {found['negative'][place]:,}")
        rows.append([name, *cells])
    totals = [corpus["labels"] for corpus in report["corpora"]]
    return [*rows, ["all", *(f"{one['positive']:,} + {one['negative']:,}" for one in totals)]]


def thresholds(report: Part) -> Table:
    """Accuracy at thresholds a tenth apart: Figure 4 of the paper in numbers."""
    rows = [["threshold", *(corpus["name"] for corpus in report["corpora"])]]
    rows += [
        [f"{mark:.1f}", *(show(at(corpus["curve"], mark)) for corpus in report["corpora"])]
        for mark in GRID
    ]
    return rows


def at(curve: Sequence[Sequence[float | None]], mark: float) -> float | None:
    """Return the accuracy of a threshold from the cuts there are."""
    return next((right for cut, right in curve if cut is None or cut >= mark), None)


def confusion(corpus: Part) -> Table:
    """Labels of one annotator against those of the other."""
    agreed = corpus["agreement"]
    rows = [["", *agreed["labels"]]]
    for name, counts in zip(agreed["labels"], agreed["table"], strict=True):
        rows.append([name, *(f"{count:,}" for count in counts)])
    return rows
