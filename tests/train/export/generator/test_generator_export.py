from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models.generator.generator_loading import open_generator
from paraphrast.models.generator.text_likelihood import token_logprobs
from paraphrast.train.export.export_options import ExportOptions
from paraphrast.train.export.generator import generator_export as exporting
from paraphrast.train.export.generator.generator_export import export_generator
from paraphrast.train.export.generator.generator_parity import LmParity, greedy
from paraphrast.train.export.generator.generator_source import LmSource, from_folder, from_run
from paraphrast.train.export.generator.smaller_vocabulary import cut, plain, used_ids
from tests.generators import WORDS, make_network, tokeniser

PAIRS = [
    ("the cat sat on the mat", "a cat lay on a rug"),
    ("he said that it is red", "she said it was blue"),
    ("a big dog ran to Paris", "the small dog ran in London"),
]
SMALL = ExportOptions(model="tiny", version="1", max_source=48, max_target=40)


def loaded(folder: Path, kind: str) -> LmSource:
    found = from_folder(str(make_network(folder / kind, kind, seed=1)))
    return replace(found, calibration=PAIRS, held_out=PAIRS)


@pytest.mark.parametrize("kind", ["t5", "gpt2", "llama"])
def test_small_generators_write_what_full_ones_write(tmp_path: Path, kind: str) -> None:
    source, said = loaded(tmp_path, kind), []
    full = export_generator(source, tmp_path / "full", replace(SMALL, form="float32"))
    small = export_generator(
        source, tmp_path / "small", replace(SMALL, form="stored"), tell=said.append
    )
    assert full.parity is None
    assert full.card.dtype == "float32"
    assert small.card.dtype == "int8 weights, float32 arithmetic"
    assert small.size < full.size
    assert small.parity is not None
    assert small.parity.good
    assert small.card.training["torch_difference"] < 1e-4
    assert any("differ from torch" in line for line in said)
    assert "MB" in small.summary()
    assert (small.card.name, small.card.model) == (kind, "tiny")
    one, other = (open_generator(tmp_path / form, threads=1) for form in ("full", "small"))
    texts = [a for a, _ in PAIRS]
    assert greedy(one, texts)[0][:3] == greedy(other, texts)[0][:3]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([kind, "full", "small"])


def test_integers_in_products_where_matrices_are_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "paraphrast.train.export.generator.generator_parity.MOST_CHANGE", 0.2
    )  # the weights are random
    source = loaded(tmp_path, "t5-wide")
    made = export_generator(source, tmp_path / "out", replace(SMALL, form="auto"))
    assert made.card.dtype == "static int8"
    assert made.parity is not None
    assert made.parity.batch_difference < 1e-4
    assert b"MatMulIntegerToFloat" in (tmp_path / "out" / "decoder.onnx").read_bytes()
    with pytest.raises(ModelError, match="no matrix large enough"):
        export_generator(loaded(tmp_path, "t5"), tmp_path / "no", replace(SMALL, form="static"))
    assert not (tmp_path / "no").exists()


def test_sub_words_that_texts_do_not_use_are_left_out(tmp_path: Path) -> None:
    source = loaded(tmp_path, "t5")
    source = replace(source, frame=replace(source.frame, codes=(30, 31), copied=0.7))
    texts = [text for pair in PAIRS for text in pair]
    request = replace(SMALL, form="float32")
    export_generator(source, tmp_path / "all", request)
    made = export_generator(source, tmp_path / "some", request, vocabulary=texts)
    every, some = (open_generator(tmp_path / name, threads=1) for name in ("all", "some"))
    assert some.vocabulary < every.vocabulary
    assert some.vocabulary == made.card.training["kept_subwords"]
    pieces, fewer = every.pieces(), some.pieces()
    for ids, shorter in zip(every.targets(texts), some.targets(texts), strict=True):
        assert [pieces[n] for n in ids] == [fewer[n] for n in shorter]
    unseen = "Anna the woman, 12 zebras!"
    assert some.decode(some.targets([unseen])) == [unseen]
    assert len(some.targets([unseen])[0]) > len(every.targets([unseen])[0])
    assert [len(ids) for ids in some.encode(texts)] == [len(ids) for ids in every.encode(texts)]
    _, full = every.start(every.encode(texts))
    _, part = some.start(some.encode(texts))
    place = {piece: n for n, piece in enumerate(pieces) if piece}
    same = [(n, place[piece]) for n, piece in enumerate(fewer) if piece]
    ours, theirs = map(list, zip(*same, strict=True))
    assert np.abs(part[:, ours] - full[:, theirs]).max() < 1e-4


@pytest.mark.parametrize("kind", ["t5", "gpt2"])
def test_a_cut_tokeniser_reads_what_it_keeps_as_before(kind: str) -> None:
    given = tokeniser(kind)
    texts = ["the cat ran to Paris", "she said that"]
    kept = used_ids(given, texts, also=[given.get_vocab_size() - 1])
    made, before = cut(given, kept), plain(given)
    assert made.get_vocab_size() == len(kept) < given.get_vocab_size()
    for text in texts:
        old, new = (one.encode(text, add_special_tokens=False) for one in (before, made))
        assert new.tokens == old.tokens
        assert kept[new.ids].tolist() == old.ids
    other = "woman Anna's 12 mats é"
    assert made.decode(made.encode(other).ids).replace("é", "").strip() == (
        other.replace("é", "").strip()
    )
    assert len(used_ids(given, texts * 2, least=3)) < len(kept)


def test_other_tokenisers_cannot_be_cut() -> None:
    from tokenizers import Tokenizer, models

    with pytest.raises(ModelError, match="this one is WordLevel"):
        used_ids(Tokenizer(models.WordLevel({"a": 0}, unk_token="a")), WORDS)


def test_what_cannot_be_exported_is_refused_before_any_work(tmp_path: Path) -> None:
    from transformers import BartConfig, BartForConditionalGeneration

    source = loaded(tmp_path, "t5")
    small: dict[str, Any] = {"encoder_layers": 1, "decoder_layers": 1, "d_model": 8}
    config = BartConfig(
        vocab_size=20, encoder_attention_heads=1, decoder_attention_heads=1, **small
    )
    with pytest.raises(ModelError, match="type 'bart' cannot be exported; known: t5, gpt2, llama"):
        export_generator(
            replace(source, network=BartForConditionalGeneration(config)), tmp_path / "o", SMALL
        )
    with pytest.raises(ConfigError, match="needs pairs of texts"):
        export_generator(replace(source, held_out=[]), tmp_path / "o", SMALL)
    with pytest.raises(ConfigError, match="form must be"):
        ExportOptions(form="int4")
    with pytest.raises(ConfigError, match="name must be text without"):
        ExportOptions(name="a|b")
    with pytest.raises(ConfigError, match="max_source must be"):
        ExportOptions(max_source=3)
    with pytest.raises(ConfigError, match="has 256 positions"):
        export_generator(
            loaded(tmp_path, "gpt2"), tmp_path / "o", ExportOptions(max_source=256, max_target=256)
        )
    assert not (tmp_path / "o").exists()


def test_a_generator_that_differs_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = loaded(tmp_path, "t5")
    worse = LmParity(3, agreement=0.9, same_texts=0.1, change=0.2, batch_difference=0)
    monkeypatch.setattr(exporting, "compare", lambda *_: worse)
    with pytest.raises(ModelError, match=r"agree in 0\.9000 \(at least 0\.95\)"):
        export_generator(source, tmp_path / "out", replace(SMALL, form="stored"))
    assert not (tmp_path / "out").exists()


def test_graphs_that_leave_something_out_are_found(tmp_path: Path) -> None:
    source = loaded(tmp_path, "gpt2")
    block = source.network.transformer.h[0]
    block.register_forward_hook(lambda *given: given[2] * 1.1)  # what no graph knows of
    with pytest.raises(ModelError, match="the graphs differ from torch"):
        export_generator(source, tmp_path / "out", replace(SMALL, form="float32"))


RECIPE = """
name = "tiny"
kind = "generator"
seed = 7
max_tokens = 48

[model]
backbone = "{backbone}"

[generation]
codes = ["▁the", "▁cat"]
copied = 0.6

[[source]]
name = "pairs"
reader = "pairs"
files = ["{data}"]
validation = 0.3

[optimiser]
rate = 1e-3
batch = 4
"""


def test_the_best_weights_of_a_run_are_exported(tmp_path: Path) -> None:
    import torch

    from paraphrast.train.checkpoint import Progress, save
    from paraphrast.train.generator.generator_network import Generator
    from paraphrast.train.recipe import ModelPart, read_recipe

    backbone, run = make_network(tmp_path / "t5", "t5"), tmp_path / "run"
    data = tmp_path / "pairs.jsonl"
    rows = [
        {"text1": f"{a} {n}", "text2": f"{b} {n}", "label": 1} for n in range(9) for a, b in PAIRS
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run.mkdir()
    with pytest.raises(ConfigError):
        from_run(run)
    (run / "recipe.toml").write_text(RECIPE.format(backbone=backbone, data=data))
    with pytest.raises(ConfigError, match="no best weights yet"):
        from_run(run)
    network = Generator.create(ModelPart(backbone=str(backbone)))
    with torch.no_grad():
        network.backbone.lm_head.weight.mul_(0.5)
    recipe = read_recipe(run / "recipe.toml")
    progress = Progress(recipe.fingerprint, step=20, best_step=10, figures={"pairs.copied": 0.5})
    save(run / "best", progress, network.state_dict())
    made = export_generator(
        from_run(run, data=tmp_path), tmp_path / "out", replace(SMALL, form="stored")
    )
    assert made.card.training["steps"] == 10
    assert made.card.training["validation"] == {"pairs.copied": 0.5}
    assert made.card.codes == (4, 6)
    assert made.card.copied == 0.6
    ours = open_generator(tmp_path / "out", threads=1)
    assert ours.encode(["a dog"])[0][0] == 6
    plain_t5 = open_generator(_exported(backbone, tmp_path / "plain"), threads=1)
    sources, targets = ["the cat"], ["a dog ran"]
    halved, before = (token_logprobs(m, sources, targets)[0] for m in (ours, plain_t5))
    assert np.abs(halved - before).max() > 0.1


def _exported(folder: Path, out: Path) -> Path:
    export_generator(from_folder(str(folder)), out, replace(SMALL, form="float32"))
    return out


def test_the_command_exports_models_that_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from paraphrast.cli.main import run

    folder = make_network(tmp_path / "t5", "t5")
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(f"{a}\n{b}\n" for a, b in PAIRS))
    export = ["train", "export", str(folder), "-o"]
    assert run([*export, str(tmp_path / "full")]) == 0
    assert "float32" in capsys.readouterr().out
    small = [*export, str(tmp_path / "small"), "--texts", str(texts), "--form", "stored"]
    assert run([*small, "--vocabulary", str(texts)]) == 0
    full, cut_down = (open_generator(tmp_path / name, threads=1) for name in ("full", "small"))
    assert cut_down.vocabulary < full.vocabulary
    assert cut_down.dtype == "int8 weights, float32 arithmetic"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--layer", "2"], "--layer can be given for an encoder only"),
        (["--average", "other"], "--average can be given for a run only"),
        (["--form", "stored"], "a small form needs pairs of texts"),
        (["--vocabulary", "missing.txt"], "there is no file missing.txt to read texts from"),
    ],
)
def test_options_that_a_generator_has_no_use_for(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from paraphrast.cli.main import run

    folder = make_network(tmp_path / "t5", "t5")
    code = run(["train", "export", str(folder), "-o", str(tmp_path / "out"), *options])
    assert code == (1 if "missing" in said or "there is no file" in said else 2)
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
