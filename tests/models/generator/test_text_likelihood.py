from __future__ import annotations

import numpy as np
import pytest

from paraphrast.errors import InputError
from paraphrast.models.generator.generator_loading import load_generator
from paraphrast.models.generator.text_likelihood import of_targets, stepped, token_logprobs
from tests.models.conftest import Folders

SOURCES = ["the cat sat on a mat.", "", "a big red dog ran", "he is not in Paris"]
TARGETS = ["a cat lay on the rug", "he said that", "", "she"]


@pytest.mark.parametrize("kind", ["t5", "gpt2", "llama"])
def test_likelihoods_are_those_of_steps_and_of_torch(folders: Folders, kind: str) -> None:
    network, generator = folders(kind)
    model, torch = load_generator(generator, threads=1), load_generator(network)
    found = token_logprobs(model, SOURCES, TARGETS)
    wanted = model.targets(TARGETS)
    assert [len(one) for one in found] == [len(ids) for ids in wanted]
    assert all((one < 0).all() for one in found)
    slow = stepped(model, model.encode(SOURCES), wanted)
    other = token_logprobs(torch, SOURCES, TARGETS)
    for one, step, theirs in zip(found, slow, other, strict=True):
        assert np.abs(one - step).max() < 1e-4
        assert np.abs(one - theirs).max() < 1e-4


def test_an_empty_target_is_the_probability_of_ending_at_once(folders: Folders) -> None:
    model = load_generator(folders("t5")[1], threads=1)
    ((found,),) = token_logprobs(model, ["the cat"], [""])
    _, logits = model.start(model.encode(["the cat"]))
    assert found == pytest.approx(
        float(of_targets(logits, [np.array([model.end])])[0][0]), abs=1e-4
    )


def test_batches_change_nothing(folders: Folders) -> None:
    model = load_generator(folders("llama")[1], threads=1)
    draw = np.random.default_rng(5)
    words = ["the", "cat", "dog", "ran", "Paris", "zebra"]
    texts = [" ".join(draw.choice(words, draw.integers(1, 8))) for _ in range(40)]
    together = token_logprobs(model, texts, texts[::-1])
    for source, target, one in zip(texts[::9], texts[::-1][::9], together[::9], strict=True):
        assert np.abs(token_logprobs(model, [source], [target])[0] - one).max() < 1e-4
    assert token_logprobs(model, [], []) == []


def test_what_cannot_be_read_is_named(folders: Folders) -> None:
    model = load_generator(folders("t5")[1], threads=1)
    with pytest.raises(InputError, match="1 sources for 2 targets"):
        token_logprobs(model, ["a"], ["a", "b"])
    with pytest.raises(InputError, match="target 2 has 61 sub-words, but the model writes 48"):
        token_logprobs(model, ["a", "a"], ["a", "cat " * 60])
