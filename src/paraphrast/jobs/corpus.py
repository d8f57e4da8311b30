"""Evaluate labelled corpora and verify built ones: the functions behind `paraphrast corpus`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from paraphrast._version import VERSION
from paraphrast.corpora.build.manifest import Verified, verify
from paraphrast.corpora.corpus_evaluation import Evaluation, LabelledPair, LabelTally
from paraphrast.corpora.pair_labels import LABELS, read_label
from paraphrast.corpora.word_ids import word_tokeniser
from paraphrast.corpora.word_overlap import bin_names
from paraphrast.errors import ConfigError, InputError, did_you_mean
from paraphrast.io import chunks
from paraphrast.io.cells import read_cells, text_cell
from paraphrast.io.fields import STDIN, label
from paraphrast.render.terminal.evaluation_tables import corpus_markdown, corpus_text

_ROWS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """How a file is laid out: the names of its columns, and how its words are told apart."""

    text1: str = "text1"
    text2: str = "text2"
    label: str = "label"
    other_label: str | None = None
    tokenize: str = "unicode"
    name: str | None = None  # of the corpus; files of one name are taken together

    def __post_init__(self) -> None:
        word_tokeniser(self.tokenize)  # refuses one that nobody knows, or whose package is missing


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """A file of labelled pairs and its layout."""

    path: str
    options: CorpusOptions = field(default_factory=CorpusOptions)

    @classmethod
    def parse(cls, spec: str, options: CorpusOptions) -> LabelledFile:
        """Read "FILE" or "FILE:OPTION=VALUE,…", whose options stand above those given."""
        path, colon, rest = spec.rpartition(":")
        if spec == STDIN or not colon or "=" not in rest or os.path.exists(spec):
            return cls(spec, options)
        if not path:
            raise ConfigError(f"{spec!r} names no file; write FILE or FILE:OPTION=VALUE,…")
        known = [one.name for one in fields(options)]
        own: dict[str, Any] = {}
        for part in rest.split(","):
            key, _, value = (side.strip() for side in part.partition("="))
            if key not in known or not value:
                near = did_you_mean(key, known)
                raise ConfigError(f"{spec}: no option {part!r}{near}; known: {', '.join(known)}")
            own[key] = value
        return cls(path, replace(options, **own))

    @property
    def name(self) -> str:
        """The corpus's name: that given, or the file's without folder and ending."""
        if self.options.name:
            return self.options.name
        base = os.path.basename(self.path).removesuffix(".gz")
        return label(self.path) if self.path == STDIN else base.rpartition(".")[0] or base


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One corpus of a comparison."""

    name: str
    files: tuple[str, ...]
    tokenize: str
    evaluation: Evaluation

    def to_dict(self) -> dict[str, Any]:
        made = {"name": self.name, "files": list(self.files), "tokenize": self.tokenize}
        return made | self.evaluation.to_dict()


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusComparison:
    """Corpora side by side; it prints as tables and exports as JSON and Markdown."""

    corpora: tuple[Evaluated, ...]
    notes: tuple[str, ...] = ()
    command: str = ""

    def __getitem__(self, name: str) -> Evaluation:
        for corpus in self.corpora:
            if corpus.name == name:
                return corpus.evaluation
        raise KeyError(f"{name!r} is not here: {', '.join(one.name for one in self.corpora)}")

    def with_command(self, command: str) -> CorpusComparison:
        """Return the comparison with the command that made it."""
        return replace(self, command=command)

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "command": self.command,
            "bins": list(bin_names()),
            "labels": [one.to_dict() for one in LABELS],
            "corpora": [corpus.to_dict() for corpus in self.corpora],
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def to_markdown(self) -> str:
        return corpus_markdown(self.to_dict())

    def __str__(self) -> str:
        return corpus_text(self.to_dict())


def verify_corpus(folder: str | os.PathLike[str]) -> Verified:
    """Hash the files of a built corpus again; InputError names all that are missing or altered.

    folder: the folder that `build` wrote.
    """
    return verify(Path(folder))


def evaluate_corpora(
    files: Sequence[str | LabelledFile],
    options: CorpusOptions | None = None,
    *,
    progress: Callable[[int], None] | None = None,
) -> CorpusComparison:
    """Evaluate labelled pairs in JSONL, TSV, CSV or Parquet files, "-" being JSONL on stdin.

    A file may bring its own options: "tmup.tsv:text1=a,text2=b,tokenize=none". Files of one name
    are one corpus; none may be named twice in it.

    files: the files, with or without options of their own.
    options: the columns and the tokeniser of all files; `other_label` names the column of a second
        annotator, and κ is computed as well.
    progress: a function that is told how many pairs were read since the last call.
    """
    options = options or CorpusOptions()
    given = [LabelledFile.parse(f, options) if isinstance(f, str) else f for f in files]
    if not given:
        raise ConfigError("there is nothing to evaluate: give at least one file")
    for file in given:
        if file.path != STDIN and not os.path.exists(file.path):
            raise InputError(f"cannot read {file.path}: No such file or directory")
    notes: list[str] = []
    done = [_evaluated(name, many, notes, progress) for name, many in _grouped(given).items()]
    return CorpusComparison(corpora=tuple(done), notes=tuple(notes))


def _grouped(files: Sequence[LabelledFile]) -> dict[str, list[LabelledFile]]:
    found: dict[str, list[LabelledFile]] = {}
    for file in files:
        found.setdefault(file.name, []).append(file)
    for name, many in found.items():
        if len({file.options.tokenize for file in many}) > 1:
            raise ConfigError(f"the files of {name} differ in their tokenisers; give both the same")
        _check_distinct(name, many)
    return found


def _check_distinct(name: str, files: Sequence[LabelledFile]) -> None:
    """Refuse a file that is named twice: its pairs would count twice."""
    seen: set[str] = set()
    for file in files:
        real = STDIN if file.path == STDIN else os.path.realpath(file.path)
        if real in seen:
            raise ConfigError(
                f"{label(file.path)} is named twice in the corpus {name}, so its pairs would count "
                "twice; name it once, or give it another name=… for other columns"
            )
        seen.add(real)


def _evaluated(
    name: str,
    files: Sequence[LabelledFile],
    notes: list[str],
    progress: Callable[[int], None] | None,
) -> Evaluated:
    tokenize = files[0].options.tokenize
    tally = LabelTally(tokenize)
    for file in files:
        for block in chunks(_pairs(file, notes), _ROWS):
            tally.add(block)
            if progress:
                progress(len(block))
    judged = any(file.options.other_label for file in files)
    found = tally.done(name, agreement=judged)
    notes += _notes(name, found)
    return Evaluated(name, tuple(label(file.path) for file in files), tokenize, found)


def _pairs(file: LabelledFile, notes: list[str]) -> Iterator[LabelledPair]:
    options = file.options
    columns = [options.text1, options.text2, options.label]
    if options.other_label is not None:
        columns.append(options.other_label)
    for where, (text1, text2, *labels) in read_cells(file.path, columns, notes):
        yield LabelledPair(
            text_cell(text1, f"{where}, {options.text1}"),
            text_cell(text2, f"{where}, {options.text2}"),
            *(read_label(value, where) for value in labels),
        )


def _notes(name: str, found: Evaluation) -> list[str]:
    notes = []
    if found.unlabelled:
        notes.append(f"{name}: left out {_pairs_of(found.unlabelled)} without a label")
    agreed = found.agreement
    if agreed and agreed.single:
        some = _pairs_of(agreed.single)
        notes.append(f"{name}: κ is without {some} that only one annotator labelled")
    if agreed and agreed.kappa is None:
        why = "no pair has both labels" if not agreed.pairs else "both give one label throughout"
        notes.append(f"{name}: κ is undefined: {why}")
    return notes


def _pairs_of(count: int) -> str:
    return "1 pair" if count == 1 else f"{count:,} pairs"
