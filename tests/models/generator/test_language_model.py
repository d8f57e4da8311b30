from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from paraphrast.errors import ConfigError, InputError, ModelError, UnknownModel
from paraphrast.models.generator.generator_loading import load_generator, open_generator
from paraphrast.models.generator.language_model import LanguageModel, Logits
from tests.generators import write_generator_card
from tests.models.conftest import Folders

KINDS = ["t5", "gpt2", "llama"]
SOURCES = ["the cat sat on a mat.", "he", "a big red dog ran and she said it is not small"]


def program(model: LanguageModel, seed: int, sources: list[str]) -> list[Logits]:
    """Step, and choose rows in every way: grow, swap, drop single ones and whole sources."""
    draw = np.random.default_rng(seed)
    state, logits = model.start(model.encode(sources))
    found, rows = [logits], len(sources)
    moves = [
        np.repeat(np.arange(rows), 3),
        *([np.sort(draw.integers(0, 3, 3)) + 3 * n for n in range(rows)] for _ in range(6)),
        np.array([0, 1, 2, 4, 5, 8]),
        np.array([5, 3, 1, 0]),
        np.array([2]),
        np.array([0, 0, 0, 0]),
        np.array([1, 3]),
    ]
    for move in moves:
        chosen = np.concatenate(move) if isinstance(move, list) else move
        state = model.reorder(state, chosen)
        for _ in range(2):
            tokens = draw.integers(0, model.vocabulary, len(chosen))
            logits = model.step(state, tokens)
            assert logits.shape == (len(chosen), model.vocabulary)
            assert logits.dtype == np.float32
            found.append(logits)
    return found


def worst(ours: list[Logits], theirs: list[Logits]) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_logits_are_those_of_transformers(folders: Folders, kind: str) -> None:
    network, generator = folders(kind)
    theirs, ours = load_generator(network), load_generator(generator, threads=1)
    assert ours.kind == theirs.kind == ("seq2seq" if kind == "t5" else "causal")
    assert ours.vocabulary == theirs.vocabulary
    assert ours.end == theirs.end
    assert ours.pieces() == theirs.pieces()
    one, other = ours.encode(SOURCES), theirs.encode(SOURCES)
    assert all((a == b).all() for a, b in zip(one, other, strict=True))
    assert worst(program(ours, 1, SOURCES), program(theirs, 1, SOURCES)) < 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_gives_what_each_gives_alone(folders: Folders, kind: str) -> None:
    model = load_generator(folders(kind)[1], threads=1)
    prompts = model.encode(SOURCES)
    tokens = np.random.default_rng(2).integers(0, model.vocabulary, (40, 3))
    state, logits = model.start(prompts)
    together = [logits, *(model.step(state, line) for line in tokens)]
    for row, prompt in enumerate(prompts):
        state, logits = model.start([prompt])
        alone = [logits, *(model.step(state, line[row : row + 1]) for line in tokens)]
        assert worst(alone, [one[row : row + 1] for one in together]) < 1e-4


@pytest.mark.parametrize("kind", KINDS)
def test_an_old_state_can_be_reordered_again(folders: Folders, kind: str) -> None:
    model = load_generator(folders(kind)[1], threads=1)
    state, _ = model.start(model.encode(SOURCES[:1]))
    first, second = (model.reorder(state, np.zeros(n, dtype=np.int64)) for n in (2, 3))
    model.step(first, np.array([5, 6]))
    other = model.step(second, np.array([7, 8, 9]))
    fresh, _ = model.start(model.encode(SOURCES[:1]))
    assert np.abs(model.step(fresh, np.array([7])) - other[:1]).max() < 1e-4
    assert model.reorder(second, np.arange(3)) is second


@pytest.mark.parametrize("kind", KINDS)
def test_texts_come_back_and_special_tokens_are_letters(folders: Folders, kind: str) -> None:
    model = load_generator(folders(kind)[1], threads=1)
    texts = ["the cat sat on a mat", "</s> [SEP] <|end|> the dog"]
    for ids, text in zip(model.targets(texts), texts, strict=True):
        assert ids[-1] == model.end
        assert (ids[:-1] != model.end).all()
        assert model.decode([ids]) == [text]
        pieces = model.pieces()
        assert "".join(pieces[token] for token in ids).strip() == text
    prompt = model.encode(["the cat"])[0]
    if kind == "t5":
        assert prompt[-1] == model.end
    else:
        assert prompt[0] == model.end
        assert prompt[-1] == model.vocabulary - 1
    assert len(model.encode([""])[0]) == (1 if kind == "t5" else 2)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_too_long_is_refused(folders: Folders, kind: str) -> None:
    model = load_generator(folders(kind)[1], threads=1)
    long = model.encode(["a", "the cat " * 60])
    with pytest.raises(InputError, match=r"source 2 has \d+ sub-words, but the model reads 48"):
        model.start(long)
    with pytest.raises(InputError, match="source 1 has no ids"):
        model.start([np.zeros(0, dtype=np.int64)])


def test_a_causal_model_ends_with_its_positions(folders: Folders) -> None:
    model = load_generator(folders("gpt2")[1], threads=1)
    state, _ = model.start(model.encode(["a"]))
    for _ in range(93):
        model.step(state, np.array([3]))
    with pytest.raises(InputError, match="96 sub-words already"):
        model.step(state, np.array([3]))


def test_a_model_without_a_separator_has_no_sources(folders: Folders, tmp_path: Path) -> None:
    made = tmp_path / "plain"
    shutil.copytree(folders("gpt2")[1], made)
    words = load_generator(made).vocabulary
    write_generator_card(
        made,
        architecture="causal",
        vocabulary=words,
        end=words - 2,
        decoder={"layers": 2, "heads": 4, "size": 8},
    )
    model = load_generator(made)
    assert [ids.tolist() for ids in model.encode([""])] == [[words - 2]]
    with pytest.raises(ModelError, match="no separator"):
        model.encode(["the cat"])


def test_codes_say_how_much_to_copy(folders: Folders, tmp_path: Path) -> None:
    made = tmp_path / "coded"
    shutil.copytree(folders("t5")[1], made)
    plain = load_generator(made)
    shape = {"layers": 3, "heads": 4, "size": 8}
    entries = {"architecture": "seq2seq", "vocabulary": plain.vocabulary, "end": 1, "start": 0}
    write_generator_card(made, **entries, decoder=shape, codes=[40, 41, 42, 43], copied=0.6)
    model = open_generator(made, threads=1)
    (before,), (coded,) = plain.encode(["the cat"]), model.encode(["the cat"])
    assert coded.tolist() == [42, *before]
    less = model.copying(0.1)  # type: ignore[attr-defined]
    assert less.encode(["the cat"])[0].tolist() == [40, *before]
    assert less.fingerprint != model.fingerprint
    assert model.copying(1.0).encode(["the cat"])[0][0] == 43  # type: ignore[attr-defined]
    pairs = model.encode_pairs(["the cat", "the cat"], ["the cat", "a dog"])  # type: ignore[attr-defined]
    assert [ids[0] for ids in pairs] == [43, 40]
    assert model.decode([coded]) == ["the cat"]
    assert model.pieces()[40] == ""
    with pytest.raises(ConfigError, match="from 0 to 1"):
        model.copying(1.5)  # type: ignore[attr-defined]
    with pytest.raises(ConfigError, match="not taught"):
        plain.copying(0.5)  # type: ignore[attr-defined]


def test_generators_are_loaded_once_and_by_any_name(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, generator = folders("t5")
    assert load_generator(generator) is load_generator(str(generator))
    assert load_generator(network) is load_generator(network)
    assert load_generator(generator, threads=1) is not load_generator(generator, threads=2)
    with pytest.raises(UnknownModel, match=r"did you mean 'paraphraser'\?"):
        load_generator("paraphrase")
    with pytest.raises(ConfigError, match="threads"):
        load_generator(generator, threads=0)
    with pytest.raises(ModelError, match=r"there is no directory '\./nowhere'"):
        load_generator("./nowhere")
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ModelError, match=r"pip install \./weights/generator"):
        load_generator()


def test_files_that_were_changed_are_refused(folders: Folders, tmp_path: Path) -> None:
    made = tmp_path / "changed"
    shutil.copytree(folders("t5")[1], made)
    (made / "encoder.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match=r"encoder\.onnx is not the file"):
        load_generator(made)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"architecture": "rnn"}, "must be seq2seq or causal; got 'rnn'"),
        ({"kind": "paraphrast embedder"}, "the kind must be 'paraphrast generator'"),
        ({"end": 5000}, "'end' is 5000, but there are 100 sub-words"),
        ({"codes": [1, 100], "copied": 0.5}, "'codes' must be ids, of which there are 100"),
        ({"codes": [1]}, "has no 'copied'"),
        ({"architecture": "seq2seq"}, "has no 'start'"),
        ({"decoder": {"layers": 2, "heads": 4}}, r"has no 'decoder\.size'"),
        ({"files": {"tokenizer.json": "0"}}, r"has no 'files\.embeddings\.onnx'"),
    ],
)
def test_cards_that_are_wrong_say_where(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    for file in ("embeddings.onnx", "encoder.onnx", "decoder.onnx"):
        (tmp_path / file).write_bytes(b"")
    right: dict[str, object] = {
        "architecture": "causal",
        "vocabulary": 100,
        "end": 1,
        "decoder": {"layers": 2, "heads": 4, "size": 8},
    }
    write_generator_card(tmp_path, **(right | changes))
    with pytest.raises(ModelError, match=message):
        open_generator(tmp_path)
