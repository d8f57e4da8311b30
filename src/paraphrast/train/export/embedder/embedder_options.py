"""What is asked of an export of an embedder, and what can be refused before any work."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.models.embedder.embedder_card import EmbedderCard
from paraphrast.models.weights import CARD

FULL, STATIC, STORED = "float32", "static int8", "int8 weights, float32 arithmetic"
FORMS = {"auto": (STATIC, STORED), "float32": (FULL,), "static": (STATIC,), "stored": (STORED,)}
PAIRS = 20_000  # of the baseline


@dataclass(frozen=True, slots=True)
class EmbedderRequest:
    """What to write. A layer of None is two thirds of the way up; pairs of None, no baseline.

    Without a name of its own an embedder is called as its encoder is.
    """

    name: str | None = None
    model: str | None = None
    version: str = "0"
    languages: tuple[str, ...] = ("en",)
    layer: int | None = None
    texts: str | None = None
    form: str = "auto"
    pairs: int | None = PAIRS
    command: str = ""

    def __post_init__(self) -> None:
        for key, label in (("name", self.name), ("model", self.model), ("version", self.version)):
            if label is not None and (not label or set("|:") & set(label)):
                raise ConfigError(f"{key} must be text without '|' or ':'; got {label!r}")
        if self.form not in FORMS:
            raise ConfigError(f"form must be {', '.join(FORMS)}; got {self.form!r}")
        if self.pairs is not None and self.pairs < 1:
            raise ConfigError(f"pairs must be at least 1; got {self.pairs}")
        if self.layer is not None and self.layer < 0:
            raise ConfigError(f"layer must be at least 0; got {self.layer}")

    @property
    def measured(self) -> bool:
        """Whether it cannot be done without texts."""
        return self.pairs is not None or self.form != "float32"


def check_out(out: Path, folder: str) -> None:
    """Refuse what cannot be written, or what must not be written over, before any work."""
    nearest = next(one for one in (out.absolute(), *out.absolute().parents) if one.exists())
    if not nearest.is_dir():
        raise InputError(f"cannot write {out}: {nearest} is a file")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"cannot write {out}: {nearest} is write-protected")
    if Path(folder).is_dir() and out.resolve() == Path(folder).resolve():
        raise ConfigError(f"{out} is the encoder itself; give another folder to write")
    if (out / CARD).is_file():
        try:
            EmbedderCard.read(out)
        except ModelError as error:
            raise ConfigError(f"{out} is in use, and not by an embedder: {error}") from error
