"""Results of `score` and `compare`, on standard output or in a file, in the format asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from paraphrast import _version
from paraphrast.cli.shared import command_line, echo, format_by_name, show_notes, write_text
from paraphrast.errors import ConfigError
from paraphrast.io import check_target, write_table
from paraphrast.io.atomic import is_stream
from paraphrast.options import Option
from paraphrast.results import Comparison

_FORMATS = ("table", "json", "tsv", "csv", "parquet", "markdown", "latex", "html")
_ENDINGS = {
    "txt": "table", "json": "json", "tsv": "tsv", "csv": "csv", "parquet": "parquet",
    "md": "markdown", "markdown": "markdown", "tex": "latex", "latex": "latex",
    "html": "html", "htm": "html",
}  # fmt: skip
_TABLES = ("tsv", "csv", "parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultOutput:
    """Where the result goes, and in which format; each field is an option of both commands."""

    output_format: Annotated[
        str | None,
        Option(f"{', '.join(_FORMATS)}; otherwise by the name of -o.", "-f", "--format"),
    ] = None
    output: Annotated[
        str | None, Option("Write the result to this file.", "-o", "--output", metavar="FILE")
    ] = None
    segments: Annotated[
        str | None,
        Option("Write segment values to this .jsonl, .tsv, .csv or .parquet file.", metavar="FILE"),
    ] = None
    safe_cells: Annotated[
        bool,
        Option("Put ' before texts of TSV and CSV that a spreadsheet takes for formulas."),
    ] = False
    width: Annotated[
        int | None, Option("Digits after the point in the table.", "-w", "--width")
    ] = None
    quiet: Annotated[bool, Option("No progress, no notes.", "-q", "--quiet")] = False

    def __post_init__(self) -> None:
        if self.output_format not in (None, *_FORMATS):
            raise ConfigError(f"--format is {', '.join(_FORMATS)}; got {self.output_format!r}")
        if self.form == "parquet" and self.output in (None, "-"):
            raise ConfigError("--format parquet needs a file: add -o FILE.parquet")
        if self.width is not None and not 0 <= self.width <= 15:
            raise ConfigError(f"--width is 0 to 15 digits; got {self.width}")
        if self.segments:
            check_target(self.segments, table=True)
        if self.output:
            check_target(self.output)

    @property
    def form(self) -> str:
        """The format asked for, or the one the output's name tells."""
        if self.output_format or self.output is None:
            return self.output_format or "table"
        return format_by_name(self.output, _ENDINGS, usual="table")

    def check(self, inputs: Iterable[str]) -> None:
        """Refuse to write over an input, or both outputs to one file."""
        paths = [path for path in (self.output, self.segments) if path]
        targets = [os.path.realpath(path) for path in paths if path != "-" and not is_stream(path)]
        if len(set(targets)) < len(targets):
            raise ConfigError("-o and --segments name the same file")
        for path in inputs:
            if os.path.realpath(path) in targets:
                raise ConfigError(f"{path} is an input and would be written over")

    def show(self, result: Comparison) -> None:
        """Write segment values and then the result, so that the result means all went well."""
        self._write_segments(result)
        if self.form in _TABLES:
            rows = result.pair_rows() if result.all_pairs else result.rows()
            self._write_rows(self.output or "-", rows, self.form)
            self._show_notes(result)
        else:
            self.write(self._text(result))

    def show_bare(self, result: Comparison) -> None:
        """Write the bare numbers, one a line, with the digits that the table has."""
        self._write_segments(result)
        scores = [score for report in result.systems.values() for score in report.scores]
        places = [score.digits if self.width is None else self.width for score in scores]
        numbers = [f"{s.score:.{n}f}" for s, n in zip(scores, places, strict=True)]
        self.write("\n".join(numbers))
        self._show_notes(result)

    def write(self, text: str) -> None:
        """Write a text where the result goes."""
        if self.output is None or self.output == "-":
            echo(text, sys.stdout)
        else:
            write_text(text, self.output)

    def _show_notes(self, result: Comparison) -> None:
        """Print the notes on standard error, where the result itself has no place for them."""
        show_notes(result.table().notes, quiet=self.quiet)

    def _write_segments(self, result: Comparison) -> None:
        if self.segments:
            self._write_rows(self.segments, result.segment_rows())

    def _write_rows(
        self, path: str, rows: Iterable[Mapping[str, object]], form: str | None = None
    ) -> None:
        write_table(path, rows, format=form, safe_cells=self.safe_cells)

    def _text(self, result: Comparison) -> str:
        if self.form == "json":
            single = len(result.systems) == 1 and not result.tests
            return (next(iter(result.systems.values())) if single else result).to_json()
        table = result.table(digits=self.width, notes=not self.quiet)
        if self.form == "html":
            return table.page(command=command_line(), version=_version.VERSION)
        if self.form == "markdown":
            return table.markdown()
        return table.latex() if self.form == "latex" else table.text()
