"""Texts in, the states of their sub-words and of whole sentences out.

Long texts are read in overlapping windows and put together again: nothing is cut off. Each sub-word
takes its state from the window in which it stands farthest from an edge, so it has seen as much of
the text on both sides as a window can show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ModelError
from paraphrast.models import store
from paraphrast.models.embedder.embedder_card import EmbedderCard
from paraphrast.models.embedder.graph_cut import cut_to, output_names
from paraphrast.models.embedder.state_cache import Recent, StateFile, States, text_key
from paraphrast.models.feeding import batches, encodable, pad_id, padded
from paraphrast.models.session import Session, check_place
from paraphrast.models.tokeniser_file import open_tokeniser
from paraphrast.models.weights_card import NETWORK, TOKENISER, card_stamp

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class OverlappingSpan(NamedTuple):
    """Sub-words `begin` to `end` of a text are read; the states of `first` to `last` are kept."""

    begin: int
    end: int
    first: int
    last: int


def overlapping_spans(length: int, size: int) -> list[OverlappingSpan]:
    """Cover a text of so many sub-words by windows of at most `size` that overlap by half or more.

    The windows are spread evenly, so the last is as long as the others.
    """
    if length <= size:
        return [OverlappingSpan(0, length, 0, length)]
    step = max(size // 2, 1)
    count = -(-(length - size) // step) + 1
    begins = [(length - size) * number // (count - 1) for number in range(count)]
    # between two windows the border lies in the middle of what they share
    borders = [(later + sooner + size) // 2 for sooner, later in pairwise(begins)]
    return [
        OverlappingSpan(begin, begin + size, first, last)
        for begin, first, last in zip(begins, [0, *borders], [*borders, length], strict=True)
    ]


Ints = NDArray[np.int64]
Advance = Callable[[int], None]

_UNKNOWN = ("[UNK]", "<unk>")


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """A text as sub-words with the special ones around them, and a state for each."""

    ids: Ints
    states: States  # [sub-words, width], as the network gives them
    special: NDArray[np.bool_]
    known: int  # sub-words that the vocabulary has, special ones not counted
    windows: int = 1

    def __len__(self) -> int:
        """Count the sub-words without the special ones."""
        return len(self.ids) - int(self.special.sum())


class TextTokeniser:
    """Turns a text into sub-words between the special ones that the tokeniser prescribes."""

    def __init__(self, tokeniser: Tokenizer) -> None:
        tokeniser.no_truncation()
        tokeniser.no_padding()
        self._tokeniser = tokeniser
        sample = tokeniser.encode("a")
        inside = [place for place, mark in enumerate(sample.special_tokens_mask) if not mark]
        if not inside:
            raise ModelError("the tokeniser makes no sub-word of the letter a")
        ids = np.array(sample.ids, dtype=np.int64)
        self.before, self.after = ids[: inside[0]], ids[inside[-1] + 1 :]
        self.pad = pad_id(tokeniser)
        found = [tokeniser.token_to_id(name) for name in _UNKNOWN]
        self.unknown = next((number for number in found if number is not None), None)

    @classmethod
    def from_file(cls, path: Path, content: bytes | None = None) -> TextTokeniser:
        """Read a tokeniser; `content` is what the file holds if that was read already."""
        found = open_tokeniser(path, content)
        try:
            return cls(found)
        except ModelError:
            raise
        except Exception as error:  # tokenizers raises nothing narrower
            raise ModelError(f"{path} is not a tokeniser: {error}") from error

    @property
    def overhead(self) -> int:
        """How many special tokens a text costs."""
        return len(self.before) + len(self.after)

    def inner(self, texts: Sequence[str]) -> list[Ints]:
        """Return the sub-words without special ones; outer white space is no part of a text."""
        clean = [encodable(text.strip()) for text in texts]
        found = self._tokeniser.encode_batch_fast(clean, add_special_tokens=False)
        return [np.array(one.ids, dtype=np.int64) for one in found]

    def framed(self, ids: Ints) -> Ints:
        return np.concatenate([self.before, ids, self.after])

    def known(self, ids: Ints) -> int:
        return len(ids) if self.unknown is None else int((ids != self.unknown).sum())


class Embedder:
    """An encoder of single texts, loaded once per process and place.

    Each distinct text is read once; what was asked for last stays in memory, up to 256 MB, and in
    a folder on disk if one is named. Batches hold texts of like length, and neither the batch nor
    the order changes a state by more than 1e-4.
    """

    def __init__(
        self,
        card: EmbedderCard,
        tokeniser: TextTokeniser,
        open_layer: Callable[[int], Session],
        file: StateFile | None = None,
    ) -> None:
        self.card = card
        self._tokeniser = tokeniser
        self._session = lru_cache(maxsize=2)(open_layer)  # BERTScore's layer and the last one
        self._recent = Recent()
        self._file = file

    @classmethod
    def load(
        cls,
        name: store.Name = "minilm",
        *,
        threads: int | None = None,
        device: str = "cpu",
        cache: str | None = None,
    ) -> Embedder:
        """Load weights by name ("minilm"), from a directory, or from a hub's "org/name".

        `threads` and `device` are those of EditEncoder. `cache` is a folder in which states are
        kept for later runs.
        """
        check_place(threads, device)
        directory = store.find(name, kind="embedder").resolve()
        return _load(directory, card_stamp(directory), threads, device, cache)

    def subwords(self, texts: Sequence[str]) -> list[Ints]:
        """Return the sub-words of each whole text, with the special ones."""
        return [self._tokeniser.framed(ids) for ids in self._tokeniser.inner(texts)]

    def counts(self, texts: Sequence[str]) -> list[tuple[int, int]]:
        """Count, without special ones, the sub-words of each text and those that are known."""
        found = self._tokeniser.inner(texts)
        return [(len(ids), self._tokeniser.known(ids)) for ids in found]

    def tokens(
        self,
        texts: Sequence[str],
        *,
        layer: int | None = None,
        advance: Advance | None = None,
    ) -> list[Tokens]:
        """Return the states of each text's sub-words, by default those of the card's layer.

        `advance` is called with the number of distinct texts that are done since the last call.
        """
        chosen = self.card.chosen(layer, self.card.layer)
        distinct = list(dict.fromkeys(texts))
        keys = [text_key(text) for text in distinct]
        rows = self._tokeniser.inner(distinct)
        states = self._known(chosen, keys)
        new = [place for place, key in enumerate(keys) if key not in states]
        if advance and len(new) < len(keys):
            advance(len(keys) - len(new))
        new_states: dict[bytes, States] = {}
        for place, found in self._read([rows[place] for place in new], chosen, advance):
            new_states[keys[new[place]]] = found
        self._keep(chosen, new_states)
        states |= new_states
        done = {
            text: self._tokens(ids, states[key])
            for text, ids, key in zip(distinct, rows, keys, strict=True)
        }
        return [done[text] for text in texts]

    def sentences(
        self,
        texts: Sequence[str],
        *,
        layer: int | None = None,
        advance: Advance | None = None,
    ) -> States:
        """Return a vector of unit length for each text: the mean over its sub-words.

        Special ones count, as they do where these weights were trained. The layer is the last
        unless one is given. A text without a known sub-word has no direction: its vector is zero.
        Nothing is kept for later.
        """
        chosen = self.card.chosen(layer, self.card.layers)
        distinct = list(dict.fromkeys(texts))
        rows = self._tokeniser.inner(distinct)
        known = [place for place, ids in enumerate(rows) if self._tokeniser.known(ids)]
        made = np.zeros((len(distinct), self.card.width), dtype=np.float32)
        if advance and len(known) < len(distinct):
            advance(len(distinct) - len(known))
        for place, states in self._read([rows[place] for place in known], chosen, advance):
            mean = states.mean(axis=0)
            made[known[place]] = mean / np.linalg.norm(mean)
        places = {text: place for place, text in enumerate(distinct)}
        return made[[places[text] for text in texts]]

    def forget(self) -> None:
        """Empty the memory of states; those on disk stay."""
        self._recent = Recent()

    def _known(self, layer: int, keys: Sequence[bytes]) -> dict[bytes, States]:
        """Return what memory and disk have."""
        found = {
            key: states for key in keys if (states := self._recent.get(layer, key)) is not None
        }
        if self._file is not None:
            stored = self._file.get(layer, [key for key in keys if key not in found])
            self._recent.add(layer, stored)
            found |= stored
        return found

    def _keep(self, layer: int, states: dict[bytes, States]) -> None:
        self._recent.add(layer, states)
        if self._file is not None and states:
            self._file.add(layer, states)

    def _tokens(self, ids: Ints, states: States) -> Tokens:
        framed = self._tokeniser.framed(ids)
        special = np.ones(len(framed), dtype=np.bool_)
        start = len(self._tokeniser.before)
        special[start : start + len(ids)] = False
        many = len(overlapping_spans(len(ids), self._room))
        return Tokens(framed, states, special, self._tokeniser.known(ids), many)

    @property
    def _room(self) -> int:
        return self.card.max_tokens - self._tokeniser.overhead

    def _read(
        self, rows: Sequence[Ints], layer: int, advance: Advance | None
    ) -> Iterator[tuple[int, States]]:
        """Yield each row's place and states, special ones included; short rows come first."""
        if not rows:
            return
        session = self._session(layer)
        jobs = [
            (place, w)
            for place, ids in enumerate(rows)
            for w in overlapping_spans(len(ids), self._room)
        ]
        left = [len(overlapping_spans(len(ids), self._room)) for ids in rows]
        parts: dict[int, dict[OverlappingSpan, States]] = {}
        lengths = [window.end - window.begin + self._tokeniser.overhead for _, window in jobs]
        for batch in batches(lengths):
            given = [self._tokeniser.framed(rows[jobs[n][0]][_slice(jobs[n][1])]) for n in batch]
            done = 0
            for number, states in zip(batch, self._run(session, layer, given), strict=True):
                place, window = jobs[number]
                parts.setdefault(place, {})[window] = states
                if len(parts[place]) == left[place]:
                    done += 1
                    yield place, self._joined(parts.pop(place))
            if advance and done:
                advance(done)

    def _run(self, session: Session, layer: int, given: Sequence[Ints]) -> Iterator[States]:
        ids = padded(given, self._tokeniser.pad)
        feed = {
            "input_ids": ids,
            "attention_mask": padded([np.ones_like(row) for row in given], 0),
            "token_type_ids": np.zeros_like(ids),
        }
        (states,) = session.run((layer_name(layer),), feed)
        if states.shape[-1] != self.card.width:
            raise ModelError(
                f"the states of {self.card.directory} have {states.shape[-1]} numbers, but its "
                f"card says width {self.card.width}; export it anew"
            )
        for row, ours in zip(given, states, strict=True):
            yield ours[: len(row)].copy()  # a view would keep the batch in memory

    def _joined(self, parts: dict[OverlappingSpan, States]) -> States:
        """Put the windows of a text together; special states come from its two ends."""
        if len(parts) == 1:
            return next(iter(parts.values()))
        ordered = sorted(parts)
        start, end = len(self._tokeniser.before), len(self._tokeniser.after)
        inner = [parts[w][start + w.first - w.begin : start + w.last - w.begin] for w in ordered]
        last = parts[ordered[-1]]
        return np.concatenate([parts[ordered[0]][:start], *inner, last[len(last) - end :]])


def layer_name(layer: int) -> str:
    """Return the name of the network's output that holds a layer's states."""
    return f"layer_{layer}"


def _slice(window: OverlappingSpan) -> slice:
    return slice(window.begin, window.end)


@lru_cache(maxsize=4)
def _load(
    directory: Path, stamp: str, threads: int | None, device: str, cache: str | None
) -> Embedder:
    """Load and check the files; the stamp is there to load again what has changed."""
    card = EmbedderCard.read(directory)
    path = directory / NETWORK
    contents = card.check_files()
    outputs = output_names(contents[NETWORK], str(path))
    for name in map(layer_name, range(card.layers + 1)):
        if name not in outputs:
            raise ModelError(f"{path} has no output {name!r}; it has: {', '.join(outputs)}")
    tokeniser = TextTokeniser.from_file(directory / TOKENISER, contents.get(TOKENISER))

    def open_layer(layer: int) -> Session:
        name = layer_name(layer)
        network = cut_to(card.content(NETWORK), {name}, str(path))
        return Session.load(network, path, outputs=(name,), threads=threads, device=device)

    open_layer(card.layer)
    file = StateFile(cache, card.fingerprint, card.width) if cache is not None else None
    return Embedder(card, tokeniser, open_layer, file)
