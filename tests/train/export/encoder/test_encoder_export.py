"""A run becomes an encoder that says what the torch network says, or nothing is written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.text.words import WordText

torch = pytest.importorskip("torch")
export = pytest.importorskip("paraphrast.train.export.encoder.encoder_export")

from paraphrast.train import runs  # noqa: E402
from paraphrast.train.checkpoint import load, save  # noqa: E402
from paraphrast.train.data.assembly import parts  # noqa: E402
from paraphrast.train.encoder.encoder_network import EditEncoderNetwork as Network  # noqa: E402
from paraphrast.train.export import static_quantisation as static8  # noqa: E402
from paraphrast.train.export import weight_quantisation as quantise  # noqa: E402
from paraphrast.train.export.encoder.calibration import NO_DOUBT, calibrate  # noqa: E402
from paraphrast.train.export.encoder.encoder_parity import Parity  # noqa: E402
from paraphrast.train.export.export_options import ExportOptions  # noqa: E402

IDENTITY = ExportOptions(name="tiny-encoder", model="tiny", version="0.0.1")
PAIRS = [
    ("the cat sat on the mat .", "a dog lay in the rug"),
    ("he ran", "she is not red , he ran"),
]


@pytest.fixture
def run(
    tmp_path: Path,
    texts: Path,
    backbone: Path,
    recipe_file: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    monkeypatch.setenv("PARAPHRAST_DATA", str(texts))
    monkeypatch.setattr(export, "AT_ONCE", 48)
    monkeypatch.setattr(export, "WINDOW", 32)
    folder = tmp_path / "run"
    runs.create(recipe_file(backbone, epochs=1.0), folder)
    runs.resume(folder)
    return folder


def test_the_export_says_what_torch_says(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "encoder"
    found = export.export_run(run, out, IDENTITY)
    assert found.score_r > 0.9999
    encoder = EditEncoder.load(str(out), threads=1)
    recipe = runs.open_run(run)
    network = Network.create(recipe.model)
    network.load_state_dict(load(run / "best")[1])
    tokeniser = runs.load_tokeniser(recipe)
    for a, b in PAIRS:
        pair = WordText.of(a), WordText.of(b)
        joined = tokeniser.join(*tokeniser.sides(list(pair)))
        ids, types = torch.tensor(joined.ids)[None], torch.tensor(joined.types)[None]
        with torch.no_grad():
            truth = network.eval()(ids, torch.ones_like(ids), types)
        reading = encoder.read([pair])[0]
        assert reading.score == pytest.approx(float(truth.score), abs=1e-4)
        assert reading.entailment == pytest.approx(float(truth.entailment), abs=1e-4)
        assert reading.tags_b == pytest.approx(truth.tags[0, joined.first_b].numpy(), abs=1e-4)


def test_the_card_tells_where_the_weights_come_from(run: Path, tmp_path: Path) -> None:
    export.export_run(run, tmp_path / "encoder", IDENTITY)
    card = json.loads((tmp_path / "encoder" / "card.json").read_text())
    assert (card["name"], card["model"], card["version"]) == ("tiny-encoder", "tiny", "0.0.1")
    assert card["training"]["recipe"] == "recipes/tiny.toml"
    assert card["training"]["seed"] == 7
    assert card["training"]["parity"]["score_r"] > 0.9999
    assert card["calibration"]["data"].endswith("held-out ratings of rated")
    assert sorted(card["calibration"]["percentile"]) == card["calibration"]["percentile"]
    assert set(card["thresholds"]) == {"tag", "entailment", "score"}
    assert card["format"] == 2
    assert set(card["certainty"]) == {"same", "entailment", "bias", "scale"}
    assert card["certainty"]["scale"] > 0
    assert card["dtype"] == "int8 weights, float32 arithmetic"


def test_the_mean_of_several_runs_is_that_of_their_weights(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(run, other)
    progress, weights = load(run / "best")
    moved = {name: weight + (2 if "score" in name else 0) for name, weight in weights.items()}
    save(other / "best", progress, moved)
    out = tmp_path / "encoder"
    export.export_run(run, out, replace(IDENTITY, average=[other]))
    found = EditEncoder.load(str(run / "full"), threads=1)
    network = Network.create(runs.open_run(run).model)
    halfway = {name: weight + (1 if "score" in name else 0) for name, weight in weights.items()}
    network.load_state_dict(halfway)
    tokeniser = runs.load_tokeniser(runs.open_run(run))
    pair = WordText.of(PAIRS[0][0]), WordText.of(PAIRS[0][1])
    joined = tokeniser.join(*tokeniser.sides(list(pair)))
    ids, types = torch.tensor(joined.ids)[None], torch.tensor(joined.types)[None]
    with torch.no_grad():
        truth = network.eval()(ids, torch.ones_like(ids), types)
    assert found.read([pair])[0].score == pytest.approx(float(truth.score), abs=1e-4)
    told = json.loads((out / "card.json").read_text())["training"]
    assert told["averaged_with"] == ["recipes/tiny.toml"]
    assert "validation" not in told


def test_a_run_of_another_network_cannot_be_averaged_with(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(run, other)
    progress, weights = load(run / "best")
    save(other / "best", progress, dict(list(weights.items())[1:]))
    with pytest.raises(ModelError, match="does not fit the recipe's network"):
        export.export_run(run, tmp_path / "encoder", replace(IDENTITY, average=[other]))
    shutil.rmtree(other / "best")
    with pytest.raises(ConfigError, match="other has no best weights yet"):
        export.export_run(run, tmp_path / "encoder", replace(IDENTITY, average=[other]))
    with pytest.raises(ConfigError, match="nowhere is not a training run"):
        export.export_run(
            run, tmp_path / "encoder", replace(IDENTITY, average=[tmp_path / "nowhere"])
        )


def test_a_bad_small_file_is_refused_and_nothing_is_replaced(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = Parity(10, 0.5, 0.9, 1.0)
    monkeypatch.setattr(export, "compare", lambda *_: bad)
    out = tmp_path / "encoder"
    out.mkdir()
    (out / "card.json").write_text("the old one")
    with pytest.raises(
        ModelError, match=r"differs too much from the full one on 10 pairs: score r 0.5000"
    ):
        export.export_run(run, out, IDENTITY)
    assert [path.name for path in out.iterdir()] == ["card.json"]
    assert (out / "card.json").read_text() == "the old one"


@pytest.mark.parametrize(
    ("refused", "dtype"),
    [(0, "static int8"), (1, "int8 weights, float32 arithmetic")],
)
def test_the_fastest_form_that_says_the_same_is_taken(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: int, dtype: str
) -> None:
    monkeypatch.setattr(static8, "LEAST", 8)
    verdicts = [Parity(10, 0.5, 0.9, 0.0)] * refused + [Parity(10, 1.0, 1.0, 0.0)]
    left = iter(verdicts)
    monkeypatch.setattr(export, "compare", lambda *_: next(left))
    told: list[str] = []
    export.export_run(run, tmp_path / "encoder", IDENTITY, tell=told.append)
    assert json.loads((tmp_path / "encoder" / "card.json").read_text())["dtype"] == dtype
    assert json.loads((run / "fast" / "card.json").read_text())["dtype"] == "static int8"
    assert [line.partition(":")[2] for line in told[1:]] == [f" {one.told()}" for one in verdicts]
    assert EditEncoder.load(str(tmp_path / "encoder"), threads=1).read(
        [(WordText.of("the cat"), WordText.of("a dog"))]
    )


@pytest.mark.parametrize(
    "parity",
    [Parity(9, 0.98, 1.0, 0.0), Parity(9, 1.0, 0.98, 0.0), Parity(9, 1.0, 1.0, 2e-4)],
    ids=["score", "tags", "batch"],
)
def test_each_limit_counts(parity: Parity) -> None:
    with pytest.raises(ModelError):
        parity.check()
    Parity(9, 0.99, 0.985, 1e-4).check()


def test_a_run_without_a_look_cannot_be_exported(
    tmp_path: Path, backbone: Path, recipe_file: Callable[..., Path]
) -> None:
    runs.create(recipe_file(backbone), tmp_path / "run")
    with pytest.raises(ConfigError, match="has no best weights yet"):
        export.export_run(tmp_path / "run", tmp_path / "out", IDENTITY)


def test_int8_weights_are_folded_and_close(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnx

    monkeypatch.setattr(quantise, "LEAST", 64)
    export.export_run(run, tmp_path / "encoder", IDENTITY)
    graph = onnx.load(tmp_path / "encoder" / "model.onnx").graph
    stored = {t.name: t.data_type for t in graph.initializer}
    assert onnx.TensorProto.INT8 in stored.values()
    assert all(
        np.prod(t.dims) < 64 or t.data_type != onnx.TensorProto.FLOAT or len(t.dims) < 2
        for t in graph.initializer
        if not t.name.endswith("_scale")
    )


def test_integers_give_the_values_back() -> None:
    values = np.random.default_rng(0).normal(size=(40, 30)).astype(np.float32)
    for axis in (0, 1):
        integers, scale = quantise.round_to_integers(values, axis=axis)
        assert integers.dtype == np.int8
        assert np.abs(integers).max() == 127
        assert (np.abs(integers * scale - values) <= scale / 2 + 1e-7).all()
    integers, scale = quantise.round_to_integers(np.zeros((3, 2), dtype=np.float32), axis=0)
    assert not integers.any()


def test_without_tags_or_ratings_the_card_says_none(run: Path, texts: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    export.export_run(run, tmp_path / "encoder", IDENTITY)
    recipe = runs.open_run(run)
    bare = replace(recipe, source=tuple(s for s in recipe.source if s.name == "pairs"))
    encoder = EditEncoder.load(str(tmp_path / "encoder"), threads=1)
    findings = calibrate(encoder, bare, parts(bare, texts), texts)
    assert findings.thresholds == {"tag": 0.0, "entailment": 0.0, "score": 0.0}
    assert findings.calibration["data"] == "none"
    assert findings.certainty == NO_DOUBT
