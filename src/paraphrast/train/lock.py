"""One process group at a time in a run's folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paraphrast.errors import ConfigError


@contextmanager
def alone(run: Path, *, main: bool = True) -> Iterator[None]:
    """Hold the run's lock; ConfigError if another process trains there. A kill lets it go.

    Where the system has no such locks (Windows), nothing is held.
    """
    try:
        import fcntl
    except ModuleNotFoundError:
        main = False
    if not main:
        yield
        return
    with (run / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"another process is training in {run}; wait for it") from None
        yield
