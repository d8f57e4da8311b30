"""Words as numbers that are the same in every process and on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paraphrast.corpora.text_store import normal_form
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.text.japanese import JAPANESE, JapaneseTokeniser, japanese_label
from paraphrast.text.tokenise import WORD_TOKENISERS, Tokeniser, tokeniser_label

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

_KNOWN = (*WORD_TOKENISERS, JAPANESE)

BITS = 44  # of a word's hash, which leaves 20 for the number of its text in the same integer
MOST_SETS = 1 << (64 - BITS)

_MEMO = 1 << 18  # words whose hashes are kept at once
_PUNCTUATION = b"!\"#%&'()*,-./:;?@[\\]_{}"  # of category P; the other marks are symbols
_FOLD = bytes(32 if chr(c).isspace() else c for c in range(256)).lower()
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - BITS)
_OWNER = np.uint64(BITS)
_MASK = np.uint64((1 << BITS) - 1)


def word_tokeniser(name: str) -> Tokeniser:
    """Return a tokeniser by name; "ja" is UniDic's, the others are those of metrics."""
    if name not in _KNOWN:
        near = did_you_mean(name, _KNOWN)
        raise ConfigError(f"unknown tokeniser {name!r}{near}; known: {', '.join(_KNOWN)}")
    return JapaneseTokeniser() if name == JAPANESE else Tokeniser(name)


def words_label(name: str) -> str:
    """Return what a signature says of a tokeniser."""
    return japanese_label() if name == JAPANESE else tokeniser_label(name)


def text_key(text: str) -> int:
    """Return a hash of a text: 64 bits, in which a billion texts hardly meet."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def sentence_keys(texts: Iterable[str]) -> Keys:
    """Return equal numbers for texts of equal normal form; without one, for equal texts."""
    digests = b"".join(
        hashlib.blake2b(_normal_bytes(text) or text.encode(), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _normal_bytes(text: str) -> bytes:
    """Return the normal form in UTF-8; that of ASCII text is found faster."""
    if not text.isascii():
        return normal_form(text).encode()
    return b" ".join(text.encode().translate(_FOLD, _PUNCTUATION).split())


def word_hashes(words: list[str]) -> Keys:
    """Return hashes of words, of which none is empty; no hash is 0.

    Sums of the bytes, each times a number of its place: all words at once, and so much faster.
    """
    raw = [word.encode() for word in words]
    ends = np.cumsum(np.fromiter(map(len, raw), dtype=np.int64, count=len(raw)))
    data = np.frombuffer(b"".join(raw), dtype=np.uint8).astype(np.uint64)
    if not len(data):
        return np.ones(len(raw), dtype=np.uint64)
    starts = np.r_[0, ends[:-1]]
    places = np.arange(len(data)) - np.repeat(starts, ends - starts)
    weights = mixed((np.arange(int(places.max()) + 1, dtype=np.uint64) + np.uint64(1)) * _ODD)
    sums = np.add.reduceat((data + np.uint64(1)) * weights[places], starts)
    return np.maximum(mixed(sums), np.uint64(1))


def mixed(values: Keys) -> Keys:
    """Return a bijection of 64-bit numbers that leaves no pattern (splitmix64's last step)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def seeded(keys: Keys, seed: int) -> Keys:
    """Return an order that is another one for each seed."""
    return mixed(keys + np.uint64(text_key(f"seed {seed}")))


@dataclass(frozen=True, slots=True)
class Sets:
    """Sets of hashes laid end to end, each ascending; i is `items[starts[i]:starts[i + 1]]`."""

    items: Keys
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)

    def take(self, rows: Ints) -> Sets:
        """Gather sets, possibly repeated."""
        sizes = self.starts[rows + 1] - self.starts[rows]
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(sizes, out=starts[1:])
        shift = np.repeat(self.starts[rows] - starts[:-1], sizes)
        return Sets(self.items[np.arange(int(starts[-1])) + shift], starts)


class WordSets:
    """Turns texts into sets of their words' hashes, or of those of runs of `shingle` words.

    A text with fewer words than a shingle has is one shingle; without a word its set is empty.
    """

    def __init__(self, tokenize: str, *, shingle: int = 1) -> None:
        self._tokeniser = word_tokeniser(tokenize)
        self._shingle = shingle
        self._known: dict[str, int] = {}

    def __call__(self, texts: list[str]) -> Sets:
        """Return the sets of at most `MOST_SETS` texts."""
        hashes, starts = self._hashed(texts)
        owners = np.repeat(np.arange(len(texts), dtype=np.uint64), np.diff(starts))
        if self._shingle > 1:
            hashes, owners = _shingles(hashes, owners, starts, self._shingle)
        return distinct(hashes >> _SHIFT, owners, len(texts))

    def _hashed(self, texts: list[str]) -> tuple[Keys, Ints]:
        tokens, mark = self._tokeniser.marked(texts)
        if len(self._known) > _MEMO:
            self._known.clear()
        known = self._known
        new = list(set(tokens).difference(known))
        known.update(zip(new, word_hashes(new).tolist(), strict=True))
        known[mark] = 0  # a mark is no word of these texts, but may be one of the next
        hashes = np.fromiter(map(known.__getitem__, tokens), dtype=np.uint64, count=len(tokens))
        del known[mark]
        ends = np.flatnonzero(hashes == 0)
        starts = np.zeros(len(ends) + 1, dtype=np.int64)
        starts[1:] = ends - np.arange(len(ends))
        return hashes[hashes != 0], starts


def _shingles(hashes: Keys, owners: Keys, starts: Ints, size: int) -> tuple[Keys, Keys]:
    """Combine each word with those after it in its text; what is past the end counts as nothing."""
    sizes = np.diff(starts)
    left = np.repeat(starts[1:], sizes) - np.arange(len(hashes))  # words to the text's end
    gram = hashes.copy()
    for ahead in range(1, size):
        after = np.zeros_like(hashes)
        after[:-ahead] = np.where(left[:-ahead] > ahead, hashes[ahead:], 0)
        gram = mixed(gram * _ODD + after)
    whole = (left >= size) | (np.arange(len(hashes)) == np.repeat(starts[:-1], sizes))
    return gram[whole], owners[whole]


def distinct(hashes: Keys, owners: Keys, count: int) -> Sets:
    """Sort hashes of `BITS` bits into the sets of their owners, each hash once."""
    keys = (owners << _OWNER) | hashes
    keys.sort()
    fresh = np.ones(len(keys), dtype=np.bool_)
    fresh[1:] = keys[1:] != keys[:-1]
    keys = keys[fresh]
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount((keys >> _OWNER).astype(np.int64), minlength=count), out=starts[1:])
    return Sets(keys & _MASK, starts)


def shared_items(left: Sets, right: Sets) -> Ints:
    """Count what the sets have in common, pair by pair, for at most `MOST_SETS` pairs."""
    count = len(left)
    owners = np.arange(count, dtype=np.uint64)
    keys = np.concatenate(
        [
            (np.repeat(owners, side.sizes) << _OWNER) | np.asarray(side.items)
            for side in (left, right)
        ]
    )
    keys.sort(kind="stable")  # two sorted runs: merged, which is four times as fast
    twice = keys[1:][keys[1:] == keys[:-1]] >> _OWNER
    return np.bincount(twice.astype(np.int64), minlength=count)
