"""Judge the judges: human judgements, the tasks made of them, and how metrics agree with them.

Nothing here runs a metric: scores come in, agreement goes out.
"""

import warnings
from typing import Any

from paraphrast.meta.judgements import (
    Judgements,
    MeanRating,
    Output,
    Preference,
    Rating,
    collect,
    mean_ratings,
)
from paraphrast.meta.layouts import read_judgements, write_judgements
from paraphrast.meta.published import Published
from paraphrast.meta.tasks import EvaluationTask, load_task, task_names

__all__ = [
    "EvaluationTask",
    "Judgements",
    "MeanRating",
    "Output",
    "Preference",
    "Published",
    "Rating",
    "collect",
    "load_task",
    "mean_ratings",
    "read_judgements",
    "task_names",
    "write_judgements",
]


def __getattr__(name: str) -> Any:
    if name == "Task":
        warnings.warn(
            "paraphrast.meta.Task is now EvaluationTask", DeprecationWarning, stacklevel=2
        )
        return EvaluationTask
    raise AttributeError(f"module 'paraphrast.meta' has no attribute {name!r}")
