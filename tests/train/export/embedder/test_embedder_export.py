"""Any encoder becomes an embedder that says what torch says, or nothing is written."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.models.embedder.embedder_card import EmbedderCard
from paraphrast.models.embedder.text_embedder import Embedder
from tests.train.families import FAMILIES, WORDS, make

torch = pytest.importorskip("torch")
export = pytest.importorskip("paraphrast.train.export.embedder.embedder_export")

from paraphrast.train.export import static_quantisation as static8  # noqa: E402
from paraphrast.train.export import weight_quantisation as quantise  # noqa: E402
from paraphrast.train.export.embedder import embedder_graph as embed_graph  # noqa: E402
from paraphrast.train.export.embedder import (  # noqa: E402
    transformers_folder as encoder_folder,
)
from paraphrast.train.export.embedder.embedder_parity import EmbedParity  # noqa: E402
from paraphrast.train.export.export_options import ExportOptions  # noqa: E402

BARE = ExportOptions(version="1", form="float32", baseline=False)
GOOD = EmbedParity(10, 2, 1.0, 0.0, 0.0, 1.0, 0.0)
BAD = replace(GOOD, f_r=0.5)


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that gives the folder of a family's encoder; each is made once."""
    torch.set_num_threads(1)
    made: dict[str, Path] = {}

    def give(family: str) -> Path:
        if family not in made:
            made[family] = make(family, tmp_path_factory.mktemp(family))
        return made[family]

    return give


@pytest.fixture(autouse=True)
def _no_data(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARAPHRAST_DATA", str(tmp_path_factory.getbasetemp() / "nowhere"))


@pytest.fixture
def bert(folder_of: Callable[[str], Path], tmp_path: Path) -> Path:
    """A copy of one that a test may spoil."""
    return Path(shutil.copytree(folder_of("bert"), tmp_path / "bert"))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A file of 150 different texts of one to twelve words."""
    rng, found = np.random.default_rng(5), set[str]()
    while len(found) < 150:
        found.add(" ".join(rng.choice(WORDS, rng.integers(1, 13))))
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(sorted(found)) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def request_(texts: Path, monkeypatch: pytest.MonkeyPatch) -> ExportOptions:
    """All that an export does, with matrices counted as large that are not."""
    monkeypatch.setattr(static8, "LEAST", 8)
    monkeypatch.setattr(quantise, "LEAST", 64)
    return ExportOptions(version="1", texts=str(texts), pairs=200)


TEXTS = ["the cat sat on the mat .", "she ran", "he is not big, he's small!"]


def torch_states(folder: Path, text: str) -> list[np.ndarray]:
    """What transformers' own network says of a text that its own tokeniser has cut up."""
    from transformers import AutoModel, AutoTokenizer

    network = AutoModel.from_pretrained(folder).eval()
    given = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    ids, mask = given["input_ids"], given["attention_mask"]
    with torch.no_grad():
        found = network(input_ids=ids, attention_mask=mask, output_hidden_states=True)
    return [states[0].numpy() for states in found.hidden_states]


@pytest.mark.parametrize("family", FAMILIES)
def test_states_are_those_of_torch_at_any_length_and_in_any_batch(
    family: str, folder_of: Callable[[str], Path], tmp_path: Path
) -> None:
    folder, out = folder_of(family), tmp_path / "out"
    found = export.export_embedder(str(folder), out, BARE)
    card = found.card
    assert found.parity is None
    assert (card.layers, card.layer, card.width, card.max_tokens) == (3, 2, 16, 40)
    assert (card.dtype, card.baseline, card.name) == ("float32", {}, folder.name)
    assert card.training["torch_difference"] <= 1e-4
    # a word at the beginning of a text is one like any other, also where spaces are letters
    space = " " if family == "roberta" else ""
    texts = ["a " * (17 if space else 37) + "dog", *TEXTS]
    truth = [torch_states(folder, space + text) for text in texts]
    assert len(truth[0][0]) == 40
    for layer in range(4):
        together = Embedder.load(str(out), threads=1).tokens(texts, layer=layer)
        alone = [Embedder.load(str(out), threads=2).tokens([t], layer=layer)[0] for t in texts]
        for states, one, other in zip(truth, together, alone, strict=True):
            np.testing.assert_allclose(one.states, states[layer], atol=1e-4)
            np.testing.assert_allclose(other.states, states[layer], atol=1e-4)
    assert np.abs(truth[0][3] - truth[0][2]).max() > 0.1


@pytest.mark.parametrize("family", FAMILIES)
def test_the_tokeniser_is_the_family_s_own(
    family: str, folder_of: Callable[[str], Path], tmp_path: Path
) -> None:
    from tokenizers import Tokenizer
    from transformers import AutoTokenizer

    folder = folder_of(family)
    export.export_embedder(str(folder), tmp_path / "out", BARE)
    found = Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    own = AutoTokenizer.from_pretrained(folder)
    assert (found.truncation, found.padding) == (None, None)
    space = " " if family == "roberta" else ""
    for text in TEXTS:
        assert found.encode(text).ids == own(space + text)["input_ids"]


def test_a_word_has_the_same_sub_words_at_the_beginning_as_inside(
    folder_of: Callable[[str], Path],
) -> None:
    made = encoder_folder.EncoderFolder.open(str(folder_of("roberta"))).plain_tokeniser()
    assert made.encode("cat the cat").tokens == ["<s>", "Ġcat", "Ġthe", "Ġcat", "</s>"]


@pytest.mark.parametrize("family", ["bert", "roberta", "deberta-v2"])
@pytest.mark.parametrize(
    ("form", "dtype"), [("static", "static int8"), ("stored", "int8 weights, float32 arithmetic")]
)
def test_small_forms_say_nearly_the_same_in_every_batch(
    family: str,
    form: str,
    dtype: str,
    folder_of: Callable[[str], Path],
    tmp_path: Path,
    request_: ExportOptions,
) -> None:
    out = tmp_path / "out"
    found = export.export_embedder(str(folder_of(family)), out, replace(request_, form=form))
    assert found.card.dtype == dtype
    assert found.parity is not None
    assert found.parity.pairs > 70  # of 75; some texts are too long for some
    assert 0 < found.parity.f_mean_difference < 0.015
    assert found.parity.batch_difference <= 1e-4
    assert found.card.training["parity"]["f_r"] == found.parity.f_r
    assert sorted(found.card.baseline) == [0, 1, 2, 3]
    assert all(0 < value < 1 for layer in found.card.baseline.values() for value in layer)
    assert found.size == sum(path.stat().st_size for path in out.iterdir())


def test_the_card_tells_what_was_done(bert: Path, tmp_path: Path, request_: ExportOptions) -> None:
    out, told = tmp_path / "out", list[str]()
    asked = replace(request_, name="my-encoder", model="tiny", languages=("en", "de"), layer=1)
    asked = replace(asked, command="paraphrast train export …")
    export.export_embedder(str(bert), out, asked, tell=told.append)
    card = json.loads((out / "card.json").read_text())
    assert (card["name"], card["model"], card["version"]) == ("my-encoder", "tiny", "1")
    assert (card["languages"], card["layer"]) == (["en", "de"], 1)
    assert card["baseline"]["data"] == "200 random pairs of texts of texts.txt"
    training = card["training"]
    assert training["backbone"] == "bert"
    assert training["backbone_sha256"] == _sha256(bert / "model.safetensors")
    assert (training["texts"], training["command"]) == ("texts.txt", "paraphrast train export …")
    assert training["texts_sha256"] == _sha256(tmp_path / "texts.txt")
    assert (training["seed"], training["torch"]) == (13, torch.__version__)
    assert training["parity"]["layer"] == 1
    assert [line.partition(":")[0] for line in told] == [
        "tracing bert",
        "float32",
        "static int8",
        "baseline",
    ]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_same_export_gives_the_same_bytes(
    bert: Path, tmp_path: Path, request_: ExportOptions
) -> None:
    for name in ("one", "two"):
        export.export_embedder(str(bert), tmp_path / name, request_)
    for file in ("card.json", "model.onnx", "tokenizer.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def _verdicts(monkeypatch: pytest.MonkeyPatch, *verdicts: EmbedParity) -> None:
    left = iter(verdicts)
    monkeypatch.setattr(export, "compare", lambda *_: next(left))


def test_the_fastest_form_that_says_the_same_is_taken(
    bert: Path, tmp_path: Path, request_: ExportOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    _verdicts(monkeypatch, BAD, GOOD)
    found = export.export_embedder(str(bert), tmp_path / "out", request_)
    assert found.card.dtype == "int8 weights, float32 arithmetic"


def test_an_embedder_that_differs_is_refused_and_nothing_is_replaced(
    bert: Path, tmp_path: Path, request_: ExportOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    export.export_embedder(str(bert), out, BARE)
    (out / "MODEL_CARD.md").write_text("# Mine\n")
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    beside = sorted(path.name for path in tmp_path.iterdir())
    _verdicts(monkeypatch, BAD, BAD)
    with pytest.raises(
        ModelError,
        match=r"differs too much from the full one on 10 pairs at layer 2: .* r 0\.5000 \(at least",
    ):
        export.export_embedder(str(bert), out, request_)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == beside
    _verdicts(monkeypatch, GOOD)
    export.export_embedder(str(bert), out, request_)
    assert (out / "MODEL_CARD.md").read_text() == "# Mine\n"
    assert EmbedderCard.read(out).dtype == "static int8"


def test_a_graph_that_is_not_the_network_is_refused(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = embed_graph.trace

    def another(module: Any, *others: Any) -> None:
        """Trace a network with one weight moved."""
        with torch.no_grad():
            module.network.encoder.layer[1].output.dense.weight *= 2
            real(module, *others)
            module.network.encoder.layer[1].output.dense.weight /= 2

    monkeypatch.setattr(embed_graph, "trace", another)
    with pytest.raises(
        ModelError, match=r"differs from torch by \S+ at layer_2, 1 rows of 3 sub-words \(at most"
    ):
        export.export_embedder(str(bert), tmp_path / "out", BARE)
    assert not (tmp_path / "out").exists()


def test_weights_in_several_files_and_from_a_hub(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub
    from transformers import AutoModel

    split = tmp_path / "split"
    AutoModel.from_pretrained(bert).save_pretrained(split, max_shard_size="8KB")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(bert / name, split / name)
    assert not (split / "model.safetensors").exists()
    asked: list[Any] = []

    def download(
        name: str, *, revision: str | None, allow_patterns: Sequence[str], local_files_only: bool
    ) -> str:
        assert not local_files_only
        asked.append((name, revision))
        assert not any(pattern.endswith(".bin") for pattern in allow_patterns)
        return str(split)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    found = export.export_embedder("some/encoder@v2", tmp_path / "out", BARE)
    assert asked == [("some/encoder", "v2")]
    assert (found.card.name, found.card.training["backbone"]) == ("encoder", "some/encoder@v2")
    files = sorted(split.glob("*.safetensors"))
    digests = "\n".join(map(_sha256, files))
    assert len(files) > 1
    assert found.card.training["backbone_sha256"] == hashlib.sha256(digests.encode()).hexdigest()
    export.export_embedder(str(bert), tmp_path / "whole", BARE)
    one, other = (
        Embedder.load(str(tmp_path / name), threads=1).tokens(TEXTS) for name in ("out", "whole")
    )
    for a, b in zip(one, other, strict=True):
        assert (a.states == b.states).all()


def test_a_name_the_hub_does_not_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def refuse(*_: Any, **__: Any) -> str:
        raise OSError("no such model.\nmore")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    with pytest.raises(ModelError) as error:
        export.export_embedder("some/encoder", tmp_path / "out", BARE)
    assert str(error.value) == (
        "there is no folder some/encoder, and the model hub does not give a model of that name: "
        "no such model"
    )


def _config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def _pickled(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def _headless(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.1.output.dense.bias"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _without_frame(folder: Path) -> None:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"post_processor": None}))


NO_PICKLES = "because a pickle can run any code; save the model as safetensors"
SPOILED: list[tuple[Callable[[Path], Any], str]] = [
    (lambda f: (f / "config.json").unlink(), "holds no config.json: it is no folder of transf"),
    (lambda f: _config(f, model_type="gpt2"), "is no encoder: gpt2 has no masked-word form"),
    (lambda f: _config(f, model_type="bart"), "is no encoder: bart is an encoder with a decoder"),
    (lambda f: _config(f, is_decoder=True), "or its config.json makes it a decoder"),
    (lambda f: _config(f, model_type="nonesuch"), "transformers cannot read its config.json: "),
    (_pickled, f"holds no model.safetensors, only pytorch_model.bin: .*{NO_PICKLES}"),
    (lambda f: (f / "model.safetensors").unlink(), "holds no model.safetensors: other files are"),
    (_headless, "lacks 1 weights: encoder.layer.1.output.dense.bias"),
    (_without_frame, "does not put one special sub-word before a text and one after it"),
    (lambda f: (f / "tokenizer.json").write_text("{"), "transformers cannot load its tokeniser"),
]


@pytest.mark.parametrize(("spoil", "message"), SPOILED)
def test_folders_that_are_no_encoder(
    bert: Path, tmp_path: Path, spoil: Callable[[Path], Any], message: str
) -> None:
    spoil(bert)
    with pytest.raises(ModelError, match=message):
        export.export_embedder(str(bert), tmp_path / "out", BARE)
    assert not (tmp_path / "out").exists()


def test_code_of_a_model_is_never_run(bert: Path, tmp_path: Path) -> None:
    _config(bert, model_type="mine", auto_map={"AutoConfig": "mine.Mine", "AutoModel": "mine.Mine"})
    (bert / "mine.py").write_text("raise SystemExit('it ran')\n")
    with pytest.raises(ModelError, match=r"transformers cannot read its config\.json"):
        export.export_embedder(str(bert), tmp_path / "out", BARE)


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"layer": 4}, ConfigError, "layer is 4; bert has 3 layers, and 0 is its embedding"),
        ({"layer": -1}, ConfigError, "layer must be at least 0; got -1"),
        ({"pairs": 0}, ConfigError, "pairs must be at least 1; got 0"),
        ({"pairs": 11176}, ConfigError, "pairs is 11,176; 150 texts make 1 to 11,175 pairs"),
        ({"model": "a:b"}, ConfigError, "model must be text without '|' or ':'; got 'a:b'"),
        (
            {"form": "int8"},
            ConfigError,
            "form must be auto, float32, static, stored; got 'int8'",
        ),
        ({"texts": "nowhere.txt"}, InputError, "there is no file nowhere.txt to read texts from"),
        (
            {"texts": None},
            ConfigError,
            "an export needs texts to calibrate and to compare with: give --texts FILE, one text "
            "per line (or --form float32 --no-baseline); text/en_ud_ewt.jsonl.gz in the folder of "
            "the data serves English",
        ),
    ],
)
def test_requests_that_cannot_be_met(
    bert: Path,
    tmp_path: Path,
    request_: ExportOptions,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    kind: type[Exception],
    message: str,
) -> None:
    monkeypatch.setattr(export, "load_backbone", lambda _: pytest.fail("too late"))
    with pytest.raises(kind) as error:
        export.export_embedder(str(bert), tmp_path / "out", replace(request_, **changes))
    assert str(error.value) == message
    assert not (tmp_path / "out").exists()


def test_texts_of_a_table_and_too_few_of_them(tmp_path: Path, bert: Path) -> None:
    path = tmp_path / "few.jsonl"
    path.write_text("".join(json.dumps({"text": f" {n % 7} "}) + "\n" for n in range(200)))
    with pytest.raises(InputError) as error:
        export.export_embedder(str(bert), tmp_path / "out", replace(BARE, texts=str(path)))
    assert str(error.value) == (
        f"{path} holds 7 different texts; at least 100 are needed to compare and to calibrate with"
    )


def test_the_texts_of_the_data_folder_serve_english_only(
    bert: Path, tmp_path: Path, texts: Path, request_: ExportOptions
) -> None:
    (tmp_path / "data" / "text").mkdir(parents=True)
    lines = [json.dumps({"text": line}) for line in texts.read_text().splitlines()]
    import gzip

    with gzip.open(tmp_path / "data" / "text" / "en_ud_ewt.jsonl.gz", "wt") as file:
        file.write("\n".join(lines) + "\n")
    asked = replace(request_, texts=None, data=tmp_path / "data")
    found = export.export_embedder(str(bert), tmp_path / "out", asked)
    assert found.card.training["texts"] == "text/en_ud_ewt.jsonl.gz"
    with pytest.raises(ConfigError, match="needs texts to calibrate"):
        export.export_embedder(str(bert), tmp_path / "out", replace(asked, languages=("de",)))


def test_outputs_that_must_not_be_written(bert: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputError) as wrong:
        export.export_embedder(str(bert), file / "out", BARE)
    assert str(wrong.value) == f"cannot write {file / 'out'}: {file} is a file"
    with pytest.raises(ConfigError) as same:
        export.export_embedder(str(bert), bert, BARE)
    assert str(same.value) == f"{bert} is the encoder itself; give another folder to write"
    out = tmp_path / "out"
    out.mkdir()
    (out / "card.json").write_text('{"kind": "paraphrast edit encoder"}')
    with pytest.raises(ConfigError) as used:
        export.export_embedder(str(bert), out, BARE)
    assert str(used.value) == (
        f"{out} is in use, and not by an embedder: {out / 'card.json'}: the kind must be "
        "'paraphrast embedder'; got 'paraphrast edit encoder'"
    )


def test_a_full_disk_leaves_the_output_as_it_was(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export, "write_states", full)
    with pytest.raises(InputError) as error:
        export.export_embedder(str(bert), tmp_path / "out", BARE)
    assert str(error.value) == f"cannot write {tmp_path / 'out'}: No space left on device"
    assert [path.name for path in tmp_path.iterdir()] == ["bert"]


def test_a_matrix_too_small_for_integers(
    bert: Path, tmp_path: Path, request_: ExportOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static8, "LEAST", 128)
    with pytest.raises(ModelError, match="bert has no matrix large enough for integers; take --fo"):
        export.export_embedder(str(bert), tmp_path / "out", replace(request_, form="static"))
    found = export.export_embedder(str(bert), tmp_path / "out", request_)
    assert found.card.dtype == "int8 weights, float32 arithmetic"


def test_an_encoder_that_reads_too_little(bert: Path, tmp_path: Path) -> None:
    path = bert / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model_max_length": 8}))
    with pytest.raises(ModelError, match="bert reads 8 sub-words at once; at least 16 are needed"):
        export.export_embedder(str(bert), tmp_path / "out", BARE)


def test_an_encoder_that_no_file_can_hold(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed_graph, "_MOST_PARAMETERS", 1000)
    with pytest.raises(ModelError, match="million parameters; an ONNX file holds 2 GB, which is"):
        export.export_embedder(str(bert), tmp_path / "out", BARE)


def test_texts_that_are_all_too_long(bert: Path, tmp_path: Path, request_: ExportOptions) -> None:
    path = tmp_path / "long.txt"
    path.write_text("".join("a " * number + "\n" for number in range(30, 150)))
    with pytest.raises(InputError) as error:
        export.export_embedder(str(bert), tmp_path / "out", replace(request_, texts=str(path)))
    assert str(error.value) == (
        "long.txt holds 9 texts within 40 sub-words; at least 100 are needed"
    )
