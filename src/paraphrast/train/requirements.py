"""What a recipe needs and this folder lacks, said before anything is loaded or fetched."""

from __future__ import annotations

from pathlib import Path

from paraphrast.errors import ConfigError
from paraphrast.train.data.assembly import data_root, path_of
from paraphrast.train.recipe import Recipe

FETCHED, MADE = "backbones/", "runs/"  # folders that a checkout fills; no model of a hub is there


def check_ready(recipe: Recipe, data: Path | None = None) -> None:
    """Raise ConfigError for local weights, runs and data files that are not there."""
    root = data or data_root()
    backbone, start = recipe.model.backbone, recipe.model.start
    if backbone.startswith(FETCHED) and not Path(backbone).is_dir():
        raise ConfigError(
            f"there is no folder {backbone}: `make backbones` fetches the weights that the recipes "
            "start from"
        )
    if start and not Path(start).is_dir():
        raise ConfigError(
            f"there is no run {start}, with whose weights {recipe.name!r} begins: train it first"
        )
    teacher = recipe.teacher.encoder if recipe.teacher else ""
    if teacher.startswith(MADE) and not Path(teacher).is_dir():
        run = "/".join(Path(teacher).parts[:2])
        raise ConfigError(
            f"there is no teacher {teacher}: train {run}, then export it (paraphrast train export "
            f"{run} -o FOLDER)"
        )
    for source in recipe.source:
        for name in (*source.files, *source.validation_files):
            if not path_of(name, root).is_file():
                raise ConfigError(
                    f"the source {source.name!r} needs {path_of(name, root)}, which is not there; "
                    "--data or PARAPHRAST_DATA names the folder of the data"
                )
