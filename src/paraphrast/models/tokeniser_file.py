"""The file tokenizer.json of a model, from a path or from bytes whose hash was checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paraphrast.errors import MissingExtra, ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def open_tokeniser(path: Path, content: bytes | None = None) -> Tokenizer:
    """Return the tokeniser of a file; `content` is what the file holds if that was read already.

    A card's hash is that of bytes: a file that is read once more may be another one by then.
    """
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise MissingExtra("encoder", "tokenizers") from error
    try:
        return Tokenizer.from_buffer(path.read_bytes() if content is None else content)
    except Exception as error:  # tokenizers raises nothing narrower
        raise ModelError(f"{path} is not a tokeniser: {error}") from error
