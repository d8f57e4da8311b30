"""The one place that fetches from a model hub, and the folders of `transformers`, here or there.

A model of the hub is "org/name", or pinned to a commit, tag or branch "org/name@revision".
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paraphrast.errors import MissingExtra, ModelError

CONFIG, WEIGHTS = "config.json", "model.safetensors"  # of a model of transformers
WEIGHTS_INDEX = f"{WEIGHTS}.index.json"
_TRANSFORMERS = (
    CONFIG,
    "generation_config.json",
    "model*.safetensors",
    WEIGHTS_INDEX,
    "*token*.json",
    "vocab.*",
    "merges.txt",
    "*.model",
)
_HUB_ID = re.compile(r"((?:[\w-][\w.-]*/)?[\w-][\w.-]*)(?:@(\w[\w./-]*))?")


class NotFetched(ModelError):
    """The hub does not give a model; the message is the hub's reason."""


class LacksFile(NotFetched):
    """A model of the hub is there, but without the file that makes it what was asked for."""


def hub_id(name: str) -> tuple[str, str | None] | None:
    """Return the id of a hub's model and its revision; None for what cannot be one."""
    found = _HUB_ID.fullmatch(name)
    return (found[1], found[2]) if found else None


def fetch(name: str, *, files: Sequence[str], needed: str, places: Sequence[bool]) -> Path:
    """Return the folder of a hub's model, which must hold the file `needed`; else NotFetched.

    `files` are patterns of all that is fetched. `places` are tried in turn: True is the local cache
    alone, False the hub, which falls back to the cache without a network.
    """
    found = hub_id(name)
    if found is None:
        raise NotFetched(f"{name!r} is not the id of a model")
    try:
        import huggingface_hub as hub
    except ModuleNotFoundError as error:
        raise MissingExtra("hub", "huggingface_hub") from error
    ident, revision = found
    cause: Exception = NotFetched("it is not asked")
    for local in places:
        try:
            folder = hub.snapshot_download(
                ident, revision=revision, allow_patterns=list(files), local_files_only=local
            )
        except Exception as error:  # noqa: BLE001  (the hub's errors share no other base)
            cause = error
        else:
            if (Path(folder) / needed).is_file():
                return Path(folder)
            cause = LacksFile(f"it holds no {needed}")
    reason = str(cause).strip().partition("\n")[0].rstrip(".")
    kind = LacksFile if isinstance(cause, LacksFile) else NotFetched
    raise kind(f"{reason:.300}") from cause


def transformers_folder(name: str) -> Path:
    """Return the folder of a model of transformers: a directory, or a hub's model, fetched."""
    if Path(name).is_dir():
        return Path(name)
    with quietly():
        return fetch(name, files=_TRANSFORMERS, needed=CONFIG, places=(False,))


@contextmanager
def quietly() -> Iterator[None]:
    """Keep the load reports, bars and deprecations of transformers off the terminal."""
    from transformers.utils import logging as module

    logging: Any = module  # it has no types
    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # DeBERTa scripts functions
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()
