"""A language model of this machine that goes on from free prompts: a GPT-2 of a few layers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora.translators.services.prompt_writers import LocalWriter
from paraphrast.corpora.translators.services.prompted import PromptRound, request_rows
from paraphrast.corpora.translators.translator import Usage
from paraphrast.errors import ConfigError, InputError
from tests.generators import make_network

PROMPTS = ["Premise: the cat sat", "Premise: a dog\nParaphrase:", "the man"]


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_network(tmp_path_factory.mktemp("gpt2"), "gpt2")


def local(folder: Path, **options: Any) -> LocalWriter:
    return LocalWriter(name="tiny", model=str(folder), max_tokens=12, threads=1, **options)


def written(writer: LocalWriter, prompts: list[str]) -> list[Any]:
    with writer.open(Usage()) as write:
        return list(write(prompts))


def test_a_text_depends_on_its_prompt_and_the_seed_alone(gpt2: Path) -> None:
    first = written(local(gpt2), PROMPTS)
    assert len(first) == 3
    assert written(local(gpt2), PROMPTS[::-1]) == first[::-1]
    assert [written(local(gpt2), [prompt])[0] for prompt in PROMPTS] == first
    assert written(local(gpt2, seed=1), PROMPTS) != first
    assert written(local(gpt2), []) == []


def test_the_model_goes_on_from_the_very_prompt(gpt2: Path) -> None:
    """Greedy, it writes what transformers writes after the same ids."""
    import torch
    import transformers

    network = transformers.AutoModelForCausalLM.from_pretrained(gpt2)
    tokeniser = transformers.AutoTokenizer.from_pretrained(gpt2)
    ids = [tokeniser.eos_token_id, *tokeniser(PROMPTS[1], add_special_tokens=False).input_ids]
    start = torch.tensor([ids])
    options: dict[str, Any] = {"do_sample": False, "max_new_tokens": 12}
    with torch.inference_mode():
        found = network.generate(start, attention_mask=torch.ones_like(start), **options)
    new = found[0, len(ids) :].tolist()
    expected = tokeniser.decode([n for n in new if n not in tokeniser.all_special_ids]).strip()
    assert written(local(gpt2, temperature=0.0), [PROMPTS[1]])[0].strip() == expected


def test_what_was_read_and_written_is_counted(gpt2: Path) -> None:
    usage = Usage()
    with local(gpt2).open(usage) as write:
        write(PROMPTS)
    assert usage.texts == 3
    assert usage.prompt_tokens > 10
    assert 0 < usage.completion_tokens <= 36


def test_strings_that_end_a_text_end_it(gpt2: Path) -> None:
    whole = written(local(gpt2), [PROMPTS[0]])[0].strip()
    stop = whole[3:5]
    assert written(local(gpt2, stop=(stop,)), [PROMPTS[0]]) == [whole[: whole.index(stop)] + "\n"]


def test_a_round_runs_with_it(gpt2: Path) -> None:
    shown = (("the cat sat", "a cat sat"), ("he ran", "she ran"))
    step = PromptRound(writer=local(gpt2), demonstrations=shown, shots=2)
    with step.open() as work:
        found = list(work([*request_rows(2), {"id": "000000005", "text": "the man ran"}]))
    assert found
    assert step.signature["writer"]["fingerprint"]


def test_a_prompt_that_is_too_long_is_refused(gpt2: Path) -> None:
    with pytest.raises(InputError, match="reads 128; give it fewer demonstrations"):
        written(local(gpt2), ["cat " * 300])


def test_a_model_that_needs_a_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"needs a decoder-only model \(GPT-2, Llama\)"):
        local(make_network(tmp_path / "t5")).check()
