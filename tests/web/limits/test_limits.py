"""How much, how fast and how often: 413, 408, 429."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from paraphrast.errors import ConfigError
from paraphrast.web.limits import allowed_metrics, body_size
from paraphrast.web.limits.allowed_metrics import checked_metrics, models_of
from paraphrast.web.limits.body_size import BodyLimit
from paraphrast.web.limits.request_rate import RateLimit
from paraphrast.web.serve_options import ServeOptions

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


@pytest.fixture(scope="module")
def small() -> Iterator[TestClient]:
    """A server that takes little."""
    from fastapi.testclient import TestClient

    from paraphrast.web.application import create_app

    options = ServeOptions(most_bytes=1000, most_upload=2000, rate=0)
    with TestClient(create_app(options), base_url="http://127.0.0.1") as found:
        yield found


def test_a_declared_size_is_refused_before_it_is_read(small: TestClient) -> None:
    found = small.post("/v1/tag", json={"a": "x" * 2000, "b": "y"})
    assert (found.status_code, found.json()["error"]["code"]) == (413, "too_large")


def test_an_undeclared_size_is_refused_on_the_way(small: TestClient) -> None:
    found = small.post("/v1/tag", content=(b"x" * 100 for _ in range(50)))
    assert found.status_code == 413


def test_uploads_have_a_limit_of_their_own(small: TestClient) -> None:
    files = {"candidates": ("a.txt", b"x\n" * 700)}
    assert small.post("/score", files=files).status_code != 413
    assert small.post("/score", files={"candidates": ("a.txt", b"x" * 3000)}).status_code == 413


def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_size, "_SENDING", 0.01)
    sent: list[Any] = []

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        await receive()

    async def never() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": "/v1/tag", "headers": []}
    asyncio.run(BodyLimit(app, lambda _: 10)(scope, never, send))
    assert sent[0]["status"] == 408


def test_a_client_has_its_rate_and_others_have_theirs() -> None:
    limit = RateLimit(lambda *_: None, 2.0)  # type: ignore[arg-type, return-value]
    first = [limit._wait("one", 100.0) for _ in range(5)]
    assert first == [0.0, 0.0, 0.0, 0.0, 0.5]
    assert limit._wait("two", 100.0) == 0.0
    assert limit._wait("one", 100.6) == 0.0


def test_too_many_requests_are_told_when_to_come_back() -> None:
    from fastapi.testclient import TestClient

    from paraphrast.web.application import create_app

    app = create_app(ServeOptions(rate=0.5))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        answers = [client.get("/v1/metrics") for _ in range(3)]
        assert client.get("/healthz").status_code == 200
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) >= 1


def test_a_plugin_s_options_that_may_be_paths_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from paraphrast.metrics.bleu import Bleu

    class PlugIn(Bleu):
        pass

    monkeypatch.setattr(allowed_metrics, "metric_class", lambda _: PlugIn)
    with pytest.raises(ConfigError, match="plug-in"):
        checked_metrics(["bleu:smooth_method=exp"])


def test_metrics_know_which_models_they_run() -> None:
    assert models_of(["bleu", "parableu", "bertscore"]) == ["mini", "minilm"]
    assert checked_metrics(["parableu:model=mini", "bertscore:idf=references"])


@pytest.mark.parametrize(
    "options",
    [{"port": 70_000}, {"batch": 0}, {"most_waiting": 1}, {"time_limit": 0}, {"rate": -1},
     {"mcp": True, "mcp_http": True}, {"threads": 0}],
)  # fmt: skip
def test_options_that_cannot_be_meant_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        ServeOptions(**options)
