"""The edit encoder at work: pairs of texts in, scores, entailments and tags out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path

import numpy as np

from paraphrast.models import store
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.encoder.pair_encoding import EncodedSide, Joined, PairTokeniser
from paraphrast.models.encoder.pair_reading import CERTAIN, Reading, Relations
from paraphrast.models.encoder.pair_summary import Memo, Summary, summarise
from paraphrast.models.encoder.pair_windows import PairWindows, WindowReading, combine, cut_pair
from paraphrast.models.feeding import batches, encodable, pad_id, padded
from paraphrast.models.session import Session, check_place
from paraphrast.models.weights_card import NETWORK, TOKENISER
from paraphrast.text.words import WordText
from paraphrast.types import Floats

__all__ = ["EditEncoder", "Reading"]

Pair = tuple[WordText, WordText]
Advance = Callable[[int], None]

_OUTPUTS = {  # by the format of the card
    1: ("score", "entailment", "tags"),
    2: ("score", "relations", "same", "tags"),
}
_LEAST = 1e-9  # of a probability, to have a logit


class EditEncoder:
    """A cross-encoder of (reference, candidate), loaded once per process and place.

    Each distinct text is tokenised once and each distinct pair read once. Batches hold pairs of
    like length, and a pair's batch changes its values by less than 1e-4.

    Empty texts, that is those without a sub-word, need no network. Two of them say the same: the
    highest score of the card's calibration and an entailment logit of 10. One against a text says
    nothing of it: the lowest score, −10, and every word is unparaphrased with logits (−5, 5).
    """

    def __init__(self, card: EncoderCard, session: Session, tokeniser: PairTokeniser) -> None:
        self.card = card
        self._session = session
        self._tokeniser = tokeniser
        self._pad = pad_id(tokeniser.tokeniser)
        self._memo = Memo[Summary]()

    @classmethod
    def load(
        cls, name: store.Name = "mini", *, threads: int | None = None, device: str = "cpu"
    ) -> EditEncoder:
        """Load weights by name ("mini", "base"), from a directory, or from a hub's "org/name".

        `threads` are those of onnxruntime, by default one for each core; `device` is "cpu",
        "cuda" or "cuda:N".
        """
        check_place(threads, device)
        directory = store.find(name).resolve()
        return _load(directory, EncoderCard.read(directory).fingerprint, threads, device)

    def read(self, pairs: Sequence[Pair], *, advance: Advance | None = None) -> list[Reading]:
        """Return what the encoder says of each pair, in the order given.

        `advance` is called with the number of pairs that are done since the last call.
        """
        counts = Counter(pairs)
        sides = self._sides(list(dict.fromkeys(chain.from_iterable(counts))))
        readings = {
            (a, b): self._nothing(sides[a], sides[b])
            for a, b in counts
            if not (len(sides[a]) and len(sides[b]))
        }
        _tell(advance, sum(counts[pair] for pair in readings))
        framed = self._tokeniser.overhead
        sizes = self.card.max_tokens - framed, self.card.window - framed
        layouts = {
            (a, b): cut_pair(sides[a], sides[b], *sizes)
            for a, b in counts
            if (a, b) not in readings
        }
        for done in self._batches(layouts):
            readings |= done
            _tell(advance, sum(counts[pair] for pair in done))
        return [readings[pair] for pair in pairs]

    def _batches(self, layouts: dict[Pair, PairWindows]) -> Iterator[dict[Pair, Reading]]:
        """Yield after each batch the pairs whose last window was in it; short ones come first."""
        jobs = [(pair, ij) for pair, cut in layouts.items() for ij in cut.meetings]
        joined = [self._join(layouts[pair], ij) for pair, ij in jobs]
        readings: dict[Pair, dict[tuple[int, int], WindowReading]] = {pair: {} for pair in layouts}
        for batch in batches(list(map(len, joined))):
            done = {}
            for row, reading in zip(
                batch, self._window_readings([joined[r] for r in batch]), strict=True
            ):
                pair, ij = jobs[row]
                seen, cut = readings[pair], layouts[pair]
                seen[ij] = reading
                if len(seen) == len(cut.meetings):
                    ordered = [seen[met] for met in cut.meetings]
                    done[pair] = combine(cut, ordered, len(pair[0]), len(pair[1]))
            yield done

    def summaries(
        self, pairs: Sequence[tuple[str, str]], *, advance: Advance | None = None
    ) -> list[Summary]:
        """Return the numbers of each pair without its words; the last 100,000 are remembered.

        This is what several metrics share: the second that asks for a pair does not read it again.
        """
        keys = self._memo.keys(pairs)
        found = {key: known for key in keys if (known := self._memo.get(key)) is not None}
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in found}
        texts = {text: WordText.of(text) for pair in new.values() for text in pair}
        _tell(advance, len(pairs) - len(new))
        sides = [(texts[a], texts[b]) for a, b in new.values()]
        readings = self.read(sides, advance=advance)
        found |= {
            key: summarise(reading, *side)
            for key, reading, side in zip(new, readings, sides, strict=True)
        }
        self._memo.add({key: found[key] for key in new})
        return [found[key] for key in keys]

    def _sides(self, texts: list[WordText]) -> dict[WordText, EncodedSide]:
        found = self._tokeniser.sides([_encodable(text) for text in texts])
        return dict(zip(texts, found, strict=True))

    def _join(self, cut: PairWindows, met: tuple[int, int]) -> Joined:
        return self._tokeniser.join(cut.a[met[0]].side, cut.b[met[1]].side)

    def _window_readings(self, rows: list[Joined]) -> Iterator[WindowReading]:
        """Read one batch."""
        feed = {
            "input_ids": padded([row.ids for row in rows], self._pad),
            "attention_mask": padded([np.ones_like(row.ids) for row in rows], 0),
            "token_type_ids": padded([row.types for row in rows], 0),
        }
        names = _OUTPUTS[self.card.format]
        found = dict(zip(names, self._session.run(names, feed), strict=True))
        values = {name: np.asarray(array, dtype=np.float64) for name, array in found.items()}
        for number, (row, relations) in enumerate(zip(rows, _relations(values), strict=True)):
            mine = values["tags"][number]
            yield WindowReading(
                float(values["score"][number]), relations, mine[row.first_a], mine[row.first_b]
            )

    def _nothing(self, a: EncodedSide, b: EncodedSide) -> Reading:
        """Return the defined result for a pair with an empty text; see the class."""
        same = len(a) == len(b)
        score = self.card.calibration.score[-1 if same else 0]
        sure = CERTAIN if same else -CERTAIN
        relations = Relations(sure, sure, -CERTAIN, sure)
        return Reading(score, relations, _unsupported(a), _unsupported(b))


@lru_cache(maxsize=4)
def _load(directory: Path, fingerprint: str, threads: int | None, device: str) -> EditEncoder:
    """Load and check the files; the fingerprint is there to load again what has changed."""
    card = EncoderCard.read(directory)
    contents = card.check_files()
    tokeniser = PairTokeniser.from_file(directory / TOKENISER, contents.get(TOKENISER))
    session = Session.load(
        contents[NETWORK],
        directory / NETWORK,
        outputs=_OUTPUTS[card.format],
        threads=threads,
        device=device,
    )
    return EditEncoder(card, session, tokeniser)


def _relations(values: Mapping[str, Floats]) -> list[Relations]:
    """Turn a batch's outputs into logits, each of one answer against all others."""
    if "relations" not in values:
        return [Relations(float(logit)) for logit in values["entailment"]]
    logits = values["relations"]
    chances = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    odds = chances[..., 0] - np.logaddexp(chances[..., 1], chances[..., 2])
    against = np.exp(chances[..., 2]).mean(axis=-1).clip(_LEAST, 1 - _LEAST)
    columns = (odds[:, 0], odds[:, 1], np.log(against / (1 - against)), values["same"])
    return [Relations(*map(float, row)) for row in zip(*columns, strict=True)]


def _encodable(text: WordText) -> WordText:
    """Replace lone surrogates, which UTF-8 cannot hold, one for one."""
    clean = encodable(text.text)
    return text if clean == text.text else WordText(clean, text.spans)


def _unsupported(side: EncodedSide) -> Floats:
    return np.where(side.first[:, None] >= 0, [-CERTAIN / 2, CERTAIN / 2], 0.0)


def _tell(advance: Advance | None, done: int) -> None:
    if advance and done:
        advance(done)
