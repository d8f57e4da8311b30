"""Tiny random encoders of transformers, one per family, each with a tokeniser of its kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

WORDS = "the a cat dog sat lay on in mat rug he she is was not red blue big small run ran".split()
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
MARKS = [".", ",", "!", "?", "'"]
BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
FAIRSEQ = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 32,
}
RELATIVE: dict[str, Any] = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}


def make(family: str, folder: Path) -> Path:
    """Save an encoder of three layers, 16 wide, that reads 40 sub-words, and its tokeniser."""
    import torch
    from transformers import AutoModel

    from paraphrast.models.hub import quietly

    kind, tokeniser = FAMILIES[family]
    made = tokeniser()
    made.model_max_length = 40
    torch.manual_seed(1)
    with quietly():
        network = AutoModel.from_config(kind(len(made)))
        for weights in network.parameters():  # as they come, they are so small that nothing shows
            torch.nn.init.normal_(weights, mean=0.1 if weights.ndim == 1 else 0.0, std=0.3)
        network.save_pretrained(folder)
        made.save_pretrained(folder)
    return folder


def _wordpiece(specials: tuple[str, ...] = BERT) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    pieces = [*LETTERS, *(f"##{letter}" for letter in LETTERS), *MARKS]
    unknown = specials[3] if specials is FAIRSEQ else specials[1]
    found = dict.fromkeys([*specials, *pieces, *WORDS])
    vocabulary = {piece: number for number, piece in enumerate(found)}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token=unknown))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _wrapped(made, specials)


def _bytes() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("Ġ", "c"), ("Ġc", "at"), ("a", "t"), ("t", "he"), ("h", "e"), ("Ġ", "the")]
    found = dict.fromkeys([*FAIRSEQ, *alphabet, *(a + b for a, b in merges)])
    vocabulary = {piece: number for number, piece in enumerate(found)}
    made = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    return _wrapped(made, FAIRSEQ, framed=True)


def _unigram(specials: tuple[str, ...]) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers

    pieces = [*LETTERS, *MARKS, "▁", *(f"▁{word}" for word in WORDS)]
    table = [
        *((name, 0.0) for name in specials),
        *((piece, -float(len(piece) == 1) - 2) for piece in pieces),
    ]
    made = Tokenizer(models.Unigram(table, unk_id=3 if specials is FAIRSEQ else 1))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    return _wrapped(made, specials)


def _wrapped(made: Any, specials: tuple[str, ...], *, framed: bool = False) -> Any:
    from tokenizers import processors
    from transformers import PreTrainedTokenizerFast

    if specials is FAIRSEQ:
        first, pad, last, unknown, mask = specials
    else:
        pad, unknown, first, last, mask = specials
    if not framed:
        made.post_processor = processors.TemplateProcessing(
            single=f"{first} $A {last}",
            pair=f"{first} $A {last} $B {last}",
            special_tokens=[(name, specials.index(name)) for name in (first, last)],
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        cls_token=first,
        sep_token=last,
        pad_token=pad,
        unk_token=unknown,
        mask_token=mask,
    )


def _bert(size: int) -> Any:
    from transformers import BertConfig

    return BertConfig(vocab_size=size, max_position_embeddings=40, **SIZES)


def _distilbert(size: int) -> Any:
    from transformers import DistilBertConfig

    return DistilBertConfig(
        vocab_size=size, max_position_embeddings=40, dim=16, n_layers=3, n_heads=2, hidden_dim=32
    )


def _mpnet(size: int) -> Any:
    from transformers import MPNetConfig

    return MPNetConfig(vocab_size=size, max_position_embeddings=42, **SIZES)


def _roberta(size: int) -> Any:
    from transformers import RobertaConfig

    return RobertaConfig(
        vocab_size=size, max_position_embeddings=42, type_vocab_size=1, pad_token_id=1, **SIZES
    )


def _xlm_roberta(size: int) -> Any:
    from transformers import XLMRobertaConfig

    return XLMRobertaConfig(
        vocab_size=size, max_position_embeddings=42, type_vocab_size=1, pad_token_id=1, **SIZES
    )


def _deberta(size: int) -> Any:
    from transformers import DebertaConfig

    return DebertaConfig(
        vocab_size=size, max_position_embeddings=40, type_vocab_size=0, **RELATIVE, **SIZES
    )


def _deberta_v2(size: int) -> Any:
    from transformers import DebertaV2Config

    return DebertaV2Config(
        vocab_size=size,
        max_position_embeddings=40,
        type_vocab_size=0,
        position_buckets=8,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        position_biased_input=False,
        conv_kernel_size=3,
        **RELATIVE,
        **SIZES,
    )


FAMILIES: dict[str, tuple[Callable[[int], Any], Callable[[], Any]]] = {
    "bert": (_bert, _wordpiece),
    "distilbert": (_distilbert, _wordpiece),
    "mpnet": (_mpnet, lambda: _wordpiece(FAIRSEQ)),
    "roberta": (_roberta, _bytes),
    "xlm-roberta": (_xlm_roberta, lambda: _unigram(FAIRSEQ)),
    "deberta": (_deberta, _wordpiece),
    "deberta-v2": (_deberta_v2, lambda: _unigram(BERT)),
}
