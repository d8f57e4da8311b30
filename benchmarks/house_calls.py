"""Count the files that one call of a verb runs through: `python -m benchmarks.house_calls score`.

Each verb does the smallest real job: three segments, one sentence, a corpus of 240 sentences, a
network of two layers trained for two epochs. Only the process's own thread is counted.
"""

from __future__ import annotations

import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from itertools import pairwise, product
from pathlib import Path
from types import FrameType

import paraphrast
from paraphrast.cli.main import run

PACKAGE = str(Path(paraphrast.__file__).parent) + os.sep

_TRANSLATOR = """
import sys
words = dict(pair.split("=") for pair in sys.argv[1:])
for line in sys.stdin:
    print(" ".join(words.get(word, word) for word in line.split()), flush=True)
"""
_BUILD = """
name = "small"
[[step]]
use = "source"
files = ["./texts.txt"]
[[step]]
use = "clean"
language = "en"
check = "script"
[[step]]
use = "deduplicate"
[[step]]
use = "translate"
[[step]]
use = "estimate"
[[step]]
use = "pair"
ways = ["round-trip", "source"]
[[step]]
use = "balance"
per_bin = 15
[[step]]
use = "negatives"
per_bin = 5
[[step]]
use = "split"
shares = { train = 0.7, test = 0.3 }
"""
_TRAIN = """
name = "small"
seed = 7
max_tokens = 48
[model]
backbone = "backbone"
pooling = "mean"
[[source]]
name = "rated"
reader = "ratings"
files = ["rated.jsonl"]
validation = 0.25
[optimiser]
rate = 1e-3
head_rate = 5e-3
batch = 8
[loop]
epochs = 2
validate_every = 5
checkpoint_every = 4
"""
_WORDS = "the a cat dog sat lay on in mat rug he she is was not red blue big small run ran".split()
_SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@dataclass(frozen=True)
class Trail:
    """The way of one call through the package: other files entered, distinct files, calls."""

    switches: int
    files: int
    calls: int


def score(folder: Path) -> list[str]:
    """Three segments, three metrics."""
    (folder / "system.txt").write_text("A cat sat.\nIt rained all day.\nHe left early.\n")
    (folder / "reference.txt").write_text("The cat sat.\nRain fell all day.\nHe left early.\n")
    return ["score", "-c", "system.txt", "-r", "reference.txt"]


def generate(_folder: Path) -> list[str]:
    """One sentence, with the shipped generator."""
    return ["generate", "The committee decided to postpone the meeting until next week."]


def build(folder: Path) -> list[str]:
    """A corpus of 240 sentences and two translators that replace words."""
    nouns, verbs = "dog cat man woman child king".split(), "sees likes finds helps calls".split()
    sentences = [
        f"The {one} quickly {verb} the {two} near the old town number {number}."
        for number, (one, verb, two, _) in enumerate(product(nouns, verbs, nouns, "ab"))
    ][:240]
    (folder / "texts.txt").write_text("\n".join(sentences) + "\n")
    (folder / "words.py").write_text(_TRANSLATOR)
    systems = _system("plain", "near=by", "old=ancient") + _system("fancy", "quickly=rapidly")
    (folder / "recipe.toml").write_text(_BUILD.replace("[[step]]", systems + "[[step]]", 1))
    return ["build", "recipe.toml", "-o", "corpus", "--jobs", "1"]


def _system(name: str, *words: str) -> str:
    there = json.dumps([sys.executable, "words.py", "The=Le", *words])
    back = json.dumps([sys.executable, "words.py", "Le=The", *words])
    return (
        f'[[system]]\nname = "{name}"\nbackend = "command"\nsource = "en"\ntarget = "xx"\n'
        f"command = {there}\nback_command = {back}\n"
    )


def train(folder: Path) -> list[str]:
    """A random BERT of two layers, 24 rated pairs, two epochs."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    vocabulary = {word: number for number, word in enumerate([*_SPECIALS, *_WORDS])}
    tokeniser = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokeniser.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokeniser.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokeniser.add_special_tokens(_SPECIALS)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder / "backbone")
    tokeniser.save(str(folder / "backbone" / "tokenizer.json"))
    (folder / "rated.jsonl").write_text("".join(_rated_rows()))
    (folder / "recipe.toml").write_text(_TRAIN)
    return ["train", "run", "recipe.toml", "--run", "trained", "--data", "."]


def _rated_rows() -> Iterator[str]:
    draw = random.Random(3)
    for _ in range(24):
        one, two = draw.sample(_WORDS, 6), draw.sample(_WORDS, 6)
        shared = len(set(one) & set(two))
        row = {"reference": " ".join(one), "hypothesis": " ".join(two), "human": shared - 1}
        yield json.dumps(row) + "\n"


VERBS: dict[str, Callable[[Path], list[str]]] = {
    "score": score,
    "generate": generate,
    "build": build,
    "train": train,
}


@contextmanager
def _followed(trail: list[str]) -> Iterator[None]:
    """Append the file of each function of the package that is called.

    What an import runs does not count, so it does not matter when a module is imported.
    """
    importing = 0

    def follow(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal importing
        code = frame.f_code
        if code.co_name == "<module>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not importing and code.co_filename.startswith(PACKAGE):
            trail.append(code.co_filename)

    sys.setprofile(follow)
    try:
        yield
    finally:
        sys.setprofile(None)


def trail_of(verb: str) -> Trail:
    """Run the verb once in an empty folder and return its trail."""
    files: list[str] = []
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        arguments = VERBS[verb](Path(folder))
        with redirect_stdout(printed), redirect_stderr(printed), _followed(files):
            code = run(arguments)
    if code:
        printed.seek(0)
        raise SystemExit(f"paraphrast {verb} ended with {code}:\n{printed.read()}")
    switches = sum(one != two for one, two in pairwise(files))
    return Trail(switches, len(set(files)), len(files))


if __name__ == "__main__":
    print(json.dumps(asdict(trail_of(sys.argv[1]))))
