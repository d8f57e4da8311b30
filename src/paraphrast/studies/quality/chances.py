"""Probabilities against answers: entailment, minimal pairs, and whether probabilities hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.meaning.assessment import Chances, assess
from paraphrast.meta.stress.separation import ALL, separations
from paraphrast.meta.stress.suite import REPORTING, stress_pairs
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.studies.paraphrase_identification import labels, metric_values
from paraphrast.studies.quality.figures import BASELINE, Bench, Findings, Line, Point
from paraphrast.studies.quality.intervals import calibration_error, share
from paraphrast.text.words import WordText
from paraphrast.train.data.assembly import data_root
from paraphrast.train.data.examples import Example
from paraphrast.train.data.readers import read
from paraphrast.types import Floats

Bools = NDArray[np.bool_]

EVEN = 0.5  # of a probability: from here on the answer is yes
BINS = 10
CALIBRATED = {"same": "paws_wiki.test", "entailment": "nli_hard.dev"}


@dataclass(frozen=True, slots=True)
class Answered:
    """Probabilities, and what was right."""

    chance: Floats
    gold: Bools


def entailment(name: str, system: str, bench: Bench) -> Findings:
    """Return how often "does b follow from a?" is answered rightly."""
    rows = read("pairs", data_root() / "pairs" / f"{name}.jsonl.gz")
    if system == BASELINE:
        right, shown = ~_entailed(rows), "always no"
    else:
        found = _entailments(rows, system, bench)
        right, shown = (found.chance >= EVEN) == found.gold, system
    return Findings((Line.of(f"{name}, entailment or not", "accuracy", shown, share(right)),))


def minimal_pairs(system: str, bench: Bench) -> Findings:
    """Return accuracy and AUC on the reporting half of the stress suite.

    A pair is the same from a probability of .5 on; for chrF++ a threshold is chosen on the tuning
    half.
    """
    pairs = stress_pairs() if system == BASELINE else stress_pairs(REPORTING)
    texts = [(pair.text1, pair.text2) for pair in pairs]
    if system == BASELINE:
        rows = [
            Example(a=WordText.of(a), b=WordText.of(b), group=str(number))
            for number, (a, b) in enumerate(texts)
        ]
        values, shown, threshold = metric_values("chrf++")(rows), "chrf++", None
    else:
        values = np.array([one.same for one in _chances(system, texts, bench)])
        shown, threshold = system, float(np.nextafter(EVEN, 0))
    _, found = separations(values.tolist(), pairs, threshold=threshold)
    [whole] = [one for one in found if one.kind == ALL]
    task = "stress suite, reporting half"
    return Findings(
        (
            Line(task, "accuracy", shown, whole.accuracy, *whole.accuracy_interval),
            Line(task, "AUC", shown, whole.auc, *whole.auc_interval),
        )
    )


def calibration(kind: str, system: str, bench: Bench) -> Findings:
    """Return the expected calibration error of a probability, and its reliability curve."""
    if system == BASELINE:
        return Findings(())
    name = CALIBRATED[kind]
    rows = read("pairs", data_root() / "pairs" / f"{name}.jsonl.gz")
    found = (_sameness if kind == "same" else _entailments)(rows, system, bench)
    error = calibration_error(found.chance, found.gold, bins=BINS)
    line = Line.of(f"{name}, probability of {kind}", "calibration error", system, error)
    return Findings((line,), {f"{kind}, {name}": reliability(found)})


def reliability(found: Answered, bins: int = BINS) -> list[Point]:
    """Return for each bin that holds any: the mean probability, the share of yes, its interval."""
    places = np.minimum((found.chance * bins).astype(int), bins - 1)
    points: list[Point] = []
    for place in np.unique(places):
        inside = places == place
        rate = share(found.gold[inside])
        points.append((float(found.chance[inside].mean()), rate.value, rate.low, rate.high))
    return points


def _entailments(rows: Sequence[Example], model: str, bench: Bench) -> Answered:
    chances = _chances(model, _texts(rows), bench)
    return Answered(np.array([one.forward for one in chances]), _entailed(rows))


def _sameness(rows: Sequence[Example], model: str, bench: Bench) -> Answered:
    chances = _chances(model, _texts(rows), bench)
    return Answered(np.array([one.same for one in chances]), labels(rows))


def _entailed(rows: Iterable[Example]) -> Bools:
    return np.array([row.forward is not None and row.forward[0] > EVEN for row in rows])


def _texts(rows: Iterable[Example]) -> list[tuple[str, str]]:
    return [(row.a.text, row.b.text) for row in rows]


def _chances(model: str, pairs: Sequence[tuple[str, str]], bench: Bench) -> list[Chances]:
    encoder = EditEncoder.load(model)
    return [one.chances for one in assess(encoder, pairs, advance=bench.advance)]
