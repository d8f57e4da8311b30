"""A lighter graph says the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from paraphrast.train.export.onnx_graph import lighten  # noqa: E402

RNG = np.random.default_rng(1)
MATRIX, BIAS = (RNG.normal(size=shape).astype(np.float32) for shape in ((4, 4), (4,)))
INPUT = RNG.normal(size=(3, 4)).astype(np.float32)


def constant(name: str, value: float) -> Any:
    tensor = numpy_helper.from_array(np.array(value, dtype=np.float32))
    return helper.make_node("Constant", [], [name], value=tensor)


def model(*extra: Any, more: tuple[str, ...] = ()) -> Any:
    """softmax of ((x W + b)ᵀ × 3), guarded against NaN."""
    nodes = [
        helper.make_node("MatMul", ["x", "W"], ["product"]),
        helper.make_node("Add", ["b", "product"], ["sum"]),
        helper.make_node("Transpose", ["sum"], ["turned"], perm=[1, 0]),
        constant("three", 3.0),
        helper.make_node("Mul", ["turned", "three"], ["scaled"]),
        helper.make_node("Softmax", ["scaled"], ["soft"]),
        helper.make_node("IsNaN", ["soft"], ["lost"]),
        constant("zero", 0.0),
        helper.make_node("Where", ["lost", "zero", "soft"], ["y"]),
        *extra,
        helper.make_node("Neg", ["y"], ["out"]),
    ]
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["a", "b"])
        for name in ("out", *more)
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 4])],
        outputs,
        [numpy_helper.from_array(MATRIX, "W"), numpy_helper.from_array(BIAS, "b")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def run(made: Any) -> list[Any]:
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return list(session.run(None, {"x": INPUT}))


def kinds(made: Any) -> Counter[str]:
    return Counter(node.op_type for node in made.graph.node)


def test_guard_factor_and_constants_are_gone_and_nothing_changes() -> None:
    made = model()
    before = run(made)
    lighten(made)
    onnx.checker.check_model(made)
    assert kinds(made) == Counter(["MatMul", "Add", "Transpose", "Softmax", "Neg"])
    np.testing.assert_allclose(run(made)[0], before[0], atol=1e-6)


def test_weights_that_something_else_reads_are_left_alone() -> None:
    made = model(helper.make_node("Abs", ["sum"], ["other"]), more=("other",))
    before = run(made)
    lighten(made)
    assert kinds(made)["Mul"] == 1
    for mine, theirs in zip(run(made), before, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)


def test_other_choices_stay() -> None:
    made = model(
        helper.make_node("Less", ["soft", "three"], ["few"]),
        helper.make_node("Where", ["few", "zero", "soft"], ["chosen"]),
        more=("chosen",),
    )
    before = run(made)
    lighten(made)
    assert kinds(made)["Where"] == 1
    np.testing.assert_allclose(run(made)[1], before[1], atol=1e-6)


def test_what_a_branch_reads_stays() -> None:
    """An If may read values of the graph around it: a constant, and what is taken out."""
    scalar = helper.make_tensor_value_info("branch", TensorProto.FLOAT, None)
    inner = helper.make_graph(
        [helper.make_node("Add", ["y", "offset"], ["branch"])], "inner", [], [scalar]
    )
    made = model(
        constant("offset", 5.0),
        helper.make_node("Less", ["three", "zero"], ["less"]),
        helper.make_node("If", ["less"], ["chosen"], then_branch=inner, else_branch=inner),
        more=("chosen",),
    )
    before = run(made)
    lighten(made)
    onnx.checker.check_model(made)
    for mine, theirs in zip(run(made), before, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)
    assert kinds(made)["Where"] == 0


def test_outputs_keep_their_names() -> None:
    made = model(more=("y", "scaled"))
    before = run(made)
    lighten(made)
    onnx.checker.check_model(made)
    for mine, theirs in zip(run(made), before, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)
