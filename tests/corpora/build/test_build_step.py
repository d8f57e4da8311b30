"""Steps of a build from outside the package: one class in one file, and a recipe can use it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import paraphrast
from paraphrast.corpora.build import build_step as steps
from paraphrast.corpora.build.build_step import PAIRS, BuildStep, build_step, step_class, step_names
from paraphrast.corpora.build.corpus_recipe import read_recipe
from paraphrast.corpora.build.recipe_run import RecipeRun
from paraphrast.errors import ConfigError

MODULE = '''
"""A step that somebody else wrote."""

from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from paraphrast.corpora.build.build_step import SENTENCES, TRANSLATED, BuildStep, build_step
from paraphrast.engine.step import Dropped
from paraphrast.errors import ConfigError


@build_step("swap_words", takes=(SENTENCES,), gives=TRANSLATED)
@dataclass(frozen=True, kw_only=True)
class SwapWords(BuildStep):
    """Stand for two translations and their ways back: words are replaced."""

    words: dict[str, str]
    seed: int = 0
    name: ClassVar[str] = "swap words"

    def __post_init__(self):
        if not self.words:
            raise ConfigError("words is empty")

    def check_resources(self, recipe, resolve):
        if recipe.name == "forbidden":
            raise ConfigError("not for this recipe")

    def apply(self, run):
        run.each_row(self)

    @property
    def signature(self):
        return {"step": "swap words", "words": sorted(self.words.items()), "seed": self.seed}

    @contextmanager
    def open(self):
        yield self._work

    def _work(self, rows):
        for row in rows:
            text = " ".join(self.words.get(word, word) for word in row["text"].split())
            if text == row["text"]:
                yield Dropped(row, "no word to swap", str(self.seed))
            else:
                yield {**row, "back": {"swap": text}}


class NotAStep:
    pass
'''
RECIPE = """
name = "{name}"
seed = 7
[[step]]
use = "source"
files = ["./texts.txt"]
[[step]]
use = "swap_words"
{keys}
[[step]]
use = "pair"
ways = ["source"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution with two entry points, one of them wrong, and texts; known in a test only."""
    step_names()
    monkeypatch.setattr(steps, "_CLASSES", dict(steps._CLASSES))
    monkeypatch.delitem(sys.modules, "foreign_steps", raising=False)
    (tmp_path / "foreign_steps.py").write_text(MODULE, encoding="utf-8")
    info = tmp_path / "foreign_steps-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign-steps\nVersion: 1.0\n")
    points = "swap_words = foreign_steps:SwapWords\nno_step = foreign_steps:NotAStep\n"
    (info / "entry_points.txt").write_text(f"[paraphrast.build_steps]\n{points}")
    (tmp_path / "texts.txt").write_text("The small dog ran home.\nNothing to see.\nA small cat.\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, *, name: str = "x", keys: str = 'words = { small = "tiny" }') -> Path:
    path = folder / "recipe.toml"
    path.write_text(RECIPE.format(name=name, keys=keys))
    return path


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_recipe_runs_a_step_of_another_package(folder: Path, jobs: int) -> None:
    report = paraphrast.build(written(folder), folder / "corpus", jobs=jobs)
    lines = (folder / "corpus" / "pairs.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["text2"] for row in rows] == ["The tiny dog ran home.", "A tiny cat."]
    assert [step.name for step in report.steps] == ["source", "swap words", "pair"]
    assert report.steps[1].dropped == {"no word to swap": 1}
    (dropped,) = (folder / "corpus.work").glob("swap-words-*/*.dropped.jsonl")
    assert json.loads(dropped.read_text())["detail"] == "7", "the recipe's seed"


def test_its_keys_and_checks_are_those_of_any_step(folder: Path) -> None:
    cases = {
        "words = {}": "step[1] (swap_words): words is empty",
        'word = "a"': "step[1] (swap_words): unknown key 'word' (did you mean 'words'?)",
        "words = { a = 1 }": "step[1] (swap_words).words.a: expected a string, found 1",
    }
    for keys, message in cases.items():
        with pytest.raises(ConfigError) as error:
            read_recipe(written(folder, keys=keys))
        assert str(error.value).endswith(message)
    with pytest.raises(ConfigError, match=r"step\[1\] \(swap_words\): not for this recipe"):
        paraphrast.build(written(folder, name="forbidden"), folder / "corpus")
    assert {"swap_words", "no_step"} < set(step_names())


def test_a_plug_in_that_is_no_step_is_refused(folder: Path) -> None:
    with pytest.raises(ConfigError, match="the plug-in 'no_step' is no class with @build_step"):
        step_class("no_step")


def test_two_steps_cannot_have_one_name() -> None:
    with pytest.raises(ConfigError, match=r"calls a step 'pair', as .*pairing does; rename it"):

        @build_step("pair", takes=(PAIRS,), gives=PAIRS)
        @dataclass(frozen=True)
        class Other(BuildStep):
            def apply(self, run: RecipeRun) -> None:
                raise NotImplementedError
