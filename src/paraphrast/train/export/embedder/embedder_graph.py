"""Any encoder as an ONNX graph that gives the states of every layer, checked against torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from paraphrast.errors import ModelError
from paraphrast.models.embedder.text_embedder import layer_name
from paraphrast.models.session import Session
from paraphrast.train.export.onnx_graph import INPUTS, example_rows, trace

MOST_DIFFERENCE = 1e-4  # of states, or of the largest in a layer where it is above 1
_MOST_PARAMETERS = 530_000_000  # in 32 bits; more do not fit into an ONNX file's 2 GB
_SEED = 13


class _States(nn.Module):
    """The states of all layers alone, as a tuple, which is what a graph can return."""

    def __init__(self, network: nn.Module, typed: bool) -> None:
        super().__init__()
        self.network, self.typed = network, typed

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> tuple[Tensor, ...]:
        options = {"token_type_ids": types} if self.typed else {}
        found = self.network(
            input_ids=ids, attention_mask=mask, output_hidden_states=True, **options
        )
        return tuple(found.hidden_states)


def write_states(network: nn.Module, path: Path, *, typed: bool, longest: int) -> tuple[int, float]:
    """Write the graph; return the width of its states and how far they are from torch's.

    They are compared at other shapes than the traced one, up to the `longest` row; a graph that
    differs is a ModelError.
    """
    _check_size(network)
    module = _States(network, typed).eval()
    config: Any = network.config
    with torch.no_grad():
        shapes = [tuple(states.shape) for states in module(*example_rows(typed=typed))]
    width = int(shapes[0][-1])
    if len(shapes) != config.num_hidden_layers + 1 or {shape[-1] for shape in shapes} != {width}:
        raise ModelError(
            f"{config.model_type} gives states of the shapes {shapes} for "
            f"{config.num_hidden_layers} layers; one width, and one state more than layers are "
            "needed"
        )
    names = tuple(layer_name(layer) for layer in range(len(shapes)))
    trace(module, example_rows(typed=typed), path, names)
    return width, _compare(module, path, names, longest)


def _check_size(network: nn.Module) -> None:
    many = sum(weights.numel() for weights in network.parameters())
    if many > _MOST_PARAMETERS:
        raise ModelError(
            f"the encoder has {many / 1e6:,.0f} million parameters; an ONNX file holds 2 GB, which "
            f"is {_MOST_PARAMETERS / 1e6:,.0f} million"
        )


def _compare(module: _States, path: Path, names: tuple[str, ...], longest: int) -> float:
    """Return the largest difference from torch; padding is not looked at."""
    session = Session.load(path.read_bytes(), path, outputs=names)
    config: Any = module.network.config
    worst = 0.0
    for rows, length in ((1, 3), (3, 29), (2, min(67, longest)), (1, longest)):
        given, seen = _random(rows, min(length, longest), config, module.typed)
        with torch.no_grad():
            truth = [states.numpy() for states in module(*given)]
        feed = {name: part.numpy() for name, part in zip(INPUTS, given, strict=False)}
        for name, one, other in zip(names, truth, session.run(names, feed), strict=True):
            scale = max(1.0, float(np.abs(one[seen]).max()))
            found = float(np.abs(one - other)[seen].max()) / scale
            if not found <= MOST_DIFFERENCE:
                raise ModelError(
                    f"the graph differs from torch by {found:.1e} at {name}, {rows} rows of "
                    f"{length} sub-words (at most {MOST_DIFFERENCE:.0e}): this encoder cannot be "
                    "exported"
                )
            worst = max(worst, found)
    return worst


def _random(
    rows: int, length: int, config: Any, typed: bool
) -> tuple[tuple[Tensor, ...], np.ndarray]:
    """Return rows of random sub-words, each shorter than the one before, and what is no padding."""
    draw = torch.Generator().manual_seed(_SEED)
    pad = int(getattr(config, "pad_token_id", 0) or 0)
    ids = torch.randint(0, config.vocab_size, (rows, length), generator=draw)
    ids[ids == pad] = (pad + 1) % config.vocab_size
    mask = torch.ones_like(ids)
    for row in range(1, rows):
        mask[row, max(2, length - 5 * row) :] = 0
    ids[mask == 0] = pad
    given = (ids, mask, torch.zeros_like(ids)) if typed else (ids, mask)
    return given, mask.numpy().astype(bool)
