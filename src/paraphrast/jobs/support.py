"""What a source supports of a text: the function behind `paraphrast.support` and the verb."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from paraphrast.errors import ConfigError
from paraphrast.io import Field, Rows
from paraphrast.io import chunks as blocks_of
from paraphrast.jobs.text_pairs import paired_texts, text_cell
from paraphrast.meaning.source_chunks import REACH, WORDS, Chunking
from paraphrast.meaning.support_report import SupportReport, support_reports
from paraphrast.meaning.tag_rows import check_text
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.scripts import language_note, letters

_BLOCK = 64  # sources may be long
Progress = Callable[[int], None] | None


@overload
def support(  # type: ignore[overload-overlap]  # a text is a list of letters, too
    source: str,
    text: str,
    *,
    chunk: int = ...,
    reach: int = ...,
    model: str = ...,
    threads: int | None = ...,
    device: str = ...,
) -> SupportReport: ...
@overload
def support(
    source: Sequence[str],
    text: Sequence[str],
    *,
    chunk: int = ...,
    reach: int = ...,
    model: str = ...,
    threads: int | None = ...,
    device: str = ...,
) -> list[SupportReport]: ...
def support(
    source: Any,
    text: Any,
    *,
    chunk: int = WORDS,
    reach: int = REACH,
    model: str = "mini",
    threads: int | None = None,
    device: str = "cpu",
) -> SupportReport | list[SupportReport]:
    """Say which sentences of a text its source does not support, and on which words that turns.

    Two lists of the same length give a list of reports.

    source: What the text is about, as long as it may be, or a list of sources.
    text: The text to check, or as many.
    chunk: Words of the source that a sentence is read against at once.
    reach: How many chunks a sentence is read against, those that share the most words with it.
    model: Weights: "mini", "base", a directory or "org/name".
    threads: Threads of the model; one for each core.
    device: Where the model runs: "cpu", "cuda" or "cuda:1".
    """
    alone = isinstance(source, str) and isinstance(text, str)
    if alone:
        pairs = [(check_text(source, "source"), check_text(text, "text"))]
    else:
        pairs = paired_texts(source, text, ("source", "text"), "check")
    checker = SupportChecker.load(model, chunk=chunk, reach=reach, threads=threads, device=device)
    found = checker.check(pairs)
    for note in checker.notes():
        warnings.warn(note, UserWarning, stacklevel=2)
    return found[0] if alone else found


@dataclass(slots=True)
class SupportChecker:
    """An encoder that checks texts against their sources, and counts foreign letters."""

    encoder: EditEncoder
    chunking: Chunking
    letters: int = 0
    foreign: int = 0

    @classmethod
    def load(
        cls,
        model: str,
        *,
        chunk: int = WORDS,
        reach: int = REACH,
        threads: int | None = None,
        device: str = "cpu",
    ) -> SupportChecker:
        """Load the weights by name, from a directory or from a hub."""
        for name, value in (("chunk", chunk), ("reach", reach)):
            if value < 1:
                raise ConfigError(f"{name} must be at least 1; got {value}")
        encoder = EditEncoder.load(model, threads=threads, device=device)
        return cls(encoder, Chunking(words=chunk, reach=reach))

    def check(
        self, pairs: Sequence[tuple[str, str]], *, advance: Progress = None
    ) -> list[SupportReport]:
        """Return a report for each pair of (source, text), in their order."""
        for side in (side for pair in pairs for side in pair):
            total, foreign = letters(side, self.encoder.card.languages)
            self.letters += total
            self.foreign += foreign
        return support_reports(self.encoder, pairs, chunking=self.chunking, advance=advance)

    def notes(self) -> list[str]:
        """Return a warning if most letters were foreign to the model."""
        note = language_note(self.letters, self.foreign, self.encoder.card)
        return [note] if note else []


@dataclass(frozen=True, slots=True)
class SupportedRow:
    """A report and the number of its row from 1."""

    row: int
    report: SupportReport

    def to_dict(self) -> dict[str, Any]:
        return {"row": self.row, **self.report.to_dict()}


def support_columns(
    source: Field,
    text: Field,
    *,
    chunk: int = WORDS,
    reach: int = REACH,
    model: str = "mini",
    threads: int | None = None,
    device: str = "cpu",
    progress: Progress = None,
    notes: list[str] | None = None,
) -> Iterator[SupportedRow]:
    """Yield a report for each row of two columns of files, reading as it goes."""
    notes = [] if notes is None else notes
    read = Rows([source, text])
    pairs = (
        (text_cell(one, source, number), text_cell(other, text, number))
        for number, (one, other) in enumerate(read, 1)
    )
    checker = SupportChecker.load(model, chunk=chunk, reach=reach, threads=threads, device=device)
    number = 0
    for block in blocks_of(pairs, _BLOCK):
        for report in checker.check(block, advance=progress):
            number += 1
            yield SupportedRow(number, report)
    notes += [*checker.notes(), *read.notes]
