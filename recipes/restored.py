"""Turn a generator that ships (int8 weights in ONNX files) back into a T5 of transformers.

A further round of training starts from what ships when the run that it came from is gone. Weights
are those of the files, integers times scales; the vocabulary stays cut:

    git archive 7e01bba weights/generator/paraphrast_generator | tar -x -C runs
    python recipes/restored.py runs/weights/generator/paraphrast_generator \\
        backbones/paraphraser-0.1.0
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backbones import T5, TOKENISER

Weights = dict[str, NDArray[np.float32]]
_FEED = "DenseReluDense"


def main() -> None:
    """Read the three graphs, and write config, tokeniser and weights."""
    from safetensors.numpy import save_file

    folder, target = map(Path, sys.argv[1:3])
    encoder, decoder = (floats(folder / f"{name}.onnx") for name in ("encoder", "decoder"))
    table = floats(folder / "embeddings.onnx")["table"]
    weights = {"shared.weight": table, "lm_head.weight": decoder["head"].T}
    weights |= {
        "encoder.final_layer_norm.weight": encoder["norm.weight"],
        "decoder.final_layer_norm.weight": decoder["norm.weight"],
        bias("encoder"): buckets(encoder["table"], two_ways=True),
        bias("decoder"): buckets(decoder["table"][1:], two_ways=False),
    }
    for layer in range(T5["num_layers"]):
        weights |= block(encoder, "encoder", layer)
        weights |= block(decoder, "decoder", layer) | cross(encoder, decoder, layer)
    target.mkdir(parents=True, exist_ok=True)
    config = {**T5, "vocab_size": len(table)}
    (target / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (target / "tokenizer_config.json").write_text(json.dumps(TOKENISER, indent=2) + "\n")
    shutil.copyfile(folder / "tokenizer.json", target / "tokenizer.json")
    whole = {name: np.ascontiguousarray(weight) for name, weight in weights.items()}
    save_file(whole, target / "model.safetensors", metadata={"format": "pt"})


def floats(path: Path) -> Weights:
    """Return the weights of a graph by their names: whole numbers times their scales."""
    import onnx
    from onnx.numpy_helper import to_array

    stored = {tensor.name: to_array(tensor) for tensor in onnx.load(path).graph.initializer}
    found: Weights = {}
    for name, value in stored.items():
        stem = name.removesuffix("_integers")
        if stem != name:
            whole = value.astype(np.float32) * stored[f"{stem}_scale"]
            found[stem] = whole.reshape(-1, whole.shape[-1])  # of blocks, or as it was
        elif value.dtype == np.int8:
            found[name] = value.astype(np.float32) * stored["scale"]
        elif value.dtype == np.float32 and not name.endswith("scale"):
            found[name] = value
    return found


def block(graph: Weights, side: str, layer: int) -> Weights:
    """Return self-attention and feed-forward of one layer, under the names of transformers."""
    last = 1 if side == "encoder" else 2
    own, feed = f"{side}.block.{layer}.layer.0", f"{side}.block.{layer}.layer.{last}"
    query, key, value = np.split(graph[f"layers.{layer}.into"], 3, axis=1)
    gate, linear = np.split(graph[f"feeds.{layer}.inner"], 2, axis=1)
    return {
        f"{own}.SelfAttention.q.weight": query.T,
        f"{own}.SelfAttention.k.weight": key.T,
        f"{own}.SelfAttention.v.weight": value.T,
        f"{own}.SelfAttention.o.weight": graph[f"layers.{layer}.out"].T,
        f"{own}.layer_norm.weight": graph[f"layers.{layer}.norm.weight"],
        f"{feed}.{_FEED}.wi_0.weight": gate.T,
        f"{feed}.{_FEED}.wi_1.weight": linear.T,
        f"{feed}.{_FEED}.wo.weight": graph[f"feeds.{layer}.outer"].T,
        f"{feed}.layer_norm.weight": graph[f"feeds.{layer}.norm.weight"],
    }


def cross(encoder: Weights, decoder: Weights, layer: int) -> Weights:
    """Return the attention to the source; its keys and values are in the encoder's graph."""
    own = f"decoder.block.{layer}.layer.1"
    key, value = np.split(encoder[f"crosses.{layer}"], 2, axis=1)
    return {
        f"{own}.EncDecAttention.q.weight": decoder[f"crosses.{layer}.into"].T,
        f"{own}.EncDecAttention.k.weight": key.T,
        f"{own}.EncDecAttention.v.weight": value.T,
        f"{own}.EncDecAttention.o.weight": decoder[f"crosses.{layer}.out"].T,
        f"{own}.layer_norm.weight": decoder[f"crosses.{layer}.norm.weight"],
    }


def bias(side: str) -> str:
    """Name the table of relative positions."""
    return f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"


def buckets(table: NDArray[np.float32], *, two_ways: bool) -> NDArray[np.float32]:
    """Return T5's buckets from the value of every distance; a bucket's distances share one."""
    import torch
    from transformers.models.t5.modeling_t5 import T5Attention

    reach = T5["relative_attention_max_distance"]
    apart = torch.arange(-reach, reach + 1) if two_ways else -torch.arange(reach + 1)
    numbers: Any = T5Attention._relative_position_bucket(  # noqa: SLF001  (there is no other)
        apart,
        bidirectional=two_ways,
        num_buckets=T5["relative_attention_num_buckets"],
        max_distance=reach,
    )
    found = np.zeros((T5["relative_attention_num_buckets"], T5["num_heads"]), np.float32)
    found[numbers.numpy()] = table
    return found


if __name__ == "__main__":
    main()
