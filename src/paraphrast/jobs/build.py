"""Build a corpus of pairs: the function behind `paraphrast.build` and `paraphrast build`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from paraphrast import _version
from paraphrast.corpora import recipe as recipes
from paraphrast.corpora.assemble import FORMATS, write_corpus
from paraphrast.corpora.manifest import Manifest, Provenance, write_manifest
from paraphrast.corpora.overlap import BINS, bin_of
from paraphrast.corpora.pipeline import Pipeline
from paraphrast.corpora.report import CorpusReport, PairTally, StepCounts, SystemUse
from paraphrast.corpora.translators.spending import read_usage
from paraphrast.engine.pool import make_engine
from paraphrast.engine.stages import Made, Stage, Stages, silent
from paraphrast.engine.step import Row
from paraphrast.errors import ConfigError, InputError, did_you_mean
from paraphrast.io import Field, atomic_writer, chunks
from paraphrast.io.lock import alone
from paraphrast.render.corpus_card import corpus_card
from paraphrast.render.corpus_html import corpus_html
from paraphrast.train.corpus import data_root, path_of

CARD, PAGE, RECIPE = "README.md", "card.html", "recipe.toml"
_BLOCK = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """The options that Python and the command line share; `build` tells what they mean."""

    work: str | os.PathLike[str] | None = None
    engine: str = "local"
    jobs: int | None = None
    address: str | None = None
    data: str | os.PathLike[str] | None = None
    command: str = ""


def build(
    recipe: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    work: str | os.PathLike[str] | None = None,
    engine: str = "local",
    jobs: int | None = None,
    address: str | None = None,
    data: str | os.PathLike[str] | None = None,
) -> CorpusReport:
    """Run a recipe and write the corpus into a folder: pairs, data card, manifest.

    `work` keeps the rows of every step (OUTPUT.work unless given): a run that was stopped, however
    it was, goes on from there, and steps that did not change are not done again. `engine` is
    "local" (`jobs` processes, one for each core unless given) or "ray" (a cluster by its `address`,
    or a Ray of this machine). Files of the recipe are under `data` (PARAPHRAST_DATA unless given),
    or where they say if their names begin with ./ or /.
    """
    options = BuildOptions(work=work, engine=engine, jobs=jobs, address=address, data=data)
    return build_corpus(Path(recipe), Path(output), options)


def build_corpus(
    recipe: Path, output: Path, options: BuildOptions, *, stage: Stage = silent
) -> CorpusReport:
    """Run a recipe; `stage` shows progress."""
    asked = recipes.read_recipe(recipe)
    engine = make_engine(options.engine, jobs=options.jobs, address=options.address)
    check_recipe(asked)
    _check_output(output)
    root = Path(options.data) if options.data is not None else data_root()
    with _folder(options.work, output) as folder, closing(engine):
        pipeline = Pipeline(
            asked,
            Stages(folder, engine, stage, asked.shard),
            lambda name: _field(name, root),
        )
        pipeline.run()
        with stage("write", pipeline.last.counts.given):
            return assemble(asked, pipeline, output, options)


def check_recipe(asked: recipes.Recipe) -> None:
    """Refuse, before any work, what is not installed or not known."""
    for name in asked.output.formats:
        if name not in FORMATS:
            near = did_you_mean(name, FORMATS)
            raise ConfigError(f"output.formats: unknown format {name!r}{near}")
    used = {
        name
        for step in asked.steps
        if isinstance(step, recipes.Translate)
        for name in step.systems or [system.name for system in asked.systems]
    }
    for system in asked.systems:
        if system.name in used:
            system.check()


def _field(name: str, root: Path) -> Field:
    """Return what a name of the recipe stands for: FILE or FILE:COLUMN."""
    path = name if name.startswith("/") else str(path_of(name, root))
    found = Field.parse(path, role="text")
    if not Path(found.path).exists():
        raise InputError(
            f"there is no file {found.path}; names are under the data folder (--data, "
            "PARAPHRAST_DATA), or begin with ./ or /"
        )
    return found


def _check_output(output: Path) -> None:
    if output.exists() and not output.is_dir():
        raise ConfigError(f"{output} is a file; a corpus is written into a folder")


@contextmanager
def _folder(work: str | os.PathLike[str] | None, output: Path) -> Iterator[Path]:
    """Give the folder to work in, to no other process at the same time."""
    folder = Path(work) if work is not None else output.with_name(f"{output.name}.work")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
    with alone(folder, doing="building a corpus"):
        yield folder.resolve()


def assemble(
    asked: recipes.Recipe, pipeline: Pipeline, output: Path, options: BuildOptions
) -> CorpusReport:
    """Write pairs, card and manifest of a pipeline that was run, the manifest last."""
    split = next((step for step in asked.steps if isinstance(step, recipes.Split)), None)
    steps = {made.name: made.key for made in pipeline.made}
    origin = Provenance(recipe=asked.name, recipe_sha256=asked.sha256, seed=asked.seed, steps=steps)
    names = tuple(split.shares) if split else ()
    tally = _tally(asked)
    rows = _tallied(pipeline.last.shards.rows(), tally)
    manifest = write_corpus(output, rows, origin, formats=asked.output.formats, splits=names)
    report = _report(asked, pipeline, manifest, tally, options)
    plain = report.to_dict()
    for name, text in (
        (RECIPE, asked.text),
        (CARD, corpus_card(plain)),
        (PAGE, corpus_html(plain)),
    ):
        with atomic_writer(output / name) as file:
            file.write(text)
    write_manifest(output, manifest.with_files(output, [RECIPE, CARD, PAGE]))
    return report


def _tally(asked: recipes.Recipe) -> PairTally:
    tokenize = next((s.tokenize for s in asked.steps if isinstance(s, recipes.Pair)), "unicode")
    source = next((s.tokenize for s in asked.steps if isinstance(s, recipes.Clean)), tokenize)
    return PairTally(tokenize=tokenize, source_tokenize=source, seed=asked.seed)


def _tallied(rows: Iterator[Row], tally: PairTally) -> Iterator[Row]:
    """Yield the rows, counted for the card on their way to disk."""
    for block in chunks(rows, _BLOCK):
        tally.add(block)
        yield from block


def _report(
    asked: recipes.Recipe,
    pipeline: Pipeline,
    manifest: Manifest,
    tally: PairTally,
    options: BuildOptions,
) -> CorpusReport:
    sampled = next((s for s in asked.steps if isinstance(s, recipes.Balance)), None)
    pool = pipeline.pool
    return CorpusReport(
        name=asked.name,
        seed=asked.seed,
        recipe_sha256=asked.sha256,
        recipe_text=asked.text,
        steps=tuple(map(_counts, pipeline.made)),
        bins=tally.bins(
            None if pool is None else _available(pool), sampled.per_bin if sampled else None
        ),
        splits=dict(tally.splits),
        systems=tuple(_systems(asked, pipeline)),
        files=manifest.files,
        examples=tally.examples(),
        language=asked.output.language,
        licence=asked.output.licence,
        description=asked.output.description,
        tokenize=tally.tokenize,
        engine=_engine(options),
        command=options.command,
        version=_version.VERSION,
    )


def _counts(made: Made) -> StepCounts:
    found = made.counts
    return StepCounts(
        name=made.name,
        rows_in=found.taken,
        rows_out=found.given,
        dropped=found.dropped,
        seconds=made.wall,
        peak_bytes=found.memory or None,
    )


def _available(pool: Made) -> list[int]:
    counts = [0] * BINS
    for row in pool.shards.rows():
        counts[bin_of(row["overlap"])] += 1
    return counts


def _systems(asked: recipes.Recipe, pipeline: Pipeline) -> Iterator[SystemUse]:
    usage = read_usage(pipeline.usage)
    for system in asked.systems:
        there = system.forward
        said = there.signature
        version = str(said.get("version", ""))
        counts: dict[str, int | float] = {}
        for label in (system.name, f"{system.name}, back"):
            if label in usage:
                for key, value in usage[label].to_dict().items():
                    counts[key] = counts.get(key, 0) + value
                if (price := getattr(there, "price", None)) is not None:
                    counts["cost"] = counts.get("cost", 0.0) + usage[label].cost(price)
        kept = {key: round(value, 2) for key, value in counts.items() if value}
        yield SystemUse(name=system.name, kind=there.backend, version=version, usage=kept)
    for name, used in usage.items():
        if not any(name in (each.name, f"{each.name}, back") for each in asked.systems):
            kept = {key: round(value, 2) for key, value in used.to_dict().items() if value}
            yield SystemUse(name=name, kind="prompted", usage=kept)


def _engine(options: BuildOptions) -> str:
    return options.engine if options.jobs is None else f"{options.engine}, {options.jobs} jobs"
