"""What is for testing or validation is in no training row, whatever its spacing or case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paraphrast.errors import ConfigError
from paraphrast.text.words import WordText
from paraphrast.train.data.assembly import data_root, parts
from paraphrast.train.data.examples import Example
from paraphrast.train.data.withheld_texts import key, keys_of, texts_of, without_texts
from paraphrast.train.recipe import (
    ModelPart,
    OptimiserPart,
    SourcePart,
    TrainingRecipe,
    read_recipe,
)

RECIPES = sorted(Path("recipes").glob("*.toml"))


def example(a: str, b: str) -> Example:
    return Example(a=WordText.of(a), b=WordText.of(b), group=a)


def write(path: Path, *rows: object) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_case_spacing_and_marks_do_not_matter() -> None:
    assert key("The cat's  mat, here!") == key("the cat 's mat here") == "thecatsmathere"
    assert key("Thank you.") == ""  # nobody's own


@pytest.mark.parametrize(
    "row",
    [
        {"text1": "The cat sat there .", "text2": "other"},
        {"tokens1": ["The", "cat", "sat", "there", "."]},
        {"outputs": {"system": "the cat sat there"}},
        {"systems": [{"hypothesis": "The cat sat there."}]},
        {"source": "Once upon a time. The cat sat there. It slept."},
        {"captions": ["something else", "the cat sat there"]},
    ],
    ids=["text", "words", "outputs", "systems", "sentence", "captions"],
)
def test_a_text_is_found_wherever_a_row_holds_it(row: object, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    write(tmp_path / "deep" / "some.test.jsonl", row)
    found = texts_of(["**/*.test.jsonl"], tmp_path)
    rows = [example("the cat sat there", "a dog"), example("x", "THE CAT SAT THERE!")]
    kept = example("the cat sat elsewhere", "a dog")
    assert without_texts([*rows, kept], found) == [kept]


def test_short_texts_are_no_reason() -> None:
    assert not keys_of([example("Yes.", "No.")])
    rows = [example("Yes.", "No.")]
    assert without_texts(rows, keys_of([*rows, example("Yes.", "a longer sentence")])) == rows


def test_a_name_that_finds_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        texts_of(["pairs/*.tset.jsonl"], tmp_path)
    assert str(caught.value) == f"without: no file in {tmp_path} is called 'pairs/*.tset.jsonl'"


def test_no_text_is_both_held_out_and_trained_on(tmp_path: Path) -> None:
    def sentence(number: int) -> str:
        return f"sentence number {number} of many"

    pairs = [{"text1": sentence(n % 60), "text2": sentence(n + 7)} for n in range(200)]
    write(tmp_path / "p.jsonl", *pairs)
    tagged = [{"reference": sentence(n), "hypothesis": "x", "human": 0.0} for n in range(100)]
    write(tmp_path / "r.jsonl", *tagged)
    write(tmp_path / "t.test.jsonl", {"text": sentence(3)}, {"text": sentence(50)})
    recipe = TrainingRecipe(
        name="r",
        seed=1,
        model=ModelPart(backbone="b"),
        optimiser=OptimiserPart(rate=1.0),
        without=("*.test.jsonl",),
        source=(
            SourcePart(name="p", reader="pairs", files=("p.jsonl",), validation=0.2),
            SourcePart(name="r", reader="ratings", files=("r.jsonl",)),
        ),
    )
    found = parts(recipe, tmp_path)
    trained = {key(side.text) for part in found for row in part.train for side in (row.a, row.b)}
    held = {key(side.text) for part in found for row in part.held_out for side in (row.a, row.b)}
    tests = {key(sentence(3)), key(sentence(50))}
    assert trained - {""}
    assert held - {""}
    assert not (trained & held) - {""}
    assert not (trained | held) & tests
    assert len(found[1].train) + found[1].kept_out == 100
    assert found[1].kept_out > 2


@pytest.mark.skipif(not data_root().exists(), reason="needs PARAPHRAST_DATA")
@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_recipes_keep_every_test_set_out(path: Path) -> None:
    recipe = read_recipe(path)
    named = {file for pattern in recipe.without for file in data_root().glob(pattern)}
    tests = set(data_root().rglob("*.test.jsonl.gz"))
    judged = set((data_root() / "judgements").glob("*.jsonl.gz"))
    rated = ("wmt15", "wmt16", "mlqe_segment_da.train", "mlqe_segment_da.dev")
    own = {file for file in judged if file.name.startswith(rated)}
    dev = {data_root() / "tags/etpc.dev.jsonl.gz", data_root() / "pairs/nli_hard.dev.jsonl.gz"}
    assert tests | (judged - own) | dev <= named


def test_a_file_of_this_folder_may_be_kept_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "held_out.jsonl").write_text('{"text": "Nobody may train on this."}\n')
    assert texts_of(["./held_out.jsonl"], tmp_path / "data") == {"nobodymaytrainonthis"}
    with pytest.raises(ConfigError, match=r"no file in \. is called './other.jsonl'"):
        texts_of(["./other.jsonl"], tmp_path / "data")
