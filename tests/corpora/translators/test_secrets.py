"""Keys of services: read, checked, and in nothing that is printed or stored."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora.build.steps.translation import SystemTranslation
from paraphrast.corpora.translators.programs.command import Command
from paraphrast.corpora.translators.secrets import (
    holds_key,
    read_key,
    secret_variables,
    without_key,
)
from paraphrast.corpora.translators.services.endpoint import Endpoint
from paraphrast.corpora.translators.services.http import Chat, LibreTranslate
from paraphrast.corpora.translators.translator import Failed, System
from paraphrast.engine.shards import Counts, Shards
from paraphrast.errors import ConfigError, InputError
from tests.corpora.translators.server import Script, Still, serving

KEY = "sk-1234/abc+DEF'ghi"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Script]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with serving(Script()) as made:
        yield made


def libre(script: Script, **options: Any) -> LibreTranslate:
    endpoint = Endpoint(url=script.url, key="A_KEY", clock=Still().clock, **options)
    return LibreTranslate(name="libre", source="en", target="pt", endpoint=endpoint)


def stored(translator: Any, texts: list[str], folder: Path) -> str:
    """Return all that a build would store of a step, and what it would print if it stops."""
    rows = [{"id": str(n), "text": text} for n, text in enumerate(texts)]
    try:
        with SystemTranslation(System("libre", translator)).open() as work:
            Shards(folder).put(0, work(rows), Counts())
    except (ConfigError, InputError) as error:
        return f"{error} {error!r}"
    return "".join(path.read_text() for path in folder.glob("*.jsonl"))


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", " \t\n"])
def test_white_space_around_a_key_is_no_part_of_it(
    end: str, script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key file with CRLF: http.client refuses the header and shows it in its error."""
    monkeypatch.setenv("A_KEY", KEY + end)
    script.forever = lambda body: (200, {"translatedText": body["q"][::-1]})
    assert "abc" in stored(libre(script), ["cba"], tmp_path)
    assert script.seen[0][1]["Authorization"] == f"Bearer {KEY}"
    assert script.seen[0][2]["api_key"] == KEY


@pytest.mark.parametrize("wrong", ["two\nlines-1234", "two words-1234", "schlüssel", "nul\x7f1234"])
def test_what_is_no_key_is_refused_at_the_start_and_not_shown(
    wrong: str, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", wrong)
    with pytest.raises(ConfigError, match="A_KEY holds more than a key") as error:
        libre(script).check()
    assert wrong not in str(error.value)
    assert repr(wrong)[1:-1] not in str(error.value)
    assert not script.seen


def test_a_variable_of_white_space_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "\r\n")
    with pytest.raises(
        ConfigError, match="A_KEY, which shall hold the key of http://h, is not set"
    ):
        read_key("A_KEY", "http://h")


QUOTED = [
    KEY,
    repr(KEY)[1:-1],
    json.dumps(KEY)[1:-1],
    KEY.replace("/", "\\/"),
    "sk-1234%2Fabc%2BDEF%27ghi",
]


@pytest.mark.parametrize("quoted", QUOTED)
@pytest.mark.parametrize("status", [400, 403, 500])
def test_a_key_that_an_error_repeats_is_hidden(
    quoted: str, status: int, script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", KEY + "\n")
    script.forever = lambda _body: (status, f"the key {quoted} is bad".encode())
    shown = stored(libre(script, tries=1), ["a"], tmp_path)
    assert "the key *** is bad" in shown
    assert "1234" not in shown


def test_a_key_in_the_status_line_is_hidden(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    head = f"HTTP/1.1 403 No {KEY}\r\nContent-Length: 0\r\n\r\n".encode()
    script.forever = lambda _body: (1, lambda file: file.write(head))
    assert stored(libre(script), ["a"], tmp_path).startswith(
        f"{script.url} answered HTTP 403 No ***"
    )


@pytest.mark.parametrize(
    "answer",
    [
        {"content": f"your key is {KEY}"},
        {"content": "", "refusal": f"no, {KEY}"},
        {"content": [KEY]},
    ],
)
def test_a_key_in_an_answer_is_not_stored(
    answer: dict[str, Any], script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    script.forever = lambda _body: (200, {"choices": [{"message": answer}]})
    endpoint = Endpoint(url=script.url, key="A_KEY", clock=Still().clock, tries=1)
    chat = Chat(name="libre", source="en", target="pt", endpoint=endpoint, model="m")
    shown = stored(chat, ["a"], tmp_path)
    assert '"reason"' in shown
    assert "1234" not in shown


def test_the_beginning_of_a_key_is_hidden_where_a_text_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    assert without_key(f"bad {KEY} and {KEY[:9]}", "A_KEY") == "bad *** and ***"
    assert without_key("nothing here", "A_KEY") == "nothing here"
    assert without_key("no key at all", "") == "no key at all"


def test_the_end_of_a_key_is_hidden_where_a_text_begins_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    assert without_key(f"{KEY[5:]} is bad", "A_KEY") == "*** is bad"


_LEAKY = """
import os, sys
for line in sys.stdin:
    for name in ("MY_TOKEN", "A_WORD"):
        if "poison" in line:
            sys.stderr.write(f"bad {os.environ[name]} ({os.environ[name]!r})\\n")
    sys.stderr.flush()
    if "poison" in line:
        os._exit(3)
    print(os.environ["A_WORD"] if "leak" in line else line.strip()[::-1], flush=True)
"""


@pytest.mark.parametrize("how", [{"live": True}, {"live": True, "numbered": True}, {"live": False}])
def test_what_a_program_says_of_its_environment_is_hidden(
    how: dict[str, bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable that is called a token, and one that the recipe names."""
    monkeypatch.setenv("MY_TOKEN", KEY + "\n42-tail")
    monkeypatch.setenv("A_WORD", "hunter2-hunter2")
    (tmp_path / "leaky.py").write_text(_LEAKY)
    program = (sys.executable, "-S", str(tmp_path / "leaky.py"))
    made = {"name": "it", "source": "en", "target": "xx", "secrets": ("A_WORD",), **how}
    shown = stored(Command(command=program, **made), ["one", "poison", "leak", "two"], tmp_path)
    assert '"reason": "libre: translator died"' in shown
    assert "bad ***" in shown
    for piece in ("1234", "42-tail", "hunter2"):
        assert piece not in shown


def test_short_values_are_no_secrets_unless_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYBOARD", "us")
    monkeypatch.setenv("DB_PASSWORD", "correct horse")
    found = secret_variables(["HOME"])
    assert "KEYBOARD" not in found
    assert {"DB_PASSWORD", "HOME"} <= {*found}


def test_a_short_key_may_be_a_word_of_a_translation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "book")
    assert not holds_key("the book is red", "A_KEY")


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError, match="url holds a user's name or password") as error:
        Endpoint(url="https://me:hunter2@example.org")
    assert "hunter2" not in str(error.value)


def test_the_failure_says_why(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    script.forever = lambda _body: (200, {"translatedText": KEY})
    with libre(script).open() as translate:
        assert translate(["a"]) == [
            Failed("garbage from the endpoint", "the answer repeats the key of the service")
        ]
