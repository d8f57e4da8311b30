"""Turn an edit encoder that ships (int8 weights in an ONNX file) back into a run to start from.

A further round of training starts from what ships when the run that it came from is gone. Weights
are those of the file, integers times scales; heads that the file has not are drawn by the recipe's
seed. The file is that of version 0.1.0, which the history of the repository keeps:

    git archive 625218b weights/encoder-base | tar -x -C runs
    python recipes/restored_encoder.py runs/weights/encoder-base/paraphrast_encoder_base \\
        recipes/judge_base.toml runs/base_0.1.0
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from paraphrast.train import checkpoint
from paraphrast.train.checkpoint import Progress
from paraphrast.train.encoder.encoder_network import EditEncoderNetwork
from paraphrast.train.recipe import read_recipe

Weights = dict[str, NDArray[np.float32]]
NAMELESS = "onnx::"  # how the tracer names what it has transposed or folded


def main() -> None:
    """Read the graph, fill a network of the recipe's shape, and write it as a run's best."""
    folder, recipe_path, run = map(Path, sys.argv[1:4])
    recipe = read_recipe(recipe_path)
    torch.manual_seed(recipe.seed)
    network = EditEncoderNetwork.create(recipe.model)
    found = named(folder / "model.onnx")
    fill(network, found)
    checkpoint.save(run / "best", Progress(recipe.fingerprint), dict(network.state_dict()))
    digest = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    print(f"{len(found)} weights of {folder}, sha256 {digest}, are now in {run}")


def fill(network: EditEncoderNetwork, found: Weights) -> None:
    """Put the weights in their places; the file's entailment logit begins both entailments."""
    state = network.state_dict()
    heads = ("score.", "tags.")
    for name, weight in found.items():
        if name.startswith("backbone.") or name.startswith(heads):
            if state[name].shape != weight.shape:
                sys.exit(f"{name} is {weight.shape} in the file, {tuple(state[name].shape)} here")
            state[name].copy_(torch.from_numpy(weight.copy()))
    for part in ("weight", "bias"):
        rows = state[f"relations.{part}"]
        rows.zero_()
        rows[[0, 3]] += torch.from_numpy(found[f"entailment.{part}"].copy())
        state[f"same.{part}"].copy_(torch.from_numpy(found[f"entailment.{part}"].copy()))
    left = [name for name in state if name.startswith("backbone.") and name not in found]
    if left := [name for name in left if "position_ids" not in name]:
        sys.exit(f"the file has no {', '.join(left[:5])}")
    network.load_state_dict(state)


def named(path: Path) -> Weights:
    """Return the weights of a graph under the names that the torch module gives them.

    A product's weight has lost its name; the bias that is added to the product tells it.
    """
    import onnx

    graph = onnx.load(path).graph
    values = floats(graph)
    found = {name.removeprefix("network."): value for name, value in values.items()}
    products = {
        node.output[0]: node.input[1]
        for node in graph.node
        if node.op_type == "MatMul" and node.input[1] in values
    }
    for node in graph.node:
        if node.op_type != "Add":
            continue
        for one, other in (tuple(node.input), tuple(node.input)[::-1]):
            if one in products and other.endswith(".bias"):
                name = other.removeprefix("network.").removesuffix("bias") + "weight"
                found[name] = np.ascontiguousarray(values[products[one]].T)
    return {name: value for name, value in found.items() if not name.startswith(NAMELESS)}


def floats(graph: Any) -> Weights:
    """Return the stored weights by name: whole numbers times their scales."""
    from onnx.numpy_helper import to_array

    stored = {tensor.name: to_array(tensor) for tensor in graph.initializer}
    found: Weights = {}
    for name, value in stored.items():
        if name.endswith("_integers"):
            plain = name.removesuffix("_integers")
            found[plain] = value.astype(np.float32) * stored[f"{plain}_scale"]
        elif not name.endswith("_scale"):
            found[name] = value
    return found


if __name__ == "__main__":
    main()
