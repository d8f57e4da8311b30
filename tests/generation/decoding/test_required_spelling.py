"""Strings are spelt as the tokeniser spells them where they stand."""

from __future__ import annotations

from typing import Any

import pytest

from paraphrast.errors import ConfigError
from paraphrast.generation.decoding.constraints import survives
from paraphrast.generation.decoding.decode import Decoding, check_spelling, decode
from paraphrast.generation.decoding.required_spelling import (
    RequirementSpeller,
    SpelledRequirement,
)
from paraphrast.generation.decoding.requirements import Requirement
from tests.generation.toy import Toy

PIECES = (" Lee", "Lee", " L", "ee", " lee", " a", "(", " (", ".", " b", " New", " York")


def spelled(written: str) -> SpelledRequirement:
    toy = Toy(PIECES)
    found = RequirementSpeller(toy, toy.pieces()).spell(Requirement.parse(written))
    assert found is not None
    return found


def following(written: str, text: str) -> set[str]:
    return {["", *PIECES][token] for token in spelled(written).following(text)}


def test_the_next_sub_words_depend_on_where_it_stands() -> None:
    assert following("Lee", "") == {" Lee"}
    assert following("Lee", " a") == {" Lee"}
    assert following("Lee", " a (") == {"Lee"}
    assert following("lee", " a") == {" lee"}
    assert following("lee", " a.") == {" lee", " Lee"}  # a sentence begins
    assert following("New York|b", " a") == {" New", " b"}
    assert following("New York", " a New") == {" New", " York"}


def test_progress_is_read_from_the_surface() -> None:
    lee = spelled("Lee")
    assert lee.size == 1
    assert lee.progress(" a L") == 0  # another spelling is seen when it is whole
    assert lee.progress(" a Lee") == lee.progress(" a Lee.") == 1
    assert lee.progress(" a Leeee") == 0
    york = spelled("New York|b")
    assert (york.size, york.shortest) == (2, 1)
    assert [york.progress(text) for text in ("", " a New", " a New York", " a New a")] == [
        0,
        1,
        2,
        0,
    ]
    assert york.progress(" b") == 2


def test_what_cannot_be_met_is_refused() -> None:
    toy = Toy(PIECES, max_target=30)
    with pytest.raises(ConfigError, match="must='Zoë' cannot be spelt with the vocabulary of"):
        decode(toy, ["a"], Decoding(must=("Zoë",)))
    with pytest.raises(ConfigError, match="must='New York' has 2 sub-words, but a text has at"):
        decode(toy, ["a"], Decoding(must=("New York",), max_length=1))
    check_spelling(toy, Decoding(), ["Zoë|Lee"])


def test_what_a_short_source_has_no_room_for_is_named() -> None:
    toy = Toy(PIECES, seed=1)
    long = "New York New York New York New York"
    given = Decoding(method="beam", must=(long,), max_length=1.0, beams=3, n=3)
    found = decode(toy, ["a"], given)[0]
    assert [candidate.missing for candidate in found] == [(long,)] * 3


@pytest.fixture(scope="module", params=["t5-brief", "gpt2"])
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("torch")
    from paraphrast.models.generator.generator_loading import load_generator
    from tests.generators import make_generator

    path = tmp_path_factory.mktemp("generator") / request.param
    return load_generator(str(make_generator(path, request.param)), threads=1)


def test_real_tokenisers_spell_in_context(real: Any) -> None:
    speller = RequirementSpeller(real, real.pieces())
    found = speller.spell(Requirement.parse("Paris"))
    assert found is not None
    looks = {each.place: (each.surface, len(each.ids)) for each in found.spellings}
    assert looks["spaced"] == (" Paris", 1)
    assert looks["glued"] == ("Paris", 5)  # letters: no sub-word has it without a space
    if real.kind == "causal":  # whose texts begin without a space
        assert looks["first"] == ("Paris", 5)
    else:
        assert looks["first"] == (" Paris", 1)


def test_real_models_write_what_they_must(real: Any) -> None:
    must = ("Paris", "big dog|small dog")
    given = Decoding(method="beam", beams=4, n=4, must=must, max_length=16, protect=False)
    for candidates in decode(real, ["the cat sat on the mat", "a dog"], given):
        if real.kind == "seq2seq":  # the other one's random weights end no text of themselves
            assert candidates[0].missing == ()
        for candidate in candidates:
            assert ("Paris" in candidate.missing) != survives("Paris", candidate.text)
