"""`paraphrast.tag` and tagging files: what goes in, what comes out, what is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paraphrast
from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.jobs.tag import tag_rows
from paraphrast.meaning.tag_evaluation import TagTally
from tests.encoders import install_encoder, make_encoder

A, B = "The cat sat on the mat.", "The dog sat on a mat!"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture(scope="module")
def tag(model: str) -> Callable[..., Any]:
    def call(*texts: Any) -> Any:
        return paraphrast.tag(*texts, model=model, threads=1)

    return call


def rows_file(path: Path, *rows: object) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_words_that_the_other_text_lacks_are_tagged(tag: Callable[..., Any]) -> None:
    pair = tag(A, B)
    assert isinstance(pair, paraphrast.TaggedPair)
    assert isinstance(pair.a, paraphrast.TaggedText)
    assert pair.a.unparaphrased == ["cat", "."]
    assert pair.b.unparaphrased == ["dog", "a", "!"]
    assert (pair.a.text, pair.b.text, pair.windows) == (A, B, 1)


def test_given_words_are_kept(tag: Callable[..., Any]) -> None:
    words = ["The", "cat's", "-LRB-", "mat."]
    pair = tag(words, tuple(words[:2]))
    assert pair.a.words == words
    assert pair.a.text == "The cat's -LRB- mat."
    assert pair.b.words == words[:2]


def test_many_pairs_give_what_each_gives_alone(tag: Callable[..., Any]) -> None:
    pairs = [(A, B), (["a", "cat"], "The cat"), (B, A), (A, B), ("", A), ("one " * 80, "two " * 90)]
    many = tag(pairs)
    assert isinstance(many, list)
    for found, (a, b) in zip(many, pairs, strict=True):
        alone = tag(a, b)
        assert (found.a.tags, found.b.tags) == (alone.a.tags, alone.b.tags)
        assert found.a.probabilities == pytest.approx(alone.a.probabilities, abs=1e-4)
        assert found.b.probabilities == pytest.approx(alone.b.probabilities, abs=1e-4)


def test_empty_texts_have_defined_tags(tag: Callable[..., Any]) -> None:
    nothing = {"words": [], "tags": [], "probabilities": [], "spans": []}
    assert tag("", "").to_dict() == {"a": nothing, "b": nothing}
    assert tag(" \n", "the cat").b.tags == (1, 1)


@pytest.mark.parametrize(
    "text", ["\x00\x1b[31m", "🦊👩‍👩‍👧 🇯🇵", "שלום עולם", "word " * 2000, "x" * 3000]
)
@pytest.mark.filterwarnings("ignore:.*of the letters are of scripts:UserWarning")
def test_any_text_is_tagged(text: str, tag: Callable[..., Any]) -> None:
    pair = tag(text, "a cat")
    assert pair.a.text == text
    assert pair.a.words == [text[start:end] for start, end in pair.a.spans]
    assert set(pair.a.tags) <= {0, 1}
    assert all(0 <= chance <= 1 for chance in pair.a.probabilities)


def test_a_long_pair_is_read_in_windows(tag: Callable[..., Any]) -> None:
    pair = tag("the cat sat " * 60, "a dog ran " * 60)
    assert pair.windows > 1
    assert len(pair.a) == 180


def test_the_threshold_comes_from_the_card(tmp_path: Path) -> None:
    none = {"tag": -99.0, "entailment": 0.0, "score": 0.0}
    bold = make_encoder(tmp_path / "bold", thresholds=none | {"tag": 99.0})
    shy = make_encoder(tmp_path / "shy", thresholds=none)
    assert set(paraphrast.tag(A, B, model=str(bold), threads=1).a.tags) == {1}
    assert set(paraphrast.tag(A, B, model=str(shy), threads=1).a.tags) == {0}


def test_mini_is_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = install_encoder(tmp_path, monkeypatch)
    assert paraphrast.tag(A, B) == paraphrast.tag(A, B, model=str(made))


def test_letters_the_model_does_not_know_give_a_warning(tag: Callable[..., Any]) -> None:
    expected = (
        "100% of the letters are of scripts that the weights of 'mini' were not trained on "
        r"\(languages: en\); the values may mean little"
    )
    with pytest.warns(UserWarning, match=expected):
        tag("猫が座った", "犬が座った")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("one text",), "give two texts, or a list of pairs: [(a, b), ...]"),
        ((None,), "give two texts, or a list of pairs: [(a, b), ...]"),
        (({"a": "b"},), "give two texts, or a list of pairs: [(a, b), ...]"),
        (([],), "the list of pairs is empty: there is nothing to tag"),
        ((["ab", "cd"],), "pair 1, expected two texts, (a, b); got 'ab'"),
        (([("a", "b"), ("a",)],), "pair 2, expected two texts, (a, b); got ('a',)"),
        (([("a", "b"), ("a", None)],), "pair 2, b: a text or a list of words is needed; got None"),
        (("a", 5), "b: a text or a list of words is needed; got 5"),
        ((["a", 5], "b"), "a, word 2: text is needed; got 5"),
        ((["a", ""], "b"), "a, word 2 is empty; leave it out"),
        (
            (["A cat.", "A dog."], ["One cat.", "One dog."]),
            "a, word 1 holds a space: 'A cat.'; a list is the words of one text; for several "
            "pairs of texts write [(a, b), ...]",
        ),
        (
            ("a", "\udc80"),
            "b holds half a surrogate pair (\\udc80), which is no character; mend the program "
            "that wrote it",
        ),
    ],
)
def test_bad_input_is_named_before_any_model_is_loaded(
    texts: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(InputError) as error:
        paraphrast.tag(*texts, model="./no such folder")
    assert str(error.value) == message


def test_a_model_that_is_not_there_is_named() -> None:
    with pytest.raises(ModelError) as error:
        paraphrast.tag(A, B, model="./nowhere")
    assert str(error.value) == "there is no directory './nowhere' to load a model from"
    with pytest.raises(
        ConfigError, match=r"^unknown model 'nosuch'; known: mini, base, a directory"
    ):
        paraphrast.tag(A, B, model="nosuch")
    with pytest.raises(ConfigError, match="threads"):
        paraphrast.tag(A, B, threads=0)


@pytest.mark.parametrize("model", [None, 5, "x" * 5000])
def test_a_model_that_is_no_name_is_wrong_usage(model: Any) -> None:
    with pytest.raises(ConfigError, match=r"^(model must be|unknown model) ") as error:
        paraphrast.tag(A, B, model=model)
    assert len(str(error.value)) < 300
    with pytest.raises(ConfigError):
        paraphrast.explain(A, B, model=model)


def test_rows_of_a_file_equal_python(tmp_path: Path, model: str, tag: Callable[..., Any]) -> None:
    words = {
        "id": 3,
        "tokens1": ["the", "cat's"],
        "tokens2": ["the"],
        "tags1": [0, 1],
        "tags2": [0],
    }
    path = rows_file(tmp_path / "p.jsonl", {"id": "x", "text1": A, "text2": B}, words)
    done: list[int] = []
    first, second = tag_rows(path, model=model, threads=1, progress=done.append)
    assert first.to_dict() == {"id": "x"} | tag(A, B).to_dict()
    assert second.pair.a.words == ["the", "cat's"]
    assert (first.where, second.id, second.gold) == (f"{path}, line 1", 3, None)
    assert sum(done) == 2


def test_a_row_without_an_id_has_none(tmp_path: Path, model: str) -> None:
    path = rows_file(tmp_path / "p.jsonl", {"a": A, "b": B})
    (row,) = tag_rows(path, model=model, threads=1)
    assert list(row.to_dict()) == ["a", "b"]


def test_blocks_do_not_change_the_rows(
    tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rows_file(tmp_path / "p.jsonl", *({"a": A, "b": word} for word in A.split() * 2))
    whole = list(tag_rows(path, model=model, threads=1))
    monkeypatch.setattr("paraphrast.jobs.tag._CHUNK", 5)
    assert [row.pair.b.tags for row in tag_rows(path, model=model, threads=1)] == [
        row.pair.b.tags for row in whole
    ]


def test_a_bad_row_comes_before_the_model(tmp_path: Path) -> None:
    path = rows_file(tmp_path / "p.jsonl", {"a": A, "b": B}, {"a": A})
    with pytest.raises(InputError, match=f"{path}, line 2: 'a' is there but 'b' is not"):
        list(tag_rows(path, model="./nowhere"))


def test_the_tally_judges_and_notes(tmp_path: Path, model: str) -> None:
    row = {"tokens1": ["the", "cat"], "tokens2": ["The"], "tags1": [0, 1], "tags2": [1]}
    long = {"tokens1": ["cat"] * 90, "tokens2": ["cat"], "tags1": [0] * 90, "tags2": [0]}
    path = rows_file(tmp_path / "p.jsonl", row, long)
    tally = TagTally(keep=1)
    watched = list(tally.watch(tag_rows(path, gold=True, model=model, threads=1)))
    assert [len(watched), tally.pairs, len(tally.kept)] == [2, 2, 1]
    found = tally.evaluation().to_dict()
    assert (found["pairs"], found["words"], found["gold"]) == (2, 94, 2)
    assert found["baseline"] == {"precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3)}
    assert found["tagger"]["recall"] in (0.0, 0.5, 1.0)
    assert tally.notes() == [
        f"1 pair was too long to be read at once, and read in windows: {path}, line 2"
    ]


def test_nothing_to_find_is_no_evaluation(tmp_path: Path, model: str) -> None:
    row = {"tokens1": ["the"], "tokens2": ["The"], "tags1": [0], "tags2": [0]}
    tally = TagTally()
    path = rows_file(tmp_path / "p.jsonl", row)
    list(tally.watch(tag_rows(path, gold=True, model=model, threads=1)))
    with pytest.raises(InputError) as error:
        tally.evaluation()
    expected = "no word is to be tagged 1, so recall and F1 are undefined"
    assert str(error.value) == expected


def test_foreign_letters_are_noted_once_for_a_file(tmp_path: Path, model: str) -> None:
    path = rows_file(tmp_path / "p.jsonl", *[{"a": "猫", "b": "犬"}] * 3)
    notes: list[str] = []
    list(tag_rows(path, model=model, threads=1, notes=notes))
    (note,) = notes
    assert note.startswith("100% of the letters are of scripts that the weights of 'mini'")


def test_public_tags_are_read_and_judged(
    data: Callable[[str], Path], model: str, tmp_path: Path
) -> None:
    with gzip.open(data("tags/multimwa_wiki.dev.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [json.loads(next(lines)) for _ in range(20)]
    tally = TagTally()
    path = rows_file(tmp_path / "p.jsonl", *rows)
    for row, given in zip(
        tally.watch(tag_rows(path, gold=True, model=model, threads=1)), rows, strict=True
    ):
        assert (row.id, row.pair.a.words) == (given["id"], given["tokens1"])
    words = sum(len(row["tokens1"]) + len(row["tokens2"]) for row in rows)
    assert tally.evaluation().tagger.words == words
