"""Tables of a recipe into systems; wrong ones are errors that say where."""

from __future__ import annotations

import pickle
import tomllib
from typing import Any

import pytest

from paraphrast.corpora.translators.bergamot import Bergamot
from paraphrast.corpora.translators.programs.apertium import Apertium
from paraphrast.corpora.translators.programs.command import Command
from paraphrast.corpora.translators.services.http import Chat, LibreTranslate
from paraphrast.corpora.translators.services.prompt_writers import (
    ChatWriter,
    CompletionWriter,
    LocalWriter,
)
from paraphrast.corpora.translators.system_tables import read_system, read_systems, read_writer
from paraphrast.corpora.translators.translator import Price
from paraphrast.errors import ConfigError

RECIPE = """
[[system]]
name = "rules"
backend = "apertium"
source = "en"
target = "pt"
modes = ["eng-spa", "es-pt"]
back_modes = ["pt-es", "spa-eng"]

[[system]]
name = "neural"
backend = "bergamot"
source = "en"
target = "pt"

[[system]]
name = "mine"
backend = "command"
source = "en"
target = "pt"
command = ["marian", "-q"]
live = true
timeout = 20

[[system]]
name = "libre"
backend = "libretranslate"
source = "en"
target = "pt"
url = "http://localhost:5000"
per_minute = 80
key = "LIBRE_KEY"
price = { characters = 15 }

[[system]]
name = "gpt"
backend = "chat"
source = "en"
target = "pt"
url = "https://example.org/v1"
model = "small"
tries = 3
"""


def table(**changes: Any) -> dict[str, Any]:
    made = {"name": "x", "backend": "apertium", "source": "en", "target": "es", "modes": ["a-b"]}
    return {key: value for key, value in (made | changes).items() if value is not None}


def test_every_backend_is_read() -> None:
    rules, neural, mine, libre, gpt = read_systems(tomllib.loads(RECIPE)["system"])
    assert isinstance(rules.forward, Apertium)
    assert isinstance(rules.backward, Apertium)
    assert rules.forward.modes == ("eng-spa", "es-pt")
    assert rules.backward.modes == ("pt-es", "spa-eng")
    assert (rules.backward.source, rules.backward.target) == ("pt", "en")
    assert isinstance(neural.backward, Bergamot)
    assert neural.backward.source == "pt"
    assert isinstance(mine.forward, Command)
    assert mine.forward.command == ("marian", "-q")
    assert mine.forward.live
    assert mine.forward.timeout == 20.0
    assert mine.backward is None
    assert isinstance(libre.forward, LibreTranslate)
    assert libre.forward.endpoint.url == "http://localhost:5000/translate"
    assert libre.forward.endpoint.per_minute == 80
    assert libre.forward.price == Price(characters=15)
    assert isinstance(gpt.backward, Chat)
    assert gpt.backward.endpoint.url == "https://example.org/v1/chat/completions"
    assert gpt.backward.endpoint.tries == 3
    for system in (rules, neural, mine, libre, gpt):
        assert pickle.loads(pickle.dumps(system)) == system


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            table(backend="apertum"),
            "system[1].backend: unknown backend 'apertum' (did you mean 'apertium'?); "
            "there are apertium, bergamot, command, libretranslate, chat",
        ),
        (
            table(backend=None),
            "system[1]: the key 'backend' is missing; "
            "there are apertium, bergamot, command, libretranslate, chat",
        ),
        (table(mode=["a"]), "system[1]: unknown key 'mode' (did you mean 'modes'?)"),
        (table(modes=None), "system[1]: the key 'modes' is missing"),
        (table(modes="a-b"), "system[1].modes: expected a list, found 'a-b'"),
        (table(modes=[]), "system[1]: modes is empty; name at least one, such as 'eng-spa'"),
        (table(timeout="long"), "system[1].timeout: expected a number, found 'long'"),
        (table(name="rules"), "system[1].name: there is another system 'rules'; rename one"),
        (table(name=" "), "system[1]: name is empty"),
        (
            table(backend="libretranslate", modes=None, url="localhost"),
            "system[1]: url is 'localhost'; it must begin with http:// or https://",
        ),
        (
            table(backend="chat", modes=None, url="http://h", model="m", price={"prompt": -1}),
            "system[1].price: prompt is -1; a price is not negative",
        ),
        (
            table(backend="chat", modes=None, url="http://h", model="m", api_key="sk"),
            "system[1]: unknown key 'api_key' (did you mean 'key'?)",
        ),
        ("apertium", "system[1]: expected a table, found 'apertium'"),
    ],
)
def test_wrong_tables_are_refused(given: Any, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_systems([table(name="rules"), given])
    assert str(error.value) == message


def test_what_is_no_list_of_tables_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"system: expected tables \[\[system\]\], found 3"):
        read_systems(3)  # type: ignore[arg-type]


def test_one_table_has_a_place_of_its_own() -> None:
    with pytest.raises(ConfigError, match="there: the key 'modes' is missing"):
        read_system(table(modes=None), at="there")


def test_language_models_are_read() -> None:
    chat = read_writer({"backend": "chat", "url": "http://h", "model": "m", "name": "big"})
    assert isinstance(chat, ChatWriter)
    assert (chat.name, chat.endpoint.url) == ("big", "http://h/v1/chat/completions")
    plain = read_writer({"backend": "completions", "url": "http://h/v1", "model": "m"})
    assert isinstance(plain, CompletionWriter)
    assert (plain.name, plain.endpoint.url) == ("m", "http://h/v1/completions")
    assert plain.max_tokens == 300  # the paper's
    local = read_writer({"backend": "local", "model": "gpt2", "threads": 2, "seed": 5})
    assert local == LocalWriter(name="gpt2", model="gpt2", threads=2, seed=5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"backend": "completion", "model": "m"},
            "prompt.system.backend: unknown backend 'completion' (did you mean 'completions'?); "
            "there are chat, completions, local",
        ),
        ({"backend": "local"}, "prompt.system: the key 'model' is missing"),
        ({"backend": "chat", "model": "m"}, "prompt.system: the key 'url' is missing"),
        (
            {"backend": "local", "model": "m", "top_p": 2},
            "prompt.system: top_p is 2; it must be above 0 and at most 1",
        ),
        (
            {"backend": "local", "model": "m", "max_tokens": 0},
            "prompt.system: max_tokens is 0; it must be at least 1",
        ),
        (
            {"backend": "local", "model": "m", "temperature": -1},
            "prompt.system: temperature is -1; it must not be negative",
        ),
        (
            {"backend": "local", "model": ""},
            "prompt.system: model is empty; name the language model",
        ),
    ],
)
def test_wrong_language_models_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_writer(given)
    assert str(error.value) == message
