"""`paraphrast mine`: paraphrase pairs inside a file of texts, or between two."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from paraphrast.cli.shared import Device, Quiet, SafeCells, Threads, goes_on, show_notes
from paraphrast.io import Field
from paraphrast.jobs.mine import MODEL, THRESHOLD, TOP_K, MineOptions, mine_files
from paraphrast.render.terminal.progress import progress

File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="Texts, or FILE:COLUMN of a table; '-' is standard input."),
]
Other = Annotated[
    str | None,
    typer.Argument(metavar="OTHER", help="Texts to pair those of FILE with."),
]
Output = Annotated[str | None, typer.Option("-o", "--output", help="Write the pairs to this file.")]
TopK = Annotated[
    int, typer.Option("-k", "--top-k", help="Pair a text with at most so many others.")
]
Threshold = Annotated[float, typer.Option("-t", "--threshold", help="The lowest cosine of a pair.")]
Search = Annotated[
    str | None, typer.Option(help="exact or approximate; otherwise exact up to 100,000 texts.")
]
KeepTrivial = Annotated[
    bool, typer.Option("--keep-trivial", help="Keep pairs equal but for case and punctuation.")
]
Work = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Keep embeddings here, to go on or to search anew."),
]
Column = Annotated[
    str | None, typer.Option(help="Column of a table that holds the texts; 'text' otherwise.")
]
InputFormat = Annotated[
    str | None, typer.Option(help="text, tsv, csv, jsonl or parquet; otherwise by the file name.")
]
Format = Annotated[
    str | None, typer.Option("-f", "--format", help="jsonl or tsv; otherwise by -o's name.")
]
Model = Annotated[str, typer.Option(help="Weights: minilm, a directory or org/name.")]


def command(
    file: File,
    other: Other = None,
    output: Output = None,
    top_k: TopK = TOP_K,
    threshold: Threshold = THRESHOLD,
    search: Search = None,
    keep_trivial: KeepTrivial = False,
    work: Work = None,
    column: Column = None,
    input_format: InputFormat = None,
    output_format: Format = None,
    safe_cells: SafeCells = False,
    model: Model = MODEL,
    threads: Threads = None,
    device: Device = "cpu",
    quiet: Quiet = False,
) -> None:
    """Find pairs of texts that say nearly the same."""
    options = MineOptions(
        top_k=top_k,
        threshold=threshold,
        search=search,
        keep_trivial=keep_trivial,
        work=work,
        model=model,
        threads=threads,
        device=device,
    )
    field = partial(_field, column=column, format=input_format)
    with goes_on(kept=work is not None):
        notes = mine_files(
            field(file),
            None if other is None else field(other),
            output=output,
            format=output_format,
            safe_cells=safe_cells,
            options=options,
            stage=lambda name, total: progress(name, quiet=quiet, total=total, unit="texts"),
        )
    show_notes(notes, quiet=quiet)


def _field(spec: str, *, column: str | None, format: str | None) -> Field:
    """Read FILE or FILE:COLUMN; the column after the colon comes before --column."""
    found = Field.parse(spec, role="text", format=format)
    return Field(found.path, found.column or column, format, "text")
