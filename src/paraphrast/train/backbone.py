"""Any encoder of `transformers`, loaded quietly, and only if it is the one the recipe names."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import torch
from torch import nn

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models.quiet_loading import quietly as quietly
from paraphrast.train.recipe import ModelPart

WEIGHTS = "model.safetensors"
_DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout")


def load_backbone(part: ModelPart) -> nn.Module:
    """Load the encoder from a directory or a hub: float32, without a pooler where it can be."""
    from transformers import AutoConfig

    check_weights(part)
    try:
        with quietly():
            config = AutoConfig.from_pretrained(part.backbone, trust_remote_code=False)
            for name in _DROPOUTS:
                if isinstance(getattr(config, name, None), float | int):
                    setattr(config, name, part.dropout)
            return _load(part.backbone, config)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"cannot load the backbone {part.backbone!r}: {reason}") from error


def _load(name: str, config: Any) -> nn.Module:
    from transformers import AutoModel

    options = {"config": config, "dtype": torch.float32, "trust_remote_code": False}
    options |= {"use_safetensors": True, "output_loading_info": True}  # never a pickle
    try:
        model, report = AutoModel.from_pretrained(name, add_pooling_layer=False, **options)
    except TypeError:  # an encoder that knows no pooler
        model, report = AutoModel.from_pretrained(name, **options)
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    if missing:  # transformers would make them up
        shown = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        raise ModelError(f"the backbone {name!r} lacks {len(missing)} weights: {shown}")
    found: nn.Module = model
    return found


def check_weights(part: ModelPart) -> None:
    """Refuse weights that are not the ones the recipe names by their hash."""
    if not part.sha256:
        return
    path = _weights(part.backbone)
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != part.sha256:
        raise ModelError(f"{path} has sha256 {found}; the recipe asks for {part.sha256}")


def _weights(backbone: str) -> Path:
    path = Path(backbone) / WEIGHTS
    if path.exists():
        return path
    if Path(backbone).is_dir():
        raise ModelError(f"{backbone} holds no {WEIGHTS}")
    from transformers.utils.hub import cached_file

    try:
        with quietly():
            return Path(str(cached_file(backbone, WEIGHTS)))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"there is no backbone {backbone!r}: neither a folder here nor on a hub "
            f"({str(error).splitlines()[0]})"
        ) from error


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
