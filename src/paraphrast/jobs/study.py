"""The ROUGE-P paper's study of decoding (Patil et al. 2022, tables 2, 3 and 5): `study decoding`.

Every setting of `study_presets` writes a paraphrase of every source of a corpus with one model, and
the outputs are measured against source and reference. Texts are kept in a folder as they are
written, so a study that was killed goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from paraphrast.corpora.mine.mining import Stage, silent
from paraphrast.errors import ConfigError, InputError
from paraphrast.generation.decoding.decode import Candidate, Decoding
from paraphrast.generation.selection.candidate_choice import Chooser, Selection
from paraphrast.generation.selection.ranking_request import make_ranking
from paraphrast.io import write_table
from paraphrast.io.lock import alone
from paraphrast.jobs.generate import SELECT
from paraphrast.jobs.study_corpus import Corpus, read_corpus
from paraphrast.jobs.study_measures import (
    Judge,
    Measured,
    benchmark_of,
    measure,
    vocabulary_diversity,
    with_gaps,
)
from paraphrast.jobs.study_pool import Pool
from paraphrast.jobs.study_presets import HUMAN, Preset, chosen_presets
from paraphrast.jobs.study_report import DecodingStudy, Row, Samples, Shown
from paraphrast.models.generator.generator_loading import load_generator, told_to_copy
from paraphrast.models.generator.language_model import LanguageModel
from paraphrast.types import Floats

READ = "w3"  # the setting whose outputs are printed to be read, where it is there
_BLOCK = 64  # sources chosen for together
NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """The options that Python and the command line share; `decoding_study` tells their meaning."""

    source: str = "text1"
    reference: str = "text2"
    limit: int | None = None
    model: str = "paraphraser"
    settings: Sequence[str] | None = None
    seed: int = 12345
    judge: str = "mini"
    check: str | None = None
    examiner: str | None = None
    floor: float | None = None
    quality: float | None = None
    support: float | None = None
    protect: bool = True
    samples_shown: int = 50
    work: str | Path | None = None
    threads: int | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ConfigError(f"limit must be a whole number, at least 1; got {self.limit}")
        if self.samples_shown < 0:
            raise ConfigError(f"samples_shown must not be negative; got {self.samples_shown}")
        judged = (self.floor, self.quality, self.support) != (None, None, None)
        if judged and self.judge == NONE:
            raise ConfigError(
                "a floor of adequacy, support or quality needs a judge; leave one of the two out"
            )
        if self.judge == NONE and self.settings is not None:
            self._refuse_judged()
        if self.source == self.reference:
            raise ConfigError(f"source and reference are the same column, {self.source!r}")

    def _refuse_judged(self) -> None:
        for preset in chosen_presets(self.settings):
            if _is_judged(preset):
                raise ConfigError(
                    f"the setting {preset.name!r} needs a judge; leave it or --judge none out"
                )

    def presets(self) -> list[Preset]:
        """Return the settings with the seed and the protection that all share.

        Without a judge that is all but those that need one, unless they are named.
        """
        found = chosen_presets(self.settings)
        if self.judge == NONE:
            found = [preset for preset in found if not _is_judged(preset)]
        return [preset.placed(protect=self.protect, seed=self.seed) for preset in found]

    def left_out(self) -> list[str]:
        """Say which settings are left out for want of a judge."""
        if self.judge != NONE or self.settings is not None:
            return []
        names = [preset.name for preset in chosen_presets(None) if _is_judged(preset)]
        return [f"left out, as there is no judge: {', '.join(names)}"] if names else []

    def applied(self, preset: Preset) -> Preset:
        """Return a setting with the floors that are applied to it."""
        if preset.select is None:
            return preset
        selection = self.selection(preset)
        return replace(preset, floor=selection.floor, support=selection.support)

    def selection(self, preset: Preset) -> Selection:
        """Return how one text is chosen from a pool; of two floors the higher holds."""
        shared: dict[str, Any] = {"protect": self.protect, "floor": None}
        if self.judge != NONE:
            shared |= {
                "judge": self.judge,
                "floor": _higher(self.floor, preset.floor),
                "support": _higher(self.support, preset.support),
                "quality": self.quality,
            }
            asked = [shared[name] for name in ("floor", "support", "quality")]
            shared["required"] = any(least is not None for least in asked)
            shared["check"] = self.check if shared["required"] else None
        return Selection(n=1, select=preset.select or SELECT, **shared)


def decoding_study(
    path: str, options: StudyOptions | None = None, *, stage: Stage = silent
) -> DecodingStudy:
    """Run the study on the pairs of a table and return what it found.

    `settings` are names of `study_presets.PRESETS`, all by default; the human row is always there.
    `judge` is an edit encoder, or "none". `floor` is the least adequacy of a selected output, none
    by default, as in the paper, `support` the least support of its content words, and `quality` its
    least score by the judge, a z-score of human ratings. `check` is a second encoder that has to
    agree about what is selected. `examiner` is the edit encoder whose
    opinion of all outputs the table shows, the judge unless given: one that selected nothing is
    harder to please. `work` is a folder that keeps what is written: the pools, by all
    they depend on, and the outputs of each setting.
    """
    options = options or StudyOptions()
    presets = options.presets()
    corpus = read_corpus(path, options.source, options.reference, options.limit)
    model = load_generator(options.model, threads=options.threads, device=options.device)
    examiner = options.examiner or options.judge
    judge = (
        None
        if examiner == NONE
        else Judge(examiner, threads=options.threads, device=options.device)
    )
    with _folder(options.work) as folder:
        study = _Study(options, corpus, model, judge, folder, stage)
        rows = study.run(presets)
    return DecodingStudy(
        file=path,
        model=model.name,
        fingerprint=model.fingerprint,
        judge=None if options.judge == NONE else options.judge,
        check=options.check,
        examiner=None if judge is None else f"{examiner} {judge.fingerprint}",
        seed=options.seed,
        floor=options.floor,
        quality=options.quality,
        support=options.support,
        protect=options.protect,
        pairs=len(corpus.sources),
        left_out=corpus.left_out,
        benchmark=study.benchmark,
        rows=tuple(rows),
        samples=study.samples(rows),
        notes=(*corpus.notes, *options.left_out(), *study.said()),
    )


@contextmanager
def _folder(work: str | Path | None) -> Iterator[Path]:
    """Give the folder to work in, which no other study works in; without a name, one for a time."""
    if work is None:
        with TemporaryDirectory(prefix="paraphrast-study-") as temporary:
            yield Path(temporary)
        return
    folder = Path(work)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {work}: {error.strerror}") from error
    with alone(folder, doing="making a study"):
        yield folder


@dataclass(slots=True)
class _Taken:
    """What one setting took from its pool: a text or, for want of one, the reason."""

    texts: list[str | None]
    notes: list[str | None]


class _Study:
    """One run of the study over the pools that its settings need."""

    def __init__(
        self,
        options: StudyOptions,
        corpus: Corpus,
        model: LanguageModel,
        judge: Judge | None,
        folder: Path,
        stage: Stage,
    ) -> None:
        self._options = options
        self._corpus = corpus
        self._model = model
        self._judge = judge
        self._folder = folder
        self._stage = stage
        self._taken: dict[str, _Taken] = {}
        self._notes: list[str] = []
        self.benchmark = benchmark_of(corpus.sources, corpus.references)

    def run(self, presets: Sequence[Preset]) -> list[Row]:
        """Return a row for each setting, in their order."""
        pools: dict[tuple[Decoding, float | None], list[_Taker]] = {}  # settings that share one
        for preset in presets:
            if preset.decoding is not None:
                taker = _Taker(preset, self._options)
                pools.setdefault((preset.decoding, preset.copied), []).append(taker)
        people = self._measured(_Taken(list(self._corpus.references), []), human=True)
        found = {HUMAN: people}
        for (decoding, copied), takers in pools.items():
            model = self._model if copied is None else told_to_copy(self._model, copied)
            found |= self._pool(model, decoding, takers)
        for measured in found.values():
            with_gaps(measured.values, people.values)
        return [Row(self._options.applied(one), found[one.name]) for one in presets]

    def _pool(
        self, model: LanguageModel, decoding: Decoding, takers: Sequence[_Taker]
    ) -> dict[str, Measured]:
        """Write one pool, and measure every setting that takes its texts from it."""
        first = takers[0].preset
        pools = self._folder / "pools"
        pools.mkdir(exist_ok=True)
        pool = Pool(pools, model, self._corpus.sources, decoding)
        total = len(self._corpus.sources)
        with self._stage(f"decoding {first.title}", total) as advance:
            pool.fill(advance)
        diversity: list[Floats] = []
        with self._stage(f"choosing {first.title}", total) as advance:
            for place, found in pool.blocks(_BLOCK):
                part = slice(place, place + len(found))
                for taker in takers:
                    taker.take(self._corpus.sources[part], found)
                if first.sampled:
                    diversity.append(self._diversity(part, found))
                advance(len(found))
        means = {
            "vocabulary_diversity": _mean(diversity),
            "tokens_per_second": pool.tokens / pool.seconds if pool.seconds else None,
        }
        measured = {}
        for taker in takers:
            self._note(taker.notes)
            measured[taker.preset.name] = one = self._measured(taker.taken)
            one.values.update(means)
            self._keep(taker, one, pool)
        return measured

    def _diversity(self, part: slice, found: Sequence[Sequence[Candidate]]) -> Floats:
        texts = [[candidate.text for candidate in each] for each in found]
        return vocabulary_diversity(
            self._corpus.sources[part], self._corpus.references[part], texts
        )

    def _measured(self, taken: _Taken, *, human: bool = False) -> Measured:
        return measure(
            self._corpus.sources,
            self._corpus.references,
            taken.texts,
            benchmark=self.benchmark,
            judge=self._judge,
            human=human,
        )

    def _keep(self, taker: _Taker, measured: Measured, pool: Pool) -> None:
        """Remember the outputs, and write them beside the pools if the folder is to last."""
        self._taken[taker.preset.name] = taker.taken
        if self._options.work is None:
            return
        folder = self._folder / "outputs"
        folder.mkdir(exist_ok=True)
        shown = self._shown(taker.preset.name, measured, range(len(self._corpus.sources)))
        write_table(
            folder / f"{taker.preset.name}-{pool.key}.jsonl",
            (
                {
                    "row": one.row,
                    "source": one.source,
                    "reference": one.reference,
                    "output": one.output,
                    "note": note,
                    "rougeL": one.rougeL,
                    "adequacy": one.adequacy,
                }
                for one, note in zip(shown, taker.taken.notes, strict=True)
            ),
        )

    def samples(self, rows: Sequence[Row]) -> Samples:
        """Return outputs of one setting, drawn with the seed among those that are there."""
        made = [row for row in rows if row.preset.decoding is not None]
        chosen = [row for row in made if row.preset.select is not None]
        wanted = [row for row in chosen if row.preset.name == READ]
        row = next(iter([*wanted, *chosen, *made]))
        texts = self._taken[row.preset.name].texts
        there = [place for place, text in enumerate(texts) if text is not None]
        count = min(self._options.samples_shown, len(there))
        draws = np.random.default_rng(self._options.seed)
        places = sorted(draws.choice(there, count, replace=False).tolist()) if count else []
        return Samples(row.preset.name, tuple(self._shown(row.preset.name, row.measured, places)))

    def _shown(self, name: str, measured: Measured, places: Sequence[int]) -> Iterator[Shown]:
        corpus, texts = self._corpus, self._taken[name].texts
        for place in places:
            yield Shown(
                corpus.rows[place],
                corpus.sources[place],
                corpus.references[place],
                texts[place],
                _number(measured.source_rougeL, place),
                _number(measured.adequacy, place),
            )

    def _note(self, notes: Sequence[str]) -> None:
        self._notes += [note for note in notes if note not in self._notes]

    def said(self) -> list[str]:
        """Return what is to be known about the figures."""
        notes = list(self._notes)
        if self._judge is not None and self._judge.limited:
            notes.append(
                f"{self._judge.limited:,} pairs are mostly in letters the judge was not trained on"
            )
        return notes


class _Taker:
    """Takes one text per source from a pool, as a setting asks."""

    def __init__(self, preset: Preset, options: StudyOptions) -> None:
        self.preset = preset
        self.taken = _Taken([], [])
        self._chooser: Chooser | None = None
        if preset.select is not None:
            self._chooser = Chooser(
                options.selection(preset),
                threads=options.threads,
                device=options.device,
            )
            self._chooser.prepare()

    @property
    def notes(self) -> list[str]:
        return [] if self._chooser is None else list(self._chooser.notes)

    def take(self, sources: Sequence[str], found: Sequence[Sequence[Candidate]]) -> None:
        """Take from the candidates of the next sources."""
        if self._chooser is None:
            self.taken.texts += [each[0].text if each else None for each in found]
            self.taken.notes += [None if each else "nothing was written" for each in found]
            return
        for choice in self._chooser.choose(sources, found):
            kept = choice.candidates
            self.taken.texts.append(kept[0].text if kept else None)
            self.taken.notes.append(choice.note)


def _is_judged(preset: Preset) -> bool:
    ranked = preset.select is not None and make_ranking(preset.select).judged
    return ranked or (preset.floor, preset.support) != (None, None)


def _higher(*floors: float | None) -> float | None:
    return max((floor for floor in floors if floor is not None), default=None)


def _mean(parts: Sequence[Floats]) -> float | None:
    every = np.concatenate(parts) if parts else np.zeros(0)
    return float(every.mean()) if len(every) else None


def _number(values: Floats | None, place: int) -> float | None:
    return None if values is None or np.isnan(values[place]) else float(values[place])
