"""Small but real edit encoders for tests: a directory that loads and runs like the shipped ones.

The network is made of seeded numpy weights and no training: embeddings, one attention layer over
the joined pair, and heads that look for each token's nearest neighbour in the other text. So it
behaves like a (bad) metric: texts that share words score higher, words that the other text lacks
are tagged, every token sees its neighbours, and padding is masked.

Encoders of format 1 say whether b follows from a; those of format 2 say, too, whether a follows
from b, whether both contradict each other, and whether they say the same.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, save_model

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SEP = SPECIALS.index("[SEP]")
WORDS = """
the a an cat cats dog dogs sat sit sits lay on in at mat rug today yesterday he she it they is was
are were not never don said says man woman old young big small red blue ran run runs saw see house
home city and or but of to from with without bought sold car train one two three went came good bad
""".split()
PUNCTUATION = list(".,;:!?'\"-()[]&%$#@*/")
DIM = 16
FORMATS = (1, 2)
CERTAINTY = {"same": 0.6, "entailment": 0.4, "bias": -0.5, "scale": 0.8}


def make_encoder(
    path: Path,
    *,
    seed: int = 0,
    max_tokens: int = 64,
    types: bool = True,
    longest_word: int = 100,
    format: int = 1,
    **card: Any,
) -> Path:
    """Write an encoder directory and return its path; `card` replaces entries of card.json.

    `types=False` leaves the input token_type_ids out, as MPNet does. `longest_word` is the number
    of characters above which a word becomes [UNK].
    """
    path.mkdir(parents=True, exist_ok=True)
    vocabulary = _vocabulary()
    _tokeniser(vocabulary, longest_word).save(str(path / "tokenizer.json"))
    network = _network(len(vocabulary), seed, max_tokens, types, format)
    save_model(network, str(path / "model.onnx"))
    (path / "MODEL_CARD.md").write_text("# A tiny encoder for tests\n", encoding="utf-8")
    (path / "LICENSE").write_text("Apache-2.0\n", encoding="utf-8")
    write_card(path, format=format, max_tokens=max_tokens, **card)
    return path


def write_card(path: Path, *, format: int = 1, **changes: Any) -> None:
    """Write card.json with the true hashes of the files beside it."""
    card: dict[str, Any] = {
        "kind": "paraphrast edit encoder",
        "format": format,
        **({"certainty": CERTAINTY} if format > 1 else {}),
        "name": "paraphrast-encoder",
        "model": "mini",
        "version": "0.1.0",
        "dtype": "float32",
        "languages": ["en"],
        "max_tokens": 64,
        "thresholds": {"tag": 0.0, "entailment": 0.0, "score": 0.1},
        "calibration": {
            "data": "WMT16 validation split",
            "score": [-1.0, 0.0, 0.5, 1.0],
            "percentile": [0.0, 40.0, 80.0, 100.0],
        },
        "files": {name: _hash(path / name) for name in ("model.onnx", "tokenizer.json")},
        "results": {},
        "training": {},
    }
    text = json.dumps(card | changes, indent=1, ensure_ascii=False)
    (path / "card.json").write_text(text, encoding="utf-8")


def install_encoder(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    package: str = "paraphrast_encoder",
    **options: Any,
) -> Path:
    """Make the encoder found by its name ("mini") for one test, as if it were installed."""
    made = make_encoder(folder / package, **options)
    (made / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, package, raising=False)
    return made


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _vocabulary() -> dict[str, int]:
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = [*letters, *"0123456789"]
    tokens = [*SPECIALS, *PUNCTUATION, *pieces, *(f"##{piece}" for piece in pieces), *WORDS]
    return {token: number for number, token in enumerate(dict.fromkeys(tokens))}


def _tokeniser(vocabulary: dict[str, int], longest_word: int) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    made = Tokenizer(
        models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=longest_word)
    )
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", SEP)],
    )
    made.add_special_tokens(SPECIALS)
    return made


class _Graph:
    """Nodes in the order in which they are asked for; each call returns its output's name."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, dtype=dtype), name))
        return name

    def __call__(self, operator: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        name = out or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def float(self, value: str) -> str:
        return self("Cast", value, to=TensorProto.FLOAT)

    def column(self, value: str) -> str:
        return self("Unsqueeze", value, self.constant([2], np.int64))

    def row(self, value: str) -> str:
        return self("Unsqueeze", value, self.constant([1], np.int64))

    def linear(self, value: str, scale: float, shift: float) -> str:
        return self("Add", self("Mul", value, self.constant(scale)), self.constant(shift))

    def mean(self, values: str, weights: str) -> str:
        """Weighted mean over the tokens; 0 where there is none."""
        axes = self.constant([1], np.int64)
        total = self("ReduceSum", self("Mul", values, weights), axes, keepdims=0)
        weight = self("ReduceSum", weights, axes, keepdims=0)
        return self("Div", total, self("Max", weight, self.constant(1.0)))


def _network(size: int, seed: int, max_tokens: int, types: bool, format: int) -> Any:
    g, draw = _Graph(), np.random.default_rng(seed)
    words = draw.normal(size=(size, DIM))
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    x = g("Gather", g.constant(words), "input_ids")
    seen = g.float("attention_mask")
    hidden = _attend(g, draw, x, seen, max_tokens, types)
    is_word = np.ones(size)
    is_word[[SPECIALS.index(name) for name in ("[PAD]", "[CLS]", "[SEP]")]] = 0
    real = g("Mul", seen, g("Gather", g.constant(is_word), "input_ids"))
    marks = g("Cast", g("Equal", "input_ids", g.constant(SEP, np.int64)), to=TensorProto.INT64)
    side = g("CumSum", marks, g.constant(1, np.int64), exclusive=1)
    match = _match(g, x, side, real)
    heads = _relation_heads if format > 1 else _entailment_head
    answers = heads(g, draw, hidden, match, side, real, seen)
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if types else [])]
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "l"]) for n in names]
    shapes: dict[str, list[Any]] = {"score": ["b"], **answers, "tags": ["b", "l", 2]}
    outputs = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n, shape in shapes.items()
    ]
    graph = helper.make_graph(g.nodes, "tiny", inputs, outputs, g.weights)
    return helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)])


def _attend(
    g: _Graph, draw: np.random.Generator, x: str, seen: str, max_tokens: int, types: bool
) -> str:
    """Let every token see all others; a position beyond max_tokens is an error, as in BERT."""
    zero, one = g.constant(0, np.int64), g.constant(1, np.int64)
    length = g("Gather", g("Shape", "input_ids"), one)
    table = g.constant(draw.normal(size=(max_tokens, DIM)) * 0.3)
    hidden = g("Add", x, g("Gather", table, g("Range", zero, length, one)))
    if types:
        kinds = g.constant(draw.normal(size=(2, DIM)) * 0.3)
        hidden = g("Add", hidden, g("Gather", kinds, "token_type_ids"))
    q, k, v = (g("MatMul", hidden, g.constant(draw.normal(size=(DIM, DIM)) / 4)) for _ in "qkv")
    weights = g.linear(g("MatMul", q, g("Transpose", k, perm=[0, 2, 1])), 0.25, 0.0)
    hide = g.row(g.linear(seen, 1e9, -1e9))
    mixed = g("MatMul", g("Softmax", g("Add", weights, hide), axis=-1), v)
    return g("Tanh", g("Add", hidden, mixed))


def _match(g: _Graph, x: str, side: str, real: str) -> str:
    """Return for each token its largest cosine with a word of the other text; −1 without one."""
    cosines = g("MatMul", x, g("Transpose", x, perm=[0, 2, 1]))
    other = g.float(g("Not", g("Equal", g.column(side), g.row(side))))
    allowed = g("Mul", other, g.row(real))
    masked = g("Add", g("Mul", cosines, allowed), g.linear(allowed, 1.0, -1.0))
    return g("ReduceMax", masked, axes=[2], keepdims=0)


def _entailment_head(
    g: _Graph, draw: np.random.Generator, hidden: str, match: str, side: str, real: str, seen: str
) -> dict[str, list[Any]]:
    """Answer as encoders of format 1 do, and return the shapes of what is beside score and tags."""
    pooled = g.mean(hidden, g.column(seen))
    _score(g, draw, pooled, match, real)
    found = g.linear(g.mean(match, _in(g, side, 1, real)), 10, -6)
    g("Add", found, _noise(g, draw, pooled), out="entailment")
    _tags(g, draw, hidden, match)
    return {"entailment": ["b"]}


def _relation_heads(
    g: _Graph, draw: np.random.Generator, hidden: str, match: str, side: str, real: str, seen: str
) -> dict[str, list[Any]]:
    """Answer as encoders of format 2 do: a text contradicts the less the more of it is said."""
    pooled = g.mean(hidden, g.column(seen))
    _score(g, draw, pooled, match, real)
    ways = []
    for place in (1, 0):  # b from a, and back
        share = g.mean(match, _in(g, side, place, real))
        follows = g("Add", g.linear(share, 10, -6), _noise(g, draw, pooled))
        against = g("Add", g.linear(share, -4, 1), _noise(g, draw, pooled))
        neutral = g.linear(follows, 0, 0)
        logits = [g("Unsqueeze", one, g.constant([1, 2], np.int64)) for one in (follows, neutral)]
        logits.append(g("Unsqueeze", against, g.constant([1, 2], np.int64)))
        ways.append(g("Concat", *logits, axis=2))
    g("Concat", *ways, axis=1, out="relations")
    g("Add", g.linear(g.mean(match, real), 12, -8), _noise(g, draw, pooled), out="same")
    _tags(g, draw, hidden, match)
    return {"relations": ["b", 2, 3], "same": ["b"]}


def _in(g: _Graph, side: str, place: int, real: str) -> str:
    """Return 1 for each word of one of the two texts."""
    return g("Mul", real, g.float(g("Equal", side, g.constant(place, np.int64))))


def _noise(g: _Graph, draw: np.random.Generator, pooled: str) -> str:
    return g("MatMul", pooled, g.constant(draw.normal(size=DIM) * 0.2))


def _score(g: _Graph, draw: np.random.Generator, pooled: str, match: str, real: str) -> None:
    g("Add", g.linear(g.mean(match, real), 2.0, -1.0), _noise(g, draw, pooled), out="score")


def _tags(g: _Graph, draw: np.random.Generator, hidden: str, match: str) -> None:
    kept = g.column(g.linear(match, 6.0, -4.0))
    lost = g("Mul", kept, g.constant(0.0))
    noise = g("MatMul", hidden, g.constant(draw.normal(size=(DIM, 2)) * 0.1))
    g("Add", g("Concat", kept, lost, axis=2), noise, out="tags")
