"""The network as an ONNX graph, with the inputs and outputs that `models` expects.

A traced graph is made lighter by what costs time and changes nothing. Torch traces its attention
with a guard against rows in which every key is masked, which would be NaN: no text is without a
sub-word, so there is none. And it multiplies queries and keys by constants, which can be in the
weights that make them.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from paraphrast.train.encoder.encoder_network import EditEncoderNetwork

OPSET = 17
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("score", "relations", "same", "tags")
_SHAPING = ("Transpose", "Reshape")


class _EncoderOutputs(nn.Module):
    """The outputs that `models` reads, alone, as a tuple, which is what a graph can return."""

    def __init__(self, network: EditEncoderNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> tuple[Tensor, ...]:
        found = self.network(ids, mask, types)
        return found.score, found.relations, found.same, found.tags


def write_graph(network: EditEncoderNetwork, path: Path) -> None:
    """Trace the network on a padded batch; batch and length stay free."""
    free: dict[str, dict[int, str]] = {
        name: {0: "batch"} for name in ("score", "relations", "same")
    }
    trace(_EncoderOutputs(network), example_rows(typed=network.typed), path, OUTPUTS, free)


def example_rows(*, typed: bool) -> tuple[Tensor, ...]:
    """Return two rows of sub-words, the second with padding, to trace a network on."""
    ids = torch.arange(5, 27).reshape(2, 11)
    mask = torch.ones_like(ids)
    mask[1, 7:] = 0
    return (ids, mask, torch.zeros_like(ids)) if typed else (ids, mask)


def trace(
    module: nn.Module,
    example: tuple[Tensor, ...],
    path: Path,
    outputs: Sequence[str],
    free: Mapping[str, dict[int, str]] | None = None,
) -> None:
    """Write a module as a light graph; what an output leaves free is its batch and length."""
    names = INPUTS[: len(example)]
    axes = {name: {0: "batch", 1: "length"} for name in (*names, *outputs)} | dict(free or {})
    write_onnx(module, dict(zip(names, example, strict=True)), path, outputs, axes)
    model = onnx.load(path)
    lighten(model)
    onnx.save(model, path)


def write_onnx(
    module: nn.Module,
    example: Mapping[str, Tensor],
    path: Path,
    outputs: Sequence[str],
    axes: Mapping[str, Mapping[int, str]],
) -> None:
    """Trace a module on named example inputs; `axes` names the axes that may vary."""
    with warnings.catch_warnings(), torch.no_grad():
        # The tracer warns of branches on shapes; the comparison at other shapes guards them.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            tuple(example.values()),
            str(path),
            input_names=list(example),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,  # the other exporter needs one more package and specialises shapes
        )


def lighten(model: Any) -> None:
    """Change the graph of a model in place."""
    _drop_guards(model.graph)
    _fold_factors(model.graph)
    _drop_unread(model.graph)


def _drop_guards(graph: Any) -> None:
    """Replace Where(IsNaN(x), anything, x) by x."""
    made_by = {name: node for node in graph.node for name in node.output}
    for node in [node for node in graph.node if node.op_type == "Where"]:
        test, _, value = node.input
        found = made_by.get(test)
        if found is not None and found.op_type == "IsNaN" and list(found.input) == [value]:
            if not _replace(graph, node, value):
                continue
            if found.output[0] not in _uses(graph):
                graph.node.remove(found)


def _fold_factors(graph: Any) -> None:
    """Multiply weights and bias by the constant that their product is multiplied by."""
    from onnx import numpy_helper

    made_by = {name: node for node in graph.node for name in node.output}
    uses = _uses(graph)
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for node in [node for node in graph.node if node.op_type == "Mul"]:
        factor = made_by.get(node.input[1])
        if factor is None or factor.op_type != "Constant":
            continue
        value = numpy_helper.to_array(factor.attribute[0].t)
        pair = _weights(node.input[0], made_by, uses)
        if value.size != 1 or pair is None or any(name not in tensors for name in pair):
            continue
        if not _replace(graph, node, node.input[0]):
            continue
        for name in pair:
            scaled = numpy_helper.to_array(tensors[name]) * np.float32(value.item())
            tensors[name].CopyFrom(numpy_helper.from_array(scaled.astype(np.float32), name))


def _weights(name: str, made_by: dict[str, Any], uses: Counter[str]) -> tuple[str, str] | None:
    """Return the matrix and the bias that a state is made of, if nothing else uses any of it."""
    node = made_by.get(name)
    while node is not None and node.op_type in _SHAPING and uses[name] == 1:
        name = node.input[0]
        node = made_by.get(name)
    if node is None or node.op_type != "Add" or uses[name] != 1:
        return None
    for bias, product in (node.input, reversed(node.input)):
        made = made_by.get(product)
        if made is not None and made.op_type == "MatMul" and uses[product] == 1:
            matrix = made.input[1]
            return (matrix, bias) if uses[matrix] == uses[bias] == 1 else None
    return None


def _drop_unread(graph: Any) -> None:
    """Take out constants that nothing reads any more."""
    read = _uses(graph)
    for node in [node for node in graph.node if node.op_type == "Constant"]:
        if node.output[0] not in read:
            graph.node.remove(node)


def _replace(graph: Any, node: Any, by: str) -> bool:
    """Take a node out, and let those that read its output read another; not if it is an output."""
    if any(output.name == node.output[0] for output in graph.output):
        return False
    for other in _nodes(graph):
        for place, name in enumerate(other.input):
            if name == node.output[0]:
                other.input[place] = by
    graph.node.remove(node)
    return True


def _uses(graph: Any) -> Counter[str]:
    """Count how often each value is read, by nodes, as an output, or inside a branch."""
    uses = Counter(name for node in _nodes(graph) for name in node.input)
    for one in (graph, *(inner for node in _nodes(graph) for inner in _branches(node))):
        uses.update(output.name for output in one.output)
    return uses


def _nodes(graph: Any) -> Iterator[Any]:
    """Yield the nodes of a graph and those of the branches inside them (If, Loop)."""
    for node in graph.node:
        yield node
        for inner in _branches(node):
            yield from _nodes(inner)


def _branches(node: Any) -> list[Any]:
    return [attribute.g for attribute in node.attribute if attribute.HasField("g")]
