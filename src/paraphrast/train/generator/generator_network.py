"""The generator as a torch module: any encoder–decoder of transformers, T5 and BART among them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models.hub import quietly
from paraphrast.train.backbone import backbone_folder, check_weights
from paraphrast.train.recipe import ModelPart

_DROPOUTS = ("dropout_rate", "dropout", "attention_dropout", "activation_dropout")


class Generator(nn.Module):
    """A network that writes the second text of a pair after reading the first."""

    def __init__(self, backbone: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone
        config: Any = backbone.config
        self.pad, self.end = int(config.pad_token_id), int(config.eos_token_id)
        self._tied = _tied(super().state_dict())

    @classmethod
    def create(cls, part: ModelPart) -> Generator:
        """Load the backbone from a directory or a hub: float32, never a pickle."""
        from transformers import AutoConfig, AutoModelForSeq2SeqLM

        folder = backbone_folder(part.backbone)
        check_weights(part, folder)
        options: dict[str, Any] = {"trust_remote_code": False}
        try:
            with quietly():
                config = AutoConfig.from_pretrained(folder, **options)
                for name in _DROPOUTS:
                    if isinstance(getattr(config, name, None), float | int):
                        setattr(config, name, part.dropout)
                options |= {"config": config, "dtype": torch.float32, "use_safetensors": True}
                backbone = AutoModelForSeq2SeqLM.from_pretrained(folder, **options)
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ModelError(f"cannot load the backbone {part.backbone!r}: {reason}") from error
        freeze(backbone, part.frozen)
        return cls(backbone)

    def forward(self, batch: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        """Return the cross-entropy of every sub-word of the targets; 0 after their ends."""
        before = self.backbone.prepare_decoder_input_ids_from_labels(  # type: ignore[operator]
            labels=batch["target"]
        )
        logits = self.backbone(
            input_ids=batch["source"],
            attention_mask=batch["source_mask"],
            decoder_input_ids=before,
            use_cache=False,
        ).logits
        flat = F.cross_entropy(
            logits.float().flatten(0, 1),
            batch["target"].flatten(),
            reduction="none",
            label_smoothing=smoothing,
        )
        return flat.view_as(batch["target"]) * batch["target_mask"]

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:  # type: ignore[override]
        """Return the weights, each that has several names under its first."""
        whole = super().state_dict(*args, **kwargs)
        return {name: weight for name, weight in whole.items() if name not in self._tied}

    def load_state_dict(self, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        """Take weights as `state_dict` gives them."""
        tied = {name: state_dict[own] for name, own in self._tied.items() if own in state_dict}
        return super().load_state_dict({**state_dict, **tied}, *args, **kwargs)


def freeze(backbone: Any, layers: int) -> None:
    """Keep the embeddings, of input and output, and the encoder's lowest layers as they are."""
    if not layers:
        return
    encoder = backbone.get_encoder()
    found = getattr(encoder, "block", None) or getattr(encoder, "layers", None)
    if not isinstance(found, nn.ModuleList):
        raise ConfigError(f"frozen: {type(backbone).__name__} has no list of layers to freeze")
    if layers > len(found):
        raise ConfigError(f"frozen is {layers}; the backbone's encoder has {len(found)} layers")
    embeddings = backbone.get_input_embeddings(), backbone.get_output_embeddings()
    for module in (*embeddings, *found[:layers]):
        module.requires_grad_(False)


def _tied(weights: dict[str, Tensor]) -> dict[str, str]:
    """Return the other names of weights that several parts share, and their first names."""
    first: dict[int, str] = {}
    return {
        name: own
        for name, weight in weights.items()
        if (own := first.setdefault(weight.data_ptr(), name)) != name
    }
