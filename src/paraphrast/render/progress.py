"""A progress line on standard error: shown in a terminal, silent elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(label: str, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Yield a function that counts segments done; the line shows their number and rate."""
    if quiet or not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Rate(TextColumn):
        """Segments a second; nothing before the first are done, when there is no speed yet."""

        def render(self, task: Task) -> Text:
            return super().render(task) if task.speed is not None else Text("")

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:,.0f} segments"),
        Rate("{task.speed:,.0f}/s", justify="right"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,  # results never pass through the line's console, which is stderr's
        redirect_stderr=False,
        auto_refresh=False,  # no thread: workers are forked while the line is up
    )
    with bar:
        task = bar.add_task(label, total=None)

        def advance(done: int) -> None:
            bar.update(task, advance=done)
            bar.refresh()

        yield advance
