"""What a running server holds: its options, the lines before the models, states and counts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from paraphrast.web.access_log import log_failure
from paraphrast.web.monitoring import Monitor
from paraphrast.web.queueing.long_jobs import LongJobs
from paraphrast.web.queueing.model_states import ModelStates
from paraphrast.web.queueing.turns import Turns
from paraphrast.web.queueing.work_queue import BatchedWork, WorkQueue
from paraphrast.web.serve_options import ServeOptions

_FIRST = "mini"  # the model that is loaded when the server starts


@dataclass(frozen=True, slots=True, eq=False)
class Service:
    """One line for what runs a model, one for what only counts words, and long jobs."""

    options: ServeOptions
    states: ModelStates
    monitor: Monitor
    models: WorkQueue
    texts: WorkQueue
    jobs: LongJobs

    @classmethod
    def start(cls, options: ServeOptions) -> Service:
        """Start the threads; no model is loaded yet."""
        monitor, turns = Monitor(), Turns()

        def queue(name: str, its_turns: Turns) -> WorkQueue:
            return WorkQueue(
                name,
                most_waiting=options.most_waiting,
                batch=options.batch,
                turns=its_turns,
                watch=lambda size, seconds: monitor.batch(name, size, seconds),
            )

        service = cls(
            options,
            ModelStates.of_installed(),
            monitor,
            queue("models", turns),
            queue("texts", Turns()),
            LongJobs(turns, log_failure),
        )
        monitor.watch_waiting("models", lambda: service.models.waiting)
        monitor.watch_waiting("texts", lambda: service.texts.waiting)
        return service

    def place(self) -> dict[str, Any]:
        """Return where models run, as the functions of the library take it."""
        return {"threads": self.options.threads, "device": self.options.device}

    def warm(self, load: Callable[[], object]) -> None:
        """Load the first model while nobody waits for it."""
        if _FIRST in self.states.states:
            self.states.expect(_FIRST)
            self.once(lambda: self.states.warm(_FIRST, load), size=1, with_model=True)

    def once(
        self, function: Callable[[], Any], *, size: int, with_model: bool
    ) -> Future[list[Any]]:
        """Put work in line that is not shared with other clients; it counts as `size` texts."""
        work = BatchedWork(object(), lambda _: [function()])
        return (self.models if with_model else self.texts).submit(work, [None], size=size)

    def stop(self) -> None:
        """Finish what was begun, and end all threads."""
        self.jobs.stop()
        self.models.stop()
        self.texts.stop()
