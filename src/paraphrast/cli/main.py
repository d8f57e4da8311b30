"""The `paraphrast` command: exit code 0 is fine, 1 bad data, 2 wrong usage, 3 unmet.

What is unmet is what `judge --require` asks for.

A verb's code is imported when the verb is called: `VERBS` holds what the list of verbs shows.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from paraphrast import _version
from paraphrast.errors import ConfigError, ParaphrastError

_INTERRUPTED, _TERMINATED = 130, 143
_UNWINDING = 10.0  # seconds that an orderly end may take
_PANELS: Literal["rich"] = "rich"
_HELP = "Do these two texts say the same thing? Score, mark, explain, write paraphrases."
_ASK, _WRITE, _MEASURE, _MAKE = (
    "Ask about texts", "Write and collect paraphrases", "Judge metrics", "Train models, serve them",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the command line: its line in the list, and its place there."""

    summary: str
    panel: str


VERBS = {
    "score": Verb("Score texts against references, sources, or on their own.", _ASK),
    "compare": Verb("Compare systems: intervals and paired tests.", _ASK),
    "judge": Verb("Say whether two texts say the same thing, and why not.", _ASK),
    "support": Verb("Name the sentences that a source does not support.", _ASK),
    "tag": Verb("Mark the words of two texts that the other does not say.", _ASK),
    "explain": Verb("Explain one pair: the verdict, the words, the metrics.", _ASK),
    "metrics": Verb("List the metrics, or show one metric's card.", _ASK),
    "generate": Verb("Write paraphrases of texts.", _WRITE),
    "mine": Verb("Find the pairs of sentences in a text that say the same.", _WRITE),
    "build": Verb("Build a paraphrase corpus from a recipe.", _WRITE),
    "corpus": Verb("Look at a corpus of pairs, or judge it.", _WRITE),
    "annotate": Verb("Let people label pairs and mark spans, and watch them agree.", _WRITE),
    "meta": Verb("Judge metrics by their agreement with people.", _MEASURE),
    "study": Verb("Compare ways of writing paraphrases.", _MEASURE),
    "serve": Verb("Open a web page and an HTTP API; speak MCP.", _MAKE),
    "train": Verb("Train an encoder or a generator, and export it.", _MAKE),
}


class Verbs(TyperGroup):
    """The group of all verbs: it lists them without importing them."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {name: _listed(name, verb) for name, verb in VERBS.items()}

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the verbs in the order in which a person needs them."""
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the verb that is called."""
        name, shown, rest = super().resolve_command(ctx, args)
        return name, shown and _load(shown.name or ""), rest

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Group the verbs in panels; messages on wrong usage stay plain lines."""
        self.rich_markup_mode = _PANELS
        _shorten_switches(self)  # typer has added those of completion
        super().format_help(ctx, formatter)
        self.rich_markup_mode = None


def _listed(name: str, verb: Verb) -> TyperCommand:
    """Return what a list of verbs shows of one."""
    return TyperCommand(
        name, help=verb.summary, short_help=verb.summary, rich_help_panel=verb.panel
    )


def _load(name: str) -> Any:
    """Return a verb from the module of its name: its `command`, or its `app` of several."""
    module = import_module(f"paraphrast.cli.{name}")
    outer = typer.Typer(add_completion=False)
    outer.callback()(lambda: None)  # keeps a single command a command of a group
    if hasattr(module, "app"):
        outer.add_typer(module.app, name=name)
    else:
        outer.command(name)(module.command)
    verb: Any = typer.main.get_command(outer)
    verb = verb.commands[name]
    for command in (verb, *getattr(verb, "commands", {}).values()):
        command.rich_markup_mode = _PANELS
        _shorten_switches(command)
        _refuse_repeats(command)
    return verb


def _refuse_repeats(command: Any) -> None:
    """Refuse an option of one value that is given twice, of which only the last would count."""
    parse = command.parse_args

    def parsed(ctx: Any, args: list[str]) -> Any:
        if not ctx.resilient_parsing:  # as while a shell completes
            *_, order = command.make_parser(ctx).parse_args(args=[*args])
            options = [p for p in order if p.param_type_name == "option"]
            valued = [p for p in options if not (p.is_flag or p.multiple)]
            again = next((p for n, p in enumerate(valued) if p in valued[:n]), None)
            if again is not None:
                raise ConfigError(f"{max(again.opts, key=len)} is given twice; give it once")
        return parse(ctx, args)

    command.parse_args = parsed


def _shorten_switches(command: Any) -> None:
    """Show no type beside a switch: it takes no value."""
    for parameter in command.get_params(typer.Context(command)):  # with --help
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""


app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help=_HELP,
)


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
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code; user errors print one line."""
    signal.signal(signal.SIGTERM, _terminated)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored, as by nohup
        signal.signal(signal.SIGINT, _interrupt)
    try:
        code = run(arguments)
    except Exception:
        if not _HEARD:
            raise
        code = _interrupted(_HEARD[-1])
    sys.exit(code)


class Terminated(KeyboardInterrupt):
    """SIGTERM came: whatever hears an interrupt hears this, and ends the same way."""


_HEARD: list[KeyboardInterrupt] = []
"""What signals have raised: native code that is being loaded may make an ImportError of it."""


def _interrupt(_number: int, _frame: object) -> NoReturn:
    _HEARD.append(KeyboardInterrupt())
    raise _HEARD[-1]


def _terminated(_number: int, _frame: object) -> None:
    """Unwind the stack, so that workers end and temporary files go; a second word changes nothing.

    If it comes late, the first was lost. SIG_IGN would be inherited by programs that are started
    meanwhile.
    """
    late = time.monotonic() + _UNWINDING

    def again(number: int, frame: object) -> None:
        if time.monotonic() > late:
            _terminated(number, frame)

    signal.signal(signal.SIGTERM, again)
    _HEARD.append(Terminated())
    raise _HEARD[-1]


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    try:
        app(args=arguments, prog_name="paraphrast")
    except SystemExit as end:  # how typer leaves: 2 is wrong usage, 130 an interrupt
        if end.code == _INTERRUPTED:
            return _interrupted(end)
        return _flushed(end.code if isinstance(end.code, int) else 0)
    except ParaphrastError as error:
        if _HEARD:
            return _interrupted(_HEARD[-1])
        return _fail(str(error), 2 if isinstance(error, ConfigError) else 1)
    except KeyboardInterrupt as interrupt:
        return _interrupted(interrupt)
    except OSError as error:
        if error.filename is not None:  # of a plug-in: our own files report their errors
            return _fail(str(error), 1)
        return _output_gone(error)
    return _flushed(0)


def _interrupted(end: BaseException) -> int:
    """Say that a signal came, and how to go on; typer wraps the interrupt in exceptions of its own.

    The notes of the interrupt are those of `shared.goes_on`.
    """
    cause: BaseException | None = end
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    notes: list[str] = getattr(cause, "__notes__", [])
    code = _TERMINATED if isinstance(cause, Terminated) else _INTERRUPTED
    return _fail("; ".join(["interrupted", *notes]), code)


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
