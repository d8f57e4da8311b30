"""Rounds of a prompted language model: each shows pairs that were accepted in those before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from paraphrast.corpora.build import corpus_recipe as recipe
from paraphrast.corpora.build import source_rows as origin
from paraphrast.corpora.translators.catalogue import read_writer
from paraphrast.corpora.translators.prompted import (
    Pair,
    PromptStep,
    demonstrations,
    distinct,
    request_rows,
)
from paraphrast.corpora.translators.writers import Writer
from paraphrast.engine.stages import Made, Stages
from paraphrast.engine.step import Advance, Dropped, Row, Work
from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, Rows

POOL = 100  # demonstrations that the prompts of a round draw from


class Home(Protocol):
    """What the rounds need of the pipeline."""

    @property
    def resolve(self) -> Callable[[str], Field]: ...

    def log(
        self, system: Writer, kind: str, signature: Mapping[str, Any], before: Made
    ) -> Path: ...


@dataclass(frozen=True)
class Turn:
    """The sentences of one round: every `rounds`-th, from its own on; at most `most`."""

    number: int
    rounds: int
    most: int

    @property
    def name(self) -> str:
        return f"premises, round {self.number}"

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"step": "turn", "number": self.number, "rounds": self.rounds, "most": self.most}

    def run(
        self, rows: Callable[[], Iterator[Row]], scratch: Path, advance: Advance
    ) -> Iterator[Row | Dropped]:
        taken = 0
        for place, row in enumerate(rows()):
            advance(1)
            if place % self.rounds != self.number - 1:
                continue
            if taken == self.most:
                yield Dropped(row, "more sentences than pairs to write")
                continue
            taken += 1
            yield row


@dataclass(frozen=True, kw_only=True)
class PlacedPrompts(PromptStep):
    """A round whose pairs say where their premises stand."""

    @property
    def signature(self) -> Mapping[str, Any]:
        return {**super().signature, "places": "lists"}

    @contextmanager
    def open(self) -> Iterator[Work]:
        with super().open() as work:
            yield partial(_with_places, work)


def _with_places(work: Work, rows: Sequence[Row]) -> Iterator[Row | Dropped]:
    premises = {row["id"]: row for row in rows}
    for made in work(rows):
        if isinstance(made, Dropped):
            yield made
        else:
            yield {**made, **origin.places([premises[one] for one in made["sources"]])}


def check_prompt(step: recipe.Prompt, resolve: Callable[[str], Field]) -> None:
    """Refuse, before any work, a step that cannot be run."""
    if step.rounds < 1 or step.pairs < 1:
        raise ConfigError("rounds and pairs must be at least 1")
    writer = read_writer(step.system, at="system")
    writer.check()
    first = tuple(set(_first(resolve(step.demonstrations))))
    PromptStep(writer=writer, demonstrations=first, shots=step.shots)


def prompted(
    step: recipe.Prompt, seed: int, stages: Stages, before: Made | None, home: Home
) -> Iterator[Made]:
    """Yield what each round left, and at last all pairs of all rounds, equal ones once."""
    writer = read_writer(step.system, at="system")
    given = _first(home.resolve(step.demonstrations))
    accepted, left = given, list[Made]()
    each = -(-step.pairs // step.rounds)
    for number in range(1, step.rounds + 1):
        found = PlacedPrompts(
            writer=writer,
            demonstrations=demonstrations(accepted, max(POOL, step.shots), seed + number),
            shots=step.shots,
            round=number,
            seed=seed,
        )
        asked = _asked(step, number, each, stages, before)
        log = home.log(writer, "prompted", found.signature, asked)
        made = stages.step(replace(found, usage_log=log), asked)
        yield made
        left.append(made)
        accepted = [
            (row["text1"], row["text2"]) for done in left for row in done.shards.rows()
        ] or accepted
        if len(set(accepted)) < step.shots:
            accepted = [*accepted, *given]
    identity = {"rounds": [made.key for made in left], "distinct": True}
    yield stages.begin("prompted", identity, lambda: distinct(_rows(left)))


def _asked(
    step: recipe.Prompt, number: int, each: int, stages: Stages, before: Made | None
) -> Made:
    if step.premises and before is not None:
        return stages.whole(Turn(number, step.rounds, each), before)
    first = (number - 1) * each
    identity = {"first": first, "count": each}
    return stages.begin("requests", identity, lambda: request_rows(each, first=first))


def _rows(left: list[Made]) -> Iterator[Row]:
    for made in left:
        yield from made.shards.rows()


def _first(field: Field) -> list[Pair]:
    """Return the pairs that a table holds, by its columns text1 and text2."""
    columns = [Field(field.path, name, field.format, "text") for name in ("text1", "text2")]
    found: list[Pair] = []
    for number, (one, two) in enumerate(Rows(columns), start=1):
        if not (isinstance(one, str) and isinstance(two, str) and one.strip() and two.strip()):
            raise InputError(f"{field.path}, row {number}: a demonstration needs text1 and text2")
        found.append((" ".join(one.split()), " ".join(two.split())))
    return found
