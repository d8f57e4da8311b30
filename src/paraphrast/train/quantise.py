"""A small ONNX file: weights as 8-bit integers, arithmetic in 32-bit floats.

Each matrix becomes integers and one scale per output (per row for a lookup table), behind a Cast
and a Mul that onnxruntime folds into the matrix when it loads the file. Nothing depends on the
activations, so a pair's result does not depend on the batch it is in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST = 4096  # smaller tensors stay as they are


def shrink(model: Any) -> Any:
    """Return a copy of an ONNX model with its large matrices stored as int8."""
    import onnx

    small = onnx.ModelProto()
    small.CopyFrom(model)
    looked_up = {node.input[0] for node in small.graph.node if node.op_type == "Gather"}
    nodes: list[Any] = []
    kept: list[Any] = []
    for tensor in small.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.ndim == 2 and values.size >= LEAST:
            parts = round_to_integers(values, axis=1 if tensor.name in looked_up else 0)
            kept += _tensors(tensor.name, *parts)
            nodes += _nodes(tensor.name)
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


def _nodes(name: str) -> list[Any]:
    from onnx import TensorProto, helper

    return [
        helper.make_node("Cast", [f"{name}_integers"], [f"{name}_cast"], to=TensorProto.FLOAT),
        helper.make_node("Mul", [f"{name}_cast", f"{name}_scale"], [name]),
    ]
