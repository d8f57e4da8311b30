"""A generator of transformers as the ONNX graphs that `models` runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor

from paraphrast.errors import ModelError
from paraphrast.models.generator.generator_card import DECODER, EMBEDDINGS, ENCODER
from paraphrast.models.generator.language_model import CAUSAL, SEQ2SEQ
from paraphrast.models.generator.onnx_generator import key_names
from paraphrast.train.export.generator.causal_graphs import Gpt2Graph, LlamaGraph
from paraphrast.train.export.generator.slot_attention import trace_graph
from paraphrast.train.export.generator.t5_graph import T5DecoderGraph, T5EncoderGraph
from paraphrast.train.export.onnx_graph import OPSET

KNOWN = {"t5": SEQ2SEQ, "gpt2": CAUSAL, "llama": CAUSAL}
_GROUPS, _EACH, _TOKENS, _SLOTS, _SOURCE = 2, 3, 2, 5, 7  # of what is traced


@dataclass(frozen=True)
class Shape:
    """What the card says of the decoder."""

    layers: int
    heads: int
    size: int
    width: int


def shape_of(network: Any) -> Shape:
    """Return the decoder's shape; a kind that has no graph here is a ModelError."""
    config = network.config
    if config.model_type not in KNOWN:
        raise ModelError(
            f"a generator of type {config.model_type!r} cannot be exported; known: "
            f"{', '.join(KNOWN)}"
        )
    if config.model_type == "t5":
        return Shape(config.num_decoder_layers, config.num_heads, config.d_kv, config.d_model)
    heads = config.num_attention_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // heads
    shared = getattr(config, "num_key_value_heads", None) or heads
    return Shape(config.num_hidden_layers, shared, size, config.hidden_size)


def write_graphs(network: Any, kept: NDArray[np.int64], folder: Path) -> None:
    """Write embeddings, encoder (if there is one) and decoder, with the kept sub-words alone."""
    shape, places = shape_of(network), torch.from_numpy(kept)
    network = network.eval()
    table = network.get_input_embeddings().weight.detach()[places].float().numpy()
    onnx.save(embeddings(table), folder / EMBEDDINGS)
    kind = network.config.model_type
    if kind == "t5":
        _write_encoder(T5EncoderGraph(network), shape, folder / ENCODER)
        _write_decoder(T5DecoderGraph(network, places), shape, folder / DECODER, crossed=True)
    else:
        module = Gpt2Graph if kind == "gpt2" else LlamaGraph
        _write_decoder(module(network, places), shape, folder / DECODER, crossed=False)


def _write_encoder(module: T5EncoderGraph, shape: Shape, path: Path) -> None:
    example = {"states": torch.randn(_GROUPS, _SOURCE, shape.width), "mask": _mask()}
    names = key_names(shape.layers, "cross_key", "cross_value")
    outputs = dict.fromkeys(names, (0, 2))
    trace_graph(module, example, path, outputs, {"states": (0, 1), "mask": (0, 1)})


def _write_decoder(module: Any, shape: Shape, path: Path, *, crossed: bool) -> None:
    new = _EACH * _TOKENS
    example: dict[str, Tensor] = {
        "states": torch.randn(_GROUPS * _EACH, _TOKENS, shape.width),
        "distance": torch.randint(-1, 5, (_GROUPS, new, _SLOTS + new)),
        "wanted": torch.arange(_GROUPS * new),
    }
    free = {"states": (0, 1), "distance": (0, 1, 2), "wanted": (0,)}
    if crossed:
        example["mask"], free["mask"] = _mask(), (0, 1)
    else:
        example["position"] = torch.randint(0, 5, (_GROUPS * _EACH, _TOKENS))
        free["position"] = (0, 1)
    stems = ["past_key", "past_value"] + ["cross_key", "cross_value"] * crossed
    for name in key_names(shape.layers, *stems):
        length = _SLOTS if name.startswith("past") else _SOURCE
        example[name] = torch.randn(_GROUPS, shape.heads, length, shape.size)
        free[name] = (0, 2)
    outputs = {"logits": (0,)} | dict.fromkeys(key_names(shape.layers, "key", "value"), (0, 2))
    trace_graph(module, example, path, outputs, free)


def _mask() -> Tensor:
    mask = torch.ones(_GROUPS, _SOURCE)
    mask[1, 5:] = 0
    return mask


def embeddings(table: NDArray[np.float32], *, integers: bool = False) -> Any:
    """Return a network that looks ids up; as integers, each row has its own scale.

    Rows become floats when they are looked up, so the whole table never does.
    """
    from paraphrast.train.export.weight_quantisation import round_to_integers

    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["rows", "tokens"])
    width = table.shape[1]
    states = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["rows", "tokens", width])
    if integers:
        rounded, scale = round_to_integers(table, axis=1)
        weights: dict[str, NDArray[Any]] = {"table": rounded, "scale": scale}
        nodes = [
            helper.make_node("Gather", ["table", "ids"], ["integers"]),
            helper.make_node("Cast", ["integers"], ["floats"], to=TensorProto.FLOAT),
            helper.make_node("Gather", ["scale", "ids"], ["scales"]),
            helper.make_node("Mul", ["floats", "scales"], ["states"]),
        ]
    else:
        weights = {"table": table}
        nodes = [helper.make_node("Gather", ["table", "ids"], ["states"])]
    tensors = [numpy_helper.from_array(values, name) for name, values in weights.items()]
    graph = helper.make_graph(nodes, "embeddings", [ids], [states], tensors)
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", OPSET)])
