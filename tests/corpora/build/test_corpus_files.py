"""The assembled corpus: what is in its files, and what verification finds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora.build.corpus_files import write_corpus, write_lines
from paraphrast.corpora.build.manifest import (
    MANIFEST,
    Manifest,
    Provenance,
    read_manifest,
    verify,
    write_manifest,
)
from paraphrast.engine.shards import Counts, Shards
from paraphrast.errors import ConfigError, InputError
from paraphrast.io import write_table

MADE = Provenance(
    recipe="en-pt", recipe_sha256="ab" * 32, seed=13, steps={"clean": "c0ffee"}, version="9.9"
)


def pair(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"{number:09d}",
        "text1": f"uma frase {number} | \t“é”",
        "text2": "outra",
        "overlap": 0.25,
        "quality": None if number % 2 else 0.5,
        "systems": ["a", "b"],
        "scores": {} if number % 2 else {"sbleu.a": 0.5},
        "label": None,
        **more,
    }


def split(count: int) -> list[dict[str, Any]]:
    return [pair(n, split="test" if n % 3 == 0 else "train") for n in range(count)]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_file_for_each_split_with_provenance(tmp_path: Path) -> None:
    rows = split(7)
    manifest = write_corpus(tmp_path / "new" / "out", rows, MADE, splits=("train", "dev", "test"))
    home = tmp_path / "new" / "out"
    assert {path.name for path in home.iterdir()} == {"train.jsonl", "dev.jsonl", "test.jsonl"}
    for name in ("train", "dev", "test"):
        wanted = [{**row, "made": MADE.to_dict()} for row in rows if row["split"] == name]
        assert lines(home / f"{name}.jsonl") == wanted
    sizes = {file.path: file.rows for file in manifest.files}
    assert sizes == {"train.jsonl": 4, "dev.jsonl": 0, "test.jsonl": 3}
    assert manifest.rows == 7


def test_parquet_holds_the_same_with_every_column_and_score(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [pair(1), pair(2), pair(3, extra="x")]
    manifest = write_corpus(tmp_path, rows, MADE, formats=("jsonl", "parquet"))
    assert [file.path for file in manifest.files] == ["pairs.jsonl", "pairs.parquet"]
    assert manifest.rows == 3
    found = parquet.read_table(tmp_path / "pairs.parquet").to_pylist()
    assert [row["text1"] for row in found] == [row["text1"] for row in rows]
    assert [row["scores"] for row in found] == [
        {"sbleu.a": None},
        {"sbleu.a": 0.5},
        {"sbleu.a": None},
    ]
    assert [row["extra"] for row in found] == [None, None, "x"]
    assert found[0]["made"]["steps"] == {"clean": "c0ffee"}
    alone = tmp_path / "alone"
    write_corpus(alone, rows, MADE, formats=("parquet",))
    assert [path.name for path in alone.iterdir()] == ["pairs.parquet"]
    assert (alone / "pairs.parquet").read_bytes() == (tmp_path / "pairs.parquet").read_bytes()


def test_columns_and_scores_that_come_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are set aside a few at a time; what the later ones bring, the first ones lack."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("paraphrast.corpora.build.corpus_files.BATCH_ROWS", 4)
    monkeypatch.setattr("paraphrast.io.writers.BATCH_ROWS", 4)
    rows: list[dict[str, Any]] = [pair(2 * n + 1, overlap=0, quality=None) for n in range(9)]
    rows += [pair(9, scores={"b": n / 8, "a": n / 2}, extra=["x"] * n) for n in range(5)]
    rows += [pair(8, label="positive", split="pairs")]
    rows += [{"id": "last", "split": None, "extra": None, "later": True}]
    write_corpus(tmp_path, rows, MADE, formats=("parquet",))
    names = dict.fromkeys(name for row in rows for name in row)
    whole = [
        {
            **{name: row.get(name) for name in names},
            "scores": {"b": None, "a": None, **row.get("scores", {})},
            "made": MADE.to_dict(),
        }
        for row in rows
    ]
    write_table(tmp_path / "whole.parquet", whole)
    found = (tmp_path / "pairs.parquet").read_bytes()
    assert found == (tmp_path / "whole.parquet").read_bytes()


def test_parquet_of_pairs_without_any_score(tmp_path: Path) -> None:
    """Parquet has no struct without fields."""
    parquet = pytest.importorskip("pyarrow.parquet")
    write_corpus(tmp_path, [pair(1), pair(3)], MADE, formats=("parquet",))
    found = parquet.read_table(tmp_path / "pairs.parquet").to_pylist()
    assert [row["scores"] for row in found] == [None, None]
    assert found[1]["text1"] == pair(3)["text1"]


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = (write_corpus(tmp_path / name, split(20), MADE) for name in "ab")
    assert one == two


def test_lines_of_shards_give_the_same_bytes(tmp_path: Path) -> None:
    """What shards hold is taken as it is, unless it has to be looked at."""
    rows = [*split(9), pair(9, text2="NaN, Infinity \u2028 \x85"), pair(10, made={"old": 1})]
    shards = Shards(tmp_path / "shards")
    for number, part in enumerate((rows[:5], [], rows[5:])):
        shards.seal(number, shards.put(number, part, Counts()))
    shards.finish(3, Counts())
    read = write_lines(tmp_path / "read", shards.lines(), MADE, formats=("jsonl", "parquet"))
    assert read == write_corpus(tmp_path / "made", rows, MADE, formats=("jsonl", "parquet"))
    shards.put(1, [pair(5, quality=math.nan, split="test")], Counts())
    with pytest.raises(InputError, match="pair 3 of test cannot be written as JSON: "):
        write_lines(tmp_path / "nan", shards.lines(), MADE)


def test_rows_stream(tmp_path: Path) -> None:
    """A file must not wait for all rows: they would not fit into memory."""
    seen: list[int] = []

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(30_000):
            if number == 25_000:
                seen.extend(path.stat().st_size for path in tmp_path.glob(".*"))
            yield pair(number)

    write_corpus(tmp_path, rows(), MADE)
    assert seen
    assert seen[0] > 1_000_000


def test_a_failure_leaves_the_corpus_of_before(tmp_path: Path) -> None:
    write_manifest(tmp_path, write_corpus(tmp_path, [pair(1)], MADE))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def broken() -> Iterator[dict[str, Any]]:
        yield pair(2)
        raise InputError("the disk is full")

    with pytest.raises(InputError, match="the disk is full"):
        write_corpus(tmp_path, broken(), MADE, formats=("parquet", "jsonl"))
    with pytest.raises(InputError, match="no pair is left"):
        write_corpus(tmp_path, [], MADE)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert verify(tmp_path).rows == 1
    write_corpus(tmp_path, [pair(2)], MADE)  # the manifest is the caller's
    with pytest.raises(InputError) as error:
        verify(tmp_path)
    assert str(error.value) == f"{tmp_path} is not a finished corpus: it has no {MANIFEST}"


def test_the_splits_have_one_schema(tmp_path: Path) -> None:
    """One split has mined pairs only, another none at all; all can be read together."""
    parquet = pytest.importorskip("pyarrow.parquet")
    where = {"sources": ["1"], "from": ["f"], "row": [1]}
    mined = {"quality": None, "systems": [], "sources": [], "from": [], "row": [], "scores": {}}
    rows = [pair(2, split="train", **where), pair(3, **{**mined, "split": "test"})]
    write_corpus(tmp_path, rows, MADE, formats=("parquet",), splits=("train", "test", "dev"))
    train, test, dev = (
        parquet.read_schema(tmp_path / f"{name}.parquet") for name in ("train", "test", "dev")
    )
    assert train.equals(test)
    assert train.equals(dev)
    types = {field.name: str(field.type) for field in train if field.name != "made"}
    assert types.pop("scores") == "struct<sbleu.a: double>"
    assert types == {
        **dict.fromkeys(("id", "text1", "text2", "label", "split"), "string"),
        **dict.fromkeys(("overlap", "quality"), "double"),
        **dict.fromkeys(("systems", "sources", "from"), "list<element: string>"),
        "row": "list<element: int64>",
    }
    assert parquet.read_table(tmp_path / "dev.parquet").num_rows == 0
    assert parquet.read_table(tmp_path / "test.parquet").to_pylist()[0]["sources"] == []


@pytest.mark.parametrize(
    ("rows", "options", "kind", "said"),
    [
        ([], {}, InputError, "no pair is left to write into {}; see what the steps dropped"),
        ([pair(1)], {"formats": ()}, ConfigError, "a corpus needs a format: jsonl or parquet"),
        ([pair(1)], {"formats": ("parket",)}, ConfigError,
         "unknown format 'parket' (did you mean 'parquet'?); known: jsonl, parquet"),
        ([pair(1, split="tset")], {"splits": ("train", "test")}, InputError,
         "a pair is of the split 'tset'; the splits are train, test"),
        ([pair(1, split="../x")], {}, ConfigError,
         "a split is named in letters and digits; got '../x'"),
        ([pair(1), pair(2, quality=float("nan"))], {}, InputError,
         "pair 2 of pairs cannot be written as JSON: Out of range float values are not JSON "
         "compliant"),
    ],
)  # fmt: skip
def test_what_is_refused(
    tmp_path: Path, rows: Any, options: Any, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind) as error:
        write_corpus(tmp_path, rows, MADE, **options)
    assert str(error.value).startswith(said.format(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="pair 1 of pairs cannot be written as JSON"):
        write_corpus(tmp_path, [pair(1, text2="\ud800")], MADE)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    manifest = write_corpus(tmp_path, split(5), MADE)
    (tmp_path / "card.md").write_text("# card\n", encoding="utf-8")
    write_manifest(tmp_path, manifest.with_files(tmp_path, ["card.md"]))
    return tmp_path


def test_a_whole_corpus_is_verified(corpus: Path) -> None:
    found = verify(corpus)
    assert (found.files, found.rows, found.others) == (3, 5, ())
    (corpus / "mine.txt").write_text("x")
    assert verify(corpus).others == ("mine.txt",)
    manifest = read_manifest(corpus)
    assert manifest.provenance == MADE.to_dict()
    assert isinstance(manifest, Manifest)


def test_what_was_altered_is_named(corpus: Path) -> None:
    train = corpus / "train.jsonl"
    raw = train.read_bytes()
    train.write_bytes(raw.replace(b"uma frase 1", b"uma frase 7"))
    (corpus / "card.md").write_text("# card, longer\n")
    (corpus / "test.jsonl").unlink()
    with pytest.raises(InputError) as error:
        verify(corpus)
    assert str(error.value) == (
        f"{corpus} is not as it was built: test.jsonl is missing; train.jsonl was altered: other "
        "contents; card.md was altered: 15 bytes instead of 7"
    )


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("{", "not valid JSON"),
        ("[]", "is not the manifest of a corpus"),
        ('{"kind": "paraphrast corpus"}', "no list of files"),
        ('{"kind": "paraphrast corpus", "files": [3]}', "an entry of a file is damaged: 3"),
        ('{"kind": "paraphrast corpus", "files": [{"path": 3, "bytes": 1, "sha256": ""}]}',
         "an entry of a file is damaged"),
        ('{"kind": "paraphrast corpus", "files": [{"path": "x", "bytes": "x", "sha256": ""}]}',
         "an entry of a file is damaged"),
        ('{"kind": "paraphrast corpus", "files": [{"path": "../x", "bytes": 1, "sha256": ""}]}',
         "names '../x', which is not inside the folder"),
        ('{"kind": "paraphrast corpus", "files": [{"path": "/etc/x", "bytes": 1, "sha256": ""}]}',
         "names '/etc/x', which is not inside the folder"),
    ],
)  # fmt: skip
def test_damaged_manifests(tmp_path: Path, manifest: str, said: str) -> None:
    (tmp_path / MANIFEST).write_text(manifest)
    with pytest.raises(InputError) as error:
        verify(tmp_path)
    assert said in str(error.value)


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a finished corpus: there is no such folder"):
        verify(tmp_path / "nothing")
