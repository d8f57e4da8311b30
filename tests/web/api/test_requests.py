"""What requests may hold, and errors that name the field."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def error(client: TestClient, path: str, body: Any, status: int = 422) -> dict[str, Any]:
    found = client.post(path, json=body)
    assert found.status_code == status, found.text
    problem: dict[str, Any] = found.json()["error"]
    assert problem["message"]
    return problem


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/judge", {}, "a"),
        ("/v1/judge", {"a": 1, "b": "x"}, "a"),
        ("/v1/judge", {"a": "x", "b": ["x"]}, "b"),
        ("/v1/judge", {"a": ["x"], "b": ["x", "y"]}, "b"),
        ("/v1/judge", {"a": [], "b": []}, "a"),
        ("/v1/judge", {"a": ["x", "y" * 20_001], "b": ["x", "y"]}, "a.1"),
        ("/v1/judge", {"a": ["x"] * 513, "b": ["x"] * 513}, "a"),
        ("/v1/judge", {"a": "x", "b": "y", "modle": "mini"}, "modle"),
        ("/v1/judge", {"a": "x", "b": "y", "model": "/etc"}, "model"),
        ("/v1/judge", {"a": "x", "b": "y", "model": "org/name"}, "model"),
        ("/v1/tag", {"a": "x", "b": "y", "model": "../.."}, "model"),
        ("/v1/score", {"candidates": ["a"], "references": ["a", "b"]}, "references"),
        ("/v1/score", {"candidates": ["a"], "metrics": ["bleu"]}, "references"),
        ("/v1/score", {"candidates": ["a"], "metrics": ["belu"]}, "metrics"),
        ("/v1/score", {"candidates": ["a"], "references": ["a"], "samples": 10**9}, "samples"),
        ("/v1/compare", {"candidates": {"a": ["x"], "b": ["x", "y"]}}, "candidates.b"),
        ("/v1/generate", {"texts": [], "n": 1}, "texts"),
        ("/v1/generate", {"texts": ["x"], "n": 1000}, "n"),
        ("/v1/generate", {"texts": ["x"], "n": "many"}, "n"),
        ("/v1/generate", {"texts": ["x" * 2001]}, "texts.0"),
    ],
)
def test_an_error_names_its_field(client: TestClient, path: str, body: Any, field: str) -> None:
    problem = error(client, path, body)
    assert problem["field"] == field
    assert field in [one["field"] for one in problem["fields"]]


@pytest.mark.parametrize(
    "metric",
    [
        "parableu:model=/etc",
        'bertscore:idf="/etc/passwd"',
        "bertscore:model=org/name",
        "bleu:tokenize=flores200",
        "perplexity:model=.",
    ],
)
def test_no_metric_opens_a_path_of_a_request(client: TestClient, metric: str) -> None:
    body = {"candidates": ["a"], "references": ["a"], "metrics": [metric]}
    problem = error(client, "/v1/score", body)
    assert problem["field"] == "metrics"
    assert "over the web" in problem["message"]


@pytest.mark.parametrize("name", ["select", "judge", "check", "device", "threads", "model"])
def test_generation_cannot_be_pointed_at_other_weights(client: TestClient, name: str) -> None:
    problem = error(client, "/v1/generate", {"texts": ["x"], name: "/etc"})
    assert problem["field"] == name


@pytest.mark.parametrize("body", [b"{", b"", b"\xff", b"[1", b'{"a": NaN, "b": "x"}', b'"\\ud800"'])
def test_what_is_no_json_is_an_error_of_the_client(client: TestClient, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    found = client.post("/v1/judge", content=body, headers=headers)
    assert found.status_code in (400, 422)
    assert found.json()["error"]["code"]


def test_half_a_character_is_refused_with_its_place(client: TestClient) -> None:
    headers = {"Content-Type": "application/json"}
    body = b'{"a": "x \\ud800", "b": "y"}'
    found = client.post("/v1/judge", content=body, headers=headers)
    assert found.status_code == 422
    assert found.json()["error"]["field"] == "a"


def test_what_was_sent_is_not_sent_back(client: TestClient) -> None:
    found = client.post("/v1/judge", json={"a": {"secret": "hunter2"}, "b": "x"})
    assert found.status_code == 422
    assert "hunter2" not in found.text


def test_an_unknown_route_and_a_wrong_method_are_typed_errors(client: TestClient) -> None:
    assert client.get("/v1/nothing").json()["error"]["code"] == "not_found"
    wrong = client.get("/v1/judge")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "wrong_method")


def test_many_clients_at_once_get_the_answers_of_one_by_one(client: TestClient) -> None:
    texts = [f"The train to platform {number} leaves at noon." for number in range(12)]

    def asked(text: str) -> Any:
        body = {"a": text, "b": "The train leaves at noon."}
        return client.post("/v1/judge", json=body).json()["verdicts"][0]

    alone = [asked(text) for text in texts]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(asked, texts))
    for one, other in zip(alone, together, strict=True):
        assert one["confidence"] == pytest.approx(other["confidence"], abs=1e-4)
        assert one["relation"] == other["relation"]


def test_paraphrases_do_not_depend_on_who_else_asks(client: TestClient) -> None:
    texts = ["The council approved the plan.", "Heavy rain flooded several streets."]

    def texts_of(given: list[str]) -> list[list[str]]:
        choices = client.post("/v1/generate", json={"texts": given}).json()["choices"]
        return [[one["text"] for one in choice["candidates"]] for choice in choices]

    assert texts_of(texts) == [*texts_of(texts[:1]), *texts_of(texts[1:])]


def test_values_that_are_undefined_are_null(client: TestClient) -> None:
    body = {
        "candidates": ["", "a b"], "references": [[], "a b"], "metrics": ["chrf++"],
        "segments": True,
    }  # fmt: skip
    found = client.post("/v1/score", json=body)
    assert found.status_code in (200, 422)
    assert "NaN" not in found.text


def test_the_description_has_an_example_of_every_verb(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    bodies = schema["components"]["schemas"]
    for name in ("PairsBody", "ScoreBody", "CompareBody", "GenerateBody"):
        assert any("examples" in field for field in bodies[name]["properties"].values()), name
    for path, verbs in schema["paths"].items():
        if path.startswith("/v1/") and "post" in verbs:
            assert {"422", "429", "413"} <= verbs["post"]["responses"].keys()


def test_health_readiness_and_counts(client: TestClient) -> None:
    assert client.get("/healthz").json()["status"] == "ok"
    client.post("/v1/tag", json={"a": "x", "b": "y"})
    ready = client.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["models"]["mini"] == "ready"
    text = client.get("/metrics").text
    assert 'paraphrast_requests_total{method="POST",route="/v1/tag",status="200"}' in text
    assert 'paraphrast_waiting_texts{line="models"} 0.0' in text


def test_a_forgotten_content_type_is_explained(client: TestClient) -> None:
    answer = client.post(
        "/v1/judge", content=b'{"a": "x", "b": "y"}', headers={"Content-Type": "text/plain"}
    )
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == (
        "send a JSON object, with the header Content-Type: application/json"
    )
