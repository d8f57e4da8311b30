"""Two texts with every word tagged: 0 where the other text says it too, 1 where it does not.

The tags are ParaTag's (Wang et al., §5.1): from a word's two logits G, S = G[0] − G[1]; the word
is tagged 1 when S lies below the threshold on the model's card. The probability beside a tag is
that of tag 0, "paraphrased": the softmax of the two logits. A threshold other than 0 tags some
words against the larger of their two probabilities. A word that the model's tokeniser drops (a
lone control character in given words) is tagged 0, with a probability of .5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from paraphrast.models.encoder.pair_reading import Reading
from paraphrast.models.encoder.tag_scores import probability, support
from paraphrast.render.pages.tags_page import pair_fragment
from paraphrast.render.terminal.marked_text import legend, pair_text
from paraphrast.text.words import Span, WordText
from paraphrast.types import Floats

_PLACES = 6  # a model's last digits depend on the machine; nobody reads them


@dataclass(frozen=True, slots=True)
class TaggedText:
    """One text's words; `spans` are character offsets into `text`.

    `text` is what the user gave; given words are joined by single spaces. `probabilities` are
    those of being paraphrased, to six places.
    """

    text: str
    spans: tuple[Span, ...]
    tags: tuple[int, ...]
    probabilities: tuple[float, ...]

    @classmethod
    def of(cls, text: WordText, logits: Floats, *, threshold: float) -> TaggedText:
        """Tag the words of a text from their logits, [words, 2]."""
        tags = ((support(logits) < threshold) & logits.any(axis=1)).astype(int).tolist()
        chances = (round(chance, _PLACES) for chance in probability(logits).tolist())
        return cls(text.text, text.spans, tuple(tags), tuple(chances))

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def words(self) -> list[str]:
        return [self.text[start:end] for start, end in self.spans]

    @property
    def unparaphrased(self) -> list[str]:
        """The words tagged 1."""
        return [word for word, tag in zip(self.words, self.tags, strict=True) if tag]

    def to_dict(self) -> dict[str, Any]:
        return {
            "words": self.words,
            "tags": list(self.tags),
            "probabilities": list(self.probabilities),
            "spans": [list(span) for span in self.spans],
        }


@dataclass(frozen=True, slots=True)
class TaggedPair:
    """Both texts of a pair, and how it was read.

    A pair too long to be read whole is read in several `windows`; where even those are too many,
    the reading is `limited`: a window was held against those near its place in the other text.
    """

    a: TaggedText
    b: TaggedText
    windows: int = 1
    limited: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {"a": self.a.to_dict(), "b": self.b.to_dict()}

    def __str__(self) -> str:
        return f"{pair_text(self)}\n{legend()}"

    def _repr_html_(self) -> str:
        return pair_fragment(self)


def tagged_pair(pair: Sequence[WordText], reading: Reading, *, threshold: float) -> TaggedPair:
    """Join what was read with what the encoder says of it."""
    a, b = pair
    return TaggedPair(
        TaggedText.of(a, reading.tags_a, threshold=threshold),
        TaggedText.of(b, reading.tags_b, threshold=threshold),
        reading.windows,
        reading.limited,
    )
