"""A recipe that prompts a language model, from TOML to the corpus, against a server of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import paraphrast
from paraphrast.cli.main import run
from tests.corpora.translators.server import Script, serving

NAMES = "Anna Bert Carl Dora Emil Fritz Gerda Hanna Ida Jan Karl Lena".split()


def premise(name: str) -> str:
    return f"Yesterday {name} walked slowly home from the market with a bag of red apples."


def paraphrase(name: str) -> str:
    return f"{name} went home from the shops yesterday, carrying red apples, at an easy pace."


def written(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Answer with the paraphrase of the last premise, or with a pair if there is none."""
    asked = body["messages"][1]["content"]
    found = re.search(r"Premise: Yesterday (\w+)[^\n]*\nParaphrase:$", asked)
    name = found[1] if found else "Nobody"
    text = paraphrase(name) if found else f"{premise(name)}\nParaphrase: {paraphrase(name)}"
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    return 200, {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving(Script(forever=written)) as made:
        yield made


def recipe(folder: Path, system: str, **keys: Any) -> Path:
    shown = [{"text1": f"One is {n} here.", "text2": f"Here is {n}, one."} for n in range(4)]
    (folder / "shown.jsonl").write_text("".join(json.dumps(row) + "\n" for row in shown))
    (folder / "texts.txt").write_text("".join(premise(name) + "\n" for name in NAMES))
    step = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
    path = folder / "recipe.toml"
    path.write_text(
        f"""name = "prompted"
shard = 2
[[step]]
use = "source"
files = ["{folder}/texts.txt"]
[[step]]
use = "prompt"
demonstrations = "{folder}/shown.jsonl"
shots = 2
{step}
{system}
"""
    )
    return path


def chat(script: Script, more: str = "") -> str:
    return f'[step.system]\nbackend = "chat"\nurl = "{script.url}"\nmodel = "m"\n{more}'


def test_a_prompt_step_runs_from_a_recipe(
    script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = "tries = 2\nprice = { prompt = 1000.0, completion = 1.0 }"
    path = recipe(tmp_path, chat(script, more), rounds=2)
    assert run(["build", str(path), "-o", str(tmp_path / "c"), "--jobs", "1"]) == 0
    (file,) = (tmp_path / "c").glob("*.jsonl")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert {row["text1"]: row["text2"] for row in rows} == {
        premise(name): paraphrase(name) for name in NAMES
    }
    assert {row["origin"] for row in rows} == {"prompt"}
    assert len(script.seen) == len(NAMES)
    assert "12 pairs" in capsys.readouterr().out
    last = script.seen[-1][2]["messages"][1]["content"]
    assert last.count("Yesterday") == 3, "round 2 shows what round 1 gave"


def test_an_unknown_backend_of_a_prompt_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recipe(tmp_path, '[step.system]\nbackend = "chatt"\nmodel = "m"')
    assert run(["build", str(path), "-o", str(tmp_path / "c"), "--jobs", "1"]) == 2
    said = capsys.readouterr().err
    assert "system.backend: unknown backend 'chatt' (did you mean 'chat'?)" in said
    assert "there are chat, completions, local" in said
    assert "Traceback" not in said


def test_equal_pairs_of_all_rounds_are_kept_once(script: Script, tmp_path: Path) -> None:
    path = recipe(tmp_path, chat(script), rounds=2, premises=False, pairs=6)
    path.write_text(re.sub(r'\[\[step\]\]\nuse = "source"\nfiles.*\n', "", path.read_text()))
    report = paraphrast.build(path, tmp_path / "c", jobs=1)
    last = report.steps[-1]
    assert (last.name, last.rows_in, last.rows_out) == ("prompted", 3, 1)
    assert last.dropped == {"equal pair": 2}
    (folder,) = (tmp_path / "c.work").glob("prompted-*")
    assert '"detail": "to 000000000-01-00"' in (folder / "shard-000000.dropped.jsonl").read_text()
