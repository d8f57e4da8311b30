"""A text against itself says the same, however long it is: whether the network sees that.

The texts are made of sentences of English web text (en_ud_ewt) that no recipe may train on, those
of recipes/held_out.json, joined in a random order and cut to the word. The judge calls equal texts
the same without asking the network; that shortcut is left out here. Two figures: the network by
its windows alone, and the judge's way with long texts, which looks each sentence up in the other
text and therefore finds all of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from paraphrast.meaning.assessment import chances
from paraphrast.meaning.judge import complete_readings, with_support
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.studies.quality.figures import BASELINE, Bench, Findings, Line
from paraphrast.studies.quality.intervals import share
from paraphrast.text.words import WordText
from paraphrast.train.data.assembly import data_root
from paraphrast.train.data.readers import rows

HELD_OUT = Path("recipes/held_out.json")
TEXTS = {5: 60, 10: 60, 20: 60, 50: 40, 100: 40, 200: 20, 500: 10, 1000: 6, 2000: 4}  # by words
BANDS = {
    "5 to 50 words": (5, 50),
    "100 to 200 words": (100, 200),
    "500 to 2,000 words": (500, 2000),
}
SEED = 7
_TASK = "a text against itself"


def itself(system: str, bench: Bench) -> Findings:
    """Return how often a text and itself are called the same, without the judge's shortcut."""
    if system == BASELINE:
        return Findings(())
    encoder = EditEncoder.load(system)
    texts = self_texts(sentences(HELD_OUT, data_root()))
    lengths = np.array([len(text) for text in texts])
    pairs = [(text, text) for text in texts]
    readings = complete_readings(encoder, pairs, advance=bench.advance)
    certainty = encoder.card.certainty
    alone = np.array([chances(one.relations, certainty).relation == "same" for one in readings])
    lines = [Line.of(_TASK, "called same, network alone", system, share(alone))]
    for band, (low, high) in BANDS.items():
        inside = (lengths >= low) & (lengths <= high)
        if inside.any():
            lines.append(Line.of(_TASK, f"the same, {band}", system, share(alone[inside])))
    found = with_support(encoder, pairs, readings)
    looked_up = [chances(one.relations, certainty).relation == "same" for one in found]
    lines.append(Line.of(_TASK, "called same, sentences looked up", system, share(looked_up)))
    return Findings(tuple(lines))


def sentences(held_out: Path, root: Path) -> list[str]:
    """Return the held-out sentences of en_ud_ewt."""
    ids = [row["id"] for row in json.loads(held_out.read_text(encoding="utf-8"))]
    wanted = {int(ident[4:]) for ident in ids if ident.startswith("ewt-")}
    every = rows(root / "text" / "en_ud_ewt.jsonl.gz")
    return [str(row["text"]) for number, row in enumerate(every) if number in wanted]


def self_texts(source: Sequence[str]) -> list[WordText]:
    """Return texts of every length, as far as the sentences last."""
    rng = np.random.default_rng(SEED)
    found = []
    for words, count in TEXTS.items():
        for _ in range(count):
            joined = WordText.of(" ".join(source[place] for place in rng.permutation(len(source))))
            if len(joined) >= words:
                found.append(WordText.of(joined.part(0, words).text))
    return found
