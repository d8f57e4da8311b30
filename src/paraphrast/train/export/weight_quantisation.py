"""A small ONNX file: weights as 8-bit integers, arithmetic in 32-bit floats.

Each matrix becomes integers and one scale per output (per row for a lookup table), or one for each
block of an output's inputs, behind a Cast and a Mul that onnxruntime folds into the matrix when it
loads the file. Nothing depends on the activations, so a pair's result does not depend on the batch
it is in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST = 4096  # smaller tensors stay as they are


def shrink(model: Any, *, block: int | None = None) -> Any:
    """Return a copy of an ONNX model with its large matrices stored as int8.

    With `block` every so many inputs of an output have a scale of their own, where their number can
    be divided: an outlier then costs the others of its block alone their precision.
    """
    import onnx

    small = onnx.ModelProto()
    small.CopyFrom(model)
    looked_up = {node.input[0] for node in small.graph.node if node.op_type == "Gather"}
    nodes: list[Any] = []
    kept: list[Any] = []
    for tensor in small.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.ndim == 2 and values.size >= LEAST:
            if tensor.name in looked_up:
                parts = round_to_integers(values, axis=1)
            elif block and values.shape[0] % block == 0:
                parts = round_to_integers(values.reshape(-1, block, values.shape[1]), axis=1)
                kept.append(_shape(tensor.name, values.shape))
            else:
                parts = round_to_integers(values, axis=0)
            kept += _tensors(tensor.name, *parts)
            nodes += _nodes(tensor.name, blocks=parts[0].ndim == 3)
        else:
            kept.append(tensor)
    nodes += small.graph.node
    del small.graph.initializer[:], small.graph.node[:]
    small.graph.initializer.extend(kept)
    small.graph.node.extend(nodes)
    onnx.checker.check_model(small)
    return small


def round_to_integers(
    values: NDArray[np.float32], *, axis: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return integers in ±127 and the scales, constant along `axis`, that give the values back."""
    scale = np.abs(values).max(axis=axis, keepdims=True) / 127
    scale = np.where(scale == 0, 1, scale).astype(np.float32)
    return np.round(values / scale).astype(np.int8), scale


def _tensors(name: str, integers: NDArray[np.int8], scale: NDArray[np.float32]) -> list[Any]:
    from onnx import numpy_helper

    return [
        numpy_helper.from_array(integers, f"{name}_integers"),
        numpy_helper.from_array(scale, f"{name}_scale"),
    ]


def _shape(name: str, shape: tuple[int, ...]) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(np.array(shape, np.int64), f"{name}_shape")


def _nodes(name: str, *, blocks: bool) -> list[Any]:
    from onnx import TensorProto, helper

    scaled = f"{name}_scaled" if blocks else name
    nodes = [
        helper.make_node("Cast", [f"{name}_integers"], [f"{name}_cast"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [f"{name}_cast", f"{name}_scale"], [scaled]),
    ]
    if blocks:
        nodes.append(helper.make_node("Reshape", [scaled, f"{name}_shape"], [name]))
    return nodes
