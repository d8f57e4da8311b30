"""Validation figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from paraphrast.errors import ConfigError
from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.train.data.assembly import assemble, parts
from paraphrast.train.encoder.encoder_network import EditEncoderNetwork
from paraphrast.train.encoder.validation import f1, figure_names, figures
from paraphrast.train.recipe import read_recipe
from paraphrast.train.training_task import check_selected


def test_figures_are_named_by_source_and_can_be_selected(
    recipe_file: Callable[..., Path], backbone: Path, texts: Path
) -> None:
    recipe = read_recipe(recipe_file(backbone))
    tokeniser = PairTokeniser.from_file(backbone / "tokenizer.json")
    validation = assemble(recipe, tokeniser, parts(recipe, texts)).validation
    network = EditEncoderNetwork.create(recipe.model).train()
    found = figures(network, validation, tokeniser, recipe.source)
    assert list(found) == ["rated.pearson", "tagged.f1", "tagged.best_f1"]
    assert network.training
    assert found["tagged.best_f1"] >= found["tagged.f1"]
    known = [name for source, rows in validation.items() for name in figure_names(source, rows)]
    assert known == list(found)
    check_selected(dict.fromkeys(found, 1.0), known)
    with pytest.raises(ConfigError) as caught:
        check_selected({"rated.person": 1.0}, known)
    assert str(caught.value) == (
        "loop.select: there is no figure 'rated.person' (did you mean 'rated.pearson'?); "
        "the validation data give: rated.pearson, tagged.f1, tagged.best_f1"
    )


def test_a_network_that_says_one_thing_of_all_has_no_correlation(
    recipe_file: Callable[..., Path], backbone: Path, texts: Path
) -> None:
    recipe = read_recipe(recipe_file(backbone))
    tokeniser = PairTokeniser.from_file(backbone / "tokenizer.json")
    validation = assemble(recipe, tokeniser, parts(recipe, texts)).validation
    network = EditEncoderNetwork.create(recipe.model)
    network.score.weight.data.zero_()
    assert figures(network, validation, tokeniser, recipe.source)["rated.pearson"] == 0.0


@pytest.mark.parametrize(
    ("guess", "gold", "value"),
    [([1, 1, 0, 0], [1, 0, 1, 0], 0.5), ([0, 0], [0, 0], 0.0), ([1], [1], 1.0), ([0], [1], 0.0)],
)
def test_f1(guess: list[int], gold: list[int], value: float) -> None:
    assert f1(np.array(guess, dtype=bool), np.array(gold, dtype=bool)) == value
