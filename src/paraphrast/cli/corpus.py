"""`paraphrast corpus`: evaluate labelled corpora, and check that a built one is as it was."""

from __future__ import annotations

from typing import Annotated

import typer

from paraphrast.cli.shared import Quiet, ReportTarget, command_line, show_notes
from paraphrast.jobs.corpus import (
    CorpusComparison,
    CorpusOptions,
    LabelledFile,
    evaluate_corpora,
    verify_corpus,
)
from paraphrast.render.pages.evaluation_page import evaluation_html
from paraphrast.render.terminal.progress import progress

_FORMATS = ("table", "json", "markdown", "html")
_ENDINGS = {
    "txt": "table", "json": "json", "md": "markdown", "markdown": "markdown", "html": "html",
    "htm": "html",
}  # fmt: skip

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Evaluate labelled paraphrase corpora; verify the files of a built one.",
)

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE[:OPTION=VALUE,…]...",
        help="Labelled pairs: JSONL, TSV, CSV or Parquet, also .gz; - is JSONL. Options are text1, "
        "text2, label, other_label, tokenize and name; files of one name are one corpus.",
    ),
]
Text1 = Annotated[str, typer.Option(help="Column of the first text.")]
Text2 = Annotated[str, typer.Option(help="Column of the second text.")]
LabelColumn = Annotated[str, typer.Option(help="Column of the labels.")]
Other = Annotated[
    str | None, typer.Option(help="Column of another annotator's labels: κ is computed.")
]
Tokenize = Annotated[
    str, typer.Option(help="How words are told apart; none is for text with spaces between them.")
]
Format = Annotated[
    str | None,
    typer.Option("-f", "--format", help="table, json, markdown or html; otherwise by -o's name."),
]
Output = Annotated[str | None, typer.Option("-o", "--output", help="Write to this file.")]


@app.command()
def evaluate(
    files: Files,
    text1: Text1 = "text1",
    text2: Text2 = "text2",
    label: LabelColumn = "label",
    other_label: Other = None,
    tokenize: Tokenize = "unicode",
    output_format: Format = None,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Show how far word overlap alone tells a corpus's paraphrases from the rest."""
    options = CorpusOptions(
        text1=text1, text2=text2, label=label, other_label=other_label, tokenize=tokenize
    )
    given = [LabelledFile.parse(file, options) for file in files]
    report = ReportTarget.choose(
        output,
        output_format,
        formats=_FORMATS,
        endings=_ENDINGS,
        inputs=(file.path for file in given),
    )
    with progress("reading", quiet=quiet, unit="pairs") as advance:
        found = evaluate_corpora(given, progress=advance)
    report.write(_formatted(found.with_command(command_line()), report.form))


@app.command()
def verify(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A corpus that was built.")],
) -> None:
    """Hash the files of a corpus again and compare with its manifest."""
    found = verify_corpus(folder)
    typer.echo(f"{folder}: as it was built (files: {found.files}, pairs: {found.rows:,})")
    show_notes((f"{name} is not in the manifest" for name in found.others), quiet=False)


def _formatted(found: CorpusComparison, form: str) -> str:
    if form == "html":
        return evaluation_html(found.to_dict())
    return {"json": found.to_json, "markdown": found.to_markdown}.get(form, found.__str__)()
