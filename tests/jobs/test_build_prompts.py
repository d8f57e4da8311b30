"""A corpus that a prompted model writes: where its pairs come from, and what they cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import paraphrast
from tests.corpora.translators.server import Script, serving

PREMISES = [
    "The cat sat quietly on the old red mat by the door.",
    "The dog slept soundly in the big blue box by the stairs.",
]
PAIRS = {
    PREMISES[0]: "A quiet cat was sitting by the door, on a mat that was old and red.",
    PREMISES[1]: "A dog was sound asleep by the stairs, in a box that was big and blue.",
}


def chat(body: dict[str, Any]) -> tuple[int, Any]:
    """Answer a premise with its paraphrase, and anything else with a whole pair."""
    asked = body["messages"][-1]["content"]
    given = next((one for one in PREMISES if asked.endswith(f"Premise: {one}\nParaphrase:")), None)
    one, two = next(iter(PAIRS.items()))
    said = f" {PAIRS[given]}\n" if given else f"Premise: {one}\nParaphrase: {two}\n"
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return 200, {
        "choices": [{"message": {"content": said}, "finish_reason": "stop"}],
        "usage": usage,
    }


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving(Script(forever=chat)) as made:
        yield made


def written(tmp_path: Path, script: Script, *, premises: bool) -> Path:
    (tmp_path / "texts.txt").write_text("\n".join(PREMISES) + "\n")
    shown = [{"text1": f"number {n} is here", "text2": f"here is the {n}th"} for n in range(4)]
    (tmp_path / "shown.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in shown))
    path = tmp_path / "recipe.toml"
    source = f'[[step]]\nuse = "source"\nfiles = ["{tmp_path}/texts.txt"]\n' if premises else ""
    path.write_text(
        f"""name = "prompted"
{source}
[[step]]
use = "prompt"
demonstrations = "{tmp_path}/shown.jsonl"
shots = 3
pairs = 2
rounds = 2
premises = {json.dumps(premises)}

[step.system]
backend = "chat"
url = "{script.url}"
model = "m"
price = {{ prompt = 20.0, completion = 30.0 }}
"""
    )
    return path


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]


def test_pairs_say_where_their_premises_stand_and_what_they_cost(
    tmp_path: Path, script: Script
) -> None:
    recipe = written(tmp_path, script, premises=True)
    report = paraphrast.build(recipe, tmp_path / "c", jobs=1)
    rows = rows_of(tmp_path / "c")
    assert [(row["text1"], row["text2"]) for row in rows] == list(PAIRS.items())
    assert [(row["sources"], row["from"], row["row"]) for row in rows] == [
        (["000000001"], ["texts.txt"], [1]),
        (["000000002"], ["texts.txt"], [2]),
    ]
    (used,) = report.systems
    assert (used.name, used.kind) == ("m", "prompted")
    assert used.usage["requests"] == 2
    assert used.usage["cost"] == 0.0046  # 2 · (100 · 20 + 10 · 30) / 1,000,000
    assert "cost 0.0046" in (tmp_path / "c" / "README.md").read_text()


def test_pairs_without_a_premise_have_no_place_and_come_once(
    tmp_path: Path, script: Script
) -> None:
    recipe = written(tmp_path, script, premises=False)
    report = paraphrast.build(recipe, tmp_path / "c", jobs=1)
    (row,) = rows_of(tmp_path / "c")
    assert (row["source"], row["sources"], row["from"], row["row"]) == (None, [], [], [])
    assert sum(sum(step.dropped.values()) for step in report.steps) == 1  # the second is equal
