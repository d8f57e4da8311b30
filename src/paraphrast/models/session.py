"""A network at work in onnxruntime."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paraphrast.engine.cores import check_limit, cores
from paraphrast.errors import ConfigError, MissingExtra, ModelError

if TYPE_CHECKING:
    import onnxruntime

_DEVICE = re.compile(r"cpu|cuda(?::(\d+))?")
_CPU, _CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
_ERRORS_ONLY = 4  # what onnxruntime prints itself; its exceptions tell us the rest


@dataclass(frozen=True, slots=True)
class Session:
    """A loaded network with named inputs and outputs."""

    handle: onnxruntime.InferenceSession
    inputs: frozenset[str]

    @classmethod
    def load(
        cls,
        network: bytes,
        path: Path,
        *,
        outputs: tuple[str, ...],
        threads: int | None = None,
        device: str = "cpu",
    ) -> Session:
        """Load a network from its bytes; `path` is for messages only."""
        check_place(threads, device)
        try:
            import onnxruntime
        except ModuleNotFoundError as error:
            raise MissingExtra("encoder", "onnxruntime") from error
        providers = _providers(onnxruntime.get_available_providers(), device)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.intra_op_num_threads = threads or cores()
        options.inter_op_num_threads = 1
        options.log_severity_level = _ERRORS_ONLY
        try:
            handle = onnxruntime.InferenceSession(network, options, providers=providers)
        except Exception as error:  # onnxruntime's errors share no other base
            raise ModelError(f"{path} is not a network that onnxruntime loads: {error}") from error
        _check_device(handle.get_providers(), device)
        found = [output.name for output in handle.get_outputs()]
        for name in outputs:
            if name not in found:
                raise ModelError(f"{path} has no output {name!r}; it has: {', '.join(found)}")
        return cls(handle, frozenset(one.name for one in handle.get_inputs()))

    def run(self, outputs: tuple[str, ...], feed: Mapping[str, NDArray[np.int64]]) -> list[Any]:
        """Return the outputs asked for; inputs that the network does not have are left out."""
        taken = {name: value for name, value in feed.items() if name in self.inputs}
        try:
            return list(self.handle.run(list(outputs), taken))
        except Exception as error:  # onnxruntime's errors share no other base
            raise ModelError(f"the network cannot be run: {error}") from error


def check_place(threads: int | None, device: str) -> None:
    """Refuse a number of threads or a device that cannot be meant, before anything is loaded."""
    whole = isinstance(threads, int) and not isinstance(threads, bool)
    if threads is not None and (not whole or threads < 1):
        raise ConfigError(f"threads must be a whole number, at least 1; got {threads!r}")
    if threads is not None:
        check_limit("threads", threads)
    if not isinstance(device, str) or not _DEVICE.fullmatch(device):
        raise ConfigError(f"device must be cpu, cuda or cuda:N; got {device!r}")


def _providers(available: list[str], device: str) -> list[Any]:
    if device == "cpu":
        return [_CPU]
    if _CUDA not in available:
        listed = ", ".join(name.removesuffix("ExecutionProvider").lower() for name in available)
        raise ConfigError(
            f"device {device!r} is not available: this onnxruntime runs on {listed}; "
            "for NVIDIA cards run: pip install onnxruntime-gpu"
        )
    return [(_CUDA, {"device_id": device.partition(":")[2] or "0"}), _CPU]


def _check_device(used: list[str], device: str) -> None:
    """Refuse a silent return to the CPU, which onnxruntime makes when CUDA fails to start."""
    if device != "cpu" and _CUDA not in used:
        raise ConfigError(f"device {device!r} could not be started; onnxruntime fell back to cpu")
