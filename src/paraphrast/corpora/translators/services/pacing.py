"""Time as services need it: a clock that tests can turn, and a pace that processes share."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from paraphrast.errors import InputError


@dataclass(frozen=True, slots=True)
class Clock:
    """The time in seconds, and a way to let it pass."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep


def wait_turn(url: str, per_minute: float, clock: Clock) -> None:
    """Wait until the next request to `url` may be sent: 60/per_minute seconds after the last.

    The time of the next turn lies in a locked file of the user's, so that all worker processes on
    one machine keep one pace together.
    """
    import fcntl

    user = os.getuid()
    name = hashlib.sha256(url.encode()).hexdigest()[:16]
    path = Path(tempfile.gettempdir(), f"paraphrast-{user}-pace-{name}")
    try:
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise InputError(f"cannot keep the pace in {path}: {error.strerror}") from error
    with os.fdopen(number, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        now, gap = clock.now(), 60 / per_minute
        turn = _number(file.read())
        # a turn far ahead is a leftover of a clock that was set back
        turn = turn if now <= turn <= now + 3600 else now
        file.seek(0)
        file.truncate()
        file.write(repr(turn + gap))
    if turn > now:
        clock.sleep(turn - now)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
