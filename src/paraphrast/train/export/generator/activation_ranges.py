"""The ranges of what a generator multiplies, seen while it reads calibration pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from paraphrast.models.generator.generator_card import DECODER, ENCODER
from paraphrast.models.generator.generator_loading import open_generator
from paraphrast.models.generator.text_likelihood import token_logprobs
from paraphrast.models.session import Session
from paraphrast.train.export.static_quantisation import Range, products


class _Watch:
    """Stands where a session stands, and notes the range of every product's input."""

    def __init__(self, model: Any, path: Path) -> None:
        self.names = list(dict.fromkeys(node.input[0] for node in products(model)))
        self.ranges: dict[str, Range] = {}
        opened = onnx.ModelProto()
        opened.CopyFrom(model)
        for name in self.names:
            value = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
            opened.graph.output.append(value)
        self._session = Session.load(opened.SerializeToString(), path, outputs=())

    @property
    def session(self) -> Session:
        return Session(self, self._session.inputs)

    def run_with_ort_values(self, outputs: list[str], given: dict[str, Any]) -> list[Any]:
        """Run the network as onnxruntime would, and look at what passes."""
        found = self._session.handle.run_with_ort_values([*outputs, *self.names], given)
        for name, value in zip(self.names, found[len(outputs) :], strict=True):
            values = value.numpy()
            before = self.ranges.get(name)
            if before is None:
                before = Range(*np.zeros((2, values.shape[-1]), dtype=np.float32))
            self.ranges[name] = before.joined(values)
        return list(found[: len(outputs)])


def generator_ranges(folder: Path, pairs: Sequence[tuple[str, str]]) -> dict[str, dict[str, Range]]:
    """Read pairs one by one, so that no padding is seen; return the ranges by file and name."""
    watched = {
        file: _Watch(onnx.load(folder / file), folder / file)
        for file in (ENCODER, DECODER)
        if (folder / file).exists()
    }
    sessions = {file: watch.session for file, watch in watched.items()}
    model = open_generator(folder, opened=sessions)
    for source, target in pairs:
        token_logprobs(model, [source], [target])
    return {file: watch.ranges for file, watch in watched.items()}
