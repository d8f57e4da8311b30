"""Endpoints that break, stall, drip, or will not take one text: against real sockets."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from paraphrast.corpora.build.steps.translation import SystemTranslation
from paraphrast.corpora.translators.services.endpoint import Endpoint
from paraphrast.corpora.translators.services.http import Chat, LibreTranslate
from paraphrast.corpora.translators.services.wire import post
from paraphrast.corpora.translators.spending import read_usage
from paraphrast.corpora.translators.translator import Failed, System, Usage
from paraphrast.engine.step import Dropped
from paraphrast.errors import InputError
from tests.corpora.translators.server import Script, Still, serving

FINE = 200, {"translatedText": "fine"}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Script]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with serving(Script()) as made:
        yield made


def libre(script: Script, **options: Any) -> LibreTranslate:
    endpoint = Endpoint(url=script.url + "/translate", clock=Still().clock, **options)
    return LibreTranslate(name="libre", source="en", target="pt", endpoint=endpoint)


def run(translator: Any, texts: list[str]) -> tuple[list[str | Failed], Usage]:
    with translator.open() as translate:
        return translate(texts), translate.usage


def raw(head: str, *, pause: float = 0.0, drip: bytes = b"") -> Callable[[IO[bytes]], None]:
    """Send a head, then wait, or send a piece now and then for ten seconds."""

    def answer(file: IO[bytes]) -> None:
        file.write(head.replace("\n", "\r\n").encode())
        file.flush()
        time.sleep(pause)
        until = time.monotonic() + 10
        while drip and time.monotonic() < until:
            file.write(drip)
            file.flush()
            time.sleep(0.1)

    return answer


@pytest.mark.parametrize(
    "broken",
    [
        raw("HTTP/1.1 500 Broken\nContent-Length: 900\n\nhalf"),
        raw("HTTP/1.1 500 Broken\nContent-Length: 900\n\nhalf", pause=3),
        raw("HTTP/1.1 503 Broken\nTransfer-Encoding: chunked\n\nzz\nhalf"),
        raw("HTTP/1.1 429 Slowly\nContent-Length: 900\n\n", drip=b"x"),
    ],
    ids=["cut", "stalled", "chunks", "dripping"],
)
def test_an_error_whose_body_breaks_is_tried_again(broken: Any, script: Script) -> None:
    script.answers = [(1, broken), FINE]
    found, usage = run(libre(script, timeout=0.7), ["a"])
    assert found == ["fine"]
    assert usage.requests == 2
    script.answers = [(1, broken)]
    found, _ = run(libre(script, timeout=0.7, tries=1), ["a"])
    assert isinstance(found[0], Failed)
    assert found[0].reason == "no answer"
    assert found[0].detail.startswith("HTTP ")


@pytest.mark.parametrize(
    "slow",
    [
        raw("HTTP/1.1 200 OK\nContent-Length: 900\n\n", drip=b" "),
        raw("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", drip=b"1\r\n \r\n"),
        raw("HTTP/1.1 200 OK\n", drip=b"X-Wait: more\r\n"),
        raw("HTTP/1.1 200 ", drip=b"O"),
    ],
    ids=["body", "chunks", "headers", "status"],
)
def test_an_answer_that_drips_is_not_waited_for(slow: Any, script: Script) -> None:
    script.answers = [(1, slow)]
    began = time.monotonic()
    found, _ = run(libre(script, timeout=0.7, tries=1), ["a"])
    assert time.monotonic() - began < 5
    assert found == [Failed("no answer", "TimeoutError: timed out")]


def test_a_long_answer_within_the_time_is_read_in_full(script: Script) -> None:
    script.forever = lambda _body: (200, b"x" * 3_000_000)
    assert post(script.url, b"{}", {}, 30.0).body == b"x" * 3_000_000


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": Infinity}}',
        b'{"choices": ' + b"[" * 200_000,
        b'{"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": [1]}}',
    ],
    ids=["infinite", "deep", "list"],
)
def test_numbers_and_nesting_without_end_are_garbage(body: bytes, script: Script) -> None:
    script.forever = lambda _body: (200, body)
    endpoint = Endpoint(url=script.url, clock=Still().clock, tries=2)
    chat = Chat(name="gpt", source="en", target="pt", endpoint=endpoint, model="m")
    found, usage = run(chat, ["a"])
    assert isinstance(found[0], Failed)
    assert found[0].reason == "garbage from the endpoint"
    assert usage.requests == 2


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_text_that_is_not_taken_is_set_aside(status: int, script: Script) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        return (status, b"no such text") if "bad" in body["q"] else FINE

    script.forever = answer
    step = SystemTranslation(System("libre", libre(script)))
    rows = [{"id": str(n), "text": text} for n, text in enumerate(["a", "bad", "b"])]
    with step.open() as work:
        one, two, three = list(work(rows))
    assert isinstance(one, dict)
    assert isinstance(three, dict)
    assert isinstance(two, Dropped)
    assert two.row["id"] == "1"
    assert two.reason == "libre: refused by the endpoint"
    assert two.detail.startswith(f"HTTP {status} ")
    assert two.detail.endswith(": no such text")
    assert len(script.seen) == 3, "such a text is not sent again"


def test_an_endpoint_that_takes_no_text_stops_the_job_also_over_calls(script: Script) -> None:
    script.forever = lambda _body: (400, b"unknown model")
    with libre(script, give_up=4).open() as translate:
        for _ in range(3):
            assert isinstance(translate(["a"])[0], Failed)
        with pytest.raises(InputError, match=r"failed on 4 texts in succession; .*unknown model"):
            translate(["a", "b"])


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_no_text_will_pass_stops_the_job(status: int, script: Script) -> None:
    script.forever = lambda _body: (status, b"no")
    with pytest.raises(InputError, match=f"answered HTTP {status}"):
        run(libre(script), ["a", "b"])
    assert len(script.seen) == 1


@pytest.mark.parametrize("parallel", [1, 3])
def test_what_was_paid_is_logged_though_the_shard_fails(
    parallel: int, script: Script, tmp_path: Path
) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        text = body["messages"][1]["content"]
        if text == "forbidden":
            time.sleep(0.5)
            return 403, b"no"
        message = {"message": {"content": "x " + text}, "finish_reason": "stop"}
        return 200, {"choices": [message], "usage": {"prompt_tokens": 10, "completion_tokens": 1}}

    script.forever = answer
    endpoint = Endpoint(url=script.url, clock=Still().clock, parallel=parallel)
    chat = Chat(name="gpt", source="en", target="pt", endpoint=endpoint, model="m")
    log = tmp_path / "usage.jsonl"
    texts = ["a", "b", "forbidden", "c", "d"] if parallel == 1 else ["forbidden", "a", "b"]
    with (
        SystemTranslation(System("gpt", chat), usage_log=log).open() as work,
        pytest.raises(InputError),
    ):
        list(work([{"id": text, "text": text} for text in texts]))
    used = read_usage(log)["gpt"]
    assert used.prompt_tokens == 20
    assert used.requests == 3
