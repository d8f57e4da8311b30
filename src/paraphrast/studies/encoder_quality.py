"""Is it a paraphrase? Encoders on MRPC and PAWS-Wiki, with thresholds of held-out rows.

Nothing of these sets was trained or tuned on: the recipes leave their texts out of every source.
Thresholds are chosen on the slice of each training file that the recipe set aside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from paraphrast.meaning.assessment import assess
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.stats.cuts import best_cut
from paraphrast.studies.paraphrase_identification import Pairs, labels, metric_values
from paraphrast.studies.quality.figures import BASELINE, Bench, Findings, Line
from paraphrast.studies.quality.intervals import f1, share
from paraphrast.train.data.assembly import data_root, parts
from paraphrast.train.data.examples import Example
from paraphrast.train.data.readers import read
from paraphrast.train.recipe import read_recipe
from paraphrast.types import Floats

RECIPE = Path("recipes/mini.toml")  # says which rows are set aside; base.toml says the same
PARAPHRASE = {"mrpc": "mrpc", "paws": "paws_wiki"}  # the recipe's sources and their files


def paraphrase(source: str, system: str, bench: Bench) -> Findings:
    """Return accuracy and F1 on the test pairs, with the threshold of the held-out ones."""
    aside, name = _held_out(source), PARAPHRASE[source]
    test = read("pairs", data_root() / "pairs" / f"{name}.test.jsonl.gz")
    shown = "chrf++" if system == BASELINE else system
    values = metric_values("chrf++") if system == BASELINE else _reader(system)
    cut = best_cut(values(aside), labels(aside))
    guess, gold = values(test) > cut, labels(test)
    bench.advance(len(test))
    return Findings(
        (
            Line.of(f"{name} test", "accuracy", shown, share(guess == gold)),
            Line.of(f"{name} test", "F1", shown, f1(guess, gold)),
        )
    )


def _held_out(name: str) -> list[Example]:
    recipe = read_recipe(RECIPE)
    alone = tuple(source for source in recipe.source if source.name == name)
    calibration = replace(recipe.calibration, same=())
    return parts(replace(recipe, source=alone, calibration=calibration), data_root())[0].held_out


def _reader(model: str) -> Callable[[Pairs], Floats]:
    """The probability that both texts say the same."""

    def values(rows: Pairs) -> Floats:
        found = assess(EditEncoder.load(model), [(row.a.text, row.b.text) for row in rows])
        return np.array([one.chances.same for one in found])

    return values
