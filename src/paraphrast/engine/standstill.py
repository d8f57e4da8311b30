"""A watch over a process that was stopped (SIGSTOP): nobody else would notice, and all wait for it.

A process that is busy, however long, is not stopped. One that stays stopped is told of and ended;
who supervises it replaces it as one that died.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading
import time
from contextlib import suppress

LOOK = 1.0  # seconds between two looks
LOOKS = 60  # that find it stopped before it is ended: somebody may be looking at it


def watch(process: subprocess.Popen[bytes], what: str) -> None:
    """Watch a child until it ends, from a thread of its own; `what` names it in the warning."""
    if hasattr(os, "waitid"):
        threading.Thread(target=_watch, args=(process, what), daemon=True).start()


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end, also one that is stopped, which hears it when it goes on."""
    process.terminate()
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process.pid, signal.SIGCONT)


def _watch(process: subprocess.Popen[bytes], what: str) -> None:
    looks = 0
    while process.poll() is None:
        looks = looks + 1 if _is_stopped(process.pid) else 0
        if looks == LOOKS:
            logging.getLogger(__name__).warning(
                "note: %s (process %d) has been stopped for %.0f seconds; another takes its place",
                what, process.pid, LOOK * LOOKS,
            )  # fmt: skip
            end(process)
        time.sleep(LOOK)


def _is_stopped(number: int) -> bool:
    try:
        flags = os.WSTOPPED | os.WNOHANG | os.WNOWAIT  # whoever waits for it still hears of it
        return os.waitid(os.P_PID, number, flags) is not None
    except ChildProcessError:  # it has ended
        return False
