from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")  # what the small generators are made with

import paraphrast
from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.generation.selection.candidate_choice import Choice, Paraphrase
from tests.encoders import make_encoder
from tests.generators import make_generator

UNJUDGED: dict[str, Any] = {"floor": None, "support": None}
TEXTS = ["the cat sat on the mat", "he said that it is red", "a big dog ran to Paris"]


@pytest.fixture(scope="session")
def generator(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_generator(tmp_path_factory.mktemp("generator"), "t5-brief", seed=1))


@pytest.fixture(scope="session")
def judge(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_encoder(tmp_path_factory.mktemp("judge")))


def test_one_text_gives_one_choice_and_several_a_list(generator: str) -> None:
    how: dict[str, Any] = {
        "model": generator,
        "floor": None,
        "support": None,
        "n": 2,
        "protect": False,
    }
    how["temperature"] = 1.0
    one = paraphrast.generate(TEXTS[0], **how, max_length=30)
    several = paraphrast.generate(TEXTS, **how, max_length=30)
    assert isinstance(one, Choice)
    assert isinstance(several, list)
    assert several[0] == one  # neither neighbours nor the number of texts matter
    assert [choice.source for choice in several] == TEXTS


def test_everything_drawn_is_accounted_for(generator: str) -> None:
    found = paraphrast.generate(
        TEXTS[0], model=generator, **UNJUDGED, n=2, pool=12, protect=False, max_length=30, seed=5
    )
    assert len(found.candidates) + len(found.rejected) == 12
    assert found.note is None
    assert len({kept.text for kept in found.candidates}) == 2
    for kept in found.candidates:
        assert {"harmonic", "rouge1", "rougeL"} <= set(kept.scores)
        assert kept.logprob < 0
        assert "by harmonic:w=3" in kept.why
    assert all(each.reason for each in found.rejected)
    other = paraphrast.generate(
        TEXTS[0], model=generator, **UNJUDGED, n=2, pool=12, protect=False, max_length=30, seed=6
    )
    assert other != found


def test_a_floor_that_nothing_passes_leaves_no_output(generator: str, judge: str) -> None:
    with pytest.warns(UserWarning, match="1 of 1 sources have no paraphrase"):
        found = paraphrast.generate(
            TEXTS[0], model=generator, judge=judge, floor=1.0, protect=False, max_length=30
        )
    assert found.candidates == ()
    assert "nothing passed the floor of 1" in (found.note or "")


def test_empty_texts_keep_their_place(generator: str) -> None:
    with (
        pytest.warns(UserWarning, match="2 of 3 sources have no paraphrase"),
        pytest.warns(UserWarning, match="the source is empty"),
    ):
        found = paraphrast.generate(
            ["", TEXTS[0], " \n"], model=generator, **UNJUDGED, protect=False, max_length=30
        )
    assert [bool(choice.candidates) for choice in found] == [False, True, False]
    assert found[0].note == "no output: nothing was drawn"


def test_novelty_is_told_to_generators_that_listen(
    tmp_path: Path, generator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from paraphrast.models.generator.generator_loading import load_generator, told_to_copy

    codes = make_generator(tmp_path / "codes", codes=list(range(10, 20)), copied=0.65)
    told = load_generator(str(codes))
    assert told.encode(["a dog"])[0][0] == 16
    assert told_to_copy(told, 0.55).encode(["a dog"])[0][0] == 15
    deaf = load_generator(generator)
    assert told_to_copy(deaf, 0.55) is deaf


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n": 0}, "n=0 is wrong"),
        ({"n": 11, "pool": 10}, "n=11 is more than the 10 candidates"),
        ({"n": 8, "method": "beam", "beams": 5}, "raise pool or beams"),
        ({"method": "greedy", "n": 2}, "greedy writes one text for each source"),
        ({"method": "magic"}, "no decoding method is called 'magic'"),
        ({"select": "harmonica"}, "harmonica"),
        ({"novelty": 1.5}, "novelty=1.5 is wrong"),
        ({"tempreature": 2.0}, "no option 'tempreature' (did you mean 'temperature'?)"),
        ({"top_k": 3}, "top_k=3 has no effect with method 'top-p'"),
        ({"keep": ["Paris"], "forbid": ["paris"]}, "contradict each other"),
        ({"pool": 2.5}, "pool must be a whole number"),
        ({"pool": 10**9}, "pool must be at most 10,000; got 1000000000"),
        ({"n": 6000}, "pool must be at most 10,000; got 12000, twice n=6000; lower n"),
        ({"pool": 0}, "pool must be a whole number, at least 1; got 0"),
        ({"temperature": "0.7"}, "temperature='0.7' is wrong"),
        ({"keep": 5}, "keep takes several strings"),
        ({"method": "beam", "beams": 5, "pool": 9}, "pool=9 is more than the 5 texts"),
        ({"method": "beam", "beams": "5"}, "pool must be a whole number"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], said: str, generator: str) -> None:
    with pytest.raises(ConfigError) as caught:
        paraphrast.generate(TEXTS[0], model=generator, **options)
    assert said in str(caught.value)


def test_texts_that_are_none(generator: str) -> None:
    with pytest.raises(InputError, match="texts, row 2: expected text, got 3"):
        paraphrast.generate(["a", 3], model=generator)  # type: ignore[list-item]
    with pytest.raises(InputError, match="texts must be a list of strings; got int"):
        paraphrast.generate(3, model=generator)  # type: ignore[call-overload]
    with pytest.raises(ModelError):
        paraphrast.generate("a", model="no/such/folder")


def test_numbers_of_numpy_are_numbers() -> None:
    given = GenerateOptions(n=np.int64(2), pool=np.int32(4), seed=np.int64(7))  # type: ignore[arg-type]
    assert given == GenerateOptions(n=2, pool=4, seed=7)
    assert type(given.n) is int


def test_pools_are_as_large_as_is_needed() -> None:
    assert GenerateOptions().decoding().n == 10
    assert GenerateOptions(n=8).decoding().n == 16
    assert GenerateOptions(method="greedy").decoding().n == 1
    beams = GenerateOptions(method="beam", beams=20).decoding()
    assert (beams.n, beams.beams) == (20, 20)
    assert GenerateOptions(method="beam", n=3).decoding().beams == 10


def test_a_second_pool_is_drawn_unless_the_caller_said_how_to_draw() -> None:
    usual = GenerateOptions()
    again = usual.hotter()
    assert again is not None
    first = usual.decoding()
    assert again.temperature > first.temperature
    assert (again.seed, again.n) == (first.seed + 1, first.n)
    for options in (
        GenerateOptions(pool=10),
        GenerateOptions(novelty=0.2),
        GenerateOptions(method="beam"),
        GenerateOptions(temperature=0.7),
    ):
        assert options.hotter() is None


def test_texts_without_an_output_get_another_pool(
    generator: str, judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from paraphrast.generation import paraphraser as job

    asked: list[tuple[int, int]] = []
    decode = job.decode

    def watched(model: Any, texts: Any, decoding: Any, **how: Any) -> Any:
        asked.append((len(texts), decoding.seed))
        return decode(model, texts, decoding, **how)

    monkeypatch.setattr(job, "decode", watched)
    how: dict[str, Any] = {"model": generator, "protect": False, "max_length": 30, "seed": 3}
    with pytest.warns(UserWarning, match="3 of 3 sources have no paraphrase"):
        found = paraphrast.generate(TEXTS, judge=judge, floor=1.0, **how)
    assert asked == [(3, 3), (3, 4)]
    assert [len(choice.rejected) for choice in found] == [20, 20, 20]
    asked.clear()
    paraphrast.generate(TEXTS, **UNJUDGED, temperature=1.0, **how)
    assert asked == [(3, 3)]


def test_every_option_is_a_keyword_with_a_line_of_its_own() -> None:
    lines = {line.partition(":")[0] for line in (paraphrast.generate.__doc__ or "").splitlines()}
    assert {each.name for each in fields(GenerateOptions)} < lines
    with pytest.raises(ConfigError, match=r"no option 'temprature' .did you mean 'temperature'"):
        paraphrast.generate("a text", temprature=0.5)  # type: ignore[call-overload]


def test_a_notebook_shows_a_table_with_escaped_texts() -> None:
    kept = Paraphrase("a <b> text", -3.0, {"adequacy": 0.97}, "first of 2 by logprob")
    shown = Choice("a text", (kept,), (), "1 of 2 outputs")._repr_html_()
    assert "a &lt;b&gt; text" in shown
    assert "adequacy 0.970" in shown
    assert '<p dir="auto">1 of 2 outputs</p>' in shown
