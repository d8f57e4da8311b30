"""Python, the command line and HTTP answer the same question with the same numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import paraphrast
from paraphrast.cli.main import run

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

A = ["The company sold 40 trucks to Poland in March.", "A cat sat on the mat."]
B = ["The firm sold 25 trucks to Norway in March.", "On the mat sat a cat."]


def posted(client: TestClient, path: str, **body: Any) -> Any:
    found = client.post(path, json=body)
    assert found.status_code == 200, found.text
    return found.json()


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run([*arguments]) == 0
    return json.loads(capsys.readouterr().out)


def files(folder: Path) -> tuple[str, str]:
    for name, texts in (("a.txt", A), ("b.txt", B)):
        (folder / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    return str(folder / "a.txt"), str(folder / "b.txt")


def test_score(client: TestClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = files(tmp_path)
    metrics = ["bleu", "chrf++", "parableu"]
    flags = [flag for name in metrics for flag in ("-m", name)]
    http = posted(
        client, "/v1/score", candidates=B, references=A, metrics=metrics, ci=True, segments=True
    )
    python = paraphrast.score(B, A, metrics=metrics, ci=True)
    shell = printed(capsys, "score", "-c", b, "-r", a, *flags, "--ci", "-f", "json", "-q")
    values = http.pop("values")
    assert http == json.loads(python.to_json()) == shell
    assert values == {name: column.tolist() for name, column in python.segment_values.items()}
    assert all(score["signature"] for score in http["scores"])


def test_compare(client: TestClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = files(tmp_path)
    chosen: dict[str, Any] = {"metrics": ["chrf++"], "test": "randomisation", "seed": 7}
    http = posted(client, "/v1/compare", candidates={"a": A, "b": B}, references=A, **chosen)
    python = json.loads(paraphrast.compare({"a": A, "b": B}, A, **chosen).to_json())
    shell = printed(
        capsys, "compare", "-c", f"a={a}", "-c", f"b={b}", "-r", a, "-m", "chrf++",
        "--test", "randomisation", "--seed", "7", "-f", "json", "-q",
    )  # fmt: skip
    assert python == shell
    for report in http["systems"].values():
        assert report.pop("values") is None
    assert (http["systems"], http["tests"], http["test"]) == (
        python["systems"],
        python["tests"],
        python["test"],
    )


def test_judge(client: TestClient, capsys: pytest.CaptureFixture[str]) -> None:
    http = posted(client, "/v1/judge", a=A[0], b=B[0])["verdicts"][0]
    python = paraphrast.judge(A[0], B[0])
    assert http == json.loads(python.to_json())
    shell = printed(capsys, "judge", A[0], B[0], "-f", "jsonl")
    assert {key: shell[key] for key in ("relation", "confidence", "signature")} == {
        key: http[key] for key in ("relation", "confidence", "signature")
    }


def test_tag(client: TestClient, capsys: pytest.CaptureFixture[str]) -> None:
    http = posted(client, "/v1/tag", a=A[:1], b=B[:1])
    python = paraphrast.tag(A[0], B[0]).to_dict()
    assert http["pairs"] == [json.loads(json.dumps(python))]
    shell = printed(capsys, "tag", A[0], B[0], "-f", "jsonl")
    assert shell["a"]["tags"] == http["pairs"][0]["a"]["tags"]


def test_generate(client: TestClient, capsys: pytest.CaptureFixture[str]) -> None:
    text = "After a long debate, the city council approved the plan for a new library."
    http = posted(client, "/v1/generate", texts=[text], n=2)["choices"][0]
    python = paraphrast.generate(text, n=2)
    assert [one["text"] for one in http["candidates"]] == [one.text for one in python.candidates]
    shell = printed(capsys, "generate", text, "-n", "2", "-f", "jsonl", "-q")
    shown = [(one["text"], one["scores"]) for one in http["candidates"]]
    assert shown == [(one["text"], one["scores"]) for one in shell["candidates"]]


def test_metrics(client: TestClient) -> None:
    cards = client.get("/v1/metrics").json()["metrics"]
    assert [card["name"] for card in cards] == paraphrast.metric_names()
    assert cards[0]["signature"] == paraphrast.metric_card("bleu")["signature"]
