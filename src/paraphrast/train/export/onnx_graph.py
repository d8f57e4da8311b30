"""The network as an ONNX graph, with the inputs and outputs that `models` expects."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from paraphrast.train.encoder.encoder_network import EditEncoder
from paraphrast.train.export.graph_lightening import lighten

OPSET = 17
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("score", "entailment", "tags")


class _Plain(nn.Module):
    """The three outputs alone, as a tuple, which is what a graph can return."""

    def __init__(self, network: EditEncoder) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> tuple[Tensor, ...]:
        found = self.network(ids, mask, types)
        return found.score, found.entailment, found.tags


def write_graph(network: EditEncoder, path: Path) -> None:
    """Trace the network on a padded batch; batch and length stay free."""
    given = example(typed=network.typed)
    free: dict[str, dict[int, str]] = {"score": {0: "batch"}, "entailment": {0: "batch"}}
    trace(_Plain(network), given, path, OUTPUTS, free)


def example(*, typed: bool) -> tuple[Tensor, ...]:
    """Return two rows of sub-words, the second with padding, to trace a network on."""
    ids = torch.arange(5, 27).reshape(2, 11)
    mask = torch.ones_like(ids)
    mask[1, 7:] = 0
    return (ids, mask, torch.zeros_like(ids)) if typed else (ids, mask)


def trace(
    module: nn.Module,
    given: tuple[Tensor, ...],
    path: Path,
    outputs: Sequence[str],
    free: Mapping[str, dict[int, str]] | None = None,
) -> None:
    """Write a module as a light graph; what an output leaves free is its batch and length."""
    names = INPUTS[: len(given)]
    axes = {name: {0: "batch", 1: "length"} for name in (*names, *outputs)} | dict(free or {})
    with warnings.catch_warnings(), torch.no_grad():
        # The tracer warns of branches on shapes; the parity check at other shapes guards them.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            given,
            str(path),
            input_names=list(names),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,  # the other exporter needs one more package and specialises shapes
        )
    model = onnx.load(path)
    lighten(model)
    onnx.save(model, path)
