"""`paraphrast.decoding_study`: the study with its options as keywords."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

import paraphrast
from paraphrast.errors import ConfigError
from paraphrast.studies.decoding import decoding_study
from paraphrast.studies.decoding.decoding_settings import StudyOptions
from paraphrast.studies.decoding.decoding_study import run_decoding_study
from tests.generation.toy import Toy

WORDS = [f" {word}" for word in "the cat dog sat lay on a mat".split()]


def test_options_are_keywords_and_a_notebook_shows_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Toy(WORDS, ending=1.5, scale=1.0)
    monkeypatch.setattr(decoding_study, "load_generator", lambda *_names, **_place: model)
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"text1": "the cat sat on a mat", "text2": "a cat lay"}) + "\n")
    found = paraphrast.decoding_study(str(pairs), settings=["greedy"], judge="none")
    options = StudyOptions(settings=["greedy"], judge="none")
    assert found["human"].values == run_decoding_study(str(pairs), options)["human"].values
    assert [row.preset.name for row in found.rows] == ["human", "greedy"]
    assert "<table" in found._repr_html_()


def test_every_option_has_a_line_of_its_own() -> None:
    text = paraphrast.decoding_study.__doc__ or ""
    lines = {line.partition(":")[0] for line in text.splitlines()}
    assert {each.name for each in fields(StudyOptions)} <= lines
    with pytest.raises(ConfigError, match="decoding_study has no option 'setings'"):
        paraphrast.decoding_study("pairs.jsonl", setings=[])  # type: ignore[call-arg]
