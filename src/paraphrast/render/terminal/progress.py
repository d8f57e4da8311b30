"""A progress line on standard error: shown in a terminal, silent elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def shows_progress(*, quiet: bool = False) -> bool:
    """Tell whether a progress line is shown: on a terminal only."""
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def progress(
    label: str, *, quiet: bool = False, total: int | None = None, unit: str = "segments"
) -> Iterator[Callable[[int], None]]:
    """Yield a function that counts segments done; the line shows their number and rate.

    With a `total` it shows how many there are in all, and the time left.
    """
    if not shows_progress(quiet=quiet):
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import (
        Progress,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(TextColumn):
        """Segments a second; nothing before the first are done, when there is no speed yet."""

        def render(self, task: Task) -> Text:
            return super().render(task) if task.speed is not None else Text("")

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn(f"{{task.completed:,.0f}}{_of(total)} {unit}"),
        Rate("{task.speed:,.0f}/s", justify="right"),
        TimeElapsedColumn(),
        *([TimeRemainingColumn()] if total else []),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,  # results never pass through the line's console, which is stderr's
        redirect_stderr=False,
        auto_refresh=False,  # no thread: workers are forked while the line is up
    )
    with bar:
        task = bar.add_task(label, total=total)

        def advance(done: int) -> None:
            bar.update(task, advance=done)
            bar.refresh()

        yield advance


def _of(total: int | None) -> str:
    return "" if total is None else f" of {total:,}"
