"""What is missing is said before anything is loaded, with the command that makes it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from paraphrast.errors import ConfigError
from paraphrast.train.recipe import (
    ModelPart,
    OptimiserPart,
    SourcePart,
    TeacherPart,
    TrainingRecipe,
)
from paraphrast.train.runs import check_ready

SOURCE = SourcePart(name="pairs", reader="pairs", files=("./here.jsonl", "there.jsonl"))
RECIPE = TrainingRecipe(
    name="small",
    seed=1,
    model=ModelPart(backbone="org/name"),
    source=(SOURCE,),
    optimiser=OptimiserPart(rate=1e-4),
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.jsonl").touch()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "there.jsonl").touch()
    return Path("data")


def test_a_recipe_whose_parts_are_there_is_ready(data: Path) -> None:
    check_ready(RECIPE, data)
    teacher = TeacherPart(encoder="org/teacher")
    check_ready(replace(RECIPE, teacher=teacher), data)  # a hub is not asked


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (
            replace(RECIPE, model=ModelPart(backbone="backbones/none")),
            "there is no folder backbones/none: `make backbones` fetches the weights that the "
            "recipes start from",
        ),
        (
            replace(RECIPE, model=ModelPart(backbone="org/name", start="runs/first")),
            "there is no run runs/first, with whose weights 'small' begins: train it first",
        ),
        (
            replace(RECIPE, teacher=TeacherPart(encoder="runs/base/fast")),
            "there is no teacher runs/base/fast: train runs/base, then export it (paraphrast train "
            "export runs/base -o FOLDER)",
        ),
        (
            replace(RECIPE, source=(replace(SOURCE, files=("./gone.jsonl",)),)),
            "the source 'pairs' needs gone.jsonl, which is not there; --data or PARAPHRAST_DATA "
            "names the folder of the data",
        ),
        (
            replace(RECIPE, source=(replace(SOURCE, validation_files=("gone.jsonl",)),)),
            "the source 'pairs' needs data/gone.jsonl, which is not there; --data or "
            "PARAPHRAST_DATA names the folder of the data",
        ),
    ],
)
def test_what_is_missing_is_named(data: Path, recipe: TrainingRecipe, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        check_ready(recipe, data)
    assert str(error.value) == message
