"""Decoding with real networks, tiny ones: both kinds, from sources to texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paraphrast.generation.decoding.constraints import forbidden_in
from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.models.generator.generator_loading import load_generator
from paraphrast.models.generator.language_model import LanguageModel
from tests.generators import make_generator

SOURCES = ["the cat sat on the mat", "a dog", "the old man saw the red house", "", "a dog"]


@pytest.fixture(scope="module", params=["t5", "gpt2"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path: Path = tmp_path_factory.mktemp("generators") / request.param
    return load_generator(str(make_generator(path, request.param)), threads=1)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "greedy"},
        {"method": "sample", "n": 4, "repetition_penalty": 5.0},
        {"method": "beam", "n": 3, "beams": 4, "no_repeat": 2},
        {"method": "diverse-beam", "n": 2, "beams": 4, "groups": 2, "forbid": ("a",)},
    ],
    ids=lambda options: options["method"],
)
def test_batch_equals_one_by_one(model: LanguageModel, options: dict[str, Any]) -> None:
    decoding = Decoding(**options, max_length=8)
    whole = decode(model, SOURCES, decoding)
    alone = [decode(model, [source], decoding)[0] for source in SOURCES]
    assert [[c.ids for c in each] for each in whole] == [[c.ids for c in each] for each in alone]
    for ours, theirs in zip(whole, alone, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert one.logprob == pytest.approx(other.logprob, abs=1e-3)
            assert one.text == model.decode([one.ids])[0].strip()
            assert forbidden_in(one.text, decoding.forbid) is None
    assert whole[3] == []
    assert whole[1] == whole[4]


def test_log_probabilities_are_the_models_own(model: LanguageModel) -> None:
    decoding = Decoding(method="sample", n=3, temperature=0.7, reverse=1.0, max_length=6)
    (found,) = decode(model, SOURCES[:1], decoding)
    prompt = model.encode(SOURCES[:1])
    for candidate in found:
        target = [*candidate.ids, model.end] if candidate.finished else list(candidate.ids)
        own = _own(model, prompt, target)
        assert candidate.logprob == pytest.approx(own, abs=1e-3)


def _own(model: LanguageModel, prompt: Any, target: list[int]) -> float:
    state, logits = model.start(prompt)
    total = 0.0
    for token in target:
        row = logits[0].astype(np.float64)
        total += row[token] - np.log(np.exp(row - row.max()).sum()) - row.max()
        logits = model.step(state, np.array([token]))
    return float(total)
