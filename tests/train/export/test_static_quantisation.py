"""Static int8: close to the floats it came from, and the same in every batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from paraphrast.models.encoder.pair_encoding import Joined  # noqa: E402
from paraphrast.models.session import Session  # noqa: E402
from paraphrast.train.export import static_quantisation as static8  # noqa: E402
from paraphrast.train.export.static_quantisation import Range, make_static, measure, products  # noqa: E402

WIDTH, WORDS = 160, 50


@pytest.fixture(scope="module")
def model() -> Any:
    """Embeddings with one channel of outliers, then two products that share their input."""
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(0)
    table = rng.normal(size=(WORDS, WIDTH)).astype(np.float32)
    table[:, 7] *= 60
    matrices = {
        name: (rng.normal(size=(WIDTH, width)) / 13).astype(np.float32)
        for name, width in {"left": 128, "right": 192, "narrow": 4}.items()
    }
    tensors = {"table": table, **matrices}
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["states"])]
    nodes += [helper.make_node("MatMul", ["states", name], [f"{name}_out"]) for name in matrices]
    outputs = [
        helper.make_tensor_value_info(f"{name}_out", TensorProto.FLOAT, ["batch", "length", None])
        for name in matrices
    ]
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    graph = helper.make_graph(
        nodes,
        "tiny",
        [ids],
        outputs,
        [numpy_helper.from_array(values, name) for name, values in tensors.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


@pytest.fixture(scope="module")
def biased(model: Any) -> Any:
    """The same with a bias after the left product; the right one is added to itself: no bias."""
    from onnx import helper, numpy_helper

    other = onnx.ModelProto()
    other.CopyFrom(model)
    bias = np.linspace(-3, 3, 128, dtype=np.float32)
    other.graph.initializer.append(numpy_helper.from_array(bias, "bias"))
    other.graph.node.extend(
        [
            helper.make_node("Add", ["bias", "left_out"], ["left_sum"]),
            helper.make_node("Add", ["right_out", "right_out"], ["right_sum"]),
        ]
    )
    del other.graph.output[:]
    other.graph.output.extend(
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["batch", "length", None])
        for name in ("left_sum", "right_sum", "right_out")
    )
    return other


def pairs(count: int = 20) -> list[Joined]:
    rng = np.random.default_rng(1)
    none = np.empty(0, dtype=np.int64)
    ids = [rng.integers(0, WORDS, 12) for _ in range(count)]
    return [Joined(row, np.zeros_like(row), none, none) for row in ids]


def run(model: Any, ids: np.ndarray, *names: str) -> list[np.ndarray]:
    session = Session.load(model.SerializeToString(), Path("m"), outputs=names, threads=1)
    return session.run(names, {"input_ids": ids})


def test_only_large_products_are_taken(model: Any) -> None:
    assert [node.input[1] for node in products(model)] == ["left", "right"]


def test_ranges_are_those_of_the_states(model: Any) -> None:
    found = measure(model, Path("m"), pairs())
    table = onnx.numpy_helper.to_array(model.graph.initializer[0])
    seen = table[np.unique(np.concatenate([pair.ids for pair in pairs()]))]
    assert list(found) == ["states"]
    assert found["states"].low == pytest.approx(np.minimum(seen.min(0), 0))
    assert found["states"].high == pytest.approx(np.maximum(seen.max(0), 0))


def test_a_range_grows() -> None:
    first = Range(np.zeros(2, np.float32), np.zeros(2, np.float32))
    grown = first.joined(np.array([[[1, -2], [3, -1]]], np.float32))
    assert (grown.low.tolist(), grown.high.tolist()) == ([0, -2], [3, 0])


def relative_error(model: Any, other: Any) -> float:
    ids = np.stack([pair.ids for pair in pairs()])
    truth, found = (run(one, ids, "left_out", "right_out") for one in (model, other))
    return max(
        float(np.abs(a - b).mean() / np.abs(a).mean()) for a, b in zip(truth, found, strict=True)
    )


def test_products_stay_close_and_smoothing_is_why(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranges = measure(model, Path("m"), pairs())
    smooth = relative_error(model, make_static(model, ranges))
    monkeypatch.setattr(static8, "SMOOTHING", 0.0)
    plain = relative_error(model, make_static(model, ranges))
    assert smooth < 0.03
    assert plain > 2 * smooth


def test_weights_are_seven_bit_integers_and_the_rest_is_as_it_was(model: Any) -> None:
    fast = make_static(model, measure(model, Path("m"), pairs()))
    tensors = {t.name: onnx.numpy_helper.to_array(t) for t in fast.graph.initializer}
    stored = [values for values in tensors.values() if values.dtype == np.int8]
    integers = [values for values in stored if values.ndim > 1]
    assert [values.shape for values in integers] == [(WIDTH, 128), (WIDTH, 192)]
    assert all(np.abs(values).max() == 63 for values in integers)
    assert {"left", "right"}.isdisjoint(tensors)
    assert {"table", "narrow"} <= set(tensors)
    ids = np.stack([pair.ids for pair in pairs()])
    for one, other in zip(run(model, ids, "narrow_out"), run(fast, ids, "narrow_out"), strict=True):
        assert (one == other).all()


def test_a_row_is_the_same_in_every_batch(model: Any) -> None:
    fast = make_static(model, measure(model, Path("m"), pairs()))
    ids = np.stack([pair.ids for pair in pairs()])
    together = run(fast, ids, "left_out", "right_out")
    for row in range(0, len(ids), 5):
        alone = run(fast, ids[row : row + 1], "left_out", "right_out")
        for one, other in zip(alone, together, strict=True):
            assert one[0] == pytest.approx(other[row], abs=1e-5)


def test_a_column_of_zeros_and_an_input_of_zeros_do_no_harm() -> None:
    made = static8._Input.of("x", Range(*np.zeros((2, 4), np.float32)), [np.zeros((4, 3))])
    assert np.isfinite(1 / made.scale).all()
    integers = static8._weights("w", np.zeros((4, 3), np.float32))[0]
    assert not onnx.numpy_helper.to_array(integers).any()


def test_a_bias_is_added_by_the_product(model: Any, biased: Any) -> None:
    fast = make_static(biased, measure(biased, Path("m"), pairs()))
    assert [node.op_type for node in fast.graph.node].count("Add") == 1  # that of two states
    ids = np.stack([pair.ids for pair in pairs()])
    names = ("left_sum", "right_sum", "right_out")
    truth, found = (run(one, ids, *names) for one in (biased, fast))
    for one, other in zip(truth, found, strict=True):
        assert np.abs(one - other).mean() < 0.03 * np.abs(one).mean()
    plain = run(make_static(model, measure(model, Path("m"), pairs())), ids, "left_out")[0]
    assert found[0] - plain == pytest.approx(
        np.broadcast_to(np.linspace(-3, 3, 128), plain.shape), abs=1e-4
    )


def test_a_product_that_is_also_an_output_keeps_its_bias_apart(biased: Any) -> None:
    open_model = onnx.ModelProto()
    open_model.CopyFrom(biased)
    open_model.graph.output.append(
        onnx.helper.make_tensor_value_info(
            "left_out", onnx.TensorProto.FLOAT, ["batch", "length", None]
        )
    )
    fast = make_static(open_model, measure(biased, Path("m"), pairs()))
    ids = np.stack([pair.ids for pair in pairs()])
    bare, with_bias = run(fast, ids, "left_out", "left_sum")
    assert (with_bias - bare)[0, 0] == pytest.approx(np.linspace(-3, 3, 128), abs=1e-4)


def test_weights_that_something_else_reads_too_stay(model: Any) -> None:
    open_model = onnx.ModelProto()
    open_model.CopyFrom(model)
    open_model.graph.node.append(onnx.helper.make_node("Neg", ["left"], ["turned"]))
    open_model.graph.output.append(
        onnx.helper.make_tensor_value_info("turned", onnx.TensorProto.FLOAT, [WIDTH, 128])
    )
    fast = make_static(open_model, measure(model, Path("m"), pairs()))
    names = {tensor.name for tensor in fast.graph.initializer}
    assert "left" in names
    assert "right" not in names
