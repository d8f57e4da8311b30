"""Recipes: what is wrong is said with its place, before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from paraphrast.corpora.recipe import Balance, Clean, Pair, Source, read_recipe
from paraphrast.errors import ConfigError

ROOT = Path(__file__).parents[2]
SYSTEM = """
[[system]]
name = "one"
backend = "command"
source = "en"
target = "xx"
command = ["cat"]
back_command = ["cat"]
"""
STEPS = """
[[step]]
use = "source"
files = ["./a.txt"]

[[step]]
use = "translate"

[[step]]
use = "pair"
ways = ["source"]
"""


def read(tmp_path: Path, text: str) -> object:
    path = tmp_path / "r.toml"
    path.write_text(text)
    return read_recipe(path)


def refused(tmp_path: Path, text: str, *, name: str = 'name = "x"\n') -> str:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, name + text)
    return str(caught.value).removeprefix(f"{tmp_path / 'r.toml'}: ")


@pytest.mark.parametrize("name", ["en_pt", "round_trips_en"])
def test_the_recipes_of_the_project_are_recipes(name: str) -> None:
    recipe = read_recipe(ROOT / "recipes" / "corpora" / f"{name}.toml")
    kinds = [type(step) for step in recipe.steps]
    assert kinds[:2] == [Source, Clean]
    assert {Pair, Balance} <= {*kinds}
    assert len(recipe.systems) == 2


def test_what_is_wrong_is_named_with_its_place(tmp_path: Path) -> None:
    known = (
        "source, clean, deduplicate, rank, translate, estimate, pair, prompt, balance, negatives, "
        "split"
    )
    cases = {
        "": "there is no [[step]]",
        '[[step]]\nuse = "sauce"\n': "step[0]: unknown step 'sauce' (did you mean 'source'?); "
        f"known: {known}",
        "[[step]]\nfiles = []\n": f'step[0]: a step needs use = "NAME"; known: {known}',
        '[[step]]\nuse = "source"\nfile = "a"\n': "step[0] (source): unknown key 'file' "
        "(did you mean 'files'?)",
        '[[step]]\nuse = "source"\nfiles = "a"\n': "step[0] (source).files: expected a list, "
        "found 'a'",
        '[[step]]\nuse = "source"\nfiles = ["a"]\n': "the last step leaves sentences; a corpus is "
        "made of pairs",
        '[[step]]\nuse = "balance"\nper_bin = 3\n': "step[0] (balance) takes pairs; before it "
        "there is nothing",
        STEPS: "step[1] (translate): the recipe has no [[system]]",
        SYSTEM.replace('"command"\n', '"comand"\n') + STEPS: "system[0].backend: unknown backend "
        "'comand' (did you mean 'command'?); there are apertium, bergamot, command, "
        "libretranslate, chat",
        SYSTEM + STEPS.replace('use = "translate"', 'use = "translate"\nsystems = ["on"]'): (
            "step[1] (translate): no system is called 'on' (did you mean 'one'?); there are one"
        ),
        SYSTEM + STEPS.replace('["source"]', '["target"]'): "step[2] (pair): target needs at "
        "least two systems; the recipe has 1",
        SYSTEM + STEPS.replace('["source"]', '["sorce"]'): "step[2] (pair): unknown way 'sorce' "
        "(did you mean 'source'?); known: target, round-trip, source",
        f"shard = 0\n{SYSTEM}{STEPS}": "shard is 0; it must be at least 1",
    }
    assert {text: refused(tmp_path, text) for text in cases} == cases


def test_a_file_that_is_no_recipe(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no recipe .*none\.toml"):
        read_recipe(tmp_path / "none.toml")
    assert "is not a recipe: " in refused(tmp_path, "x = [", name="")
    assert refused(tmp_path, STEPS, name="") == "the key 'name' is missing"
