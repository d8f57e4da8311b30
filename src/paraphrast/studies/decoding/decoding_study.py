"""The ROUGE-P paper's study of decoding (Patil et al. 2022, tables 2, 3 and 5): `study decoding`.

Every setting of `decoding_settings` writes a paraphrase of every source of a corpus with one model,
and the outputs are measured against source and reference. Texts are kept in a folder as they are
written, so a study that was killed goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from paraphrast.corpora.mine.mining import Stage, silent
from paraphrast.errors import InputError, did_you_mean
from paraphrast.generation.decoding.decode import Candidate, Decoding
from paraphrast.generation.selection.candidate_choice import Chooser
from paraphrast.io import write_table
from paraphrast.io.resume import work_folder
from paraphrast.meta.file_rows import read_rows
from paraphrast.models.generator.generator_loading import load_generator, told_to_copy
from paraphrast.models.generator.language_model import LanguageModel
from paraphrast.studies.decoding.candidate_pool import Pool
from paraphrast.studies.decoding.decoding_report import (
    DecodingStudy,
    Samples,
    SettingRow,
    ShownOutput,
)
from paraphrast.studies.decoding.decoding_settings import HUMAN, NONE, Preset, StudyOptions
from paraphrast.studies.decoding.setting_figures import (
    Examiner,
    SettingFigures,
    benchmark_of,
    measure,
    vocabulary_diversity,
    with_gaps,
)
from paraphrast.types import Floats

READ = "w3"  # the setting whose outputs are printed to be read, where it is there
_BLOCK = 64  # sources chosen for together
LABEL = "label"
NOT_A_PARAPHRASE, EMPTY = "label other than 1", "empty source or reference"


def run_decoding_study(file: str, options: StudyOptions, *, stage: Stage = silent) -> DecodingStudy:
    """Run the study on the pairs of a table; `stage` shows progress."""
    presets = options.presets()
    corpus = read_corpus(file, options.source, options.reference, options.limit)
    model = load_generator(options.model, threads=options.threads, device=options.device)
    name = options.examiner or options.judge
    place: dict[str, Any] = {"threads": options.threads, "device": options.device}
    examiner = None if name == NONE else Examiner(name, **place)
    with _folder(options.work) as folder:
        study = _Study(options, corpus, model, examiner, folder, stage)
        rows = study.run(presets)
    return DecodingStudy(
        file=file,
        model=model.name,
        fingerprint=model.fingerprint,
        judge=None if options.judge == NONE else options.judge,
        judge_signature=options.judge_signature(),
        check=options.check,
        examiner=None if examiner is None else f"{name} {examiner.fingerprint}",
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
        notes=(*corpus.notes, *options.left_out(), *study.notes()),
    )


@contextmanager
def _folder(work: str | Path | None) -> Iterator[Path]:
    """Give the folder to work in, which no other study works in; without a name, one for a time."""
    if work is None:
        with TemporaryDirectory(prefix="paraphrast-study-") as temporary:
            yield Path(temporary)
        return
    with work_folder(Path(work), doing="making a study") as folder:
        yield folder


@dataclass(frozen=True, slots=True)
class StudyCorpus:
    """Pairs in the order of the file, and how many rows were left out, by reason."""

    sources: list[str]
    references: list[str]
    rows: list[int]  # of the file, counted from 1
    left_out: dict[str, int]
    notes: list[str]


def read_corpus(path: str, source: str, reference: str, limit: int | None) -> StudyCorpus:
    """Read the pairs of a table (JSONL, TSV, CSV or Parquet, gzipped or not), the first `limit`.

    A row whose `label` is there and is not 1 is no paraphrase and left out, as is one with an empty
    text; both are counted, up to the last row that is needed.
    """
    notes: list[str] = []
    rows = read_rows(path, notes)
    for column in (source, reference):
        if column not in rows[0].cells:
            near = did_you_mean(column, rows[0].cells)
            raise InputError(
                f"{rows[0].where}: no column {column!r}{near}; it has: "
                f"{', '.join(rows[0].cells)}; name them with --source and --reference"
            )
    corpus = StudyCorpus([], [], [], {}, notes)
    left_out: Counter[str] = Counter()
    for number, row in enumerate(rows, 1):
        if len(corpus.rows) == limit:
            break
        if LABEL in row.cells and row.number(LABEL) != 1:
            left_out[NOT_A_PARAPHRASE] += 1
            continue
        pair = row.text(source), row.text(reference)
        if not all(text.strip() for text in pair):
            left_out[EMPTY] += 1
            continue
        corpus.sources.append(pair[0])
        corpus.references.append(pair[1])
        corpus.rows.append(number)
    corpus.left_out.update(left_out)
    if not corpus.rows:
        reasons = ", ".join(f"{count:,} for {reason}" for reason, count in left_out.items())
        raise InputError(f"{path}: no pair is left to study; left out: {reasons}")
    return corpus


@dataclass(slots=True)
class _SettingOutputs:
    """The text that one setting chose for each source or, for want of one, the reason."""

    texts: list[str | None]
    notes: list[str | None]


class _Study:
    """One run of the study over the pools that its settings need."""

    def __init__(
        self,
        options: StudyOptions,
        corpus: StudyCorpus,
        model: LanguageModel,
        examiner: Examiner | None,
        folder: Path,
        stage: Stage,
    ) -> None:
        self._options = options
        self._corpus = corpus
        self._model = model
        self._examiner = examiner
        self._folder = folder
        self._stage = stage
        self._outputs: dict[str, _SettingOutputs] = {}
        self._notes: list[str] = []
        self.benchmark = benchmark_of(corpus.sources, corpus.references)

    def run(self, presets: Sequence[Preset]) -> list[SettingRow]:
        """Return a row for each setting, in their order."""
        pools: dict[
            tuple[Decoding, float | None], list[_OutputChooser]
        ] = {}  # settings that share one
        for preset in presets:
            if preset.decoding is not None:
                chooser = _OutputChooser(preset, self._options)
                pools.setdefault((preset.decoding, preset.copied), []).append(chooser)
        people = self._figures(_SettingOutputs(list(self._corpus.references), []), human=True)
        found = {HUMAN: people}
        for (decoding, copied), choosers in pools.items():
            model = self._model if copied is None else told_to_copy(self._model, copied)
            found |= self._pool(model, decoding, choosers)
        for figures in found.values():
            with_gaps(figures.values, people.values)
        return [SettingRow(self._options.applied(one), found[one.name]) for one in presets]

    def _pool(
        self, model: LanguageModel, decoding: Decoding, choosers: Sequence[_OutputChooser]
    ) -> dict[str, SettingFigures]:
        """Write one pool, and measure every setting that chooses its texts from it."""
        first = choosers[0].preset
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
                for chooser in choosers:
                    chooser.choose(self._corpus.sources[part], found)
                if first.sampled:
                    diversity.append(self._diversity(part, found))
                advance(len(found))
        means = {
            "vocabulary_diversity": _mean(diversity),
            "tokens_per_second": pool.tokens / pool.seconds if pool.seconds else None,
        }
        figures = {}
        for chooser in choosers:
            self._note(chooser.notes)
            figures[chooser.preset.name] = one = self._figures(chooser.outputs)
            one.values.update(means)
            self._keep(chooser, one, pool)
        return figures

    def _diversity(self, part: slice, found: Sequence[Sequence[Candidate]]) -> Floats:
        texts = [[candidate.text for candidate in each] for each in found]
        return vocabulary_diversity(
            self._corpus.sources[part], self._corpus.references[part], texts
        )

    def _figures(self, outputs: _SettingOutputs, *, human: bool = False) -> SettingFigures:
        return measure(
            self._corpus.sources,
            self._corpus.references,
            outputs.texts,
            benchmark=self.benchmark,
            examiner=self._examiner,
            human=human,
        )

    def _keep(self, chooser: _OutputChooser, figures: SettingFigures, pool: Pool) -> None:
        """Remember the outputs, and write them beside the pools if the folder is to last."""
        self._outputs[chooser.preset.name] = chooser.outputs
        if self._options.work is None:
            return
        folder = self._folder / "outputs"
        folder.mkdir(exist_ok=True)
        shown = self._shown(chooser.preset.name, figures, range(len(self._corpus.sources)))
        write_table(
            folder / f"{chooser.preset.name}-{pool.key}.jsonl",
            (
                {
                    "row": one.row,
                    "source": one.source,
                    "reference": one.reference,
                    "output": one.output,
                    "note": note,
                    "rougeL": one.rougeL,
                    "same": one.same,
                }
                for one, note in zip(shown, chooser.outputs.notes, strict=True)
            ),
        )

    def samples(self, rows: Sequence[SettingRow]) -> Samples:
        """Return outputs of one setting, drawn with the seed among those that are there."""
        drawn = [row for row in rows if row.preset.decoding is not None]
        chosen = [row for row in drawn if row.preset.select is not None]
        wanted = [row for row in chosen if row.preset.name == READ]
        row = next(iter([*wanted, *chosen, *drawn]))
        texts = self._outputs[row.preset.name].texts
        there = [place for place, text in enumerate(texts) if text is not None]
        count = min(self._options.samples_shown, len(there))
        draws = np.random.default_rng(self._options.seed)
        places = sorted(draws.choice(there, count, replace=False).tolist()) if count else []
        return Samples(row.preset.name, tuple(self._shown(row.preset.name, row.figures, places)))

    def _shown(
        self, name: str, figures: SettingFigures, places: Sequence[int]
    ) -> Iterator[ShownOutput]:
        corpus, texts = self._corpus, self._outputs[name].texts
        for place in places:
            yield ShownOutput(
                corpus.rows[place],
                corpus.sources[place],
                corpus.references[place],
                texts[place],
                _number(figures.source_rougeL, place),
                _number(figures.same, place),
            )

    def _note(self, notes: Sequence[str]) -> None:
        self._notes += [note for note in notes if note not in self._notes]

    def notes(self) -> list[str]:
        """Return what a reader of the figures has to know."""
        notes = list(self._notes)
        if self._examiner is not None and self._examiner.limited:
            count = f"{self._examiner.limited:,}"
            notes.append(f"{count} pairs are mostly in letters the judge was not trained on")
        return notes


class _OutputChooser:
    """Chooses one text for each source from a pool, as a setting says."""

    def __init__(self, preset: Preset, options: StudyOptions) -> None:
        self.preset = preset
        self.outputs = _SettingOutputs([], [])
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

    def choose(self, sources: Sequence[str], found: Sequence[Sequence[Candidate]]) -> None:
        """Choose among the candidates of the next sources."""
        if self._chooser is None:
            self.outputs.texts += [each[0].text if each else None for each in found]
            self.outputs.notes += [None if each else "nothing was written" for each in found]
            return
        for choice in self._chooser.choose(sources, found):
            kept = choice.candidates
            self.outputs.texts.append(kept[0].text if kept else None)
            self.outputs.notes.append(choice.note)


def _mean(parts: Sequence[Floats]) -> float | None:
    every = np.concatenate(parts) if parts else np.zeros(0)
    return float(every.mean()) if len(every) else None


def _number(values: Floats | None, place: int) -> float | None:
    return None if values is None or np.isnan(values[place]) else float(values[place])
