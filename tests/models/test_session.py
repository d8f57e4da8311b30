"""Networks in onnxruntime."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paraphrast.engine.cores import cores
from paraphrast.errors import ConfigError, MissingExtra, ModelError
from paraphrast.models.session import Session, check_place
from tests.encoders import make_encoder

OUTPUTS = ("score", "entailment", "tags")

MOST = max(64, 8 * cores())


@pytest.fixture
def network(tmp_path: Path) -> Path:
    return make_encoder(tmp_path / "tiny") / "model.onnx"


def load(path: Path, **options: Any) -> Session:
    return Session.load(path.read_bytes(), path, outputs=OUTPUTS, **options)


def feed(rows: int, length: int) -> dict[str, Any]:
    ids = np.full((rows, length), 20, dtype=np.int64)
    return {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}


def test_a_network_runs(network: Path) -> None:
    session = load(network, threads=1)
    score, tags = session.run(("score", "tags"), feed(2, 5))
    assert (score.shape, tags.shape) == ((2,), (2, 5, 2))
    assert session.handle.get_session_options().intra_op_num_threads == 1
    assert session.handle.get_session_options().inter_op_num_threads == 1


def test_threads_change_nothing(network: Path) -> None:
    one, two = (load(network, threads=n).run(OUTPUTS, feed(3, 9)) for n in (1, 2))
    for mine, theirs in zip(one, two, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)


def test_inputs_the_network_does_not_have_are_left_out(tmp_path: Path) -> None:
    session = load(make_encoder(tmp_path / "untyped", types=False) / "model.onnx", threads=1)
    assert session.inputs == {"input_ids", "attention_mask"}
    assert session.run(("score",), feed(1, 4))[0].shape == (1,)


def test_a_corrupt_network_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"no network at all")
    start = re.escape(f"{path} is not a network that onnxruntime loads: ")
    with pytest.raises(ModelError, match=start):
        load(path)
    assert capfd.readouterr().err == ""


def test_a_network_of_another_kind_is_refused(network: Path) -> None:
    with pytest.raises(ModelError) as caught:
        Session.load(network.read_bytes(), network, outputs=("logits",))
    assert str(caught.value) == (
        f"{network} has no output 'logits'; it has: score, entailment, tags"
    )


def test_a_run_that_fails_is_a_model_error(
    network: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ModelError, match=r"^the network cannot be run: "):
        load(network, threads=1).run(OUTPUTS, feed(1, 100))
    assert capfd.readouterr().err == ""


def test_a_device_that_is_not_there_is_refused(
    network: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    with pytest.raises(ConfigError) as caught:
        load(network, device="cuda:1")
    assert str(caught.value) == (
        "device 'cuda:1' is not available: this onnxruntime runs on cpu; for NVIDIA cards run: "
        "pip install onnxruntime-gpu"
    )


def test_a_device_that_does_not_start_is_refused(
    network: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnxruntime

    real, asked = onnxruntime.InferenceSession, []

    def fall_back(content: bytes, options: Any, providers: list[Any]) -> Any:
        asked.extend(providers)
        return real(content, options, providers=["CPUExecutionProvider"])

    providers = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: providers)
    monkeypatch.setattr(onnxruntime, "InferenceSession", fall_back)
    with pytest.raises(ConfigError) as caught:
        load(network, device="cuda:1")
    assert str(caught.value) == "device 'cuda:1' could not be started; onnxruntime fell back to cpu"
    assert asked == [("CUDAExecutionProvider", {"device_id": "1"}), "CPUExecutionProvider"]


@pytest.mark.parametrize(
    ("threads", "device", "message"),
    [
        (100_000, "cpu", f"threads can be at most {MOST} with {cores()} cores; got 100000"),
        (0, "cpu", "threads must be a whole number, at least 1; got 0"),
        (1.5, "cpu", "threads must be a whole number, at least 1; got 1.5"),
        (True, "cpu", "threads must be a whole number, at least 1; got True"),
        (1, "gpu", "device must be cpu, cuda or cuda:N; got 'gpu'"),
        (1, "cuda:", "device must be cpu, cuda or cuda:N; got 'cuda:'"),
        (1, None, "device must be cpu, cuda or cuda:N; got None"),
    ],
)
def test_places_that_cannot_be_meant(threads: Any, device: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        check_place(threads, device)


def test_without_onnxruntime(network: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"pip install 'paraphrast\[encoder\]'"):
        load(network)
