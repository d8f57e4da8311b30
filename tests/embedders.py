"""Small but real embedders for tests: a directory that loads and runs like the shipped one.

The network is made of seeded numpy weights and no training: embeddings, and layers of attention
over the text. So texts that share words are alike, every token sees its neighbours, padding is
masked, and a position beyond the limit is an error, as in BERT.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, save_model

from tests.encoders import _Graph, _hash, _tokeniser, _vocabulary

DIM = 16


def make_embedder(
    path: Path,
    *,
    seed: int = 0,
    max_tokens: int = 64,
    layers: int = 2,
    layer: int = 1,
    baseline: dict[str, Any] | None = None,
    **card: Any,
) -> Path:
    """Write an embedder directory and return its path; `card` replaces entries of card.json."""
    path.mkdir(parents=True, exist_ok=True)
    vocabulary = _vocabulary()
    _tokeniser(vocabulary, 100).save(str(path / "tokenizer.json"))
    save_model(_network(len(vocabulary), seed, max_tokens, layers), str(path / "model.onnx"))
    write_embedder_card(
        path,
        max_tokens=max_tokens,
        layers=layers,
        layer=layer,
        **({"baseline": baseline} if baseline else {}),
        **card,
    )
    return path


def write_embedder_card(path: Path, **changes: Any) -> None:
    """Write card.json with the true hashes of the files beside it."""
    card: dict[str, Any] = {
        "kind": "paraphrast embedder",
        "format": 1,
        "name": "paraphrast-encoder",
        "model": "minilm",
        "version": "0.1.0",
        "dtype": "float32",
        "languages": ["en"],
        "max_tokens": 64,
        "layers": 2,
        "layer": 1,
        "width": DIM,
        "files": {name: _hash(path / name) for name in ("model.onnx", "tokenizer.json")},
    }
    text = json.dumps(card | changes, indent=1, ensure_ascii=False)
    (path / "card.json").write_text(text, encoding="utf-8")


def install_embedder(folder: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Path:
    """Make the embedder found by its name ("minilm") for one test, as if it were installed."""
    package = folder / "paraphrast_encoder"
    made = make_embedder(package / "minilm", **options)
    (package / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "paraphrast_encoder", raising=False)
    return made


def _network(size: int, seed: int, max_tokens: int, layers: int) -> Any:
    g, draw = _Graph(), np.random.default_rng(seed)
    words = draw.normal(size=(size, DIM))
    x = g("Gather", g.constant(words), "input_ids")
    zero, one = g.constant(0, np.int64), g.constant(1, np.int64)
    length = g("Gather", g("Shape", "input_ids"), one)
    table = g.constant(draw.normal(size=(max_tokens, DIM)) * 0.3)
    seen = g.float("attention_mask")
    hidden = g("Add", x, g("Gather", table, g("Range", zero, length, one)), out="layer_0")
    for number in range(1, layers + 1):
        hidden = _layer(g, draw, hidden, seen, f"layer_{number}")
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "l"])
        for name in ("input_ids", "attention_mask")
    ]
    outputs = [
        helper.make_tensor_value_info(f"layer_{n}", TensorProto.FLOAT, ["b", "l", DIM])
        for n in range(layers + 1)
    ]
    graph = helper.make_graph(g.nodes, "tiny", inputs, outputs, g.weights)
    return helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)])


def _layer(g: _Graph, draw: np.random.Generator, hidden: str, seen: str, out: str) -> str:
    q, k, v = (g("MatMul", hidden, g.constant(draw.normal(size=(DIM, DIM)) / 4)) for _ in "qkv")
    weights = g.linear(g("MatMul", q, g("Transpose", k, perm=[0, 2, 1])), 0.25, 0.0)
    hide = g.row(g.linear(seen, 1e9, -1e9))
    mixed = g("MatMul", g("Softmax", g("Add", weights, hide), axis=-1), v)
    return g("Tanh", g("Add", hidden, mixed), out=out)
