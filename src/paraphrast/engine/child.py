"""A worker process: opens steps and works on shards as it is told, over a pipe of its own.

The parent starts it by `BOOT`, so that neither a fork of the parent nor its main module takes part,
and tells it first where modules are: the environment stays the user's, for what steps run. It
leaves when the parent does, however that ended: then the pipe has no other end. What a library
prints goes to standard error and never into the pipe.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import threading
import time
import traceback
from contextlib import ExitStack, suppress
from typing import IO, Any, NoReturn

from paraphrast.engine.step import Step, Work
from paraphrast.engine.task import Task, do, forget_peak
from paraphrast.errors import InputError, ParaphrastError
from paraphrast.io.resume import digest

BOOT = """
import os, pickle, sys
orders = os.fdopen(int(sys.argv[1]), "rb")
sys.path[:] = pickle.load(orders)
from paraphrast.engine.child import main
main(orders, int(sys.argv[2]))
"""
GRACE = 3.0  # seconds to end what was started, after which the process is killed


def main(orders: IO[bytes], fd_out: int) -> None:
    """Answer messages until there are no more, or a signal says that it is over."""
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_watch, args=(orders.fileno(),), daemon=True).start()
    with suppress(BrokenPipeError), os.fdopen(fd_out, "wb") as answers:
        _serve(orders, answers)


def _serve(orders: IO[bytes], answers: IO[bytes]) -> None:
    work: Work | None = None
    step: Step | None = None
    key = ""

    def answer(kind: str, value: Any) -> None:
        pickle.dump((kind, value), answers)
        answers.flush()

    with ExitStack() as held:
        while True:
            try:
                kind, value = pickle.load(orders)  # noqa: S301  (from our own parent)
            except EOFError:
                return
            try:
                if kind == "open":
                    held.close()
                    forget_peak()
                    work, step, key = held.enter_context(value.open()), value, ""
                    answer("opened", None)
                else:
                    assert work is not None
                    assert step is not None
                    key = key or digest(dict(step.signature))
                    _check_key(step, key, value)
                    answer("done", do(value, work, lambda place: answer("row", place)))
            except ParaphrastError as error:
                answer("error", error)
            except Exception:  # noqa: BLE001  (a bug, which the parent shows)
                answer("bug", traceback.format_exc())


def _check_key(step: Step, key: str, task: Task) -> None:
    """Refuse work whose rows would be kept under the hash of other files than those in use.

    The signature is read here after all that the step reads has been opened.
    """
    if task.key not in ("", key):
        raise InputError(
            f"what step {step.name} reads (a model, a program or its files) changed after the job "
            "began, or is another on this machine; run the same command again"
        )


def _leave(_number: int, _frame: Any) -> NoReturn:
    """Unwind the stack, so that what was started is ended; hear no further word of it."""
    # SIG_IGN would print a traceback if the next signal is there already
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    sys.exit(128 + signal.SIGTERM)


def _watch(orders: int) -> None:
    """Wait until the pipe has lost its other end; then leave, if need be by force."""
    poll = select.poll()
    poll.register(orders, 0)  # the end alone, not what is to be read
    poll.poll()
    main_thread = threading.main_thread().ident
    assert main_thread is not None
    signal.pthread_kill(main_thread, signal.SIGTERM)  # whatever it waits for
    time.sleep(GRACE)
    os.killpg(os.getpid(), signal.SIGKILL)
