"""Small but real generators for tests: T5, GPT-2 and Llama of a few layers, with random weights.

A folder as transformers writes it, with a tokeniser built here; `exported` turns it into a
directory that loads and runs like the shipped one.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.encoders import _hash

WORDS = (
    "the a cat dog man woman sat lay on in mat rug he she is was not red blue big small run ran "
    "said that it of to and 12 4 Paris London Anna ' ing ed s"
).split()
BRIEF = 14.0  # what is added to the logit of an end on average
LETTERS = [chr(n) for n in range(33, 127)]


def tokeniser(kind: str) -> Any:
    """Unigram pieces with "▁" for T5, bytes for the others; both read any text or have <unk>."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    if not kind.startswith("t5"):
        made = Tokenizer(models.BPE(*_bytes()))
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        made.add_special_tokens(["<|end|>", "[SEP]"])
        return made
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)]
    pieces += [(f"▁{word}", -4.0) for word in WORDS] + [(word, -5.0) for word in WORDS[-3:]]
    taken = {piece for piece, _ in pieces}
    pieces += [(letter, -9.0) for letter in LETTERS if letter not in taken]
    made = Tokenizer(models.Unigram(pieces, unk_id=2))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    made.add_special_tokens(["<pad>", "</s>", "<unk>"])
    return made


def _bytes() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """All bytes, and merges that build the words behind a space, letter by letter."""
    from tokenizers import pre_tokenizers

    tokens = {letter: n for n, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    merges: list[tuple[str, str]] = []
    for word in WORDS:
        built = "Ġ"
        for letter in word:
            if built + letter not in tokens:
                tokens[built + letter] = len(tokens)
                merges.append((built, letter))
            built += letter
    return tokens, merges


@cache
def _network(kind: str, seed: int) -> Any:
    """A network whose logits differ enough for a choice between them to be clear."""
    import torch
    import transformers

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    words = tokeniser(kind).get_vocab_size()
    if kind.startswith("t5"):
        wide = kind == "t5-wide"  # enough for products in integers
        config: Any = transformers.T5Config(
            vocab_size=words + 4,  # as T5 has more rows than tokens
            d_model=128 if wide else 32,
            d_kv=32 if wide else 8,
            d_ff=128 if wide else 48,
            num_layers=2,
            num_decoder_layers=3,
            num_heads=4,
            relative_attention_num_buckets=8,
            relative_attention_max_distance=20,
            feed_forward_proj="gated-gelu",
            tie_word_embeddings=False,
            decoder_start_token_id=0,
            pad_token_id=0,
            eos_token_id=1,
            initializer_factor=0.6,
        )
        made = transformers.T5ForConditionalGeneration(config)
        return _brief(made) if kind == "t5-brief" else made
    ends = {"bos_token_id": words - 2, "eos_token_id": words - 2, "pad_token_id": words - 2}
    if kind == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=words,
            n_embd=32,
            n_layer=2,
            n_head=4,
            n_positions=256,
            initializer_range=0.2,
            **ends,
        )
        return transformers.GPT2LMHeadModel(config)
    config = transformers.LlamaConfig(
        vocab_size=words,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        initializer_range=0.2,
        tie_word_embeddings=True,
        **ends,
    )
    return transformers.LlamaForCausalLM(config)


def _brief(network: Any) -> Any:
    """Make the end of a text more likely than random weights have it: most end after a few words.

    The end's row of the last matrix is put along what the decoder's states have in common.
    """
    import torch

    with torch.no_grad():
        ids = torch.arange(4, 40)[None]
        found = network(input_ids=ids, decoder_input_ids=ids, output_hidden_states=True)
        common = found.decoder_hidden_states[-1][0].mean(0)
        row = network.lm_head.weight[1]
        row.copy_(row / 4 + common / (common @ common) * BRIEF)
    return network


def make_network(path: Path, kind: str = "t5", *, seed: int = 0) -> Path:
    """Write the folder of a model of transformers: a T5 ("t5-wide", "t5-brief"), gpt2 or llama."""
    from transformers import PreTrainedTokenizerFast

    path.mkdir(parents=True, exist_ok=True)
    _network(kind, seed).save_pretrained(path)
    if kind.startswith("t5"):
        names = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    else:
        names = {"eos_token": "<|end|>", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=tokeniser(kind), **names).save_pretrained(path)
    return path


def make_generator(path: Path, kind: str = "t5", *, seed: int = 0, **card: Any) -> Path:
    """Write a generator directory, in 32-bit floats, and return its path."""
    import numpy as np

    from paraphrast.train.export.generator.generator_graphs import shape_of, write_graphs

    path.mkdir(parents=True, exist_ok=True)
    network, words = _network(kind, seed), tokeniser(kind).get_vocab_size()
    tokeniser(kind).save(str(path / "tokenizer.json"))
    write_graphs(network, np.arange(words), path)
    shape = shape_of(network)
    special = (
        {"end": 1, "start": 0}
        if kind.startswith("t5")
        else {"end": words - 2, "separator": words - 1}
    )
    write_generator_card(
        path,
        architecture="seq2seq" if kind.startswith("t5") else "causal",
        vocabulary=words,
        decoder={"layers": shape.layers, "heads": shape.heads, "size": shape.size},
        **special,
        **card,
    )
    return path


def write_generator_card(path: Path, **changes: Any) -> None:
    """Write card.json with the true hashes of the files beside it."""
    files = [*sorted(path.glob("*.onnx")), path / "tokenizer.json"]
    card: dict[str, Any] = {
        "kind": "paraphrast generator",
        "format": 1,
        "name": "paraphrast-generator",
        "model": "tiny",
        "version": "0.1.0",
        "dtype": "float32",
        "languages": ["en"],
        "max_tokens": 48,
        "max_target": 48,
        "files": {file.name: _hash(file) for file in files},
    }
    text = json.dumps(card | changes, indent=1, ensure_ascii=False)
    (path / "card.json").write_text(text, encoding="utf-8")
