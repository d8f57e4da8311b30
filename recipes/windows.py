"""How large windows should be: `python recipes/windows.py [MODEL …]` prints it for some sizes.

Pairs that are too long to be read at once are read in windows, and a small encoder may see less in
a large one. The documents to choose by are made of the tagged pairs that the recipes hold out:
first texts of 18 pairs on one side, second texts of up to three of them on the other. Printed are
the correlation of paratag's P with the share of words that are paraphrased, in both scales, and
the best F1 of a word's tag, and how many windows a document takes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from paraphrast.models.encoder.edit_encoder import EditEncoder, Pair
from paraphrast.models.encoder.tag_scores import probability, support
from paraphrast.text.words import WordText
from paraphrast.train.data.assembly import data_root, parts
from paraphrast.train.encoder.validation import f1
from paraphrast.train.recipe import read_recipe
from paraphrast.types import Floats

RECIPE = Path("recipes/mini.toml")  # says which rows are held out; the others say the same
SOURCES = ("etpc", "mtref", "wiki")
SIZES = (64, 96, 128, 160, 256)
EACH, TEXTS, MOST = 40, 18, 3  # documents of a source, texts of one, pairs in it
SEED = 5


def documents() -> tuple[list[Pair], list[Floats]]:
    """Return documents with their summaries, and the tags of the summaries' words."""
    recipe = read_recipe(RECIPE)
    held_out = {
        source.name: part.held_out
        for source, part in zip(recipe.source, parts(recipe, data_root()), strict=True)
    }
    rng = np.random.default_rng(SEED)
    pairs, gold = [], []
    for name in SOURCES:
        rows = held_out[name]
        for _ in range(EACH):
            taken = int(rng.integers(1, MOST + 1))
            chosen = [rows[place] for place in rng.choice(len(rows), TEXTS, replace=False)]
            order = rng.permutation(TEXTS)
            document = joined([chosen[place].a for place in order])
            pairs.append((document, joined([row.b for row in chosen[:taken]])))
            tags = [row.tags_b for row in chosen[:taken] if row.tags_b is not None]
            gold.append(np.concatenate(tags).astype(np.float64))
    return pairs, gold


def joined(texts: Sequence[WordText]) -> WordText:
    """Return one text with the words of several."""
    return WordText.from_words([word for text in texts for word in text.words])


def main() -> None:
    """Print a line per model and size."""
    pairs, gold = documents()
    share = np.array([1 - tags.mean() for tags in gold])
    tagged = np.concatenate(gold) > 0.5
    print("model     window   r, logit   r, probability   F1 of tag 1   windows")
    for model in sys.argv[1:] or ["mini", "base"]:
        encoder = EditEncoder.load(model)
        for size in SIZES:
            encoder.card = replace(encoder.card, window=size)
            readings = encoder.read(pairs)
            tags = [reading.tags_b for reading in readings]
            windows = np.mean([reading.windows for reading in readings])
            logit, chance = (
                np.corrcoef([scale(one).mean() for one in tags], share)[0, 1]
                for scale in (support, probability)
            )
            found = np.concatenate([support(one) for one in tags])
            best = max(f1(found < cut, tagged) for cut in np.quantile(found, np.linspace(0, 0.6)))
            figures = f"{logit:10.3f} {chance:15.3f} {best:13.3f} {windows:9.1f}"
            print(f"{model:8} {size:7} {figures}", flush=True)


if __name__ == "__main__":
    main()
