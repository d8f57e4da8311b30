"""What several commands share: common options, where a result goes, and the command itself."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, TextIO

import typer

from paraphrast.errors import ConfigError, InputError
from paraphrast.io import atomic_writer, check_target
from paraphrast.io.atomic import is_stream
from paraphrast.io.fields import STDIN

_CLOSED = "cannot write to standard output: it is closed"

Threads = Annotated[int | None, typer.Option(help="Threads of the model; one for each core.")]
Device = Annotated[str, typer.Option(help="Where the model runs: cpu, cuda or cuda:N.")]
SafeCells = Annotated[
    bool,
    typer.Option(
        "--safe-cells",
        help="Put ' before texts of TSV and CSV that a spreadsheet takes for formulas.",
    ),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No progress, no notes.")]


def echo(text: str, stream: TextIO | None) -> None:
    """Print to standard output, unless it is closed, which is an error."""
    if stream is None:
        raise InputError(_CLOSED)
    typer.echo(text, file=stream)


def check_stdout(*, needed: bool) -> None:
    """Refuse a closed standard output before any file is written."""
    if needed and sys.stdout is None:
        raise InputError(_CLOSED)


def write_text(text: str, path: str) -> None:
    """Write a text to a file."""
    with atomic_writer(path) as file:
        file.write(text if text.endswith("\n") else f"{text}\n")


def format_by_name(output: str, endings: Mapping[str, str], *, usual: str) -> str:
    """Return the format that a file's name tells; a name without an ending takes the usual one."""
    name = os.path.basename(output).lower().removesuffix(".gz")
    ending = name.rpartition(".")[2]
    if ending in endings:
        return endings[ending]
    if "." not in name or is_stream(output):
        return usual
    known = ", ".join(f".{ending}" for ending in endings)
    raise ConfigError(f"{output}: the name tells no format; end it in one of {known}, or add -f")


def show_notes(notes: Iterable[str], *, quiet: bool) -> None:
    """Print notes on standard error, where they stay out of the result."""
    for note in () if quiet else notes:
        typer.echo(f"note: {note}", err=True)


@contextmanager
def goes_on(*, kept: bool = True) -> Iterator[None]:
    """Let an interrupt of the block tell how to go on, if what is finished is `kept`."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        if kept:
            interrupt.add_note("run the same command again to go on")
        raise


def command_line() -> str:
    """Return the command, without the folder the program lies in."""
    return shlex.join(["paraphrast", *sys.argv[1:]])


@dataclass(frozen=True, slots=True)
class ReportTarget:
    """A report's way out: a file or, if `path` is None, standard output; and its format."""

    path: str | None
    form: str

    @classmethod
    def choose(
        cls,
        output: str | None,
        form: str | None,
        *,
        formats: Sequence[str],
        endings: Mapping[str, str],
        inputs: Iterable[str],
    ) -> ReportTarget:
        """Take the format by the file's name unless given; refuse what cannot be written."""
        if form is not None and form not in formats:
            raise ConfigError(f"--format is one of {', '.join(formats)}; got {form!r}")
        if output is None or output == STDIN:
            return cls(None, form or formats[0])
        check_target(output)
        for path in inputs:
            if path != STDIN and os.path.realpath(path) == os.path.realpath(output):
                raise ConfigError(f"{path} is an input and would be written over")
        return cls(output, form or format_by_name(output, endings, usual=formats[0]))

    def write(self, text: str) -> None:
        """Write the report where it goes."""
        if self.path is None:
            typer.echo(text.rstrip("\n"))
        else:
            write_text(text, self.path)
