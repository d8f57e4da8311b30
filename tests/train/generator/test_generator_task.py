"""A tiny T5 learns to write through the loop that trains encoders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from paraphrast.errors import ConfigError, ModelError  # noqa: E402
from paraphrast.models.encoder.pair_encoding import EncodedSide, PairTokeniser  # noqa: E402
from paraphrast.train import log, loop, runs  # noqa: E402
from paraphrast.train.checkpoint import latest, load  # noqa: E402
from paraphrast.train.data.examples import Coded  # noqa: E402
from paraphrast.train.generator.generator_batches import GeneratorBatcher, rouge_l  # noqa: E402
from paraphrast.train.generator.generator_network import Generator  # noqa: E402
from paraphrast.train.generator.generator_task import GeneratorTask, Wording  # noqa: E402
from paraphrast.train.recipe import ModelPart, SourcePart, read_recipe  # noqa: E402
from paraphrast.train.training_task import tensors  # noqa: E402
from tests.encoders import make_encoder  # noqa: E402

WORDS = "the a cat dog sat lay on in mat rug he she is was red blue big small ran saw".split()
CODES = ["<copy_0>", "<copy_1>"]
SPECIALS = ["<pad>", "</s>", "<unk>", *CODES]
SOURCE = SourcePart(name="pairs", reader="pairs", files=("pairs.jsonl",))

RECIPE = """
name = "tiny"
kind = "generator"
seed = 7
max_tokens = 48

[model]
backbone = "{backbone}"

[generation]
codes = ["<copy_0>", "<copy_1>"]
sentences = 4
judge = "{judge}"

[[source]]
name = "pairs"
reader = "pairs"
files = ["pairs.jsonl"]
validation = 0.2

[loss]
smoothing = 0.1

[optimiser]
rate = 1e-2
batch = 8

[loop]
epochs = {epochs}
validate_every = 5
checkpoint_every = 3
"""


def go(run: Path, **options: Any) -> runs.Sitting:
    return runs.resume(run, runs.SittingOptions(**options))


@pytest.fixture(autouse=True)
def small_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(loop, "peak_flops", lambda _device: 1e9)


@pytest.fixture(scope="module")
def writer_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a T5 of one layer, 16 wide, whose embeddings are those of both stacks."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import T5Config, T5ForConditionalGeneration

    vocabulary = {word: n for n, word in enumerate([*SPECIALS, *WORDS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    made.add_special_tokens(SPECIALS)
    folder = tmp_path_factory.mktemp("t5")
    made.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=len(vocabulary),
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=1,
        num_heads=2,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder: sentences, and the same backwards."""
    folder, rng = tmp_path_factory.mktemp("data"), np.random.default_rng(3)
    rows = []
    for _ in range(40):
        words = [WORDS[n] for n in rng.integers(0, len(WORDS), rng.integers(3, 7))]
        rows.append({"text1": " ".join(words), "text2": " ".join(words[::-1])})
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def start(writer_folder: Path, tmp_path: Path) -> Callable[..., Path]:
    """A function that makes a run, not yet trained."""

    def make(
        name: str, *changes: tuple[str, str], epochs: float = 2.0, judge: Path | str = ""
    ) -> Path:
        text = RECIPE.format(backbone=writer_folder, epochs=epochs, judge=judge)
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / f"{name}.toml"
        path.write_text(text)
        runs.create(path, tmp_path / name)
        return tmp_path / name

    return make


def lines(run: Path) -> list[dict[str, Any]]:
    timed = ("tokens_per_second", "peak_share")
    return [{k: v for k, v in line.items() if k not in timed} for line in log.entries(run)]


def side(*ids: int) -> EncodedSide:
    return EncodedSide(np.array(ids), np.arange(len(ids)))


def coded(a: EncodedSide, b: EncodedSide) -> Coded:
    return Coded(
        a=a,
        b=b,
        score=None,
        forward=None,
        backward=None,
        same=None,
        tags_a=None,
        tags_b=None,
        source=0,
    )


def test_a_run_logs_what_is_written(
    start: Callable[..., Path], pairs: Path, tmp_path: Path
) -> None:
    run = start("a", judge=make_encoder(tmp_path / "judge"))
    done = go(run, data=pairs)
    assert done.finished
    looks = [line for line in lines(run) if line["kind"] == "validation"]
    ways = [f"pairs.{way}_" for way in ("greedy", "sampled")]
    names = (
        "rouge_p adequacy copying length vocabulary identical same entailment tags support".split()
    )
    assert set(looks[0]) - {"kind", "step", "selected"} == {
        "pairs.likelihood",
        *(way + name for way in ways for name in names),
    }
    assert looks[-1]["pairs.likelihood"] > looks[0]["pairs.likelihood"]
    (training,) = [line for line in lines(run) if line["kind"] == "training"][:1]
    assert training["loss"] == training["wording"] > 0


def test_a_stop_changes_nothing(start: Callable[..., Path], pairs: Path) -> None:
    whole, broken = start("whole"), start("broken")
    go(whole, data=pairs)
    assert not go(broken, data=pairs, minutes=0).finished
    assert go(broken, data=pairs).finished
    newest = [latest(run) for run in (whole, broken)]
    assert newest[0] is not None
    assert newest[1] is not None
    one, two = load(newest[0])[1], load(newest[1])[1]
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert lines(whole) == lines(broken)


def test_the_tiny_network_learns_to_write_backwards(
    start: Callable[..., Path], pairs: Path
) -> None:
    run = start("a", ("smoothing = 0.1", "smoothing = 0"), epochs=60)
    go(run, data=pairs)
    losses = [line["wording"] for line in lines(run) if line["kind"] == "training"]
    assert losses[-1] < losses[0] / 4


def test_weights_with_two_names_are_kept_once(writer_folder: Path) -> None:
    part = ModelPart(backbone=str(writer_folder))
    network = Generator.create(part)
    kept = network.state_dict()
    addresses = [weight.data_ptr() for weight in kept.values()]
    assert len(set(addresses)) == len(addresses)
    other = Generator.create(part)
    for weight in other.parameters():
        weight.data.zero_()
    other.load_state_dict(kept)
    for name, weight in network.backbone.state_dict().items():
        assert torch.equal(weight, other.backbone.state_dict()[name])


def test_the_code_says_how_much_the_target_copies() -> None:
    writer = GeneratorBatcher((8, 9), pad=0, end=1)
    same, other = coded(side(5, 6, 7), side(5, 6, 7)), coded(side(5, 6), side(7, 5, 7, 7))
    assert rouge_l(other.a, other.b) == pytest.approx(2 / 6)
    made = writer.batch([same, other], [SOURCE])
    assert made.source.tolist() == [[9, 5, 6, 7, 1], [8, 5, 6, 1, 0]]
    assert made.target.tolist() == [[5, 6, 7, 1, 0], [7, 5, 7, 7, 1]]
    assert made.source_mask.sum() == made.target_mask.sum() == 9
    assert made.tokens == 18
    assert (made.weight * made.target_mask.sum(1)).sum() == pytest.approx(2)
    plain = GeneratorBatcher((), pad=0, end=1).batch([same], [SOURCE])
    assert plain.source.tolist() == [[5, 6, 7, 1]]


def test_shares_add_up_to_the_whole(writer_folder: Path) -> None:
    network = Generator.create(ModelPart(backbone=str(writer_folder))).eval()
    texts = [((5, 6, 7), (7, 6)), ((8,), (9, 9, 9)), ((6,), (6,))]
    rows = [coded(side(*a), side(*b)) for a, b in texts]
    batch = GeneratorBatcher((3, 4), network.pad, network.end).batch(rows, [SOURCE])
    objective = Wording(network, 0.1)
    device = torch.device("cpu")
    with torch.inference_mode():
        whole = float(objective(tensors(batch, device)))
        for of in (2, 4):
            parts = [batch.share(index, of) for index in range(of)]
            sums = [float(objective(tensors(part, device))) for part in parts]
            assert sum(sums) == pytest.approx(whole, rel=1e-5)


def test_paddings_change_no_loss(writer_folder: Path) -> None:
    network = Generator.create(ModelPart(backbone=str(writer_folder))).eval()
    writer = GeneratorBatcher((3, 4), network.pad, network.end)
    rows = [coded(side(5, 6, 7, 8), side(7, 6, 9)), coded(side(8), side(9))]
    both = network(tensors(writer.batch(rows, [SOURCE]), torch.device("cpu"))).detach()
    alone = network(tensors(writer.batch(rows[1:], [SOURCE]), torch.device("cpu")))
    assert both[1, :2].tolist() == pytest.approx(alone[0].tolist(), rel=1e-4)
    assert both[1, 2:].tolist() == [0, 0]


def test_writing_is_seeded(start: Callable[..., Path], pairs: Path) -> None:
    run = start("a")
    recipe = read_recipe(run / "recipe.toml")
    writing = GeneratorTask.create(recipe, runs.load_tokeniser(recipe))
    rows = [coded(side(5, 6, 7), side(7)), coded(side(9), side(9))]
    part = recipe.generation
    first = writing.write(rows, part, sampled=True)
    assert first == writing.write(rows, part, sampled=True)
    assert (
        writing.write(rows[::-1], part, sampled=False)
        == (writing.write(rows, part, sampled=False)[::-1])
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('reader = "pairs"', 'reader = "ratings"', "a generator learns from pairs as they are; "),
        ('kind = "generator"', 'kind = "writer"', "unknown kind 'writer'"),
        ("sentences = 4", "sentences = 0", "generation: sentences is 0; it must be at least 1"),
    ],
)
def test_recipes_that_cannot_be(
    start: Callable[..., Path], old: str, new: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        start("a", (old, new))
    assert message in str(caught.value)


def test_a_code_that_is_no_token(start: Callable[..., Path], pairs: Path) -> None:
    run = start("a", ('"<copy_1>"', '"<copy_2>"'))
    with pytest.raises(ConfigError) as caught:
        go(run, data=pairs)
    assert str(caught.value) == "generation.codes: the tokeniser has no token '<copy_2>'"


def test_an_encoder_is_no_generator(
    start: Callable[..., Path], backbone: Path, pairs: Path, writer_folder: Path
) -> None:
    run = start("a", (str(writer_folder), str(backbone)), ('"<copy_0>", "<copy_1>"', ""))
    with pytest.raises(ModelError, match=f"^cannot load the backbone '{backbone}': "):
        go(run, data=pairs)


def test_frozen_layers_stay_as_they_are(start: Callable[..., Path], pairs: Path) -> None:
    run = start("a", ("[generation]", "frozen = 1\n\n[generation]"), epochs=1)
    before = Generator.create(read_recipe(run / "recipe.toml").model).state_dict()
    go(run, data=pairs)
    after = load(run / "best")[1]
    moved = {name for name, weight in before.items() if not torch.equal(weight, after[name])}
    assert moved
    assert all(".decoder." in name or "encoder.final" in name for name in moved)
    with pytest.raises(ConfigError, match=r"^frozen is 2; the backbone's encoder has 1 layers$"):
        go(start("b", ("[generation]", "frozen = 2\n\n[generation]")), data=pairs)


def test_the_tokeniser_of_the_writer_codes_pairs(writer_folder: Path) -> None:
    assert PairTokeniser.from_file(writer_folder / "tokenizer.json").overhead == 2
