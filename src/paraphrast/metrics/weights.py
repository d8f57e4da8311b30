"""What metrics that run a model share: their weights' name in a signature, and notes on texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from paraphrast.errors import ParaphrastError
from paraphrast.models.embedder.embedder_card import EmbedderCard
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.scripts import letters
from paraphrast.models.store import checked_name
from paraphrast.signature import Value

_SEPARATORS = str.maketrans("|:", "--")


def named_weights(
    model: str, read: Callable[[], EncoderCard] | Callable[[], EmbedderCard]
) -> dict[str, Value]:
    """Name the weights by what they are, wherever they lie; without them there is no hash."""
    try:
        card = read()
    except ParaphrastError:
        return {"model": signable(checked_name(model)), "weights": "missing"}
    return {
        "model": card.model,
        "weights": f"{card.name}-{card.version}",
        "hash": card.fingerprint,
        "dtype": card.dtype,
    }


def signable(text: str) -> str:
    """Return a text as it may stand in a signature."""
    return text.translate(_SEPARATORS) or "none"


def windows_note(windowed: int, total: int, what: str, limit: int) -> str:
    """Say how many of the texts or pairs were too long to be read at once."""
    were = "was" if windowed == 1 else "were"
    return (
        f"{windowed} of {total} {what} {were} longer than {limit} sub-words and "
        f"{were} read in windows"
    )


def letter_counts(texts: Iterable[str], languages: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Count letters, and those of scripts that none of the languages uses, of each text."""
    return {text: letters(text, languages) for text in texts}
