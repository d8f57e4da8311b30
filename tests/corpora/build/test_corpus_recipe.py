"""Recipes: what is wrong is said with its place, before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from paraphrast.corpora.build.corpus_recipe import read_recipe
from paraphrast.corpora.build.steps.balance import BalanceStep
from paraphrast.corpora.build.steps.intake import CleanStep
from paraphrast.corpora.build.steps.pairing import PairStep
from paraphrast.corpora.build.steps.source import SourceStep
from paraphrast.errors import ConfigError

ROOT = Path(__file__).parents[3]
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
    assert kinds[:2] == [SourceStep, CleanStep]
    assert {PairStep, BalanceStep} <= {*kinds}
    assert len(recipe.systems) == 2


def test_what_is_wrong_is_named_with_its_place(tmp_path: Path) -> None:
    known = (
        "source, clean, deduplicate, rank, translate, estimate, prompt, pair, balance, negatives, "
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
        "least two systems; sentences are translated with one only",
        SYSTEM + STEPS.replace('["source"]', "[]"): "step[2] (pair): ways is empty; name a way to "
        "pair: target, round-trip, source",
        SYSTEM + STEPS.replace('["./a.txt"]', "[]"): "step[0] (source): files is empty; name at "
        "least one file of sentences",
        SYSTEM
        + STEPS.replace('["./a.txt"]', '["a"]\nlimit = -1'): "step[0] (source): limit is -1; "
        "it must be at least 1",
        SYSTEM + STEPS.replace('["./a.txt"]', '["a"]\nlimit = 0'): "step[0] (source): limit is 0; "
        "it must be at least 1",
        f"seed = {1 << 63}\n{SYSTEM}{STEPS}": f"seed is {1 << 63}; it must be a number of 64 bits",
        SYSTEM + STEPS.replace('["source"]', '["sorce"]'): "step[2] (pair): unknown way 'sorce' "
        "(did you mean 'source'?); known: target, round-trip, source",
        f"shard = 0\n{SYSTEM}{STEPS}": "shard is 0; it must be at least 1",
    }
    assert {text: refused(tmp_path, text) for text in cases} == cases


TWO = SYSTEM + SYSTEM.replace('"one"', '"two"')
BACK = 'back_command = ["cat"]\n'


def paired(ways: str) -> str:
    return STEPS.replace('["source"]', ways)


def test_systems_must_fit_each_other(tmp_path: Path) -> None:
    """Translations into two languages are no paraphrases, nor are those of two languages."""
    other = SYSTEM + SYSTEM.replace('"one"', '"two"').replace('"xx"', '"yy"')
    foreign = SYSTEM + SYSTEM.replace('"one"', '"two"').replace('"en"', '"de"')
    alone = paired('["target"]').replace(
        'use = "translate"', 'use = "translate"\nsystems = ["one"]'
    )
    one_way = SYSTEM + SYSTEM.replace('"one"', '"two"').replace(BACK, "")
    estimate = '[[step]]\nuse = "estimate"\n\n[[step]]\nuse = "pair"'
    cases = {
        other + paired('["target"]'): "step[2] (pair): the systems differ in target: one (xx), "
        "two (yy); their translations are no paraphrases of each other",
        foreign + paired('["source"]'): "step[2] (pair): the systems differ in source: one (en), "
        "two (de); one sentence has one language",
        TWO + paired('["target", "source"]'): "step[2] (pair): target and source: target gives "
        "pairs in xx, the other ways in en; make a corpus of each",
        TWO + alone: "step[2] (pair): target needs at least two systems; sentences are translated "
        "with one only",
        one_way + paired('["round-trip"]'): "step[2] (pair): round-trip: round trips need a way "
        "back, which two has not; give it back_modes or back_command",
        one_way.replace('"en"', '"xx"') + paired('["target", "round-trip"]'): "step[2] (pair): "
        "target and round-trip: round trips need a way back, which two has not; give it "
        "back_modes or back_command",
        TWO.replace(BACK, "")
        + paired('["target"]').replace('[[step]]\nuse = "pair"', estimate): "step[2] (estimate): "
        "quality is estimated by the way back, which no system has (one, two); give them "
        "back_modes or back_command, or leave the step out",
    }
    assert {text: refused(tmp_path, text) for text in cases} == cases
    for fine in (other + paired('["round-trip"]'), TWO.replace(BACK, "") + paired('["target"]')):
        read(tmp_path, f'name = "x"\n{fine}')


def test_steps_after_the_split_and_texts_to_mine(tmp_path: Path) -> None:
    split = '[[step]]\nuse = "split"\nshares = { a = 1.0 }\n'
    mine = '[[step]]\nuse = "negatives"\n'
    prompt = '[[step]]\nuse = "prompt"\ndemonstrations = "d"\nsystem = {}\n'
    cases = {
        SYSTEM + STEPS + split + split: "step[4] (split): the pairs are split already; keep one "
        "split",
        SYSTEM + STEPS + split + mine: "step[4] (negatives): the pairs are split already; put the "
        "split after it",
        TWO + paired('["target"]') + mine: "step[3] (negatives): the pairs are in the target "
        "language, and the recipe's sentences are not; give files of texts in the target language",
        prompt: "step[0] (prompt): there are no sentences to write paraphrases of; put a source "
        "before it",
        f"{prompt}premises = false\n{mine}": "step[1] (negatives): the recipe has no sentences to "
        "search; give files",
    }
    assert {text: refused(tmp_path, text) for text in cases} == cases


def test_a_file_that_is_no_recipe(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no recipe .*none\.toml"):
        read_recipe(tmp_path / "none.toml")
    assert "is not a recipe: " in refused(tmp_path, "x = [", name="")
    assert refused(tmp_path, STEPS, name="") == "the key 'name' is missing"
