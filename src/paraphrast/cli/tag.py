"""`paraphrast tag`: which words of two texts the other does not say."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TextIO

import typer

from paraphrast import _version
from paraphrast.cli.shared import (
    Device,
    Quiet,
    Threads,
    check_stdout,
    command_line,
    echo,
    format_by_name,
    show_notes,
    write_text,
)
from paraphrast.errors import ConfigError
from paraphrast.io import atomic_writer, check_target, write_table
from paraphrast.jobs.tag import tag_rows, tag_texts
from paraphrast.meaning.tag_evaluation import TagEvaluation, TaggedRow, TagTally
from paraphrast.render.pages.tags_page import tags_html
from paraphrast.render.terminal.marked_text import (
    evaluation_text,
    legend,
    pair_text,
    printable,
    wants_colour,
)
from paraphrast.render.terminal.progress import progress

_FORMATS = ("text", "jsonl")
_ENDINGS = {"txt": "text", "jsonl": "jsonl", "ndjson": "jsonl"}
_MOST_ON_A_PAGE = 1000

Model = Annotated[
    str, typer.Option("--model", help="Weights: mini, base, a directory or org/name.")
]
Page = Annotated[str | None, typer.Option("--html", metavar="PAGE", help="Write a page as well.")]
Output = Annotated[str | None, typer.Option("-o", "--output", help="Write to this file.")]


def command(
    first: Annotated[
        str,
        typer.Argument(
            metavar="TEXT|FILE", help="A text; or pairs in JSONL or TSV; '-' is standard input."
        ),
    ],
    second: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The text to hold it against.")
    ] = None,
    gold: Annotated[
        bool, typer.Option("--gold", help="Judge the tags by tags1 and tags2 of the file.")
    ] = False,
    input_format: Annotated[
        str | None, typer.Option(help="jsonl or tsv; otherwise by the file name.")
    ] = None,
    model: Model = "mini",
    threads: Threads = None,
    device: Device = "cpu",
    output_format: Annotated[
        str | None, typer.Option("-f", "--format", help="text or jsonl; otherwise by -o's name.")
    ] = None,
    output: Output = None,
    html: Page = None,
    quiet: Quiet = False,
) -> None:
    """Mark the words of two texts that the other does not say."""
    form = _checked_format(output_format, output)
    target = None if output == "-" else output
    check_outputs(first if second is None else None, target, html)
    check_stdout(needed=gold or target is None)
    chosen: dict[str, Any] = {"model": model, "threads": threads, "device": device}
    tally = TagTally(keep=_MOST_ON_A_PAGE if html else 0)
    notes: list[str] = []
    stream = sys.stdout  # the progress line puts itself in its place
    with progress("tagging", quiet=quiet or _is_watched(stream, target, gold)) as advance:
        if second is None:
            check_file(first)
            rows = tag_rows(
                first, gold=gold, format=input_format, progress=advance, notes=notes, **chosen
            )
        else:
            _check_texts(first, second, gold=gold, input_format=input_format)
            rows = tag_texts(first, second, notes=notes, **chosen)
        done = _Ending(tally, notes, gold, html)
        _write(done.after(tally.watch(rows)), form, target, stream, silent=gold)
    if done.judged is not None:
        _show_judged(done.judged, form if target is None else "text")
    show_notes(notes, quiet=quiet)


@dataclass(slots=True)
class _Ending:
    """What follows the last row, and may fail, while the output has not yet taken its name."""

    tally: TagTally
    notes: list[str]
    gold: bool
    html: str | None
    judged: TagEvaluation | None = None

    def after(self, rows: Iterable[TaggedRow]) -> Iterator[TaggedRow]:
        """Hand the rows on; then judge them and write the page."""
        yield from rows
        self.notes += self.tally.notes()
        self.judged = self.tally.evaluation() if self.gold else None
        if self.html:
            write_text(_page(self.tally, self.judged, self.notes), self.html)


def check_outputs(read: str | None, output: str | None, html: str | None) -> None:
    """Refuse to write over the input, twice to one file, or where nothing can be written."""
    if html == "-":
        raise ConfigError("--html needs the name of a file")
    paths = [path for path in (output, html) if path is not None and path != "-"]
    for path in paths:
        check_target(path)
    real = [os.path.realpath(path) for path in paths]
    real = [path for path in real if not path.startswith("/dev/")]
    if len(set(real)) < len(real):
        raise ConfigError("-o and --html name the same file")
    if read is not None and os.path.realpath(read) in real:
        raise ConfigError(f"{read} is an input and would be written over")


def _checked_format(form: str | None, output: str | None) -> str:
    if form is not None and form not in _FORMATS:
        raise ConfigError(f"--format is text or jsonl; got {form!r}")
    return form or format_beside_page(output, _ENDINGS, usual="text")


def format_beside_page(output: str | None, endings: Mapping[str, str], *, usual: str) -> str:
    """Return the format that the name of -o tells, which is never that of a page."""
    if output is None:
        return usual
    if output.lower().endswith((".html", ".htm")):
        raise ConfigError(f"{output}: --html {output} writes a page, -o does not")
    return format_by_name(output, endings, usual=usual)


def check_file(path: str) -> None:
    """Refuse what is no file: most likely a text without its other."""
    if path != "-" and not os.path.exists(path):
        raise ConfigError(
            f"{path!r:.80} is not a file; give two texts, or a file of pairs (JSONL or TSV)"
        )


def _check_texts(first: str, second: str, *, gold: bool, input_format: str | None) -> None:
    if gold or input_format:
        option = "--gold" if gold else "--input-format"
        raise ConfigError(f"{option} goes with a file of pairs, not with two texts")
    if os.path.isfile(first) and os.path.isfile(second):
        raise ConfigError(
            f"{first} and {second} are files; give one file of pairs (text1, text2), or two texts"
        )


def _is_watched(stream: TextIO | None, target: str | None, gold: bool) -> bool:
    """Whether the rows go to a terminal, where they are progress enough."""
    return target is None and not gold and stream is not None and stream.isatty()


def _write(
    rows: Iterable[TaggedRow], form: str, target: str | None, stream: TextIO | None, *, silent: bool
) -> None:
    """Write the rows; `silent` ones, without a file to go to, are gone through only."""
    if silent and target is None:
        deque(rows, maxlen=0)
    elif form == "jsonl":
        write_table(target or "-", (row.to_dict() for row in rows), format="jsonl")
    elif target is None:
        for line in _lines(rows, colour=wants_colour(stream)):
            echo(line, stream)
    else:
        with atomic_writer(target) as file:
            file.writelines(f"{line}\n" for line in _lines(rows, colour=False))


def _lines(rows: Iterable[TaggedRow], *, colour: bool) -> Iterator[str]:
    for row in rows:
        if row.id is not None:
            yield printable(str(row.id))
        yield pair_text(row.pair, colour=colour)
        yield ""
    yield legend(colour=colour)


def _page(tally: TagTally, judged: TagEvaluation | None, notes: Sequence[str]) -> str:
    shown, all_pairs = len(tally.kept), tally.pairs
    cut = f"The page shows the first {shown:,} of {all_pairs:,} pairs."
    return tags_html(
        [row.pair for row in tally.kept],
        ids=[row.id for row in tally.kept],
        evaluation=judged.to_dict() if judged else None,
        notes=[*notes, *([cut] if shown < all_pairs else [])],
        command=command_line(),
        version=_version.VERSION,
    )


def _show_judged(judged: TagEvaluation, form: str) -> None:
    if form == "jsonl":
        write_table("-", [judged.to_dict()], format="jsonl")
    else:
        echo(evaluation_text(judged.to_dict()), sys.stdout)
