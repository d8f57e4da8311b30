"""Streams: a line for a line, errors with their line, and nothing lost before them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

PAIR = {"a": "The cat sat.", "b": "A dog ran."}


def streamed(client: TestClient, path: str, lines: Iterable[Any]) -> list[dict[str, Any]]:
    body = b"".join(
        one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in lines
    )
    found = client.post(path, content=(body[at : at + 7] for at in range(0, len(body), 7)))
    assert found.status_code == 200
    assert found.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in found.text.splitlines()]


def test_every_line_is_answered_in_order(client: TestClient) -> None:
    pairs = [PAIR | {"a": f"The cat sat {number} times."} for number in range(70)]
    *rows, last = streamed(client, "/v1/judge/stream", pairs)
    assert [row["line"] for row in rows] == list(range(1, 71))
    assert [row["a"] for row in rows] == [pair["a"] for pair in pairs]
    assert last["done"] == 70
    assert last["signature"] == rows[0]["signature"]


def test_a_stream_gives_what_a_request_gives(client: TestClient) -> None:
    row, _ = streamed(client, "/v1/tag/stream", [PAIR])
    assert row == {"line": 1} | client.post("/v1/tag", json=PAIR).json()["pairs"][0]


def test_a_wrong_line_ends_the_stream_after_what_came_before(client: TestClient) -> None:
    rows = streamed(client, "/v1/judge/stream", [PAIR, b"\n", PAIR, {"a": 1, "b": "x"}, PAIR])
    assert [row.get("line") for row in rows] == [1, 3, 4]
    assert rows[-1]["error"]["code"] == "invalid_line"
    assert rows[-1]["error"]["message"].startswith("a:")


def test_a_line_without_an_end_is_read_too(client: TestClient) -> None:
    assert streamed(client, "/v1/tag/stream", [json.dumps(PAIR).encode()])[-1]["done"] == 1
    assert streamed(client, "/v1/tag/stream", [])[-1]["done"] == 0


def test_a_line_that_never_ends_is_refused(client: TestClient) -> None:
    found = client.post("/v1/judge/stream", content=(b"x" * 100_000 for _ in range(60)))
    assert json.loads(found.text)["error"]["code"] == "invalid_line"


def test_paraphrases_are_streamed(client: TestClient) -> None:
    rows = streamed(client, "/v1/generate/stream?n=2", [{"text": "The council met on Tuesday."}])
    assert rows[0]["source"] == "The council met on Tuesday."
    assert rows[-1]["done"] == 1


def test_a_stream_knows_its_models(client: TestClient) -> None:
    found = client.post("/v1/judge/stream?model=/etc", content=b"")
    assert found.status_code == 422
    assert found.json()["error"]["field"] == "model"


def test_answers_and_errors_count_the_same_lines(client: TestClient) -> None:
    body = b'\n\n{"a": "x", "b": "y"}\n\n{"a": "x"}\n'
    lines = client.post("/v1/judge/stream", content=body).text.splitlines()
    assert [json.loads(line)["line"] for line in lines] == [3, 5]
