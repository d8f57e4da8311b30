"""A small ONNX file that is also faster: matrix products in 8-bit integers, calibrated once.

The scale of each product's input is fixed by what calibration rows showed, so a row's result
does not depend on the batch it is in. Two things keep it close to 32-bit floats. Outputs stay
floats, only inputs and weights are rounded. And a few channels of a transformer's states are many
times larger than the rest: every channel is divided by a power of its largest value, and the
weights it meets are multiplied by it (SmoothQuant, Xiao et al. 2023), which moves the outliers
to where they do less harm.

The product is onnxruntime's own operator, which also adds the bias; a standard pair of integers
and floats around a MatMul would be fused into the same one, without the bias.

Weights use 7 of 8 bits: without VNNI instructions, onnxruntime adds two products of an unsigned
and a signed byte in 16 bits, which must not overflow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from paraphrast.models.encoder.pair_encoding import Ints
from paraphrast.models.session import Session

SMOOTHING = 0.75  # the power; 0 leaves the outliers where they are
LEAST = 128  # inputs and outputs of a product that is worth it
PRODUCT, CONTRIBUTED = "MatMulIntegerToFloat", "com.microsoft"  # onnxruntime's own operator
_WEIGHTS, _LEVELS = 63, 255  # the largest integers of weights and of inputs
_TINY = 1e-6

Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the greatest value of each channel of a tensor."""

    low: Values
    high: Values

    def joined(self, values: Values) -> Range:
        rows = values.reshape(-1, values.shape[-1])
        return Range(np.minimum(self.low, rows.min(0)), np.maximum(self.high, rows.max(0)))


def products(model: Any) -> list[Any]:
    """Return the nodes that multiply states by a large matrix of weights."""
    shapes = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    found = []
    for node in model.graph.node:
        shape = shapes.get(node.input[1], ()) if node.op_type == "MatMul" else ()
        if len(shape) == 2 and min(shape) >= LEAST:
            found.append(node)
    return found


class SubwordRow(Protocol):
    """What a network reads at once: a pair or a text as sub-words."""

    @property
    def ids(self) -> Ints: ...

    @property
    def types(self) -> Ints: ...


def measure(model: Any, path: Path, rows: Iterable[SubwordRow]) -> dict[str, Range]:
    """Run the network over rows, one by one, and note the range of every product's input."""
    import onnx

    open_model = onnx.ModelProto()
    open_model.CopyFrom(model)
    names = tuple(dict.fromkeys(node.input[0] for node in products(model)))
    for name in names:
        value = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
        open_model.graph.output.append(value)
    session = Session.load(open_model.SerializeToString(), path, outputs=names)
    found: dict[str, Range] = {}
    for row in rows:
        ids, types = (part[None].astype(np.int64) for part in (row.ids, row.types))
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        for name, values in zip(names, session.run(names, feed), strict=True):
            width = values.shape[-1]
            before = found.get(name, Range(*np.zeros((2, width), dtype=np.float32)))
            found[name] = before.joined(values)
    return found


def make_static(model: Any, ranges: Mapping[str, Range]) -> Any:
    """Return a copy of a model whose large products are in integers, with the biases after them.

    A product whose input has no range stays as it is.
    """
    import onnx

    fast = onnx.ModelProto()
    fast.CopyFrom(model)
    weights = {tensor.name: tensor for tensor in fast.graph.initializer}
    by_input: dict[str, list[Any]] = {}
    for node in products(fast):
        if node.input[0] in ranges:
            by_input.setdefault(node.input[0], []).append(node)
    biased = _biases(fast.graph)
    instead: dict[str, list[Any]] = {}
    tensors: list[Any] = []
    replaced = set()
    for number, (name, nodes) in enumerate(by_input.items()):
        matrices = [onnx.numpy_helper.to_array(weights[node.input[1]]) for node in nodes]
        made = _Input.of(f"static_{number}", ranges[name], matrices)
        tensors += made.tensors()
        before = made.nodes(name)
        for place, (node, matrix) in enumerate(zip(nodes, matrices, strict=True)):
            replaced.add(node.input[1])
            weight = f"{made.name}_weights_{place}"
            tensors += _weights(weight, matrix * made.scale[:, None])
            bias, output = biased.get(node.output[0], ("", node.output[0]))
            instead[output] = []
            instead[node.output[0]] = [*before, made.product(weight, bias, output)]
            before = []
    ordered = [one for node in fast.graph.node for one in instead.get(node.output[0], [node])]
    replaced -= {name for node in ordered for name in node.input}  # what something else reads
    tensors += [tensor for tensor in fast.graph.initializer if tensor.name not in replaced]
    del fast.graph.node[:], fast.graph.initializer[:]
    fast.graph.node.extend(ordered)
    fast.graph.initializer.extend(tensors)
    if CONTRIBUTED not in {used.domain for used in fast.opset_import}:
        fast.opset_import.append(onnx.helper.make_opsetid(CONTRIBUTED, 1))
    onnx.checker.check_model(fast)
    return fast


def _biases(graph: Any) -> dict[str, tuple[str, str]]:
    """Map what alone is added to a constant vector to that vector and the name of the sum."""
    vectors = {tensor.name for tensor in graph.initializer if len(tensor.dims) == 1}
    uses = Counter(name for node in graph.node for name in node.input)
    uses.update(output.name for output in graph.output)
    found = {}
    for node in graph.node:
        if node.op_type == "Add":
            for product, bias in (node.input, reversed(node.input)):
                if bias in vectors and uses[product] == 1:
                    found[product] = (bias, node.output[0])
    return found


@dataclass(frozen=True, slots=True)
class _Input:
    """How one tensor becomes integers: divided by a scale per channel, and moved by `zero`."""

    name: str
    scale: Values
    zero: int

    @classmethod
    def of(cls, name: str, found: Range, matrices: Iterable[Values]) -> _Input:
        largest = np.maximum(np.abs(found.low), np.abs(found.high)) + _TINY
        met = np.max([np.abs(matrix).max(1) for matrix in matrices], axis=0) + _TINY
        smooth = largest**SMOOTHING / met ** (1 - SMOOTHING) if SMOOTHING else np.ones_like(met)
        low = min(float((found.low / smooth).min()), 0.0)
        step = max((float((found.high / smooth).max()) - low) / _LEVELS, _TINY)
        zero = int(np.clip(round(-low / step), 0, _LEVELS))
        return cls(name, (smooth * step).astype(np.float32), zero)

    def tensors(self) -> list[Any]:
        from onnx import numpy_helper

        parts: dict[str, NDArray[Any]] = {
            "inverse": (1 / self.scale).astype(np.float32),
            "one": np.array(1, dtype=np.float32),
            "zero": np.array(self.zero, dtype=np.uint8),
        }
        return [
            numpy_helper.from_array(values, f"{self.name}_{part}") for part, values in parts.items()
        ]

    def nodes(self, source: str) -> list[Any]:
        from onnx import helper

        scaled, integers = f"{self.name}_scaled", f"{self.name}_integers"
        level = [f"{self.name}_one", f"{self.name}_zero"]
        return [
            helper.make_node("Mul", [source, f"{self.name}_inverse"], [scaled]),
            helper.make_node("QuantizeLinear", [scaled, *level], [integers]),
        ]

    def product(self, weight: str, bias: str, output: str) -> Any:
        """Multiply by weights, and add the bias of that name, if any."""
        from onnx import helper

        inputs = [f"{self.name}_integers", f"{weight}_integers", f"{self.name}_one"]
        inputs += [f"{weight}_scale", f"{self.name}_zero", f"{weight}_zero", bias]
        return helper.make_node(PRODUCT, inputs, [output], domain=CONTRIBUTED)


def _weights(name: str, matrix: Values) -> list[Any]:
    """Integers in ±63 with one scale per output."""
    from onnx import numpy_helper

    scale = np.abs(matrix).max(axis=0) / _WEIGHTS
    scale = np.where(scale == 0, 1, scale).astype(np.float32)
    parts = {
        "integers": np.round(matrix / scale).astype(np.int8),
        "scale": scale,
        "zero": np.zeros(len(scale), dtype=np.int8),
    }
    return [numpy_helper.from_array(values, f"{name}_{part}") for part, values in parts.items()]
