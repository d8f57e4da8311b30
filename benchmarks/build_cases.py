"""What `benchmarks.build` measures: every step of a recipe without a model, and the writing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.build_rows import SHARD, SPLITS, read
from paraphrast.corpora.build import source_rows as origin
from paraphrast.corpora.build.corpus_files import FORMATS, write_corpus
from paraphrast.corpora.build.corpus_recipe import CorpusRecipe, OutputPart
from paraphrast.corpora.build.manifest import Provenance
from paraphrast.corpora.build.recipe_run import RecipeRun
from paraphrast.corpora.build.steps.balance import BalanceStep
from paraphrast.corpora.build.steps.duplicates import DeduplicateStep
from paraphrast.corpora.build.steps.intake import CleanStep
from paraphrast.corpora.build.steps.negatives import MinedNegatives
from paraphrast.corpora.build.steps.pairing import PairStep
from paraphrast.corpora.build.steps.ranking import KeepBest
from paraphrast.corpora.build.steps.round_trip_quality import EstimateStep
from paraphrast.corpora.build.steps.splits import SplitStep
from paraphrast.engine.pool import Local
from paraphrast.engine.stages import Made, Stages, silent
from paraphrast.engine.step import Dropped, Row, Step, Whole
from paraphrast.io import Field, chunks
from paraphrast.jobs.build import BuildOptions, assemble

Counts = Mapping[str, int]
Work = Callable[[], Counts]
STEPS = "source clean deduplicate perplexity rank translate estimate pair balance split".split()


@dataclass(frozen=True)
class Case:
    """Something to measure, the files that it reads, and processes it may use.

    `prepare(folder, scratch)` does what is not measured and returns what is. The time that reading
    the files takes is taken off, once for each time that they are named.
    """

    name: str
    prepare: Callable[[Path, Path], Work]
    reads: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()  # files that it reads too, of which no time is taken off
    processes: int = 1


def step(rows: str, make: Callable[[Path], Step | Whole]) -> Callable[[Path, Path], Work]:
    """Return what runs a step in this process, shard by shard if it can."""

    def made(found: Step | Whole, path: Path, scratch: Path) -> Iterator[Row | Dropped]:
        if hasattr(found, "open"):
            with found.open() as work:
                for shard in chunks(read(path), SHARD):
                    yield from work(shard)
        else:
            yield from found.run(lambda: read(path), scratch, lambda _done: None)

    def prepare(folder: Path, scratch: Path) -> Work:
        found = make(folder)
        return lambda: Counter(_kinds(made(found, folder / rows, scratch)))

    return prepare


def _kinds(rows: Iterable[Row | Dropped]) -> Iterator[str]:
    return (row.reason if isinstance(row, Dropped) else "kept" for row in rows)


@dataclass(frozen=True)
class FileSentences:
    """The sentences of a file of rows."""

    path: str

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"file": self.path}

    def __call__(self) -> Iterator[Row]:
        return read(Path(self.path))


def negatives(folder: Path) -> MinedNegatives:
    """Return the step, with a file to search."""
    return MinedNegatives(
        sentences=FileSentences(str(folder / "sentences")), per_bin=1000, lowest=0.0
    )


def source(folder: Path, scratch: Path) -> Work:
    """Read a text file into the engine's shards."""
    field = Field(str(folder / "text"), None, "text")

    def work() -> Counts:
        rows = lambda: origin.sentences([field], ["text"], None)  # noqa: E731
        return {"kept": _stages(scratch).begin("source", {}, rows).counts.rows_out}

    return work


def writing(*formats: str) -> Callable[[Path, Path], Work]:
    """Return what writes pairs and hashes their files."""
    made = dict.fromkeys(STEPS, "0123456789abcdef")
    provenance = Provenance(recipe="made up", recipe_sha256="0" * 64, seed=13, steps=made)

    def prepare(folder: Path, scratch: Path) -> Work:
        def work() -> Counts:
            rows = read(folder / "pairs")
            written = write_corpus(scratch, rows, provenance, formats=formats, splits=SPLITS)
            return {"kept": written.rows}

        return work

    return prepare


def assembling(folder: Path, scratch: Path) -> Work:
    """Return what ends `paraphrast build`: both formats, card and manifest, from shards."""
    stages = _stages(scratch)
    last = stages.begin("pair", {}, lambda: read(folder / "pairs"))
    recipe = CorpusRecipe(
        name="made up",
        seed=13,
        steps=(PairStep(), SplitStep(shares={"train": 0.8, "dev": 0.1, "test": 0.1})),
        output=OutputPart(formats=FORMATS),
    )
    run = RecipeRun(recipe, stages, Field, results=[*_earlier(last), last], pool=last)
    return lambda: {"kept": assemble(run, scratch / "out", BuildOptions()).pairs}


def _stages(scratch: Path) -> Stages:
    return Stages(scratch / "work", Local(1), silent, SHARD)


def _earlier(last: Made) -> list[Made]:
    """Return stages whose names and keys each pair tells."""
    return [Made(name, last.shards, last.key, last.counts, 1.0, kept=True) for name in STEPS]


CASES = (
    Case("source", source, wants=("text",)),
    Case(
        "intake (model)",
        step("sentences", lambda _: CleanStep(language="en")),
        ("sentences",),
        processes=2,
    ),
    Case(
        "intake (script)",
        step("sentences", lambda _: CleanStep(language="en", check="script")),
        ("sentences",),
        processes=2,
    ),
    Case("deduplicate", step("sentences", lambda _: DeduplicateStep()), ("sentences",)),
    Case(
        "deduplicate (one template)", step("template", lambda _: DeduplicateStep()), ("template",)
    ),
    Case("best", step("sentences", lambda _: KeepBest(keep=10_000)), ("sentences",) * 2),
    Case("estimate", step("translated", lambda _: EstimateStep()), ("translated",), processes=2),
    Case("pair", step("translated", lambda _: PairStep()), ("translated",), processes=2),
    Case("balance", step("pairs", lambda _: BalanceStep(per_bin=1000)), ("pairs",) * 2),
    Case("negatives", step("few", negatives), ("few", "sentences")),
    Case("split", step("pairs", lambda _: SplitStep()), ("pairs",) * 2),
    Case("write (JSONL)", writing("jsonl"), ("pairs",)),
    Case("write (Parquet)", writing("parquet"), ("pairs",)),
    Case("assemble", assembling, wants=("pairs",)),
)
