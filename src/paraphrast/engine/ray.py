"""The same work on Ray Data: a dataset of tasks, mapped by actors that each supervise a worker.

Rows do not pass through Ray: an actor reads a shard from the job's folder and writes another one
there, as a local worker does. So results and resuming are the same, and on a cluster the folder
must lie where every node sees it under the same name.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.engine.shards import Counts, Shards
from paraphrast.engine.step import Step
from paraphrast.engine.supervised import Supervised
from paraphrast.engine.task import Task
from paraphrast.errors import ConfigError, InputError, MissingExtra, ParaphrastError


@dataclass(slots=True)
class Ray:
    """A cluster by its address ("auto" is the one that this machine belongs to), or a new one.

    Without an address, a Ray that runs already in this process is used, or one is started on this
    machine, until `close`. `jobs` is the number of actors, one for each core unless given.
    """

    jobs: int | None = None
    address: str | None = None
    _started: bool = False

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise ConfigError(f"jobs must be at least 1; got {self.jobs}")

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
                ray.init(num_cpus=self.jobs, include_dashboard=False, **quiet)
            else:
                ray.init(address=self.address, **quiet)
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
        for row in found.iter_rows():
            task = tasks[int(row["place"])]
            if row["error"]:
                raise InputError(str(row["error"]))
            yield Shards(task.target).counts_of(task.number)


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
        raise MissingExtra("ray", "ray[data]") from error
    return ray
