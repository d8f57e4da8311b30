"""A progress bar of training on standard error: shown in a terminal, silent elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def step_progress(label: str, *, quiet: bool = False) -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function of steps done, steps in all and some words; the bar adds the time left."""
    if quiet or not sys.stderr.isatty():
        yield lambda _done, _steps, _words: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        speed_estimate_period=600,
    )
    with bar:
        task = bar.add_task(label, total=None, words="", start=False)
        started = False

        def advance(done: int, steps: int, words: str) -> None:
            nonlocal started
            if not started:  # steps of an earlier sitting say nothing about the speed
                bar.reset(task, total=steps, completed=done, start=True)
                started = True
            bar.update(task, completed=done, total=steps, words=words)

        yield advance
