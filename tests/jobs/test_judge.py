"""`paraphrast.judge` and judging files: what goes in, what comes out, what is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paraphrast
from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.io import Field
from paraphrast.jobs.judge import judge_columns, judge_pairs
from tests.encoders import FORMATS, make_encoder

A, B = "The cat sat on the mat.", "The dog sat on a mat!"


@pytest.fixture(scope="module", params=FORMATS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    made = make_encoder(tmp_path_factory.mktemp("encoder"), format=request.param)
    return str(made)


@pytest.fixture
def judge(model: str) -> Callable[..., Any]:
    def call(*texts: Any) -> Any:
        return paraphrast.judge(*texts, model=model, threads=1)

    return call


def rows_file(path: Path, *rows: object) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_two_texts_give_a_verdict_and_lists_give_a_list(judge: Callable[..., Any]) -> None:
    found = judge(A, B)
    assert isinstance(found, paraphrast.Verdict)
    assert (found.a.text, found.b.text) == (A, B)
    assert judge([A], [B]) == [found]
    many = judge([A, B, A], (B, A, A))
    assert [(one.a.text, one.b.text) for one in many] == [(A, B), (B, A), (A, A)]
    assert many[2].same
    assert judge(iter([A]), iter([B])) == [found]


def test_a_verdict_shows_itself(judge: Callable[..., Any]) -> None:
    found = judge(A, B)
    assert f"a  {A}".replace("cat", "[cat]")[:9] in str(found)
    assert str(found).endswith(found.signature)
    shown = judge("<b>cat</b>", "a dog & <i>")._repr_html_()
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert all(isinstance(reason, paraphrast.Reason) for reason in found.reasons)


def test_other_scripts_are_warned_of_once(judge: Callable[..., Any]) -> None:
    with pytest.warns(UserWarning, match="of the letters are of scripts") as caught:
        judge(["猫", "犬"], ["犬", "猫"])
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ((["a", "b"], ["c"]), "a holds 2 texts and b 1; each needs its partner"),
        (([], []), "the lists are empty: there is nothing to judge"),
        ((["a", 3], ["b", "c"]), "a, item 2: text is needed; got 3"),
        ((["a"], [None]), "b, item 1: text is needed; got None"),
        *(
            ((one, other), f"{name}: give a text for a and one for b, or a list of texts for each")
            for one, other, name in (
                ("a", ["b"], "a"),
                (["a"], "b", "b"),
                ({"a"}, ["b"], "a"),
                (["a"], {"b": 1}, "b"),
                (None, None, "a"),
            )
        ),
    ],
)
def test_what_cannot_be_paired_is_refused_before_a_model_is_loaded(
    texts: tuple[Any, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        paraphrast.judge(*texts, model="./nowhere")
    assert str(caught.value) == message


def test_missing_weights_and_places_are_named() -> None:
    with pytest.raises(ModelError, match=r"^there is no directory '\./nowhere' to load a model"):
        paraphrast.judge(A, B, model="./nowhere")
    with pytest.raises(ConfigError, match=r"^threads must be a whole number, at least 1; got 0$"):
        paraphrast.judge(A, B, threads=0)


# --- files ---------------------------------------------------------------------------------------


def test_pairs_of_a_file(judge: Callable[..., Any], model: str, tmp_path: Path) -> None:
    path = rows_file(tmp_path / "p.jsonl", {"id": "x", "a": A, "b": B}, {"text1": B, "text2": A})
    done: list[int] = []
    rows = list(judge_pairs(path, model=model, threads=1, progress=done.append))
    assert [(row.row, row.id) for row in rows] == [(1, "x"), (2, None)]
    assert [row.verdict.relation for row in rows] == [judge(A, B).relation, judge(B, A).relation]
    assert list(rows[0].to_dict())[:4] == ["row", "id", "a", "b"]
    assert "id" not in rows[1].to_dict()
    assert sum(done) == 2


def test_columns_of_files(judge: Callable[..., Any], model: str, tmp_path: Path) -> None:
    lines = tmp_path / "a.txt.gz"
    lines.write_bytes(gzip.compress(f"{A}\n{B}\n".encode()))
    table = rows_file(tmp_path / "b.jsonl", {"said": B}, {"said": B})
    fields = Field.parse(str(lines), role="text"), Field.parse(f"{table}:said", role="text")
    rows = list(judge_columns(*fields, model=model, threads=1))
    alone = judge(A, B)
    assert rows[0].verdict.confidence == pytest.approx(alone.confidence, abs=1e-4)
    assert (rows[0].verdict.a.text, rows[0].verdict.b.text) == (A, B)
    assert rows[1].verdict.same


def test_a_cell_must_be_one_text(model: str, tmp_path: Path) -> None:
    path = rows_file(tmp_path / "a.jsonl", {"text": A}, {"text": [A, B]})
    field = Field.parse(path, role="text")
    with pytest.raises(InputError, match=r"a\.jsonl, row 2: one text is needed; got \['The cat"):
        list(judge_columns(field, field, model=model, threads=1))


def test_files_of_different_lengths_are_refused(model: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{A}\n{B}\n")
    (tmp_path / "b.txt").write_text(f"{A}\n")
    fields = [Field.parse(str(tmp_path / name), role="text") for name in ("a.txt", "b.txt")]
    with pytest.raises(InputError, match=r"differ in their numbers of rows: .*a\.txt has 2, "):
        list(judge_columns(*fields, model=model, threads=1))


def test_long_and_foreign_rows_are_noted_once(model: str, tmp_path: Path) -> None:
    rows = [{"a": "猫が座った" * 30, "b": "犬"}, {"a": "猫", "b": "犬"}]
    path = rows_file(tmp_path / "p.jsonl", *rows)
    notes: list[str] = []
    list(judge_pairs(path, model=model, threads=1, notes=notes))
    windows, script = notes
    assert windows == "1 pair was too long to be read at once, and read in windows: row 1"
    assert script.startswith("100% of the letters are of scripts")
