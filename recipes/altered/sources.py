"""Clean training sentences and natural paraphrases; nothing that is tested on."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from held_out import WMT, held_out, normal_form, rows, sha256
from paraphrast.io.data_folder import data_folder

TESTED = (
    "*/*.test*", "*/*.dev*", "*/*.val*", "*/*valid*", "judgements/wmt17*", "judgements/wmt19*",
    "judgements/mqm21*", "judgements/bawden_human*",
)  # fmt: skip
MOST = {
    "wmt": 14_000, "text/en_ud_ewt": 9_000, "pairs/paws_wiki.train": 4_000,
    "pairs/snli.train": 4_000, "pairs/mnli": 7_000, "pairs/tatoeba_en.train": 9_000,
    "pairs/qqp_positive.train": 3_000, "captions/multi30k.train": 3_000,
    "pairs/parasci_acl.train": 1_000,
}  # fmt: skip
KEYS = {"pairs/mnli": ("text1", "text2"), "text/en_ud_ewt": ("text",)}
UNSURE = {"qqp_positive"}
PARTNERS = {"pairs/tatoeba_en.train", "pairs/qqp_positive.train"}
WORDS = 5, 32
_ODD = re.compile(r"[\[\]{}<>|_#*@=\\()“”¡¯/~^&;]|\bi\b|https?:|\.\.|--|\"\"|^\W|[A-Z]{6,}| [a-z]$")
_SPACED = re.compile(r" +([,.;:?!%)])| (n't|'s|'re|'ve|'ll|'d|'m)\b")


@dataclass(frozen=True)
class Sentence:
    """A sentence, where it is from, and another text that says the same, if one is known."""

    text: str
    source: str
    partner: str | None = None
    sure: bool = True  # a person wrote the partner to say the same


def forbidden() -> set[str]:
    """Return the sums of the normal forms of every text that is tested on or held out."""
    found = {each.normal for each in held_out()}
    for pattern in TESTED:
        for path in sorted(data_folder().glob(pattern)):
            found.update(sha256(normal_form(text)) for text in _texts(path))
    return found


def _texts(path: Path) -> Iterator[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:  # type: ignore[operator]
        for line in lines:
            if ".jsonl" in path.name:
                yield from _strings(json.loads(line))
            else:
                yield from line.rstrip("\n").split("\t")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def tidy(text: str) -> str:
    """Return a text without the spaces of tokenised corpora."""
    text = text.replace("``", '"').replace("''", '"').replace("’", "'")
    return " ".join(_SPACED.sub(lambda m: m[1] or m[2], text).split())


def clean(text: str) -> bool:
    """Tell whether a text is one sentence of ordinary prose."""
    if not WORDS[0] <= len(text.split()) <= WORDS[1] or _ODD.search(text):
        return False
    if not text[0].isupper() or text[-1] not in ".?!" or text.count('"') % 2:
        return False
    return not re.search(r"[.?!] +[A-Z\"]", re.sub(r"\b(?:Mr|Mrs|Ms|Dr|St|U\.S|[A-Z])\.", "", text))


def sentences(seed: int, barred: set[str]) -> list[Sentence]:
    """Return the sentences of every source, shuffled, none twice and none that is barred."""
    found: dict[str, Sentence] = {}
    for name, most in MOST.items():
        pool = list(_wmt() if name == "wmt" else _read(name))
        random.Random(seed).shuffle(pool)
        taken = 0
        for one in pool:
            texts = [one.text, *([one.partner] if one.partner else [])]
            if taken == most:
                break
            if all(clean(t) and sha256(normal_form(t)) not in barred for t in texts):
                taken += one.text not in found
                found.setdefault(one.text, one)
    chosen = list(found.values())
    random.Random(seed).shuffle(chosen)
    return chosen


def _read(name: str) -> Iterator[Sentence]:
    short = name.split("/")[1].split(".")[0]
    for line in rows(name):
        if "captions" in line:
            yield Sentence(tidy(line["captions"][0]), short)
            continue
        if line.get("label") == 0 and short == "paws_wiki":
            yield Sentence(tidy(line["text1"]), short)
            continue
        for key in KEYS.get(name, ("text1",)):
            text = tidy(line[key])
            text = text[:1].upper() + text[1:] if short == "parasci_acl" else text
            partner = line.get("label") == 1 and (name in PARTNERS or short == "paws_wiki")
            yield Sentence(
                text, short, tidy(line["text2"]) if partner else None, short not in UNSURE
            )


def _wmt() -> Iterator[Sentence]:
    aside = {each.id for each in held_out()}
    for line in rows(WMT):
        if line["id"] in aside:
            continue
        references = [tidy(text) for text in line["references"]]
        if len(references) > 1:
            yield Sentence(references[0], "wmt_outputs", references[1])
        for other in [*consensus(line["outputs"].values()), None]:
            yield Sentence(references[0], "wmt_outputs", other, sure=False)


def consensus(outputs: Iterable[str]) -> list[str]:
    """Return the output whose words most other outputs share: the least likely to err."""
    texts = sorted({tidy(text) for text in outputs})
    bags = [set(normal_form(text).split()) for text in texts]
    if len(bags) < 4:
        return []
    shared = [sum(len(a & b) / max(1, len(a | b)) for b in bags) for a in bags]
    return [texts[max(range(len(texts)), key=shared.__getitem__)]]
