"""Endpoints, against a real server on this machine: patience, errors, keys, counts."""

from __future__ import annotations

import json
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora.translators.services.endpoint import Endpoint
from paraphrast.corpora.translators.services.http import Chat, LibreTranslate, address
from paraphrast.corpora.translators.translator import Failed, Price, Usage
from paraphrast.errors import ConfigError, InputError
from tests.corpora.translators.server import HOLD, Script, Still, serving


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Script]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with serving(Script()) as made:
        yield made


@pytest.fixture
def still() -> Still:
    return Still()


def libre(script: Script, still: Still, **options: Any) -> LibreTranslate:
    endpoint = Endpoint(url=script.url + "/translate", clock=still.clock, **options)
    return LibreTranslate(name="libre", source="en", target="pt", endpoint=endpoint)


def chat(script: Script, still: Still, **options: Any) -> Chat:
    endpoint = Endpoint(url=script.url + "/v1/chat/completions", clock=still.clock)
    return Chat(name="gpt", source="en", target="pt", endpoint=endpoint, model="m", **options)


def said(text: Any, **more: Any) -> tuple[int, dict[str, Any]]:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": 30, "completion_tokens": 7}}


def run(translator: Any, texts: list[str]) -> tuple[list[str | Failed], Usage]:
    with translator.open() as translate:
        return translate(texts), translate.usage


def test_libretranslate_is_asked_as_it_wants(script: Script, still: Still) -> None:
    script.forever = lambda body: (200, {"translatedText": body["q"].upper() + " ok"})
    found, usage = run(libre(script, still), ["a\nb", "c"])
    assert found == ["A B ok", "C ok"]
    path, headers, body = script.seen[0]
    assert path == "/translate"
    assert body == {"q": "a b", "source": "en", "target": "pt", "format": "text"}
    assert "Authorization" not in headers
    assert (usage.requests, usage.texts, usage.characters) == (2, 2, 4)
    assert usage.cost(Price(characters=20)) == pytest.approx(4 * 20 / 1e6)


def test_a_chat_is_asked_as_it_wants_and_its_tokens_are_counted(
    script: Script, still: Still
) -> None:
    script.forever = lambda _body: said("Eu gosto.\n")
    found, usage = run(chat(script, still), ["I like it."])
    assert found == ["Eu gosto."]
    path, _, body = script.seen[0]
    assert path == "/v1/chat/completions"
    assert body["model"] == "m"
    assert body["temperature"] == 0
    assert "from en to pt" in body["messages"][0]["content"]
    assert body["messages"][1] == {"role": "user", "content": "I like it."}
    assert (usage.prompt_tokens, usage.completion_tokens) == (30, 7)
    assert usage.cost(Price(prompt=1.0, completion=10.0)) == pytest.approx(100 / 1e6)


def test_after_429_and_500_it_is_asked_again(script: Script, still: Still) -> None:
    script.answers = [(429, ({"Retry-After": "17"}, {})), (503, {}), (200, {"translatedText": "x"})]
    found, usage = run(libre(script, still), ["a"])
    assert found == ["x"]
    assert usage.requests == 3
    assert still.slept[0] == 17
    assert 1 <= still.slept[1] <= 3
    again = Still()
    script.answers = [(429, ({"Retry-After": "17"}, {})), (503, {}), (200, {"translatedText": "x"})]
    run(libre(script, again), ["a"])
    assert again.slept == still.slept


def test_a_date_to_wait_for_is_understood(script: Script, still: Still) -> None:
    still.time = 784111777.0 - 40  # Sun, 06 Nov 1994 08:49:37 GMT, RFC 9110's own example
    date = {"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}
    script.answers = [(429, (date, {})), (429, ({"Retry-After": "99999"}, {}))]
    run(libre(script, still), ["a"])
    assert still.slept == [40, 600]


def test_a_server_that_stays_broken_fails_rows_and_then_the_job(
    script: Script, still: Still
) -> None:
    script.forever = lambda _body: (500, b"out of memory")
    found, usage = run(libre(script, still, tries=3), ["a"])
    detail = "HTTP 500 Internal Server Error: out of memory"
    assert found == [Failed("no answer", detail)]
    assert usage.requests == 3
    with pytest.raises(InputError) as error:
        run(libre(script, still, tries=2, give_up=4), list("abcdefgh"))
    assert str(error.value) == (
        f"{script.url}/translate failed on 4 texts in succession; the last: no answer: {detail}"
    )


@pytest.mark.parametrize(
    "answer",
    [b"<html>not JSON</html>", [], {"error": "?"}, {"translatedText": 3}, None, b""],
)
def test_garbage_is_asked_again_and_then_a_failed_row(
    answer: Any, script: Script, still: Still
) -> None:
    script.answers = [(200, answer), (200, answer), (200, {"translatedText": "fine"})]
    found, _ = run(libre(script, still, tries=2), ["a", "b"])
    assert isinstance(found[0], Failed)
    assert found[0].reason == "garbage from the endpoint"
    if answer:  # what it said is told
        wanted = answer.decode() if isinstance(answer, bytes) else json.dumps(answer)
        assert found[0].detail == wanted
    assert found[1] == "fine"


@pytest.mark.parametrize("choice", [{}, {"choices": []}, {"choices": [{"message": None}]}])
def test_a_chat_of_the_wrong_shape_is_garbage(choice: Any, script: Script, still: Still) -> None:
    script.forever = lambda _body: (200, choice)
    found, _ = run(chat(script, still), ["a"])
    assert isinstance(found[0], Failed)
    assert found[0].reason == "garbage from the endpoint"


def test_refusals_and_cut_texts_are_failures(script: Script, still: Still) -> None:
    script.answers = [
        said("Eu go", finish_reason="length"),
        said("", finish_reason="content_filter"),
        said(None, message={"content": None, "refusal": "I will not"}),
        said(""),
    ]
    found, usage = run(chat(script, still), list("abcd"))
    assert found == [
        Failed("cut off"),
        Failed("refused by the endpoint", "content_filter"),
        Failed("refused by the endpoint", "I will not"),
        Failed("empty"),
    ]
    assert usage.requests == 4


def test_a_slow_answer_is_not_waited_for(script: Script, still: Still) -> None:
    script.answers = [HOLD, (200, {"translatedText": "x"})]
    assert run(libre(script, still, timeout=0.5), ["a"])[0] == ["x"]
    script.answers = [HOLD, HOLD]
    found, _ = run(libre(script, still, timeout=0.5, tries=2), ["a"])
    assert isinstance(found[0], Failed)
    assert found[0].reason == "no answer"
    assert "timed out" in found[0].detail


def test_a_server_that_is_not_there_is_named(script: Script, still: Still) -> None:
    with serving(Script()) as other:
        gone = other.url
    endpoint = Endpoint(url=gone, tries=2, give_up=1, clock=still.clock)
    translator = LibreTranslate(name="libre", source="en", target="pt", endpoint=endpoint)
    with pytest.raises(InputError, match=f"{gone} failed on 1 texts .* refused"):
        run(translator, ["a"])


def test_other_statuses_stop_the_job_at_once_and_hide_the_key(
    script: Script, still: Still, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBRE_KEY", "s3cret")
    script.forever = lambda body: (403, f"bad key {body['api_key']} {'x' * 400}".encode())
    translator = libre(script, still, key="LIBRE_KEY")
    with pytest.raises(InputError) as error:
        run(translator, ["a", "b"])
    message = str(error.value)
    assert message.startswith(
        f"{script.url}/translate answered HTTP 403 Forbidden: bad key *** xxx"
    )
    assert len(message) < 300
    assert "s3cret" not in message + repr(translator) + repr(translator.signature)
    assert script.seen[0][1]["Authorization"] == "Bearer s3cret"
    assert len(script.seen) == 1
    assert still.slept == []


def test_no_redirection_is_followed(script: Script, still: Still) -> None:
    script.answers = [(307, ({"Location": script.url + "/elsewhere"}, {}))]
    with pytest.raises(InputError, match="answered HTTP 307"):
        run(libre(script, still), ["a"])
    assert len(script.seen) == 1


def test_a_key_that_is_not_set_is_an_error_before_any_work(script: Script, still: Still) -> None:
    with pytest.raises(ConfigError) as error:
        libre(script, still, key="NO_SUCH_KEY").check()
    assert str(error.value) == (
        "the environment variable NO_SUCH_KEY, which shall hold the key of "
        f"{script.url}/translate, is not set"
    )


def test_the_pace_is_kept_by_all_who_ask_the_same_server(script: Script, still: Still) -> None:
    run(libre(script, still, per_minute=30), ["a", "b", "c"])
    assert still.slept == [2, 2]
    run(libre(script, still, per_minute=30), ["d"])
    assert still.slept == [2, 2, 2]
    still.time -= 100_000  # a clock that was set back
    run(libre(script, still, per_minute=30), ["e"])
    assert still.slept == [2, 2, 2]


def test_several_requests_at_once_keep_their_order(script: Script, still: Still) -> None:
    script.forever = lambda body: (200, {"translatedText": f"<{body['q']}>"})
    texts = [f"t{n}" for n in range(40)]
    assert run(libre(script, still, parallel=8), texts)[0] == [f"<{text}>" for text in texts]


def test_the_signature_holds_what_the_text_depends_on(script: Script, still: Still) -> None:
    made = chat(script, still)
    other = chat(script, still, prompt="Say it in {target}.")
    assert made.signature["url"] == script.url + "/v1/chat/completions"
    assert made.signature["model"] == "m"
    assert made.signature != other.signature
    plain = libre(script, Still())
    assert plain.signature == libre(script, still, tries=2, timeout=3.0).signature


def test_translators_can_be_pickled() -> None:
    endpoint = Endpoint(url="http://localhost:5000/translate")
    made = LibreTranslate(name="libre", source="en", target="pt", endpoint=endpoint)
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "file:///etc/passwd"}, "url is 'file:///etc/passwd'; it must begin with http://"),
        ({"url": "http://x", "tries": 0}, "tries is 0; it must be at least 1"),
        ({"url": "http://x", "timeout": 0.0}, "timeout is 0; it must be above 0"),
        ({"url": "http://x", "per_minute": -1.0}, "per_minute is -1; it must be above 0"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        Endpoint(**options)
    assert str(error.value).startswith(message)


def test_a_prompt_may_name_the_languages_only(script: Script, still: Still) -> None:
    with pytest.raises(ConfigError, match=r"only \{source\} and \{target\} may stand in braces"):
        chat(script, still, prompt="Translate {text}")


def test_addresses_are_completed() -> None:
    path = "/v1/chat/completions"
    for given in ("http://h", "http://h/", "http://h/v1", "http://h/v1/chat/completions/"):
        assert address(given, path) == "http://h/v1/chat/completions"
    assert address("http://h/api", "/translate") == "http://h/api/translate"
