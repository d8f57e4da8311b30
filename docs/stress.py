"""Write docs/stress.md: our metrics on the stress suite, by kind of pair and at the edges.

Run by `make stress`. It needs no data; weights that are not installed are left out.
`python docs/stress.py bleu chrf` writes the page with these metrics alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from paraphrast.errors import ModelError
from paraphrast.jobs.stress import StressOptions, run_stress
from paraphrast.meta.stress.edge_cases import CASE, CONTEXT, EMPTY, ITSELF, LENGTHS
from paraphrast.meta.stress.edge_results import EdgeResult
from paraphrast.meta.stress.stress_report import StressReport, StressResult
from paraphrast.meta.stress.suite import stress_kinds
from paraphrast.models.store import find
from paraphrast.render.terminal.stress_tables import ranking
from paraphrast.render.values import show

PAGE = Path(__file__).parent / "stress.md"
LEXICAL = (
    "bleu", "sentence_bleu", "chrf", "chrf++", "ter", "meteor", "rouge1", "rouge2", "rougeL", "wor",
    "levenshtein", "wer", "length_ratio",
)  # fmt: skip
MODELS = ("bertscore", "bertscore:idf=references", "moverscore", "embedding_cosine",
          "generation_score")  # fmt: skip
ENCODERS = ("mini", "base")
HEAD = """# Stress test

How well each metric tells pairs that say the same from pairs that share the words. Half of the
{pairs} pairs of the reporting half say the same in other words; the other half say something else
in nearly the same words ([how the suite is made](meta.md#a-crash-test)). A coin has an accuracy and
an AUC of .500. The threshold of each metric is the best one on the tuning half. Intervals are 95 %
bootstrap intervals ({samples:,} samples). `parableu`, `paratag` and `entailment` are the shipped
`mini` unless they name `base`. Written by `make stress`, of suite `{suite}`.

## All pairs, the most accurate first

"""
KINDS = "\n## Accuracy by kind\n\n18 pairs each, so that one pair is .056.\n\n"
EDGES = """
## Edge cases

The share of decisions that are right, by the same threshold. *Empty*: two empty texts are the same,
a text and an empty one are not. *5 to 2,000*: a text of so many words against itself, three texts
each. *US/us*: eight pairs in which only the case of letters tells two meanings apart; uncased
weights and lowercased texts cannot tell them apart, whatever the threshold. *CAPITALS*: eight
sentences against themselves in capitals, which are the same.

"""
CONTEXT_HEAD = """
## Added context

The same sentences beside both texts of 32 pairs. How far the value moves, in standard deviations
of the metric's values on the suite, and how many decisions stay.

"""


def main() -> None:
    """Run every metric, or those that the command names, and write the page."""
    encoders = [model for model in ENCODERS if installed(model)]
    every = [*LEXICAL, *MODELS, *(one for model in encoders for one in learned(model))]
    requests = sys.argv[1:] or every
    options = StressOptions()
    results: list[StressResult] = []
    for request in requests:
        print(request, flush=True)
        results += run_stress({request: request}, options)
        results.sort(key=lambda one: (-one.overall.accuracy, -one.overall.auc))
        whole = StressReport(tuple(results), options.samples, options.seed)
        PAGE.write_text(page(whole), encoding="utf-8")  # now: the next metric may take long
    print(f"wrote {PAGE.name}")


def installed(model: str) -> bool:
    """Tell whether the weights are there."""
    try:
        find(model, download=False)
    except ModelError:
        return False
    return True


def learned(model: str) -> Iterable[str]:
    """Name the metrics of an encoder; the one that is the default goes without its name."""
    own = "" if model == ENCODERS[0] else f"model={model}"
    for name, option in (("parableu", ""), ("paratag", ""), ("entailment", ""),
                         ("entailment", "direction=both")):  # fmt: skip
        options = ",".join(filter(None, (option, own)))
        yield f"{name}:{options}" if options else name


def page(report: StressReport) -> str:
    """Return the page."""
    facts = report.to_dict()
    head = HEAD.format(pairs=facts["pairs"], samples=facts["samples"], suite=facts["suite"])
    first, *rows = ranking(facts)
    return "".join(
        [
            head,
            pipes([first, *([f"`{row[0]}`", *row[1:]] for row in rows)]),
            KINDS,
            pipes([["metric", *(kind.replace("_", " ") for kind in stress_kinds())],
                   *map(kind_row, report)]),
            EDGES,
            pipes([["metric", "empty", *(f"{length:,}" for length in LENGTHS), "US/us",
                    "CAPITALS"], *map(edge_row, report)]),
            CONTEXT_HEAD,
            pipes([["metric", *rows_of(report.results[0], CONTEXT)], *map(context_row, report)]),
            *errors(report),
        ]
    )  # fmt: skip


def kind_row(one: StressResult) -> list[str]:
    """Return a metric's accuracy on each kind."""
    return [f"`{one.metric}`", *(show(kind.accuracy) for kind in one.kinds)]


def edge_row(one: StressResult) -> list[str]:
    """Return the shares of right decisions: of empty texts together, of the others row by row."""
    edges = {(edge.group, edge.row): edge for edge in one.edges}
    empty = [share(edge) for edge in one.edges if edge.group == EMPTY]
    whole = "error" if "error" in empty else f"{sum(text == '1.00' for text in empty)} of 4"
    itself = [share(edge) for edge in one.edges if edge.group == ITSELF]
    case = [share(edges[CASE, row]) for row in ("another meaning", "all capitals")]
    return [f"`{one.metric}`", whole, *itself, *case]


def context_row(one: StressResult) -> list[str]:
    """Return movement and share of decisions that stay, row by row."""
    edges = [edge for edge in one.edges if edge.group == CONTEXT]
    cells = [
        "error" if edge.error else f"{edge.moved or 0:.2f} ({edge.kept or 0:.0%})" for edge in edges
    ]
    return [f"`{one.metric}`", *cells]


def rows_of(one: StressResult, group: str) -> list[str]:
    """Return the rows of a group of edge cases."""
    return [edge.row for edge in one.edges if edge.group == group]


def share(edge: EdgeResult) -> str:
    """Write the share of right decisions, or that the metric gave none."""
    return "error" if edge.right is None else f"{edge.right:.2f}"


def errors(report: StressReport) -> list[str]:
    """Return what metrics said instead of a value, one line each."""
    said = {
        f"- `{one.metric}`, {edge.group}, {edge.row}: {edge.error}\n"
        for one in report
        for edge in one.edges
        if edge.error
    }
    return ["\n", *sorted(said)] if said else []


def pipes(grid: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = ["| " + " | ".join(row) + " |" for row in grid]
    rule = "|---" + "|--:" * (len(grid[0]) - 1) + "|"
    return "\n".join([lines[0], rule, *lines[1:], ""])


if __name__ == "__main__":
    main()
