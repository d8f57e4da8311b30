"""Who may ask: hosts, origins, tokens, and what answers allow a browser."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paraphrast.errors import ConfigError
from paraphrast.web.access_log import log_failure
from paraphrast.web.serve_options import ServeOptions

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

TOKEN = "a-token-of-some-length"
ELSEWHERE = {"Origin": "http://evil.example"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    from fastapi.testclient import TestClient

    from paraphrast.web.application import create_app

    path = tmp_path_factory.mktemp("token") / "token"
    path.write_text(f"{TOKEN}\n")
    app = create_app(ServeOptions(token_file=str(path), rate=0))
    with TestClient(app, base_url="http://127.0.0.1") as found:
        yield found


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", ""]
)
def test_a_name_that_was_rebound_to_this_machine_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost:8765", "[::1]:80", "LOCALHOST"])
def test_this_machine_may_be_called_by_its_names(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        ELSEWHERE,
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_of_others_cannot_post(client: TestClient, headers: dict[str, str]) -> None:
    found = client.post("/v1/tag", json={"a": "x", "b": "y"}, headers=headers)
    assert (found.status_code, found.json()["error"]["code"]) == (403, "wrong_origin")


def test_a_page_of_others_cannot_fetch_but_may_link(client: TestClient) -> None:
    site = {"Sec-Fetch-Site": "cross-site"}
    assert client.get("/v1/metrics", headers=site | {"Sec-Fetch-Mode": "cors"}).status_code == 403
    assert client.get("/", headers=site | {"Sec-Fetch-Mode": "navigate"}).status_code == 200


def test_our_own_pages_may_post(client: TestClient) -> None:
    headers = {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/v1/tag", json={"a": "x", "b": "y"}, headers=headers).status_code == 200


def test_every_answer_forbids_foreign_and_inline_scripts(client: TestClient) -> None:
    for path in ("/", "/v1/metrics", "/nothing", "/static/serve.js"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe-inline" not in policy.partition("style-src-attr")[0]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("path", ["/", "/v1/metrics", "/metrics", "/openapi.json", "/score"])
def test_without_the_token_nothing_is_answered(guarded: TestClient, path: str) -> None:
    assert guarded.get(path).status_code == 401
    wrong = {"Authorization": f"Bearer {TOKEN}x"}
    assert guarded.get(path, headers=wrong).status_code == 401
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.get(path, headers=right).status_code == 200


def test_health_needs_no_token(guarded: TestClient) -> None:
    assert guarded.get("/healthz").status_code == 200


def test_a_browser_logs_in_and_gets_a_cookie_that_is_not_the_token(guarded: TestClient) -> None:
    page = guarded.get("/", headers={"Accept": "text/html"}, follow_redirects=False)
    assert (page.status_code, page.headers["location"]) == (303, "/login")
    assert guarded.post("/login", data={"token": "wrong"}).status_code == 401
    found = guarded.post("/login", data={"token": TOKEN}, follow_redirects=False)
    cookie = found.headers["set-cookie"]
    assert TOKEN not in cookie
    assert {"HttpOnly", "SameSite=strict"} <= {part.strip() for part in cookie.split(";")}
    assert guarded.get("/").status_code == 200
    guarded.cookies.clear()
    forged = {"Cookie": "paraphrast_session=0000; =; x"}
    assert guarded.get("/", headers=forged).status_code == 401


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org"])
def test_another_address_needs_a_token_or_a_plain_word(host: str) -> None:
    with pytest.raises(ConfigError, match="--token-file"):
        ServeOptions(host=host)
    assert not ServeOptions(host=host, open=True).is_loopback
    assert not ServeOptions(host=host, token_file="token").is_loopback


@pytest.mark.parametrize("text", ["", "short", "with a space in the middle", "ä" * 20])
def test_a_file_without_a_token_is_refused(tmp_path: Path, text: str) -> None:
    from paraphrast.web.security.token_guard import AccessToken

    path = tmp_path / "token"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="token"):
        AccessToken.read(str(path))
    with pytest.raises(ConfigError, match="cannot be read"):
        AccessToken.read(str(tmp_path / "none"))
    assert TOKEN not in repr(AccessToken(TOKEN))


def test_the_log_says_where_and_not_on_what(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        try:
            raise RuntimeError("the user's secret text")
        except RuntimeError as error:
            log_failure(error)
    assert "RuntimeError" in caplog.text
    assert "test_guards.py" in caplog.text
    assert "secret" not in caplog.text


def test_a_defect_shows_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    from fastapi.testclient import TestClient

    from paraphrast.web.api import status_routes
    from paraphrast.web.application import create_app

    def broken() -> None:
        raise RuntimeError("a secret of ours")

    monkeypatch.setattr(status_routes, "_cards", broken)
    app = create_app(ServeOptions(rate=0))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        found = client.get("/v1/metrics")
    assert (found.status_code, found.json()["error"]["code"]) == (500, "internal")
    assert "secret" not in found.text
    assert "Traceback" not in found.text
