"""A tiny random BERT, a little data and a recipe: enough to train for real in a second."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = "the a cat dog sat lay on in mat rug he she is was not red blue big small run ran".split()
PIECES = ["play", "##ing", "##ed", ".", ","]

RECIPE = """
name = "tiny"
seed = 7
max_tokens = 48

[model]
backbone = "{backbone}"
pooling = "mean"

[[source]]
name = "rated"
reader = "ratings"
files = ["rated.jsonl"]
validation = 0.25

[[source]]
name = "pairs"
reader = "pairs"
files = ["pairs.jsonl"]
passes = 1.5
both_orders = true

[[source]]
name = "tagged"
reader = "tags"
files = ["tagged.jsonl"]
validation = 0.2
both_orders = true
padding = 0.3
tagged = 2.0

[loss]
masked = {masked}

[optimiser]
rate = 1e-3
head_rate = 5e-3
batch = 8
average = 0.9

[loop]
epochs = {epochs}
validate_every = 5
checkpoint_every = 4
"""


@pytest.fixture(scope="session")
def tokeniser_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: n for n, word in enumerate([*SPECIALS, *WORDS, *PIECES])}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    made.add_special_tokens(SPECIALS)
    path = tmp_path_factory.mktemp("tokeniser") / "tokenizer.json"
    made.save(str(path))
    return path


@pytest.fixture(scope="session")
def backbone(tmp_path_factory: pytest.TempPathFactory, tokeniser_file: Path) -> Path:
    """A folder with a BERT of two layers, 16 wide."""
    torch = pytest.importorskip("torch")
    from transformers import BertConfig, BertModel

    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(SPECIALS) + len(WORDS) + len(PIECES),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    folder = tmp_path_factory.mktemp("backbone")
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes(tokeniser_file.read_bytes())
    return folder


def sentence(rng: np.random.Generator) -> list[str]:
    return [WORDS[n] for n in rng.integers(0, len(WORDS), rng.integers(3, 9))]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder: ratings, labelled pairs and tagged pairs of nonsense."""
    folder, rng = tmp_path_factory.mktemp("data"), np.random.default_rng(3)
    rated, pairs, tagged = [], [], []
    for number in range(24):
        a, b = sentence(rng), sentence(rng)
        shared = len(set(a) & set(b))
        rated.append({"reference": " ".join(a), "hypothesis": " ".join(b), "human": shared - 1})
        pairs.append({"text1": " ".join(a), "text2": " ".join(b), "label": number % 2})
        tags = [[int(word not in other) for word in side] for side, other in ((a, b), (b, a))]
        tagged.append({"tokens1": a, "tokens2": b, "tags1": tags[0], "tags2": tags[1]})
    write_rows(folder / "rated.jsonl", rated)
    write_rows(folder / "pairs.jsonl", pairs)
    write_rows(folder / "tagged.jsonl", tagged)
    return folder


@pytest.fixture
def recipe_file(tmp_path: Path, tokeniser_file: Path) -> Callable[..., Path]:
    """A function that writes the recipe, with pieces of its text replaced, and returns its path."""

    def write(
        backbone: Path | str = "nowhere",
        *replacements: tuple[str, str],
        epochs: float = 2.0,
        masked: float = 0.0,
    ) -> Path:
        text = RECIPE.format(backbone=backbone, epochs=epochs, masked=masked)
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "tiny.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write
