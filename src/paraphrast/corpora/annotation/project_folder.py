"""The folder of a project: where its store is, and its guidelines as a file of Markdown."""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from paraphrast.corpora.annotation.store.database import sqlite_url
from paraphrast.errors import ConfigError, InputError
from paraphrast.io import atomic_writer

STORE_VARIABLE = "PARAPHRAST_ANNOTATION_STORE"

_CARD, _GUIDELINES, _FILE = "project.toml", "guidelines.md", "annotations.sqlite3"

GUIDELINES = {
    "labels": "Give each pair the label whose definition fits both sentences.\n",
    "spans": (
        "1. Mark, in each sentence, every span that the other sentence does not paraphrase. Mark "
        "as little as can be changed to make the two say the same.\n"
        "2. Mark a whole sentence only where no shorter span will do.\n"
        "3. Mark nothing where the sentences are paraphrases.\n"
    ),
    "rating": "Say how far the second text says what the first says.\n",
}
GUIDELINES["both"] = GUIDELINES["labels"] + "\n" + GUIDELINES["spans"]


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """A folder with a project's card; `store` is a database URL, None for the file beside it."""

    path: Path
    id: str
    store: str | None = None

    @property
    def url(self) -> str:
        """Return where the store is; the environment stands above the card."""
        return os.environ.get(STORE_VARIABLE) or self.store or sqlite_url(self.path / _FILE)

    @property
    def guidelines(self) -> str:
        """Return the guidelines as they stand in the folder."""
        path = self.path / _GUIDELINES
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read {path}: {error}") from error

    @property
    def is_made(self) -> bool:
        return (self.path / _CARD).exists()

    def make(self, guidelines: str) -> None:
        """Write the guidelines, unless they are there."""
        self.path.mkdir(parents=True, exist_ok=True)
        if not (self.path / _GUIDELINES).exists():
            with atomic_writer(self.path / _GUIDELINES) as file:
                file.write(guidelines)

    def seal(self) -> None:
        """Write the card, which says that the project is whole."""
        lines = [f"id = {json.dumps(self.id)}"]
        if self.store is not None:
            lines.append(f"store = {json.dumps(self.store)}")
        with atomic_writer(self.path / _CARD) as file:
            file.write("\n".join(lines) + "\n")

    @classmethod
    def read(cls, path: str | Path) -> ProjectFolder:
        """Read the card of a folder."""
        card = Path(path) / _CARD
        try:
            found = tomllib.loads(card.read_text(encoding="utf-8"))
            return cls(Path(path), str(found["id"]), found.get("store"))
        except FileNotFoundError as error:
            raise InputError(
                f"{path} is no annotation project: there is no {card}; "
                "make one with: paraphrast annotate init"
            ) from error
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as error:
            raise InputError(f"cannot read {card}: {error}") from error


def check_store(url: str) -> str:
    """Refuse a password in a URL that will be written into a file."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise ConfigError(f"{url!r} is no database URL; write postgresql://HOST/NAME") from error
    if parsed.password is not None:
        raise ConfigError(
            "the store's URL holds a password, which would be written into the project; leave it "
            f"out and put it into ~/.pgpass or PGPASSWORD, or give the URL in {STORE_VARIABLE}"
        )
    return url
