"""Pairs of a prompted language model, in rounds: each shows pairs accepted in those before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paraphrast.corpora.build.build_step import (
    NOTHING,
    PAIRS,
    SENTENCES,
    BuildStep,
    Resolve,
    build_step,
)
from paraphrast.corpora.build.source_rows import places
from paraphrast.corpora.translators.services.prompted import (
    PromptRound,
    TextPair,
    demonstrations,
    distinct,
    request_rows,
)
from paraphrast.corpora.translators.system_tables import read_writer
from paraphrast.engine.stages import Made
from paraphrast.engine.step import Advance, Dropped, Row, Work
from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, Rows

if TYPE_CHECKING:
    from paraphrast.corpora.build.corpus_recipe import CorpusRecipe
    from paraphrast.corpora.build.recipe_run import RecipeRun


POOL = 100  # demonstrations that the prompts of a round draw from


@build_step("prompt", takes=(SENTENCES, NOTHING), gives=PAIRS)
@dataclass(frozen=True, kw_only=True)
class PromptStep(BuildStep):
    """Pairs that a prompted language model writes (ParaTag, section 4.1), in rounds.

    `premises` tells whether it is given the sentences, or writes both texts of a pair. After a
    round its demonstrations are drawn from the pairs that were accepted so far.
    """

    system: dict[str, Any]
    demonstrations: str
    shots: int = 20
    rounds: int = 1
    premises: bool = True
    pairs: int = 100
    seed: int = 0

    def check_place(self, recipe: CorpusRecipe, number: int) -> None:
        if self.premises and number == 0:
            raise ConfigError(
                "there are no sentences to write paraphrases of; put a source before it"
            )

    def check_resources(self, recipe: CorpusRecipe, resolve: Resolve) -> None:
        if self.rounds < 1 or self.pairs < 1:
            raise ConfigError("rounds and pairs must be at least 1")
        writer = read_writer(self.system, at="system")
        writer.check()
        first = tuple(set(_demonstrations(resolve(self.demonstrations))))
        PromptRound(writer=writer, demonstrations=first, shots=self.shots)

    def apply(self, run: RecipeRun) -> None:
        before = run.last if run.results else None
        first = _demonstrations(run.resolve(self.demonstrations))
        accepted, rounds = first, list[Made]()
        for number in range(1, self.rounds + 1):
            result = self._round(run, number, accepted, self._premises(run, number, before))
            run.record(result)
            rounds.append(result)
            accepted = [(row["text1"], row["text2"]) for row in _rows(rounds)] or accepted
            if len(set(accepted)) < self.shots:
                accepted = [*accepted, *first]
        identity = {"rounds": [result.key for result in rounds], "distinct": True}
        run.begin("prompted", identity, lambda: distinct(_rows(rounds)))
        run.pool = run.last

    def _round(self, run: RecipeRun, number: int, accepted: list[TextPair], premises: Made) -> Made:
        writer = read_writer(self.system, at="system")
        worker = PlacedPromptRound(
            writer=writer,
            demonstrations=demonstrations(accepted, max(POOL, self.shots), self.seed + number),
            shots=self.shots,
            round=number,
            seed=self.seed,
        )
        log = run.usage_log(writer, "prompted", worker.signature, premises)
        return run.stages.step(replace(worker, usage_log=log), premises)

    def _premises(self, run: RecipeRun, number: int, before: Made | None) -> Made:
        """Return the sentences of a round, or as many rows without one."""
        each = -(-self.pairs // self.rounds)
        if self.premises and before is not None:
            return run.stages.whole(PremiseShare(number, self.rounds, each), before)
        first = (number - 1) * each
        identity = {"first": first, "count": each}
        return run.stages.begin("requests", identity, lambda: request_rows(each, first=first))


@dataclass(frozen=True)
class PremiseShare:
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
        count = 0
        for place, row in enumerate(rows()):
            advance(1)
            if place % self.rounds != self.number - 1:
                continue
            if count == self.most:
                yield Dropped(row, "more sentences than pairs to write")
                continue
            count += 1
            yield row


@dataclass(frozen=True, kw_only=True)
class PlacedPromptRound(PromptRound):
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
    for row in work(rows):
        if isinstance(row, Dropped):
            yield row
        else:
            yield {**row, **places([premises[one] for one in row["sources"]])}


def _rows(rounds: list[Made]) -> Iterator[Row]:
    for result in rounds:
        yield from result.shards.rows()


def _demonstrations(field: Field) -> list[TextPair]:
    """Return the pairs that a table holds, by its columns text1 and text2."""
    columns = [Field(field.path, name, field.format, "text") for name in ("text1", "text2")]
    found: list[TextPair] = []
    for number, (one, two) in enumerate(Rows(columns), start=1):
        if not (isinstance(one, str) and isinstance(two, str) and one.strip() and two.strip()):
            raise InputError(f"{field.path}, row {number}: a demonstration needs text1 and text2")
        found.append((" ".join(one.split()), " ".join(two.split())))
    return found
