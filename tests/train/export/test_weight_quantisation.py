"""Integers with a scale for every block of inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from paraphrast.models.session import Session
from paraphrast.train.export.weight_quantisation import shrink

INPUTS, OUTPUTS, BLOCK = 128, 64, 64


def product(weights: np.ndarray[Any, Any]) -> Any:
    """Return a network that multiplies what it is given by the weights."""
    from onnx import TensorProto, helper, numpy_helper

    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", INPUTS])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", OUTPUTS])],
        [numpy_helper.from_array(weights, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def test_an_outlier_costs_its_own_block_alone(tmp_path: Any) -> None:
    rng = np.random.default_rng(3)
    weights = rng.normal(size=(INPUTS, OUTPUTS)).astype(np.float32)
    weights[0] = 100.0
    x = rng.normal(size=(5, INPUTS)).astype(np.float32)
    x[:, :BLOCK] = 0  # only the block without the outlier counts
    errors = []
    for block in (None, BLOCK):
        small = shrink(product(weights), block=block)
        session = Session.load(
            small.SerializeToString(), tmp_path / "m", outputs=("y",), threads=1, device="cpu"
        )
        (found,) = session.run(("y",), {"x": x})
        errors.append(float(np.abs(np.asarray(found) - x @ weights).max()))
    assert errors[1] < errors[0] / 10


def test_rows_that_cannot_be_divided_have_one_scale() -> None:
    weights = np.ones((INPUTS - 1, OUTPUTS), np.float32)
    names = {one.name for one in shrink(product(weights), block=BLOCK).graph.initializer}
    assert names == {"w_integers", "w_scale"}
