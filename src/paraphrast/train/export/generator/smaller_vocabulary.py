"""A tokeniser with the sub-words that some texts use, and no others.

Any text can still be read: single characters (or bytes) stay, and what is left out is spelt with
smaller pieces. A text made of what is kept is read as before: of Unigram's readings the most
probable one is still there, and BPE still has every merge that led to what is kept.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ModelError

Ints = NDArray[np.int64]

_AT_ONCE = 10_000
_BYTE = re.compile(r"<0x[0-9A-F]{2}>")


def plain(tokeniser: Any) -> Any:
    """Return a copy that neither cuts nor pads nor frames texts, which `models` does."""
    return _from_entries(_entries(tokeniser))


def used_ids(
    tokeniser: Any, texts: Iterable[str], *, least: int = 1, also: Collection[int] = ()
) -> Ints:
    """Return, in order, the ids to keep: those that occur `least` times, and what they need.

    `also` are special ones that the model is built with. Other special tokens go.
    """
    entries = _entries(tokeniser)
    model = entries["model"]
    plainly = _from_entries(entries)
    counts: Counter[int] = Counter()
    left = iter(texts)
    while batch := list(islice(left, _AT_ONCE)):
        for one in plainly.encode_batch_fast(batch, add_special_tokens=False):
            counts.update(one.ids)
    kept = {number for number, count in counts.items() if count >= least} | set(also)
    names = _names(model)
    kept |= {n for n, name in names.items() if len(name) == 1 or _BYTE.fullmatch(name)}
    if model["type"] == "BPE":
        kept = _with_parts(model, kept)
    elif model.get("unk_id") is not None:
        kept.add(model["unk_id"])
    return np.array(sorted(kept), dtype=np.int64)


def cut(tokeniser: Any, kept: Ints) -> Any:
    """Return a copy of a tokeniser in which kept[n] has become n and other sub-words are gone."""
    entries = _entries(tokeniser)
    model = entries["model"]
    place = {int(old): new for new, old in enumerate(kept)}
    if model["type"] == "Unigram":
        model["vocab"] = [model["vocab"][old] for old in place if old < len(model["vocab"])]
        if model.get("unk_id") is not None:
            model["unk_id"] = place[model["unk_id"]]
    else:
        model["vocab"] = {name: place[n] for name, n in model["vocab"].items() if n in place}
        merges = [(a, b, merge) for merge in model["merges"] for a, b in [_pair(merge)]]
        known = model["vocab"]
        model["merges"] = [m for a, b, m in merges if a in known and b in known and a + b in known]
    entries["added_tokens"] = [
        {**token, "id": place[token["id"]]}
        for token in entries["added_tokens"]
        if token["id"] in place
    ]
    return _from_entries(entries)


def _with_parts(model: Any, kept: set[int]) -> set[int]:
    """Add the tokens that kept ones are merged from."""
    known: dict[str, int] = model["vocab"]
    parts: dict[int, tuple[int, int]] = {}
    for a, b in map(_pair, model["merges"]):
        parts.setdefault(known[a + b], (known[a], known[b]))
    left, found = list(kept), set(kept)
    while left:
        for part in parts.get(left.pop(), ()):
            if part not in found:
                found.add(part)
                left.append(part)
    return found


def _pair(merge: Any) -> tuple[str, str]:
    """Return the two parts of a merge, which older files write as one text."""
    first, second = merge.split(" ") if isinstance(merge, str) else merge
    return first, second


def _names(model: Any) -> dict[int, str]:
    if model["type"] == "Unigram":
        return dict(enumerate(name for name, _ in model["vocab"]))
    if model["type"] == "BPE":
        return {number: name for name, number in model["vocab"].items()}
    raise ModelError(
        f"sub-words can be left out of Unigram and BPE tokenisers; this one is {model['type']}"
    )


def _entries(tokeniser: Any) -> Any:
    found = json.loads(tokeniser.to_str())
    return {**found, "truncation": None, "padding": None, "post_processor": None}


def _from_entries(entries: Any) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_str(json.dumps(entries))
