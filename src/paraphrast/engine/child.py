"""A worker process: opens steps and works on shards as it is told, over a pipe of its own.

It is started as `python -m paraphrast.engine.child FD_IN FD_OUT`, so that neither a fork of the
parent nor its main module takes part, and leaves when the parent does: its pipe ends. What a
library prints goes to standard error and never into the pipe.
"""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from contextlib import ExitStack
from typing import Any

from paraphrast.engine.step import Work
from paraphrast.engine.task import do, forget_peak
from paraphrast.errors import ParaphrastError


def main(fd_in: int, fd_out: int) -> None:
    """Answer messages until there are no more."""
    os.dup2(2, 1)
    work: Work | None = None
    with os.fdopen(fd_in, "rb") as orders, os.fdopen(fd_out, "wb") as answers, ExitStack() as held:

        def answer(kind: str, value: Any) -> None:
            pickle.dump((kind, value), answers)
            answers.flush()

        while True:
            try:
                kind, value = pickle.load(orders)  # noqa: S301  (from our own parent)
            except EOFError:
                return
            try:
                if kind == "open":
                    held.close()
                    forget_peak()
                    work = held.enter_context(value.open())
                    answer("opened", None)
                else:
                    assert work is not None
                    answer("done", do(value, work, lambda place: answer("row", place)))
            except ParaphrastError as error:
                answer("error", error)
            except Exception:  # noqa: BLE001  (a bug, which the parent shows)
                answer("bug", traceback.format_exc())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
