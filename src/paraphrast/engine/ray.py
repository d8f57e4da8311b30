"""The same work on Ray Data: a dataset of tasks, mapped by actors that each supervise a worker.

Rows do not pass through Ray: an actor reads a shard from the job's folder and writes another one
there, as a local worker does. So results and resuming are the same, and on a cluster the folder
must lie where every node sees it under the same name.
"""

from __future__ import annotations

import logging
import os
import queue
import re
import socket
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.engine.shards import Counts, Shards
from paraphrast.engine.step import Step
from paraphrast.engine.supervised import Supervised
from paraphrast.engine.task import Task
from paraphrast.errors import ConfigError, InputError, MissingExtra, ParaphrastError

_PLACE = re.compile(r"(?:ray://)?(?P<host>\[[^]]+\]|[^:/]+):(?P<port>\d+)")
_PATIENCE = 10.0  # seconds for each answer of a cluster
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(
    [0, 0, 0, 4, 0, 0, 0, 0, 0]
)  # RFC 9113, 3.4
_SILENCE = 2.0  # seconds after which the raylet is called
_FRAME_HEAD, _KIND_AT, _SETTINGS = 9, 3, 4


@dataclass(slots=True)
class Ray:
    """A cluster by its address ("auto" is the one that this machine belongs to), or a new one.

    Without an address, a Ray that runs already in this process is used, or one is started on this
    machine, until `close`. `jobs` is the number of actors, one for each core unless given.
    """

    jobs: int | None = None
    address: str | None = None
    _started: bool = False
    _raylet: str | None = None

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise ConfigError(f"jobs must be at least 1; got {self.jobs}")

    def check(self) -> None:
        """Refuse, before any work, a Ray that is not installed or an address without one."""
        if find_spec("ray") is None:
            raise _missing()
        address = self.address or os.environ.get("RAY_ADDRESS", "")
        if place := _PLACE.fullmatch(address):
            _call(address, place["host"].strip("[]"), int(place["port"]))

    def work(self, step: Step, tasks: Sequence[Task]) -> Iterator[Counts]:
        if not tasks:
            return
        ray = _ray()
        self._connect(ray)
        yield from self._mapped(ray, step, tasks)

    def close(self) -> None:
        """Leave the cluster, if it was joined or started here."""
        if self._started:
            _ray().shutdown()
            self._started = False

    def _connect(self, ray: Any) -> None:
        """Join a cluster or start one."""
        if ray.is_initialized():
            return
        quiet = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
        try:
            if self.address is None:
                joined = ray.init(num_cpus=self.jobs, include_dashboard=False, **quiet)
            else:
                joined = ray.init(address=self.address, **quiet)
        except Exception as error:  # a slow start is a bare Exception of Ray's
            ray.shutdown()  # what has started of it
            why = (str(error).strip() or type(error).__name__).splitlines()[0]
            if self.address is None:
                raise ConfigError(
                    f"Ray does not start on this machine: {why}; try again when there is less to "
                    "do, or --engine local"
                ) from error
            raise ConfigError(f"no Ray can be reached at {self.address!r}: {why}") from error
        self._started = True
        self._raylet = getattr(joined, "address_info", {}).get("raylet_socket_name")

    def _mapped(self, ray: Any, step: Step, tasks: Sequence[Task]) -> Iterator[Counts]:
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        actors = min(len(tasks), self.jobs or max(1, int(ray.cluster_resources().get("CPU", 1))))
        numbers = [{"place": place} for place in range(len(tasks))]
        found = ray.data.from_items(numbers, override_num_blocks=len(numbers)).map_batches(
            _Worker,
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(size=actors, max_tasks_in_flight_per_actor=1),
            fn_constructor_args=(step, tuple(tasks)),
            num_cpus=1,
        )
        for row in self._guarded(ray, found.iter_rows()):
            task = tasks[int(row["place"])]
            if row["error"]:
                raise InputError(str(row["error"]))
            yield Shards(task.target).counts_of(task.number)

    def _guarded(self, ray: Any, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield what Ray gives; the death of Ray is an InputError.

        Ray ends this process, without a word, some seconds after the raylet of this machine died.
        So rows are awaited in a thread, and the raylet is called while there are none.
        """
        arrived: queue.SimpleQueue[dict[str, Any] | Exception | None] = queue.SimpleQueue()
        threading.Thread(target=_pump, args=(rows, arrived), daemon=True).start()
        while True:
            try:
                found = arrived.get(timeout=_SILENCE)
            except queue.Empty:
                if self._raylet is not None and not _answers(self._raylet):
                    self._started = False  # nothing is left to be shut down
                    raise _died("its process on this machine, the raylet, has ended") from None
                continue
            if found is None:
                return
            if isinstance(found, ray.exceptions.RayError) and not isinstance(
                found, ray.exceptions.RayTaskError
            ):
                raise _died((str(found).strip() or type(found).__name__).splitlines()[0])
            if isinstance(found, Exception):
                raise found
            yield found


def _pump(
    rows: Iterable[dict[str, Any]], arrived: queue.SimpleQueue[dict[str, Any] | Exception | None]
) -> None:
    """Put rows into a queue, and then None or the error that ended them."""
    try:
        for row in rows:
            arrived.put(row)
    except Exception as error:  # noqa: BLE001  (raised again where the rows are awaited)
        arrived.put(error)
    else:
        arrived.put(None)


def _answers(raylet: str) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_PATIENCE)
            line.connect(raylet)
    except (ConnectionRefusedError, FileNotFoundError):
        return False
    except OSError:  # it is slow, or has too many callers
        return True
    return True


def _died(why: str) -> InputError:
    return InputError(
        f"Ray died: {why}; what is finished is kept, and the same command goes on from there"
    )


class _Worker:
    """What an actor holds: a worker process, supervised on its own node."""

    def __init__(self, step: Step, tasks: tuple[Task, ...]) -> None:
        self._worker = Supervised(step)
        self._tasks = tasks

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        errors = [self._do(self._tasks[int(place)]) for place in batch["place"]]
        return {"place": batch["place"], "error": np.array(errors, dtype=object)}

    def _do(self, task: Task) -> str:
        if not Path(task.source).is_dir():
            return (
                f"a node of the Ray cluster does not see {task.source}; give --work a folder that "
                "every node has under the same name"
            )
        try:
            self._worker.do(task)
        except ParaphrastError as error:
            return str(error)
        return ""

    def __del__(self) -> None:
        self._worker.close()


def _ray() -> Any:
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        raise _missing() from error
    return ray


def _missing() -> MissingExtra:
    return MissingExtra("ray", "ray[data]")


def _call(address: str, host: str, port: int) -> None:
    """Greet the server as HTTP/2, which Ray speaks, and wait a few seconds for the like.

    Ray itself would try for a quarter of an hour to join a cluster that is not there.
    """
    try:
        with socket.create_connection((host, port), timeout=_PATIENCE) as line:
            if os.environ.get("RAY_USE_TLS", "0") != "0":
                return
            line.sendall(_GREETING)
            with line.makefile("rb") as answers:
                answer = answers.read(_FRAME_HEAD)
    except (OSError, OverflowError) as error:
        why = str(getattr(error, "strerror", None) or error)
        raise ConfigError(f"no Ray can be reached at {address!r}: {why}") from error
    if len(answer) < _FRAME_HEAD or answer[_KIND_AT] != _SETTINGS:
        raise ConfigError(f"no Ray can be reached at {address!r}: what answers there is no Ray")
