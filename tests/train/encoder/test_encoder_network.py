"""The network: heads, poolings, frozen layers, and backbones that are refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from paraphrast.errors import ConfigError, ModelError  # noqa: E402
from paraphrast.train.encoder.encoder_network import EditEncoderNetwork  # noqa: E402
from paraphrast.train.encoder.objectives import read_batch  # noqa: E402
from paraphrast.train.recipe import PRECISIONS, ModelPart  # noqa: E402


def make(backbone: Path | str, **options: object) -> EditEncoderNetwork:
    part = ModelPart(backbone=str(backbone), **options)  # type: ignore[arg-type]
    return EditEncoderNetwork.create(part).eval()


IDS = torch.tensor([[2, 5, 6, 3, 7, 3], [2, 8, 3, 9, 3, 0]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0]])


def test_every_head_has_its_shape(backbone: Path) -> None:
    network = make(backbone)
    out = network(IDS, MASK, torch.zeros_like(IDS))
    assert out.score.shape == out.same.shape == out.entailment.shape == (2,)
    assert out.relations.shape == (2, 2, 3)
    assert out.tags.shape == (2, 6, 2)
    assert network.masked_logits(out.states).shape == (2, 6, 31)
    assert network.longest == 64


def test_poolings_are_the_first_state_and_the_mean_of_the_real_ones(backbone: Path) -> None:
    network = make(backbone, pooling="first")
    out = network(IDS, MASK, torch.zeros_like(IDS))
    assert torch.equal(out.score, network.score(out.states[:, 0]).squeeze(-1))
    network = make(backbone, pooling="mean")
    out = network(IDS, MASK, torch.zeros_like(IDS))
    means = torch.stack([out.states[0].mean(0), out.states[1, :5].mean(0)])
    assert torch.allclose(out.score, network.score(means).squeeze(-1), atol=1e-6)


def test_the_entailment_logit_is_that_of_the_first_of_three(backbone: Path) -> None:
    out = make(backbone)(IDS, MASK, torch.zeros_like(IDS))
    chances = out.relations[:, 0].softmax(-1)[:, 0]
    assert torch.allclose(out.entailment.sigmoid(), chances, atol=1e-6)


def test_paddings_change_nothing(backbone: Path) -> None:
    network = make(backbone)
    out = network(IDS, MASK, torch.zeros_like(IDS))
    alone = network(IDS[1:, :5], MASK[1:, :5], torch.zeros_like(IDS[1:, :5]))
    assert torch.allclose(out.score[1], alone.score[0], atol=1e-6)
    assert torch.allclose(out.tags[1, :5], alone.tags[0], atol=1e-6)


def test_frozen_layers_have_no_gradient(backbone: Path) -> None:
    frozen = {
        name for name, w in make(backbone, frozen=1).named_parameters() if not w.requires_grad
    }
    assert any("embeddings" in name for name in frozen)
    assert any("layer.0." in name for name in frozen)
    assert not any("layer.1." in name for name in frozen)
    assert all(weight.requires_grad for weight in make(backbone).parameters())


def test_more_frozen_layers_than_there_are(backbone: Path) -> None:
    with pytest.raises(ConfigError, match=r"^frozen is 3; the backbone has 2 layers$"):
        make(backbone, frozen=3)


def test_dropout_is_what_the_recipe_says(backbone: Path) -> None:
    network = make(backbone, dropout=0.25)
    found = {m.p for m in network.modules() if isinstance(m, torch.nn.Dropout)}
    assert found == {0.25}


def test_other_weights_than_the_recipe_names_are_refused(backbone: Path) -> None:
    path = backbone / "model.safetensors"
    true = hashlib.sha256(path.read_bytes()).hexdigest()
    make(backbone, sha256=true)
    with pytest.raises(ModelError) as caught:
        make(backbone, sha256="0" * 64)
    assert str(caught.value) == f"{path} has sha256 {true}; the recipe asks for {'0' * 64}"


def test_a_folder_without_weights_is_refused(backbone: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((backbone / "config.json").read_bytes())
    with pytest.raises(ModelError) as caught:
        make(tmp_path, sha256="0" * 64)
    assert str(caught.value) == f"{tmp_path} holds no model.safetensors"
    with pytest.raises(ModelError, match=f"^cannot load the backbone '{tmp_path}': "):
        make(tmp_path)


def test_an_encoder_without_pooler_and_of_other_names(tmp_path: Path) -> None:
    from transformers import DistilBertConfig, DistilBertModel

    config = DistilBertConfig(
        vocab_size=31, dim=16, n_layers=2, n_heads=2, hidden_dim=32, max_position_embeddings=64
    )
    DistilBertModel(config).save_pretrained(tmp_path)
    network = make(tmp_path, frozen=1)
    assert not network.typed
    assert network(IDS, MASK).score.shape == (2,)


def test_loading_is_quiet(backbone: Path, capfd: pytest.CaptureFixture[str]) -> None:
    make(backbone)
    assert tuple(capfd.readouterr()) == ("", "")


def test_half_precision_weights_are_trained_in_full(backbone: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    half = {name: w.half() for name, w in load_file(backbone / "model.safetensors").items()}
    save_file(half, tmp_path / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((backbone / "config.json").read_text()) | {"dtype": "float16"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert {weight.dtype for weight in make(tmp_path).parameters()} == {torch.float32}


def test_the_relations_tell_the_logit_of_entailment(backbone: Path) -> None:
    out = make(backbone)(IDS, MASK, torch.zeros_like(IDS))
    chance = out.relations.softmax(-1)[:, 0, 0]
    torch.testing.assert_close(out.entailment.sigmoid(), chance)


def test_products_in_bfloat16_differ_a_little_and_heads_stay_in_float32(backbone: Path) -> None:
    network = make(backbone)
    batch = {"ids": IDS, "mask": MASK, "types": torch.zeros_like(IDS)}
    full, half = (read_batch(network, batch, precision) for precision in PRECISIONS)
    assert {values.dtype for values in half} == {torch.float32}
    assert not torch.equal(full.score, half.score)
    torch.testing.assert_close(half.score, full.score, atol=0.05, rtol=0.05)
    torch.testing.assert_close(full.score, network(**batch).score)
