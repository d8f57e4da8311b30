"""Build a corpus of pairs: the function behind `paraphrast.build` and `paraphrast build`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from paraphrast import _version
from paraphrast.corpora.build.corpus_files import write_lines
from paraphrast.corpora.build.corpus_recipe import CorpusRecipe, read_recipe
from paraphrast.corpora.build.corpus_report import CorpusReport, PairTally, StepCounts
from paraphrast.corpora.build.manifest import Manifest, Provenance, write_manifest
from paraphrast.corpora.build.output_folder import (
    check_home,
    sole_writer,
    staged,
    sweep,
    work_folder,
)
from paraphrast.corpora.build.recipe_run import RecipeRun, check_recipe
from paraphrast.corpora.build.steps.balance import BalanceStep
from paraphrast.corpora.build.steps.intake import CleanStep
from paraphrast.corpora.build.steps.pairing import PairStep
from paraphrast.corpora.build.steps.splits import SplitStep
from paraphrast.corpora.build.usage_report import system_uses
from paraphrast.corpora.word_overlap import BINS, bin_names, bin_of
from paraphrast.engine.pool import make_engine
from paraphrast.engine.shards import DONE, Shards
from paraphrast.engine.stages import Made, Stage, Stages, mended, silent
from paraphrast.engine.step import Row
from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, atomic_writer, chunks
from paraphrast.io.atomic import make_folder
from paraphrast.io.resume import alone
from paraphrast.render.pages.corpus_card import corpus_card
from paraphrast.render.pages.corpus_page import corpus_html
from paraphrast.train.data.assembly import data_root, path_of

CARD, PAGE, RECIPE = "README.md", "card.html", "recipe.toml"
_BLOCK = 2048
_DROPS = 3  # reasons that are told when no pair is left


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

    A run that was stopped, however it was, goes on from where it was, and steps that did not change
    are not done again.

    recipe: the TOML file that lists the steps.
    output: the folder of the corpus: a new or an empty one, or that of a corpus to replace.
    work: the folder that keeps the rows of every step; OUTPUT.work unless given.
    engine: "local" (processes of this machine) or "ray".
    jobs: how many workers; one for each core unless given.
    address: that of a Ray cluster; a Ray of this machine unless given.
    data: the folder that files of the recipe are under, unless their names begin with ./ or /;
        PARAPHRAST_DATA unless given.
    """
    options = BuildOptions(work=work, engine=engine, jobs=jobs, address=address, data=data)
    return build_corpus(Path(recipe), Path(output), options)


def build_corpus(
    recipe: Path, output: Path, options: BuildOptions, *, stage: Stage = silent
) -> CorpusReport:
    """Run a recipe; `stage` shows progress."""
    parsed = read_recipe(recipe)
    work = work_folder(output, options.work)
    check_home(output, work)
    engine = make_engine(options.engine, jobs=options.jobs, address=options.address)
    root = Path(options.data) if options.data is not None else data_root()
    resolve = partial(_field, root=root)
    with closing(engine):
        with _naming(recipe):
            check_recipe(parsed, resolve)
        with sole_writer(output), _alone(work) as folder:
            stages = Stages(folder, engine, stage, parsed.shard)

            def job() -> CorpusReport:
                run = RecipeRun(parsed, stages, resolve)
                with _naming(recipe):
                    run.run()
                sweep(folder)
                with stage("write", run.last.counts.rows_out):
                    return assemble(run, output, options)

            return mended(job)


@dataclass(frozen=True, slots=True)
class VerifiedWork:
    """A work folder whose shards are all as they were written; `unfinished` are steps to go on."""

    folder: Path
    steps: int
    shards: int
    unfinished: int


def verify_work(
    output: str | os.PathLike[str], work: str | os.PathLike[str] | None = None
) -> VerifiedWork:
    """Hash the rows that a build keeps; InputError names all shards that are damaged.

    output: the folder of the corpus.
    work: the folder that keeps the rows of every step; OUTPUT.work unless given.
    """
    folder = work_folder(Path(output), work)
    if not folder.is_dir():
        raise InputError(f"there is no work folder {folder}")
    with alone(folder, doing="building a corpus"):
        steps = sorted({path.parent for path in folder.glob("*/shard-*.json")})
        numbers = {step: _shard_numbers(step) for step in steps}
        wrong = [why for step in steps for number in numbers[step]
                 if (why := _damage(Shards(step), number))]  # fmt: skip
    if wrong:
        raise InputError(f"{folder} is damaged: {'; '.join(wrong)}")
    unfinished = sum(not (step / DONE).exists() for step in steps)
    return VerifiedWork(folder, len(steps), sum(map(len, numbers.values())), unfinished)


def _shard_numbers(step: Path) -> list[int]:
    return [int(path.stem.removeprefix("shard-")) for path in sorted(step.glob("shard-*.json"))]


def _damage(shards: Shards, number: int) -> str:
    try:
        shards.check(number)
        shards.counts_of(number)
    except InputError as error:
        return str(error)
    return ""


@contextmanager
def _naming(recipe: Path) -> Iterator[None]:
    """Name the recipe in what is wrong with it, or with the data that it names."""
    try:
        yield
    except (ConfigError, InputError) as error:
        kind = ConfigError if isinstance(error, ConfigError) else InputError
        raise kind(f"{recipe}: {error}") from error


def _field(name: str, *, root: Path) -> Field:
    """Return what a name of the recipe stands for: FILE or FILE:COLUMN."""
    path = name if name.startswith("/") else str(path_of(name, root))
    found = Field.parse(path, role="text")
    if not Path(found.path).exists():
        raise ConfigError(
            f"there is no file {found.path}; names are under the data folder (--data, "
            "PARAPHRAST_DATA), or begin with ./ or /"
        )
    return found


@contextmanager
def _alone(folder: Path) -> Iterator[Path]:
    """Give the folder to work in, to no other process at the same time."""
    try:
        make_folder(folder)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from error
    with alone(folder, doing="building a corpus"):
        sweep(folder)
        yield folder.resolve()


def assemble(run: RecipeRun, output: Path, options: BuildOptions) -> CorpusReport:
    """Write pairs, card and manifest of a recipe that was run: all of them, or nothing."""
    _check_pairs(run)
    recipe, tally = run.recipe, _tally(run.recipe)
    provenance = Provenance(
        recipe=recipe.name,
        recipe_sha256=recipe.sha256,
        seed=recipe.seed,
        steps={label: made.key for label, made in zip(run.labels, run.results, strict=True)},
    )
    rows = _tallied(run.last.shards.lines(), tally)
    formats, names = recipe.output.formats, _splits(recipe)
    with staged(output) as folder:
        manifest = write_lines(folder, rows, provenance, formats=formats, splits=names)
        report = _report(run, manifest, tally, options)
        plain = report.to_dict()
        for name, text in (
            (RECIPE, recipe.text),
            (CARD, corpus_card(plain)),
            (PAGE, corpus_html(plain)),
        ):
            with atomic_writer(folder / name) as file:
                file.write(text)
        write_manifest(folder, manifest.with_files(folder, [RECIPE, CARD, PAGE]))
    return report


def _check_pairs(run: RecipeRun) -> None:
    """Say where the pairs went if none is left."""
    if run.last.counts.rows_out:
        return
    drops = sorted(
        (-count, label, reason)
        for label, made in zip(run.labels, run.results, strict=True)
        for reason, count in made.counts.dropped.items()
    )[:_DROPS]
    listed = "; ".join(f"{label}: {reason} ({-count:,})" for count, label, reason in drops)
    raise InputError(
        f"no pair is left. Most rows were dropped by {listed or 'no step: there were none'}. "
        f"What was dropped is in {run.stages.folder}"
    )


def _splits(recipe: CorpusRecipe) -> tuple[str, ...]:
    """Return the names of the splits, in the recipe's order."""
    return tuple(
        name for step in recipe.steps if isinstance(step, SplitStep) for name in step.shares
    )


def _tally(recipe: CorpusRecipe) -> PairTally:
    tokenize = next((s.tokenize for s in recipe.steps if isinstance(s, PairStep)), "unicode")
    source = next((s.tokenize for s in recipe.steps if isinstance(s, CleanStep)), tokenize)
    return PairTally(tokenize=tokenize, source_tokenize=source, seed=recipe.seed)


def _tallied(lines: Iterator[tuple[Row, str]], tally: PairTally) -> Iterator[tuple[Row, str]]:
    """Yield rows and their lines, counted for the card on their way to disk."""
    for block in chunks(lines, _BLOCK):
        tally.add([row for row, _ in block])
        yield from block


def _report(
    run: RecipeRun, manifest: Manifest, tally: PairTally, options: BuildOptions
) -> CorpusReport:
    recipe = run.recipe
    sampled = next((s for s in recipe.steps if isinstance(s, BalanceStep)), None)
    return CorpusReport(
        name=recipe.name,
        seed=recipe.seed,
        recipe_sha256=recipe.sha256,
        recipe_text=recipe.text,
        steps=tuple(map(_counts, run.labels, run.results)),
        bins=tally.bins(
            _available(run, tally),
            sampled.per_bin if sampled else None,
            lacking=run.lacking,
        ),
        splits={name: tally.splits[name] for name in _splits(recipe) or tally.splits},
        systems=system_uses(run.logs),
        notes=_notes(run),
        files=manifest.files,
        examples=tally.examples(),
        language=recipe.output.language,
        licence=recipe.output.licence,
        description=recipe.output.description,
        tokenize=tally.tokenize,
        engine=_engine(options),
        command=options.command,
        version=_version.VERSION,
    )


def _notes(run: RecipeRun) -> tuple[str, ...]:
    lacking = zip(bin_names(), run.lacking, strict=False)
    short = [f"{name} lacks {count:,}" for name, count in lacking if count]
    if not short:
        return ()
    return (f"too few negatives were found in the texts: overlap {', '.join(short)}",)


def _counts(label: str, made: Made) -> StepCounts:
    found = made.counts
    return StepCounts(
        name=label,
        rows_in=found.rows_in,
        rows_out=found.rows_out,
        dropped=found.dropped,
        seconds=made.wall,
        peak_bytes=found.memory or None,
    )


def _available(run: RecipeRun, tally: PairTally) -> list[int] | None:
    """Count the pairs that there were to sample from, by bin; all of them if none was sampled."""
    if (pool := run.pool) is None:
        return None
    if not any(isinstance(step, BalanceStep) for step in run.recipe.steps):
        return tally.sampled
    counts = [0] * BINS
    for row in pool.shards.rows():
        counts[bin_of(row["overlap"])] += 1
    return counts


def _engine(options: BuildOptions) -> str:
    if options.jobs is None:
        return options.engine
    return f"{options.engine}, {options.jobs} job{'' if options.jobs == 1 else 's'}"
