"""Any encoder of `transformers`, loaded quietly, and only if it is the one the recipe names."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import torch
from torch import nn

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models.hub import WEIGHTS, NotFetched, hub_id, quietly, transformers_folder
from paraphrast.train.recipe import ModelPart

_DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout")


def load_backbone(part: ModelPart) -> nn.Module:
    """Load the encoder from a directory or a hub: float32, without a pooler where it can be."""
    from transformers import AutoConfig

    folder = backbone_folder(part.backbone)
    check_weights(part, folder)
    try:
        with quietly():
            config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
            for name in _DROPOUTS:
                if isinstance(getattr(config, name, None), float | int):
                    setattr(config, name, part.dropout)
            return _load(part.backbone, folder, config)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"cannot load the backbone {part.backbone!r}: {reason}") from error


def backbone_folder(name: str) -> Path:
    """Return the folder of a backbone, which is fetched from a hub if it is none here."""
    try:
        return transformers_folder(name)
    except NotFetched as error:
        reason = f" ({error})" if hub_id(name) else ""
        raise ModelError(
            f"there is no backbone {name!r}: neither a folder here nor on a hub{reason}"
        ) from error


def _load(name: str, folder: Path, config: Any) -> nn.Module:
    from transformers import AutoModel

    options = {"config": config, "dtype": torch.float32, "trust_remote_code": False}
    options |= {"use_safetensors": True, "output_loading_info": True}  # never a pickle
    try:
        model, report = AutoModel.from_pretrained(folder, add_pooling_layer=False, **options)
    except TypeError:  # an encoder that knows no pooler
        model, report = AutoModel.from_pretrained(folder, **options)
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    if missing:  # transformers would make them up
        shown = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        raise ModelError(f"the backbone {name!r} lacks {len(missing)} weights: {shown}")
    found: nn.Module = model
    return found


def check_weights(part: ModelPart, folder: Path) -> None:
    """Refuse weights that are not the ones the recipe names by their hash."""
    if not part.sha256:
        return
    path = folder / WEIGHTS
    if not path.exists():
        raise ModelError(f"{part.backbone} holds no {WEIGHTS}")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != part.sha256:
        raise ModelError(f"{path} has sha256 {found}; the recipe asks for {part.sha256}")


def freeze(backbone: nn.Module, layers: int) -> None:
    """Keep the embeddings and that many of the lowest layers as they are."""
    if not layers:
        return
    embeddings = getattr(backbone, "embeddings", None)
    stack = getattr(backbone, "encoder", None) or getattr(backbone, "transformer", None)
    found = getattr(stack, "layer", None)
    if not isinstance(embeddings, nn.Module) or not isinstance(found, nn.ModuleList):
        raise ConfigError(f"frozen: {type(backbone).__name__} has no list of layers to freeze")
    if layers > len(found):
        raise ConfigError(f"frozen is {layers}; the backbone has {len(found)} layers")
    for module in (embeddings, *found[:layers]):
        module.requires_grad_(False)


def longest_input(backbone: nn.Module) -> int | None:
    """Return how many sub-words the backbone can read, None if there is no limit.

    Encoders that number their positions from after the padding id (RoBERTa, MPNet) have as many
    more in their table.
    """
    config: Any = backbone.config
    table = getattr(config, "max_position_embeddings", None)
    if table is None or table < 0:
        return None
    embeddings = getattr(getattr(backbone, "embeddings", None), "position_embeddings", None)
    offset = getattr(embeddings, "padding_idx", None)
    return int(table) - (0 if offset is None else int(offset) + 1)
