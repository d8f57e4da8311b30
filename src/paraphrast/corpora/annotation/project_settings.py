"""What a project asks of its annotators: the task, the labels, who labels what, and the alarms."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from paraphrast.corpora.pair_labels import LABELS
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.io.toml_tables import build

TASKS = ("labels", "spans", "both", "rating")
ORDERS = ("seed", "file", "no tags first", "least sure")

TYPOLOGY = (
    "content word replacement",
    "phrasal or sentential replacement",
    "function word replacement",
    "function word insertion or deletion",
    "content word insertion or deletion",
    "word order",
    "lexical entailment",
)
"""The kinds of edits of Suzuki et al. 2017, Table 3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChoice:
    """A label, the key that gives it, and what it says of a pair."""

    name: str
    key: str
    definition: str = ""


FOUR_LABELS = tuple(
    LabelChoice(name=label.name, key=str(number), definition=label.definition)
    for number, label in enumerate(LABELS, 1)
)
"""The labels of Suzuki et al. 2017, section 4.2, on the keys 1 to 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSettings:
    """The rules of a project.

    `annotators` people label a share (`shared`) of the items, one person each other item. A share
    (`blind`) of the items comes without suggestions. After `gold_every` items comes one whose
    answer is known, if there are any. Pairs of span annotations whose F1 lies below
    `adjudicate_below` go to an adjudicator (ParaTag §4.2); ratings do that are further apart than
    `rating_apart`. Agreement over the last `alarm_items` items below `alarm` raises the alarm.
    """

    name: str
    task: str = "labels"
    labels: tuple[LabelChoice, ...] = FOUR_LABELS
    edits: tuple[str, ...] = ()
    lowest: float = 0.0
    highest: float = 100.0
    annotators: int = 2
    shared: float = 0.1
    order: str = "seed"
    seed: int = 13
    blind: float = 0.2
    lease_minutes: float = 30.0
    gold_every: int = 10
    gold_feedback: bool = False
    adjudicate_below: float = 0.4
    rating_apart: float = 10.0
    alarm: float | None = None
    alarm_items: int = 20

    def __post_init__(self) -> None:
        _one_of("task", self.task, TASKS)
        _one_of("order", self.order, ORDERS)
        for name in ("shared", "blind", "adjudicate_below"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is a share from 0 to 1; got {getattr(self, name)!r}")
        for name, least in (("annotators", 1), ("gold_every", 1), ("alarm_items", 2)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} is at least {least}; got {getattr(self, name)}")
        if self.lease_minutes <= 0:
            raise ConfigError(f"lease_minutes must be above 0; got {self.lease_minutes}")
        if not self.lowest < self.highest:
            raise ConfigError(f"the scale from {self.lowest} to {self.highest} has no length")
        if self.alarm is not None and not -1 <= self.alarm <= 1:
            raise ConfigError(f"alarm is an agreement from -1 to 1; got {self.alarm}")
        if not self.name.strip():
            raise ConfigError("the project needs a name")
        self._check_labels()

    @property
    def takes_label(self) -> bool:
        return self.task in ("labels", "both")

    @property
    def takes_spans(self) -> bool:
        return self.task in ("spans", "both")

    @property
    def takes_rating(self) -> bool:
        return self.task == "rating"

    @property
    def label_names(self) -> tuple[str, ...]:
        return tuple(label.name for label in self.labels)

    def to_dict(self) -> dict[str, Any]:
        found = asdict(self)
        return {key: value for key, value in found.items() if value is not None}

    @classmethod
    def from_dict(cls, table: Any) -> ProjectSettings:
        """Build settings of a parsed TOML or JSON table; unknown keys are errors."""
        return build(cls, _listed(table))

    def _check_labels(self) -> None:
        for what, values in (
            ("label", self.label_names),
            ("key", tuple(label.key for label in self.labels)),
            ("kind of edit", self.edits),
        ):
            again = next((one for n, one in enumerate(values) if one in values[:n]), None)
            if again is not None:
                raise ConfigError(f"the {what} {again!r} is there twice")
            if not all(value.strip() for value in values):
                raise ConfigError(f"a {what} is empty")
        if self.takes_label and len(self.labels) < 2:
            raise ConfigError("a task with labels needs at least two of them")


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        near = did_you_mean(value, known)
        raise ConfigError(f"{what} is one of {', '.join(known)}; got {value!r}{near}")


def _listed(table: Any) -> Any:
    """Turn tuples, which JSON and TOML do not have, into lists."""
    if not isinstance(table, dict):
        return table
    return {key: list(value) if isinstance(value, tuple) else value for key, value in table.items()}
