"""Judge the judges: human judgements, the tasks made of them, and how metrics agree with them.

Nothing here runs a metric: scores come in, agreement goes out.
"""

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
from paraphrast.meta.tasks import Published, Task, load_task, task_names

__all__ = [
    "Judgements",
    "MeanRating",
    "Output",
    "Preference",
    "Published",
    "Rating",
    "Task",
    "collect",
    "load_task",
    "mean_ratings",
    "read_judgements",
    "task_names",
    "write_judgements",
]
