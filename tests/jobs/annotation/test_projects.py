"""Suggestions and orders by models, and the room without its packages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from paraphrast.errors import ConfigError
from paraphrast.jobs.annotation.projects import init_annotation, read_settings, suggest_answers
from paraphrast.jobs.judge import judge
from paraphrast.jobs.tag import tag
from tests.encoders import make_encoder

TEXTS = [
    ("The dog runs fast.", "The dog runs."),
    ("The cat sat on the mat.", "A cat sat on a mat."),
    ("It rained all day.", "It rained all day."),
    ("She left early.", "He came late."),
]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_encoder(tmp_path_factory.mktemp("encoder"), format=2))


def _init(tmp_path: Path, rows: list[dict[str, Any]] | None = None, **rules: Any) -> str:
    path = tmp_path / "pairs.jsonl"
    rows = rows or [{"text1": a, "text2": b} for a, b in TEXTS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    folder = str(tmp_path / "desk")
    assert init_annotation(folder, str(path), rules=rules) == len(rows)
    return folder


def _order(folder: str) -> list[str]:
    with AnnotationProject.open(folder) as project:
        return [one.pair.text1.text for one in project.pairs.all(OWNER)]


def test_the_least_sure_come_first(tmp_path: Path, encoder: str) -> None:
    folder = _init(tmp_path, task="both", order="least sure", blind=0.0)
    suggest_answers(folder, model=encoder)
    verdicts = judge([a for a, _ in TEXTS], [b for _, b in TEXTS], model=encoder)
    sure = {one.a.text: one.confidence for one in verdicts}
    shown = [sure[text] for text in _order(folder)]
    assert shown == sorted(shown)
    with AnnotationProject.open(folder) as project:
        project.accounts.add(OWNER, "ana", "annotator")
        item = project.work.next("ana")
        assert item is not None
        assert item.suggested is not None
        said = next(one for one in verdicts if one.a.text == item.pair.text1.text)
        assert item.suggested.label == ("positive" if said.same else "negative")
        assert item.suggested.tags(item.pair) == (list(said.a.tags), list(said.b.tags))
        assert item.sources == ("judge",)
        project.rebuild()


def test_pairs_without_tags_come_first(tmp_path: Path, encoder: str) -> None:
    folder = _init(tmp_path, task="spans", order="no tags first")
    suggest_answers(folder, model=encoder)
    marks = {one.a.text: sum(one.a.tags) + sum(one.b.tags) for one in tag(TEXTS, model=encoder)}
    shown = [marks[text] for text in _order(folder)]
    assert shown == sorted(shown)


def test_tags_that_come_along_are_suggestions(tmp_path: Path) -> None:
    def side(*tags: int) -> dict[str, Any]:
        return {"words": ["A", "B"], "tags": list(tags)}

    rows = [
        {"id": name, "a": side(*tags), "b": side(0, 0)}
        for name, tags in (("two", (1, 1)), ("none", (0, 0)), ("one", (0, 1)))
    ]
    folder = _init(tmp_path, rows, task="spans", order="no tags first", blind=0.0)
    with AnnotationProject.open(folder) as project:
        assert [one.pair.id for one in project.pairs.all(OWNER)] == ["none", "one", "two"]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"task": "rating"}, "no model suggests ratings"),
        ({"labels": [{"name": n, "key": n} for n in "ab"]}, "'positive' and 'negative' only"),
    ],
)
def test_what_no_model_can_suggest(tmp_path: Path, rules: dict[str, Any], message: str) -> None:
    folder = _init(tmp_path, **rules)
    with pytest.raises(ConfigError, match=message):
        suggest_answers(folder)


def test_suzukis_edits_have_a_name(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('edits = "suzuki"\n', encoding="utf-8")
    assert len(read_settings(str(path))["edits"]) == 7


@pytest.mark.parametrize("package", ["sqlalchemy", "alembic", "argon2"])
def test_without_its_packages_the_extra_is_named(package: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None; "
        "from paraphrast.cli.main import run; sys.exit(run(['annotate', 'report', 'x']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'paraphrast[annotate]'" in done.stderr
