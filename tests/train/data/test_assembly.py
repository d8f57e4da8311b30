"""The corpus: splits by group, samples, lengths, counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from paraphrast.errors import ConfigError
from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.train.data.assembly import assemble, digest, parts, split
from paraphrast.train.recipe import SourcePart, read_recipe

Write = Callable[..., Path]


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    rows = [
        {"reference": f"the cat {n % 100}", "hypothesis": f"a dog {n}", "human": n / 400}
        for n in range(400)
    ]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def source(**options: object) -> SourcePart:
    return SourcePart(name="r", reader="ratings", files=("r.jsonl",), **options)  # type: ignore[arg-type]


def test_no_group_is_on_both_sides(rated: Path) -> None:
    train, held_out = split(source(validation=0.2), 1, rated)
    assert len(train) + len(held_out) == 400
    assert not {row.group for row in train} & {row.group for row in held_out}
    assert 10 <= len({row.group for row in held_out}) <= 30


def test_a_split_follows_from_the_seed(rated: Path) -> None:
    first = split(source(validation=0.2), 1, rated)
    assert split(source(validation=0.2), 1, rated)[1] == first[1]
    assert split(source(validation=0.2), 2, rated)[1] != first[1]


def test_other_rows_leave_a_split_as_it_is(rated: Path) -> None:
    before = {row.group for row in split(source(validation=0.2), 1, rated)[1]}
    with (rated / "r.jsonl").open("a") as file:
        file.write(json.dumps({"reference": "new", "hypothesis": "new", "human": 0}) + "\n")
    assert {row.group for row in split(source(validation=0.2), 1, rated)[1]} - {"new"} == before


def test_a_limit_keeps_so_many_rows_in_their_order(rated: Path) -> None:
    train, held_out = split(source(limit=50), 1, rated)
    scores = [row.score for row in train]
    assert len(train) == 50
    assert not held_out
    assert scores == sorted(scores)  # type: ignore[type-var]


def test_validation_files_are_apart(rated: Path) -> None:
    row = {"reference": "x", "hypothesis": "y", "human": 1}
    (rated / "v.jsonl").write_text(json.dumps(row))
    train, held_out = split(source(validation_files=("v.jsonl",)), 1, rated)
    assert len(train) == 400
    assert [row.group for row in held_out] == ["x"]


def test_a_file_made_here_is_found_here(
    rated: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(rated)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    here = replace(source(), files=("./r.jsonl",))
    assert len(split(here, 1, elsewhere)[0]) == 400


def test_assembly_counts_what_is_too_long(
    recipe_file: Write, texts: Path, tokeniser_file: Path
) -> None:
    tokeniser = PairTokeniser.from_file(tokeniser_file)
    recipe = read_recipe(recipe_file("x", ("max_tokens = 48", "max_tokens = 16")))
    corpus = assemble(recipe, tokeniser, parts(recipe, texts))
    assert all(len(example) + 4 <= 16 for example in corpus.train)
    assert corpus.too_long["pairs"] > 0
    lost = corpus.too_long["pairs"] + corpus.kept_out["pairs"]
    assert corpus.rows["pairs"] + lost == 24
    assert set(corpus.validation) == {"rated", "tagged"}
    with pytest.raises(ConfigError, match=r"^the source 'rated' has no pair within 8 sub-words$"):
        assemble(replace(recipe, max_tokens=8), tokeniser, parts(recipe, texts))


def test_the_digest_follows_the_texts(
    recipe_file: Write, texts: Path, tokeniser_file: Path
) -> None:
    tokeniser = PairTokeniser.from_file(tokeniser_file)
    recipe = read_recipe(recipe_file())
    first = digest(assemble(recipe, tokeniser, parts(recipe, texts)))
    assert digest(assemble(recipe, tokeniser, parts(recipe, texts))) == first
    assert digest(assemble(recipe, tokeniser, parts(replace(recipe, seed=8), texts))) != first
