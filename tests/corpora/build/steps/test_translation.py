"""Translation as a step: rows in, rows with translations or reasons out."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora.build.steps.translation import SystemTranslation
from paraphrast.corpora.translators.programs.command import Command
from paraphrast.corpora.translators.spending import read_usage
from paraphrast.corpora.translators.translator import System, Usage
from paraphrast.engine.pool import Local
from paraphrast.engine.stages import Stages, silent
from paraphrast.engine.step import Dropped, Row
from paraphrast.errors import ConfigError, InputError
from tests.corpora.translators.sample_programs import reverser, shell


def system(there: tuple[str, ...], back: tuple[str, ...] | None, **options: Any) -> System:
    forward = Command(name="tool", source="en", target="xx", command=there, **options)
    if back is None:
        return System("tool", forward)
    backward = Command(name="tool", source="xx", target="en", command=back, **options)
    return System("tool", forward, backward)


def row(number: int, text: str, **more: Any) -> Row:
    return {"id": f"{number:09d}", "text": text, "from": "f", "row": number, **more}


def run(step: SystemTranslation, rows: list[Row]) -> list[Row | Dropped]:
    with pickle.loads(pickle.dumps(step)).open() as work:
        return list(work(rows))


UPPER, LOWER = ("tr", "a-z", "b-za"), ("tr", "b-za", "a-z")


def test_translations_and_ways_back_are_added_beside_those_of_others() -> None:
    given = row(1, "abc", translations={"other": "q"}, back={"other": "r"})
    found = run(SystemTranslation(system(UPPER, LOWER), "round-trip"), [given, row(2, "de")])
    assert found == [
        {
            **row(1, "abc"),
            "translations": {"other": "q", "tool": "bcd"},
            "back": {"other": "r", "tool": "abc"},
        },
        {**row(2, "de"), "translations": {"tool": "ef"}, "back": {"tool": "de"}},
    ]
    assert given["translations"] == {"other": "q"}


def test_rows_that_fail_are_dropped_with_the_system_s_name() -> None:
    texts = ["abc", "", "12 34", "a sentence of many words"]
    mixed = shell('while read -r l; do case "$l" in 12*) echo "";; *) echo "$l";; esac; done')
    rows = [row(n, text) for n, text in enumerate(texts)]
    found = run(SystemTranslation(system(mixed, UPPER)), rows)
    assert found == [
        {**rows[0], "translations": {"tool": "abc"}, "back": {"tool": "bcd"}},
        Dropped(rows[1], "tool: empty", "there is nothing to translate"),
        Dropped(rows[2], "tool: empty"),
        Dropped(rows[3], "tool: echo", texts[3]),
    ]
    found = run(SystemTranslation(system(UPPER, mixed)), [row(0, "z sentence of many words")])
    assert [each.reason for each in found if isinstance(each, Dropped)] == ["tool, back: echo"]


@pytest.mark.parametrize("live", [False, True])
def test_a_row_that_kills_the_translator_is_dropped_and_the_others_are_not(
    live: bool, tmp_path: Path
) -> None:
    there = reverser(tmp_path)
    rows = [row(n, f"text {n}") for n in range(70)]  # more than are under way at once
    rows[3]["text"] = "a poisonous row"
    rows[66]["text"] = "another poison"
    found = run(SystemTranslation(system(there, None, live=live)), rows)
    assert [each["translations"]["tool"] for each in found if isinstance(each, dict)] == [
        each["text"][::-1] for each in rows if "poison" not in each["text"]
    ]
    lost = [each for each in found if isinstance(each, Dropped)]
    assert [each.row["id"] for each in lost] == ["000000003", "000000066"]
    assert {each.reason for each in lost} == {"tool: translator died"}


def test_a_system_without_a_way_back_makes_no_round_trips() -> None:
    one_way = system(UPPER, None)
    found = run(SystemTranslation(one_way), [row(1, "abc")])
    assert found == [{**row(1, "abc"), "translations": {"tool": "bcd"}, "back": {}}]
    with pytest.raises(ConfigError) as error:
        SystemTranslation(one_way, "source")
    assert str(error.value) == (
        "round trips need a way back, which the system 'tool' has not; "
        "give it back_modes or back_command"
    )
    with pytest.raises(ConfigError, match=r"unknown way 'tarket' \(did you mean 'target'\?\)"):
        SystemTranslation(one_way, "tarket")


def test_the_signature_holds_both_directions() -> None:
    step = SystemTranslation(system(UPPER, LOWER))
    assert json.loads(json.dumps(step.signature)) == step.signature
    assert step.signature != SystemTranslation(system(UPPER, None)).signature
    assert step.signature != SystemTranslation(system(LOWER, UPPER)).signature
    assert step.name == "translate with tool"


def test_what_was_used_is_logged_and_added_up(tmp_path: Path) -> None:
    log = tmp_path / "usage.jsonl"
    step = SystemTranslation(system(UPPER, LOWER), usage_log=log)
    assert read_usage(log) == {}
    with step.open() as work:
        list(work([row(1, "abc")]))
        list(work([row(2, "de"), row(3, "f")]))
    log.write_text(log.read_text() + '{"system": "tool", "te')  # as a kill leaves it
    used = read_usage(log)
    assert list(used) == ["tool", "tool, back"]
    assert (used["tool"].texts, used["tool"].characters) == (3, 6)
    assert used["tool, back"].texts == 3
    assert step.signature == SystemTranslation(system(UPPER, LOWER)).signature
    with pytest.raises(InputError, match="cannot write"):
        run(SystemTranslation(system(UPPER, None), usage_log=tmp_path), [row(1, "abc")])


@pytest.mark.parametrize("path", [None, "/their/own"])
def test_a_command_sees_the_python_path_of_the_user(
    tmp_path: Path, path: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if path is not None:
        monkeypatch.setenv("PYTHONPATH", path)
    told = shell('while read -r l; do echo "<${PYTHONPATH-unset}>"; done')
    stages = Stages(tmp_path, Local(1), silent)
    before = stages.begin("source", {}, lambda: [row(1, "abc")])
    made = stages.step(SystemTranslation(system(told, None)), before)
    assert [each["translations"]["tool"] for each in made.shards.rows()] == [f"<{path or 'unset'}>"]


def test_usage_adds_up_and_begins_anew() -> None:
    used = Usage(texts=2, seconds=1.5)
    used.add(Usage(texts=1, requests=3, seconds=0.5))
    assert used == Usage(texts=3, requests=3, seconds=2.0)
    assert used.drain() == Usage(texts=3, requests=3, seconds=2.0)
    assert used == Usage()
