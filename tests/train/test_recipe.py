"""Recipes: every mistake is named with its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from paraphrast.errors import ConfigError
from paraphrast.train.recipe import read_recipe

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))
Write = Callable[..., Path]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_recipes_of_the_project_parse(path: Path) -> None:
    assert read_recipe(path).name == path.stem


def test_there_are_recipes() -> None:
    assert {"base", "mini"} <= {path.stem for path in RECIPES}


def test_values_arrive_with_their_types(recipe_file: Write) -> None:
    recipe = read_recipe(recipe_file(epochs=3))
    assert recipe.loop.epochs == 3.0
    assert isinstance(recipe.loop.epochs, float)
    assert recipe.source[1].files == ("pairs.jsonl",)
    assert recipe.source[2].tagged == 2.0
    assert recipe.teacher is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("pooling =", "poolng =", "model: unknown key 'poolng' (did you mean 'pooling'?)"),
        ("seed = 7", "sede = 7", "unknown key 'sede' (did you mean 'seed'?)"),
        ("seed = 7\n", "", "the key 'seed' is missing"),
        ("seed = 7", "seed = true", "seed: expected a whole number, found True"),
        ("seed = 7", "seed = -1", "seed is -1; it must be from 0 to 4294967295"),
        ('name = "tiny"', 'name = "../x"', "the name '../x' cannot be that of a folder"),
        ("rate = 1e-3", 'rate = "fast"', "optimiser.rate: expected a number, found 'fast'"),
        ("rate = 1e-3", "rate = nan", "optimiser.rate: expected a number, found nan"),
        ("rate = 1e-3", "rate = 0", "optimiser: rate is 0.0; it must be above 0"),
        ("batch = 8", "batch = 0", "optimiser: batch is 0; it must be at least 1"),
        ("batch = 8", "batch = 8.5", "optimiser.batch: expected a whole number, found 8.5"),
        (
            'files = ["rated.jsonl"]',
            'files = "rated.jsonl"',
            "source[0].files: expected a list, found 'rated.jsonl'",
        ),
        (
            'files = ["rated.jsonl"]',
            "files = [3]",
            "source[0].files[0]: expected a string, found 3",
        ),
        ('files = ["rated.jsonl"]', "files = []", "source[0]: files is empty"),
        (
            "both_orders = true",
            "both_orders = 1",
            "source[1].both_orders: expected true or false, found 1",
        ),
        (
            'reader = "tags"',
            'reader = "tag"',
            "source[2]: unknown reader 'tag' (did you mean 'tags'?); "
            "known: ratings, similarity, pairs, entailments, alterations, sets, references, tags, "
            "texts, captions",
        ),
        (
            "validation = 0.25",
            "validation = 1",
            "source[0]: validation is 1.0, not a share below 1",
        ),
        ("passes = 1.5", "passes = 0", "source[1]: passes is 0.0; leave the source out instead"),
        ("padding = 0.3", "padding = 3", "source[2]: padding is 3.0, not a share between 0 and 1"),
        (
            'name = "pairs"',
            'name = "rated"',
            "two sources have one name: ['rated', 'rated', 'tagged']",
        ),
        ("both_orders = true", "unlabelled = true", "an unlabelled source needs a [teacher]"),
        ('pooling = "mean"', 'pooling = "max"', "model: unknown pooling 'max'; known: mean, first"),
        (
            "validate_every = 5",
            "validate_every = 0",
            "loop: validate_every is 0; it must be at least 1",
        ),
        ("validate_every = 5", "select = 5", "loop.select: expected a table, found 5"),
        ("validate_every = 5", 'select = {x = "a"}', "loop.select.x: expected a number, found 'a'"),
        (
            "validate_every = 5",
            "select = {x = 0}",
            "loop: the weights of select must add up to more than 0",
        ),
        (
            "passes = 1.5",
            "corrupted = 1.5",
            "source[1]: corrupted candidates have no labels; set unlabelled = true",
        ),
        (
            "passes = 1.5",
            "altered = 0.5",
            "source[1]: only rows with tags can be altered; take altered out",
        ),
        (
            'reader = "pairs"',
            'reader = "captions"',
            "the source 'pairs' has no labels: set unlabelled = true, with a [teacher], "
            "or give [loss] a weight for masked",
        ),
        (
            "rate = 1e-3",
            "rate = 1e-3\nfinal_rate = 2",
            "optimiser: final_rate is 2.0, not a share between 0 and 1",
        ),
        (
            "validate_every = 5",
            'precision = "bfloat61"',
            "loop: unknown precision 'bfloat61' (did you mean 'bfloat16'?); "
            "known: float32, bfloat16",
        ),
        (
            "[loss]",
            '[calibration]\nsame = ["pars"]\n\n[loss]',
            "unknown source of [calibration] 'pars' (did you mean 'pairs'?); "
            "known: rated, pairs, tagged",
        ),
        ("[loss]", "[[loss]]", "loss: expected a table, found [{'masked': 0.0}]"),
    ],
)
def test_mistakes_are_named(recipe_file: Write, old: str, new: str, message: str) -> None:
    path = recipe_file("nowhere", (old, new))
    with pytest.raises(ConfigError) as caught:
        read_recipe(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_recipe_that_is_not_there_or_not_toml(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    with pytest.raises(ConfigError, match=f"^there is no recipe {path}$"):
        read_recipe(path)
    path.write_text("name = ")
    with pytest.raises(ConfigError, match=f"^{path} is not a recipe: "):
        read_recipe(path)
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(ConfigError, match=f"^{path} is not a recipe: "):
        read_recipe(path)


def test_the_fingerprint_follows_the_values_and_not_their_writing(recipe_file: Write) -> None:
    def after(old: str, new: str) -> str:
        return read_recipe(recipe_file("nowhere", (old, new))).fingerprint

    first = after("seed = 7", "seed = 7")
    assert after("seed = 7", "seed   =   7 # lucky") == first
    assert after("seed = 7", "seed = 8") != first
    assert after("tagged = 2.0", "tagged = 2.1") != first


def test_a_varied_recipe_has_a_fingerprint_of_its_own(recipe_file: Write) -> None:
    recipe = read_recipe(recipe_file())
    assert replace(recipe, seed=8).fingerprint != replace(recipe, seed=9).fingerprint
    assert replace(recipe).fingerprint != recipe.fingerprint
