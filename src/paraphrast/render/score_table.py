"""Scores of one system or several as a table: plain text, Markdown, LaTeX or HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.render.markup import esc, name, tag
from paraphrast.render.pages.page import exhibit, page, scroller
from paraphrast.render.terminal.tables import align

_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "↑": r"$\uparrow$", "↓": r"$\downarrow$", "→": r"$\rightarrow$", "−": "$-$",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}  # fmt: skip
_LATEX_ACTIVE = re.compile("|".join(map(re.escape, _LATEX)))
_MINUS = re.compile(r"(?<!\w)-(?=\d)")  # of a number: LaTeX sets a hyphen shorter
_MARKDOWN_ACTIVE = re.compile(r"([\\`*_\[\]<>|])")
_CELL_STYLE = "text-align:right"

Grid = Sequence[Sequence[str]]
"""Rows of cells; the first row is the heading and the first column the names of the rows."""


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """What is printed of scores: a row for each metric, a column for each system.

    `pairs` is a second table, of the tests between all pairs of systems. `legend` says what the
    asterisk means.
    """

    scores: Grid
    segments: int
    signatures: Sequence[str]
    pairs: Grid = ()
    legend: str = ""
    notes: Sequence[str] = ()

    @property
    def counted(self) -> str:
        """The number of segments, in words."""
        return f"{self.segments} segment{'s' * (self.segments != 1)}"

    def text(self) -> str:
        """Return the table in aligned columns, then legend, notes and signatures."""
        blocks = [align(self.scores), ""]
        blocks += [align(self.pairs), ""] if self.pairs else []
        blocks += [self.legend] if self.legend else []
        blocks += [self.counted, *(f"note: {note}" for note in self.notes), *self.signatures]
        return "\n".join(blocks)

    def markdown(self) -> str:
        """Return the table as GitHub writes tables; nothing in a name is markup."""
        blocks = [_markdown(self.scores), *([_markdown(self.pairs)] if self.pairs else [])]
        ending = [*([self.legend] if self.legend else []), self.counted]
        ending += [f"note: {note}" for note in self.notes]
        codes = [f"- `{signature}`" for signature in self.signatures]
        lines = [_MARKDOWN_ACTIVE.sub(r"\\\1", line) for line in ending]
        return "\n\n".join([*blocks, *lines, "\n".join(codes)])

    def latex(self) -> str:
        """Return a `tabular` with the rules of the package booktabs; signatures are comments."""
        meaning = self.legend.rpartition(": ")[0]  # without the test, which is a comment
        blocks = [_latex(self.scores, "" if self.pairs else meaning)]
        blocks += ["", "\\bigskip", "", _latex(self.pairs, meaning)] if self.pairs else []
        ending = [*([self.legend] if self.legend else []), self.counted]
        ending += [f"note: {note}" for note in self.notes] + [*self.signatures]
        comments = [f"% {_one_line(line)}" for line in ending]
        return "\n".join(["% needs \\usepackage{booktabs}", *blocks, *comments])

    def html(self) -> str:
        """Return the tables as a fragment for a notebook; all text is escaped."""
        blocks = [_html(self.scores), *([_html(self.pairs)] if self.pairs else [])]
        ending = [*([self.legend] if self.legend else []), self.counted]
        ending += [f"note: {note}" for note in self.notes]
        lines = [tag("p", esc(line)) for line in ending]
        return tag("div", *blocks, *lines, _signatures(self.signatures))

    def page(self, *, command: str = "", version: str = "") -> str:
        """Return one self-contained page."""
        blocks = [("scores", "Scores; the arrows point to the better values.", self.scores)]
        if self.pairs:
            words = "Differences between the systems: the first less the second."
            blocks.append(("pairs", words, self.pairs))
        tables = [
            exhibit("tab", ident, caption, scroller(ident, _html(grid, ident)))
            for ident, caption, grid in blocks
        ]
        ending = [self.legend, self.counted]
        body = [*tables, *(tag("p", esc(line)) for line in ending if line)]
        return page(
            "Systems compared" if self.legend else "Scores",
            "".join([*body, _signatures(self.signatures)]),
            notes=self.notes,
            command=command,
            version=version,
        )


def _markdown(grid: Grid) -> str:
    rows = [[_MARKDOWN_ACTIVE.sub(r"\\\1", _one_line(cell)) for cell in row] for row in grid]
    rule = [":--", *(["--:"] * (len(grid[0]) - 1))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], rule, *rows[1:]])


def _latex(grid: Grid, meaning: str) -> str:
    """Return one `tabular`, with the meaning of the asterisk, if any, below its last rule."""
    heading, *rows = grid
    columns = "l" + "r" * (len(heading) - 1)
    body = [[row[0], *(_MINUS.sub("−", cell) for cell in row[1:])] for row in rows]
    head, *lines = (f"{' & '.join(map(_latex_text, row))} \\\\" for row in [heading, *body])
    below = f"\\multicolumn{{{len(heading)}}}{{l}}{{\\footnotesize {_latex_text(meaning)}}} \\\\"
    top = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", head, "\\midrule"]
    bottom = ["\\bottomrule", *([below] if meaning else []), "\\end{tabular}"]
    return "\n".join([*top, *lines, *bottom])


def _latex_text(text: str) -> str:
    return _LATEX_ACTIVE.sub(_command, _one_line(text))


def _command(found: re.Match[str]) -> str:
    return _LATEX[found[0]]


def _html(grid: Grid, ident: str | None = None) -> str:
    head, *body = grid
    heads = [tag("th", name(cell), scope="col", style=_CELL_STYLE) for cell in head[1:]]
    rows = [
        tag(
            "tr",
            tag("th", name(row[0]), scope="row"),
            *(tag("td", esc(cell.strip()), style=_CELL_STYLE, class_="num") for cell in row[1:]),
        )
        for row in body
    ]
    top = tag("thead", tag("tr", tag("th", esc(head[0])), *heads))
    return tag("table", top, tag("tbody", *rows), aria_labelledby=ident)


def _signatures(signatures: Sequence[str]) -> str:
    entries = [tag("li", tag("code", esc(text))) for text in signatures]
    summary = tag("summary", "Signatures: what was measured, to the letter")
    return tag("details", summary, tag("ul", *entries, class_="notes"))


def _one_line(text: str) -> str:
    return " ".join(text.split())
