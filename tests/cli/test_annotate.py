"""`paraphrast annotate`, from a table of pairs to a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from paraphrast.cli.main import run
from paraphrast.corpora.annotation.project import OWNER, AnnotationProject


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    rows = [
        {"id": n, "text1": f"One sells {n} cars.", "text2": f"One buys {n} cars."} for n in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def desk(tmp_path: Path, pairs: Path, capsys: pytest.CaptureFixture[str]) -> str:
    folder = str(tmp_path / "desk")
    given = ["--pairs", str(pairs), "--shared", "1", "--order", "file"]
    assert run(["annotate", "init", folder, *given]) == 0
    assert "a project of 4 pairs" in capsys.readouterr().out
    return folder


def _answers(tmp_path: Path, labels: dict[str, str]) -> str:
    path = tmp_path / "answers.jsonl"
    rows = [
        {"id": str(n), "annotator": name, "label": label}
        for name, word in labels.items()
        for n, label in enumerate({"p": "positive", "n": "negative"}[one] for one in word)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_answers_come_in_and_a_report_goes_out(
    tmp_path: Path, desk: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = _answers(tmp_path, {"ana": "ppnn", "bo": "pnnn"})
    assert run(["annotate", "import", desk, answers]) == 0
    told = capsys.readouterr()
    assert told.out == "answers: 8 new, 0 there already\n"
    assert "accounts without a password were made: ana, bo" in told.err
    assert run(["annotate", "report", desk, "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["agreement"]["overall"]["kappa"] == pytest.approx(0.5)
    assert run(["annotate", "merge", desk]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "agreed: 3; drawn from close ones: 0",
        "waiting for an adjudicator: 1",
    ]
    for name, begins in (("r.html", "<!doctype html>"), ("r.md", "# desk"), ("r.txt", "desk (lab")):
        assert run(["annotate", "report", desk, "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)


def test_accounts(
    desk: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARAPHRAST_PASSWORD", "correct horse")
    assert run(["annotate", "account", desk, "ana", "--password"]) == 0
    assert run(["annotate", "account", desk, "ana", "--role", "adjudicator"]) == 0
    with AnnotationProject.open(desk) as project:
        assert project.accounts.log_in("ana", "correct horse").account.role == "adjudicator"
    assert run(["annotate", "account", desk, "ana", "--close"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["ana", "adjudicator", "closed"]


def test_pairs_that_changed_are_refused_unless_revised(
    desk: str, pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs.write_text(
        pairs.read_text().replace("sells 3", "rents 3") + '{"id": "n", "a": "A", "b": "B"}\n'
    )
    assert run(["annotate", "add", desk, "--pairs", str(pairs)]) == 1
    assert "'3'; nothing was changed" in capsys.readouterr().err
    assert run(["annotate", "add", desk, "--pairs", str(pairs), "--revise"]) == 0
    assert capsys.readouterr().out == "pairs: 1 new, 3 as they were, 1 changed\n"


def test_guidelines_rebuild_and_log(
    tmp_path: Path, desk: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (Path(desk) / "guidelines.md").write_text("Read twice.\n", encoding="utf-8")
    assert run(["annotate", "guidelines", desk]) == 0
    assert "version 2" in capsys.readouterr().out
    assert run(["annotate", "rebuild", desk]) == 0
    assert "the tables are as they were" in capsys.readouterr().out
    log = str(tmp_path / "log.jsonl")
    assert run(["annotate", "export", desk, "--as", "log", "-o", log]) == 0
    assert run(["annotate", "restore", str(tmp_path / "copy"), log]) == 0
    assert (tmp_path / "copy" / "guidelines.md").read_text(encoding="utf-8") == "Read twice.\n"


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ('task = "stars"', "task is one of labels, spans, both, rating; got 'stars'"),
        ("shared = 2", "shared is a share from 0 to 1"),
        ("share = 0.5", "unknown key 'share' (did you mean 'shared'?)"),
        ('edits = ["a", "a"]', "the kind of edit 'a' is there twice"),
        ("lowest = 5\nhighest = 5", "has no length"),
        ("[[labels]]\nname = 'a'\nkey = '1'", "at least two"),
        ("[[labels]]\nname = 'a'", "the key 'key' is missing"),
    ],
)
def test_rules_that_make_no_sense_are_wrong_usage(
    tmp_path: Path, pairs: Path, rules: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(rules + "\n", encoding="utf-8")
    given = [
        "annotate",
        "init",
        str(tmp_path / "desk"),
        "--pairs",
        str(pairs),
        "--rules",
        str(path),
    ]
    assert run(given) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "desk" / "project.toml").exists()


def test_what_is_no_project_and_what_has_a_password_is_told(
    tmp_path: Path, pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["annotate", "report", str(tmp_path)]) == 1
    assert "is no annotation project" in capsys.readouterr().err
    given = ["annotate", "init", str(tmp_path / "d"), "--pairs", str(pairs)]
    assert run([*given, "--store", "postgresql://me:secret@localhost/x"]) == 2
    assert "holds a password" in capsys.readouterr().err
    assert run([*given, "--store", "mysql://localhost/x"]) == 2
    assert "SQLite or PostgreSQL" in capsys.readouterr().err


def test_the_owner_is_nobody_s_account(desk: str) -> None:
    with AnnotationProject.open(desk) as project:
        assert OWNER not in {one.name for one in project.accounts.all(OWNER)}
