"""A network cut to some outputs computes the same there, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.utils import Extractor

from paraphrast.errors import ModelError
from paraphrast.models.embedder.graph_cut import cut_to, output_names
from paraphrast.models.session import Session
from tests.embedders import make_embedder


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return (make_embedder(tmp_path_factory.mktemp("tiny"), layers=3) / "model.onnx").read_bytes()


def run(network: bytes, output: str) -> np.ndarray:
    ids = np.array([[2, 30, 31, 32, 3], [2, 40, 3, 0, 0]])
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    session = Session.load(network, Path("tiny"), outputs=(output,), threads=1)
    (found,) = session.run((output,), {"input_ids": ids, "attention_mask": mask})
    return np.asarray(found)


@pytest.mark.parametrize("layer", range(4))
def test_a_layer_says_the_same_without_those_above(network: bytes, layer: int) -> None:
    name = f"layer_{layer}"
    small = cut_to(network, {name}, "tiny")
    onnx.checker.check_model(onnx.load_from_string(small))
    assert output_names(small, "tiny") == [name]
    assert np.array_equal(run(small, name), run(network, name))


@pytest.mark.parametrize("layer", range(4))
def test_the_cut_is_that_of_onnx(network: bytes, layer: int) -> None:
    name = f"layer_{layer}"
    whole = onnx.load_from_string(network)
    inputs = [one.name for one in whole.graph.input]
    expected = Extractor(whole).extract_model(inputs, [name]).graph
    found = onnx.load_from_string(cut_to(network, {name}, "tiny")).graph
    assert [node.SerializeToString() for node in found.node] == [
        node.SerializeToString() for node in expected.node
    ]
    assert {one.name: one.SerializeToString() for one in found.initializer} == {
        one.name: one.SerializeToString() for one in expected.initializer
    }
    assert [one.name for one in found.output] == [one.name for one in expected.output]


def test_what_is_not_needed_is_gone(network: bytes) -> None:
    sizes = [len(cut_to(network, {f"layer_{layer}"}, "tiny")) for layer in range(4)]
    assert sizes == sorted(set(sizes))
    kept = onnx.load_from_string(cut_to(network, {"layer_0"}, "tiny")).graph
    assert "MatMul" not in {node.op_type for node in kept.node}
    read = {name for node in kept.node for name in node.input}
    assert {tensor.name for tensor in kept.initializer} <= read


def test_all_outputs_leave_the_network_as_it_is(network: bytes) -> None:
    every = output_names(network, "tiny")
    assert every == ["layer_0", "layer_1", "layer_2", "layer_3"]
    assert cut_to(network, every, "tiny") == network


def test_a_graph_inside_a_node_keeps_what_it_reads() -> None:
    """`If` reads names of the outer graph from its branches only."""
    inner = [
        helper.make_graph(
            [helper.make_node(operator, ["doubled"], ["inside"])],
            operator,
            [],
            [helper.make_tensor_value_info("inside", TensorProto.FLOAT, None)],
        )
        for operator in ("Neg", "Abs")
    ]
    nodes = [
        helper.make_node("Add", ["x", "x"], ["doubled"]),
        helper.make_node("Identity", ["x"], ["unread"]),
        helper.make_node("If", ["flag"], ["y"], then_branch=inner[0], else_branch=inner[1]),
        helper.make_node("Exp", ["y"], ["z"]),
    ]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n"]) for n in ("y", "z")]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"]),
        helper.make_tensor_value_info("flag", TensorProto.BOOL, []),
    ]
    graph = helper.make_graph(nodes, "branches", inputs, values)
    model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)])
    kept = onnx.load_from_string(cut_to(model.SerializeToString(), {"y"}, "branches"))
    onnx.checker.check_model(kept)
    assert [node.op_type for node in kept.graph.node] == ["Add", "If"]


def test_an_output_that_is_not_there(network: bytes) -> None:
    with pytest.raises(ModelError) as caught:
        cut_to(network, {"layer_9"}, "tiny/model.onnx")
    assert str(caught.value) == (
        "tiny/model.onnx has no output 'layer_9'; it has: layer_0, layer_1, layer_2, layer_3"
    )


@pytest.mark.parametrize("damaged", [b"not a network", b"\x3a\xff\xff\x7f", b"\x07"])
def test_what_is_no_network(damaged: bytes) -> None:
    for work in (lambda: cut_to(damaged, {"a"}, "it"), lambda: output_names(damaged, "it")):
        with pytest.raises(ModelError, match=r"^it is not an ONNX network: it cannot be read$"):
            work()
