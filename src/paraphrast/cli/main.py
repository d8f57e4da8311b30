"""The `paraphrast` command: exit code 0 is fine, 1 is bad data, 2 is wrong usage."""

from __future__ import annotations

import errno
import os
import signal
import sys
from typing import NoReturn

import typer

from paraphrast import _version
from paraphrast.cli import (
    build,
    compare,
    corpus,
    explain,
    generate,
    meta,
    metrics,
    mine,
    score,
    study,
    tag,
    train,
)
from paraphrast.errors import ConfigError, ParaphrastError

_INTERRUPTED, _TERMINATED = 130, 143

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Do these two texts say the same thing? Score, compare, explain.",
)
app.command("score")(score.command)
app.command("compare")(compare.command)
app.command("tag")(tag.command)
app.command("explain")(explain.command)
app.command("generate")(generate.command)
app.command("mine")(mine.command)
app.command("build")(build.command)
app.command("metrics")(metrics.command)
app.add_typer(corpus.app, name="corpus")
app.add_typer(meta.app, name="meta")
app.add_typer(study.app, name="study")
app.add_typer(train.app, name="train")


def _version_flag(value: bool) -> None:
    if value:
        typer.echo(_version.VERSION)
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", "-V", callback=_version_flag, is_eager=True, help="Print the version."
    ),
) -> None:
    """Do these two texts say the same thing? Score, compare, explain."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code; user errors print one line."""
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(run(arguments))


def _terminated(_number: int, _frame: object) -> NoReturn:
    """Unwind the stack, so that workers end and temporary files go."""
    sys.exit(_TERMINATED)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    try:
        app(args=arguments, prog_name="paraphrast")
    except SystemExit as end:  # how typer leaves: 2 is wrong usage, 130 an interrupt
        if end.code == _INTERRUPTED:
            _fail("interrupted", _INTERRUPTED)
        return _flushed(end.code if isinstance(end.code, int) else 0)
    except ConfigError as error:
        return _fail(str(error), 2)
    except ParaphrastError as error:
        return _fail(str(error), 1)
    except KeyboardInterrupt:
        return _fail("interrupted", _INTERRUPTED)
    except OSError as error:
        if error.filename is not None:  # of a plug-in: our own files report their errors
            return _fail(str(error), 1)
        return _output_gone(error)
    return _flushed(0)


def _fail(message: str, code: int) -> int:
    typer.echo(f"error: {message}", err=True)
    return code


def _flushed(code: int) -> int:
    try:
        if sys.stdout is not None:  # it is closed when the caller says >&-
            sys.stdout.flush()
    except OSError as error:
        return _output_gone(error)
    return code


def _output_gone(error: OSError) -> int:
    """Say that standard output cannot be written; a reader that has left is no news."""
    if sys.stdout is not None:  # else Python complains at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno != errno.EPIPE:
        _fail(f"cannot write to standard output: {error.strerror}", 1)
    return 1
