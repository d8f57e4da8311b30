"""Take out of a traced graph what costs time and changes nothing.

Torch traces its attention with a guard against rows in which every key is masked, which would be
NaN: no text is without a sub-word, so there is none. And it multiplies queries and keys by
constants, which can be in the weights that make them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

_SHAPING = ("Transpose", "Reshape")


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
