"""What share of pairs `generate` would refuse at its defaults, were the second text its own.

Of paraphrases it should be few, of other pairs most. Nothing was tuned on these sets. Pairs whose
texts differ in case, white space and punctuation alone are left out: `generate` refuses them as
copies, whatever they say.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import InputError
from paraphrast.generation.decoding.constraints import survives
from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.generation.selection.adequacy import AdequacyJudge
from paraphrast.generation.selection.candidate_choice import Selection
from paraphrast.generation.selection.screening import doubted, fold
from paraphrast.stats.resampling import bootstrap_sums, interval
from paraphrast.studies.quality.figures import BASELINE, Bench, Findings, Line
from paraphrast.studies.quality.intervals import Estimate
from paraphrast.text.particulars.protected_strings import protected
from paraphrast.train.data.assembly import data_root
from paraphrast.train.data.readers import read

LABELLED = {"PAWS-Wiki": "paws_wiki", "MRPC": "mrpc", "QQP": "qqp"}
PEOPLE = Path("judgements/bawden_human_paraphrases_deen500.tsv")
JUDGED = "refused by the judge"
WHOLE = "refused by the judge, or without a name or number"
_SAMPLES, _SEED = 1000, 0


@dataclass(frozen=True, slots=True)
class ScreenedSet:
    """Pairs of a source and a text; those of one `cluster` share their source."""

    task: str
    pairs: tuple[tuple[str, str], ...]
    clusters: tuple[int, ...]


def screening(system: str, bench: Bench) -> Findings:
    """Return the shares of every set that `generate` would refuse with the system as the judge."""
    if system == BASELINE:
        return Findings(())
    asked = GenerateOptions().selection()
    judge = AdequacyJudge(system, required=True, checked=asked.protect)
    judge.load()
    lines: list[Line] = []
    for each in screened_sets(data_root()):
        lines += screened(each, judge, asked, system)
        bench.advance(len(each.pairs))
    return Findings(tuple(lines))


def screened_sets(root: Path) -> Iterator[ScreenedSet]:
    """Yield the sets: test parts of labelled pairs, and people's paraphrases of references."""
    for title, name in LABELLED.items():
        rows = read("pairs", root / "pairs" / f"{name}.test.jsonl.gz")
        for same, what in ((1, "paraphrases"), (0, "other pairs")):
            pairs = [(row.a.text, row.b.text) for row in rows if row.same == same]
            yield _without_copies(f"screening, {title} test, {what}", pairs)
    yield _without_copies("screening, people's paraphrases of WMT19 de-en", rewordings(root))


def rewordings(root: Path) -> list[tuple[str, str]]:
    """Return each reference beside each paraphrase that people wrote of it; a few are blank."""
    path = root / PEOPLE
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        if "reference" not in (rows.fieldnames or ()):
            raise InputError(f"{path}: no column 'reference'")
        return [
            (row["reference"], row[name])
            for row in rows
            for name in row
            if name.startswith("paraphrase") and row[name].strip()
        ]


def screened(these: ScreenedSet, judge: AdequacyJudge, asked: Selection, model: str) -> list[Line]:
    """Return the share that the judge refuses, and the share refused if nothing may be lost."""
    opinions = judge(these.pairs)
    refused = np.array([doubted(one, **asked.floors) is not None for one in opinions])
    lost = np.array([asked.protect and _loses(*pair) for pair in these.pairs])
    clusters = np.array(these.clusters)
    return [
        _line(these.task, JUDGED, model, refused, clusters),
        _line(these.task, WHOLE, model, refused | lost, clusters),
    ]


def _loses(source: str, text: str) -> bool:
    """Tell whether a string that `generate` protects does not survive."""
    return not all(survives(string, text) for string in protected(source))


def _line(
    task: str, figure: str, model: str, refused: NDArray[np.bool_], clusters: NDArray[np.int64]
) -> Line:
    """Return a share; its bootstrap draws whole clusters."""
    counts = np.stack([np.bincount(clusters, refused), np.bincount(clusters)], axis=1)
    rows = counts.astype(np.float64)
    sums = bootstrap_sums(rows, _SAMPLES, _SEED)
    low, high = interval(sums[:, 0] / sums[:, 1])
    return Line.of(task, figure, model, Estimate(float(refused.mean()), low, high))


def _without_copies(task: str, pairs: Sequence[tuple[str, str]]) -> ScreenedSet:
    kept = tuple((a, b) for a, b in pairs if fold(a) != fold(b))
    numbers = {source: number for number, source in enumerate(dict.fromkeys(a for a, _ in kept))}
    return ScreenedSet(task, kept, tuple(numbers[a] for a, _ in kept))
