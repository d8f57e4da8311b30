"""Files of the training data into examples: one reader per shape of row."""

from __future__ import annotations

import gzip
import itertools
import json
import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.errors import InputError
from paraphrast.text.word_changes import word_changes
from paraphrast.text.words import WordText
from paraphrast.train.data.examples import RELATIONS, Example, Labels, entailed, relation

Row = dict[str, Any]

_WAYS = ("nli", "nli_back")
_MOST_CHANGED = 5  # words, of one place where two texts differ


def rows(path: Path) -> Iterator[Row]:
    """Yield the objects of a JSONL file, gzipped or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                yield _object(path, number, line)
    except FileNotFoundError:
        raise InputError(
            f"there is no file {path}; set PARAPHRAST_DATA to the folder that holds the data"
        ) from None
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from None


def _object(path: Path, number: int, line: str) -> Row:
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path}, line {number}: not JSON: {error}") from None
    if not isinstance(row, dict):
        raise InputError(f"{path}, line {number}: not a JSON object")
    return row


def read(reader: str, path: Path) -> list[Example]:
    """Read a whole file; a row without the keys its reader needs is named in the error."""
    make = _READERS[reader]
    examples: list[Example] = []
    for number, row in enumerate(rows(path), 1):
        try:
            examples.extend(make(row))
        except KeyError as error:
            raise InputError(
                f"{path}, line {number}: the reader {reader!r} needs the key {error}"
            ) from None
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{path}, line {number}: not a row for the reader {reader!r}: {error}"
            ) from None
    return examples


def _ratings(row: Row) -> list[Example]:
    """A segment of machine translation with a human z-score."""
    a, b = _text(row, "reference"), _text(row, "hypothesis")
    return [Example(a=a, b=b, group=a.text, score=_number(row, "human"))]


def _similarity(row: Row) -> list[Example]:
    """Semantic similarity 0–5, moved to the range that z-scores of translations have."""
    a, b = _text(row, "text1"), _text(row, "text2")
    score = (_number(row, "score") - 3.5) / 2.0
    return [Example(a=a, b=b, group=a.text, score=score)]


def _pairs(row: Row) -> list[Example]:
    """A pair with an NLI label, a paraphrase label, or none, which means a paraphrase.

    A paraphrase entails both ways; what is no paraphrase may still entail one way. What is not
    entailed is not the same.
    """
    a, b = _text(row, "text1"), _text(row, "text2")
    if "nli" in row:
        forward = _relation(row, "nli")
        same = None if row["nli"] == "entailment" else 0.0
        return [Example(a=a, b=b, group=a.text, forward=forward, same=same)]
    same = _chance(row, "label") if "label" in row else 1.0
    both = relation("entailment") if same == 1 else None
    return [Example(a=a, b=b, group=a.text, forward=both, backward=both, same=same)]


def _entailments(row: Row) -> list[Example]:
    """A pair whose label says whether the second text follows from the first, and no more."""
    a, b = _text(row, "text1"), _text(row, "text2")
    chance = _chance(row, "label")
    same = None if chance > 0 else 0.0
    return [Example(a=a, b=b, group=a.text, forward=entailed(chance), same=same)]


def _alterations(row: Row) -> list[Example]:
    """A sentence beside a copy that says the same or, by one change, something else.

    `same` is true or false. `nli` and `nli_back` (the relation from the second text to the first)
    and the tags, which need `tokens1` and `tokens2`, may be missing or null.
    """
    if not isinstance(row["same"], bool):
        raise TypeError(f"same is {row['same']!r}, neither true nor false")
    tagged = row.get("tags1") is not None and row.get("tags2") is not None
    [pair] = _tags(row) if tagged else [_untagged(row)]
    forward, backward = (_relation(row, key) if row.get(key) else None for key in _WAYS)
    if row["same"]:
        forward = backward = relation("entailment")
    return [replace(pair, forward=forward, backward=backward, same=float(row["same"]))]


def _sets(row: Row) -> list[Example]:
    """A sentence, texts that say the `same`, and `changed` ones with `nli` and `nli_back`.

    Each text that says the same is paired with each other and with each changed one, which is to
    it what it is to the sentence. No word is tagged where texts say the same. Where a changed text
    differs in one place, the words there are; where it differs in several, tags are not known.
    """
    original = _text(row, "text")
    equal = [original, *(_text({"same": text}, "same") for text in row["same"])]
    both = relation("entailment")
    found = [
        Example(
            a=a,
            b=b,
            group=original.text,
            forward=both,
            backward=both,
            same=1.0,
            tags_a=np.zeros(len(a), dtype=np.float32),
            tags_b=np.zeros(len(b), dtype=np.float32),
        )
        for a, b in itertools.combinations(equal, 2)
    ]
    for change in row["changed"]:
        forward, backward = (_relation(change, key) for key in _WAYS)
        b = _text(change, "text")
        for a in equal:
            tags_a, tags_b = _one_place(a, b)
            found.append(
                Example(
                    a=a,
                    b=b,
                    group=original.text,
                    forward=forward,
                    backward=backward,
                    same=0.0,
                    tags_a=tags_a,
                    tags_b=tags_b,
                )
            )
    return found


def _one_place(a: WordText, b: WordText) -> tuple[Labels | None, Labels | None]:
    """Tag the words in the one place where two texts differ; none if there are several."""
    changes = word_changes(a.words, b.words)
    if len(changes) != 1 or changes[0].size > _MOST_CHANGED:
        return None, None
    tags_a, tags_b = (np.zeros(len(text), dtype=np.float32) for text in (a, b))
    tags_a[slice(*changes[0].a)] = 1
    tags_b[slice(*changes[0].b)] = 1
    return tags_a, tags_b


def _untagged(row: Row) -> Example:
    a, b = _text(row, "text1"), _text(row, "text2")
    return Example(a=a, b=b, group=a.text)


def _relation(row: Row, key: str) -> Labels:
    if row[key] not in RELATIONS:
        raise ValueError(f"{key} is {row[key]!r}, not one of {', '.join(RELATIONS)}")
    return relation(row[key])


def _chance(row: Row, key: str) -> float:
    value = _number(row, key)
    if not 0 <= value <= 1:
        raise ValueError(f"{key} is {row[key]!r}, not between 0 and 1")
    return value


def _tags(row: Row) -> list[Example]:
    a, b = _words(row, "tokens1"), _words(row, "tokens2")
    tags_a, tags_b = _labels(row, "tags1"), _labels(row, "tags2")
    if len(a) != len(tags_a) or len(b) != len(tags_b):
        raise ValueError("tokens and tags differ in number")
    return [Example(a=a, b=b, group=a.text, tags_a=tags_a, tags_b=tags_b)]


def _texts(row: Row) -> list[Example]:
    """A single sentence, paired with itself: it says the same, and can be corrupted."""
    text = _text(row, "text" if row.get("text") else "sentence")
    both, tags = relation("entailment"), np.zeros(len(text), dtype=np.float32)
    return [
        Example(
            a=text,
            b=text,
            group=text.text,
            forward=both,
            backward=both,
            same=1.0,
            tags_a=tags,
            tags_b=tags,
        )
    ]


def _references(row: Row) -> list[Example]:
    """Human translations of one source, each with the next: paraphrases."""
    if not isinstance(row["references"], list):
        raise TypeError("references is not a list")
    texts = [WordText.of(_encodable("references", text)) for text in row["references"]]
    both = relation("entailment")
    return [
        Example(a=a, b=b, group=a.text, forward=both, backward=both, same=1.0)
        for a, b in itertools.pairwise(texts)
    ]


def _captions(row: Row) -> list[Example]:
    """Captions of one image, each with the next: near paraphrases without a label."""
    if not isinstance(row["captions"], list):
        raise TypeError("captions is not a list")
    texts = [WordText.of(_encodable("captions", caption)) for caption in row["captions"]]
    return [Example(a=a, b=b, group=a.text) for a, b in itertools.pairwise(texts)]


def _text(row: Row, key: str) -> WordText:
    if not isinstance(row[key], str):
        raise TypeError(f"{key} is {row[key]!r}, not a text")
    return WordText.of(_encodable(key, row[key]))


def _encodable(key: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{key} holds half a surrogate pair, which is no character") from None
    return text


def _number(row: Row, key: str) -> float:
    value = row[key]
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{key} is {value!r}, not a number")
    return float(value)


def _words(row: Row, key: str) -> WordText:
    words = row[key]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"{key} is not a list of words")
    if not all(word.strip() for word in words):
        raise ValueError(f"{key} holds an empty word")
    return WordText.from_words(words)


def _labels(row: Row, key: str) -> Labels:
    labels = np.array(row[key], dtype=np.float32)
    if labels.ndim != 1 or not ((labels >= 0) & (labels <= 1)).all():
        raise ValueError(f"{key} is not a list of numbers between 0 and 1")
    return labels


_READERS: dict[str, Callable[[Row], list[Example]]] = {
    "ratings": _ratings,
    "similarity": _similarity,
    "pairs": _pairs,
    "entailments": _entailments,
    "alterations": _alterations,
    "sets": _sets,
    "references": _references,
    "tags": _tags,
    "texts": _texts,
    "captions": _captions,
}
