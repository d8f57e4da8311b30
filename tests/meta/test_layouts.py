"""Files: our format both ways, users' tables, and the public sets' layouts."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ConfigError, InputError
from paraphrast.meta import (
    Judgements,
    Output,
    Preference,
    Rating,
    collect,
    read_judgements,
    write_judgements,
)
from paraphrast.meta.layouts import (
    bawden_references,
    darr,
    data_to_text,
    qags,
    summaries,
    wmt_segment,
    wmt_system,
)

ENGLISH = {"reference": "the cat", "source": "die Katze"}


def jsonl(path: Path, *rows: object) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def message(read: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        read()
    return str(caught.value)


# Our format


def test_ratings_with_their_texts(tmp_path: Path) -> None:
    texts = {
        "item": 7,
        "system": "A",
        "candidate": "a cat",
        "references": ["the cat", "cat"],
        "source": "Katze",
    }
    path = jsonl(
        tmp_path / "mine.jsonl",
        {**texts, "rater": "ann", "dimension": "adequacy", "value": 4},
        {"item": 7, "system": "A", "dimension": "fluency", "value": "3.5", "group": None},
        {"item": "7", "system": "B", "candidate": "", "references": "the cat", "remark": [1]},
        {"item": 7.0, "better": "A", "worse": "B"},
    )
    found = read_judgements(path)
    assert found == Judgements(
        "mine",
        (
            Output("", "7", "A", "a cat", ("the cat", "cat"), "Katze"),
            Output("", "7", "B", "", ("the cat",)),
        ),
        (
            Rating("", "7", "A", "adequacy", 4.0, "ann"),
            Rating("", "7", "A", "fluency", 3.5),
        ),
        (Preference("", "7", "A", "B"),),
    )


def test_a_users_csv(tmp_path: Path) -> None:
    path = tmp_path / "study.csv"
    path.write_text(
        'id,mt,output,ref,adequacy,who\n1,A,"a ""cat"",\nhere",the cat,4,ann\n'
        '1,A,"a ""cat"",\nhere",the cat,3,ben\n\n2,B,,"[""one"", ""two""]",1,ann\n3,B,x,[1],2,\n'
    )
    columns = {"item": "id", "system": "mt", "candidate": "output", "references": "ref"}
    found = read_judgements(path, {**columns, "value": "adequacy", "rater": "who"})
    assert found.dimensions() == ("adequacy",)
    assert [(o.item, o.candidate, o.references, o.source) for o in found.outputs] == [
        ("1", 'a "cat",\nhere', ("the cat",), None),
        ("2", "", ("one", "two"), None),
        ("3", "x", ("[1]",), None),
    ]
    assert [(mean.value, mean.count) for mean in found.rated("adequacy")] == [
        (3.5, 2),
        (1.0, 1),
        (2.0, 1),
    ]


def test_a_tsv_without_items(tmp_path: Path) -> None:
    path = tmp_path / "study.tsv"
    path.write_text('hypothesis\treference\tvalue\n"a\tb\t1\nc\t\t2e0\n')
    found = read_judgements(path)
    assert found.outputs == (Output("", "1", "", '"a', ("b",)), Output("", "2", "", "c"))
    assert [(one.item, one.dimension, one.value) for one in found.ratings] == [
        ("1", "value", 1.0),
        ("2", "value", 2.0),
    ]
    assert found.notes == ("no column 'item': every row with a text is an item of its own",)


def test_systems_rated_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "systems.tsv"
    path.write_text("lp\tsystem\tvalue\nde-en\tA\t0.1\nde-en\tB\t-0.2\n")
    assert read_judgements(path).ratings == (
        Rating("de-en", "", "A", "value", 0.1),
        Rating("de-en", "", "B", "value", -0.2),
    )


def test_parquet_of_any_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "item": pa.array([1, 2, None], pa.int64()),
            "system": pa.array(["A", "A", "A"]).dictionary_encode(),
            "value": pa.array([1, None, 3], pa.decimal128(5, 1)),
            "dimension": ["x", "x", "y"],
        }
    )
    path = tmp_path / "x.parquet"
    pq.write_table(table, path)
    found = read_judgements(path, missing="drop")
    assert [(one.item, one.dimension, one.value) for one in found.ratings] == [
        ("1", "x", 1.0),
        ("", "y", 3.0),
    ]
    assert found.notes == ("ratings without a finite value: 1, left out",)
    assert message(lambda: read_judgements(path)) == (
        f"{path}, row 2: the value of 'x' for item '2', system 'A' is missing (empty, null or "
        "NaN); give a number, or leave such ratings out (--missing drop)"
    )


RATING = {"item": "1", "system": "A", "dimension": "d", "value": 1}


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"value": "n/a"}, "column 'value' holds 'n/a'; a number is needed"),
        ({"value": "1_0"}, "column 'value' holds '1_0'; a number is needed"),
        ({"value": True}, "column 'value' holds True; a number is needed"),
        ({"value": [1]}, "column 'value' holds [1]; a number is needed"),
        ({"value": 10**400}, "column 'value' holds 1000000000000000000000000000000000000...; a n"),
        ({"value": None}, "the value of 'd' for item '1', system 'A' is missing"),
        ({"value": ""}, "the value of 'd' for item '1', system 'A' is missing"),
        ({"value": float("nan")}, "the value of 'd' for item '1', system 'A' is missing"),
        ({"value": float("-inf")}, "the value of 'd' for item '1', system 'A' is -inf, which is "),
        ({"item": 1.5}, "column 'item' holds 1.5; text or a whole number is needed"),
        ({"item": False}, "column 'item' holds False; text or a whole number is needed"),
        ({"system": "\ud800"}, r"column 'system' holds '\ud800'; text without half a surrogate"),
        ({"candidate": 5}, "column 'candidate' holds 5; text is needed"),
        ({"candidate": "x", "source": 5}, "column 'source' holds 5; text is needed"),
        ({"candidate": "x", "references": ["a", None]}, "column 'references' holds nothing; text "),
        ({"dimension": None}, "a rating without a dimension"),
        ({"item": None, "system": None}, "a rating that names neither an item nor a system"),
        ({"item": None, "candidate": "x"}, "a text without an item; name its segment or document"),
        ({"better": "A", "worse": "B"}, "a rating and a preference; give each a row of its own"),
    ],
)
def test_bad_cells(tmp_path: Path, row: dict[str, object], text: str) -> None:
    path = jsonl(tmp_path / "x.jsonl", {**RATING, "item": "0"}, {**RATING, **row})
    assert message(lambda: read_judgements(path)).startswith(f"{path}, line 2: {text}")


def test_a_bad_cell_is_named_by_the_users_column(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,score\n1,2\n2,bad\n")
    assert message(lambda: read_judgements(path, {"item": "id", "value": "score"})) == (
        f"{path}, line 3: column 'score' holds 'bad'; a number is needed"
    )


def test_a_preference_needs_two_systems(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "x.jsonl", {"item": 1, "better": "A", "worse": None})
    assert message(lambda: read_judgements(path)) == (
        f"{path}, line 1: a preference must name both systems, better and worse"
    )
    path.write_text('{"item": 1, "better": "A", "worse": "B"}\n{"item": 2}\n')
    assert message(lambda: read_judgements(path)).startswith(f"{path}, line 2: a preference must")


def test_duplicates_name_both_places(tmp_path: Path) -> None:
    text = {**RATING, "candidate": "x"}
    path = jsonl(tmp_path / "x.jsonl", text, {**text, "candidate": "y"})
    assert message(lambda: read_judgements(path)) == (
        f"{path}, line 2: item '1', system 'A' has a different candidate at {path}, line 1; "
        "an output has one text: name the item or the system apart"
    )
    jsonl(path, RATING, {**RATING, "value": 2})
    assert message(lambda: read_judgements(path)) == (
        f"{path}, line 2: an unnamed rater gives item '1', system 'A' 2 for 'd' but 1 at {path}, "
        "line 1; name the raters if there are several"
    )


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,score\n1,2\n")
    assert message(lambda: read_judgements(path)) == (
        f"{path}: no column 'value', nor 'better' and 'worse'; it has: id, score; "
        "name yours, e.g. --column value=score"
    )
    assert message(lambda: read_judgements(path, {"value": "scores"})) == (
        f"{path}: no column 'scores' (did you mean 'score'?) for the value; it has: id, score"
    )
    with pytest.raises(ConfigError, match=r"unknown column 'values' \(did you mean 'value'\?\)"):
        read_judgements(path, {"values": "score"})


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("x.jsonl", "", " is empty: there are no rows in it"),
        ("x.jsonl", "[1]\n", ", line 1: JSONL holds one object, {...}, per line"),
        ("x.jsonl", "{}\n{\n", ", line 2: not valid JSON: Expecting property name"),
        ("x.jsonl", '{"a": 1, "a": 2}\n', ", line 1: not valid JSON: the key 'a' occurs twice"),
        ("x.jsonl", "[" * 100_000, ", line 1: not valid JSON: maximum recursion"),
        ("x.csv", "", " is empty: there are no rows in it"),
        ("x.csv", "a,b\n", " is empty: there are no rows in it"),
        ("x.csv", "a,a\n1,2\n", ", line 1: two columns are named 'a'; rename one"),
        ("x.csv", "a,b\n1\n", ", line 2: 1 fields where the header has 2"),
        ("x.csv", 'a,b\n1,"x\n', ", line 2: a quotation mark in this row is never closed"),
        ("x.tsv", "a\tb\n1\t2\t3\n", ", line 2: 3 fields where the header has 2"),
        ("x.parquet", "none", ": not a Parquet file, or damaged ("),
        ("x.jsonl.gz", "{}", ": named .gz but not gzip data; rename or compress it"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, text: str, error: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert message(lambda: read_judgements(path)).startswith(f"{path}{error}")


def test_parquet_with_a_name_twice(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table([[1], [2]], names=["value", "value"]), path)
    assert message(lambda: read_judgements(path)) == (
        f"{path}: two columns are named 'value'; rename one"
    )


def test_names_that_tell_no_format(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"x\.txt: the name tells no table format; end it in"):
        read_judgements("x.txt")
    found = collect("x", (), [Rating("", "1", "A", "d", 1.0)])
    with pytest.raises(ConfigError, match=r"judgements are written to \.jsonl or \.parquet"):
        write_judgements(tmp_path / "x.tsv", found)
    assert message(lambda: read_judgements(tmp_path / "no.jsonl")).endswith(
        "No such file or directory"
    )


TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
NAME = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)
GROUP = st.sampled_from(["", "de-en", "1"])
KEYS = st.tuples(GROUP, NAME, st.one_of(st.just(""), NAME))
TEXTS = st.tuples(TEXT, st.lists(TEXT, max_size=3).map(tuple), st.none() | TEXT)
RATED = st.tuples(NAME, st.floats(0, 5), st.one_of(st.just(""), NAME))


@st.composite
def sets(draw: st.DrawFn) -> Judgements:
    keys = draw(st.lists(KEYS, min_size=1, max_size=6, unique=True))
    outputs = [Output(*key, *draw(TEXTS)) for key in keys] if draw(st.booleans()) else []
    rated = draw(st.lists(st.tuples(st.sampled_from(keys), RATED), max_size=8))
    once = {(key, mark[0], mark[2]): Rating(*key, *mark) for key, mark in rated}
    pairs = [
        Preference(a[0], a[1], a[2], b[2])
        for a in keys
        for b in keys
        if a[:2] == b[:2] and a[2] != b[2] and a[2] and b[2]
    ]
    if not once and not pairs:
        once[keys[0], "d", ""] = Rating(*keys[0], "d", 1.0)
    return collect("set", outputs, once.values(), pairs)


@settings(deadline=None)
@given(sets(), st.sampled_from(["jsonl", "parquet", "jsonl.gz"]))
def test_what_is_written_reads_back_equal(made: Judgements, ending: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"set.{ending}"
        rows = write_judgements(path, made)
        assert rows == len(made.outputs) + len(made.ratings) + len(made.preferences)
        assert read_judgements(path) == made


def check_read_or_refused(path: Path, read: Callable[[], Judgements]) -> None:
    try:
        found = read()
    except InputError as refused:
        said = str(refused)
    else:
        assert found.ratings or found.preferences
        return
    assert said.startswith((str(path), "x: "))


CELL = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["", "1", "A"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("x"), inner),
    max_leaves=3,
)
COLUMN = st.sampled_from(
    "group item system source references candidate rater dimension value better worse".split()
)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.dictionaries(COLUMN, CELL), max_size=4), st.sampled_from(["error", "drop"]))
def test_any_rows_are_read_or_refused(rows: list[dict[str, object]], missing: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = jsonl(Path(folder) / "x.jsonl", *rows)
        check_read_or_refused(path, lambda: read_judgements(path, missing=missing))  # type: ignore[arg-type]


@settings(deadline=None, max_examples=200)
@given(st.text(st.sampled_from('a,"\n\t1[]value\r'), max_size=40), st.sampled_from(["csv", "tsv"]))
def test_any_flat_file_is_read_or_refused(text: str, ending: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x.{ending}"
        path.write_text(f"item{',' if ending == 'csv' else chr(9)}value\n{text}", newline="")
        check_read_or_refused(path, lambda: read_judgements(path))


# The public sets' layouts, small


def test_wmt_segment(tmp_path: Path) -> None:
    row = {"lp": "cs-en", "item": "1", "system": "", "sid": "", "hypothesis": "a cat", **ENGLISH}
    path = jsonl(tmp_path / "wmt.jsonl.gz", {**row, "human": 0.5})
    found = wmt_segment(path)
    assert found.outputs == (Output("cs-en", "1", "", "a cat", ("the cat",), "die Katze"),)
    assert found.ratings == (Rating("cs-en", "1", "", "da", 0.5),)
    jsonl(path, {**row, "human": None})
    assert "line 1: the value of 'da' for item '1', group 'cs-en' is missing" in message(
        lambda: wmt_segment(path)
    )
    jsonl(path, {**row, "lp": ""})
    assert message(lambda: wmt_segment(path)) == (
        f"{path}, line 1: column 'lp' holds nothing; a name is needed"
    )


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    texts = {"A": "a cat", "B": "cats", "C": "cat"}
    rows = [
        {"lp": lp, "sid": sid, **ENGLISH, "outputs": texts}
        for lp in ("de-en", "fi-en")
        for sid in (1, 2, 3)
    ]
    return jsonl(tmp_path / "outputs.jsonl", *rows)


def test_wmt_system(tmp_path: Path, outputs: Path) -> None:
    scores = tmp_path / "scores.tsv"
    scores.write_text(
        "lp\tsystem\thuman_da_z\nde-en\tA\t0.1\nde-en\tB\t0.2\nde-en\tD\t0\nfi-en\tA\t-0.1\n"
    )
    found = wmt_system(outputs, scores)
    assert found.notes == (
        "de-en: system 'C' has outputs but no human score: left out",
        "fi-en: system 'B' has outputs but no human score: left out",
        "fi-en: system 'C' has outputs but no human score: left out",
        "de-en: system 'D' has a human score but no outputs: left out",
    )
    assert [rating.key for rating in found.ratings] == [
        ("de-en", "", "A"),
        ("de-en", "", "B"),
        ("fi-en", "", "A"),
    ]
    assert len(found.outputs) == 9
    part = wmt_system(outputs, scores, group="de-en", first=2)
    assert {output.key[:2] for output in part.outputs} == {("de-en", "1"), ("de-en", "2")}
    assert part.groups() == ("de-en",)


def test_wmt_system_wants_every_segment(tmp_path: Path, outputs: Path) -> None:
    row = {"lp": "de-en", "sid": 4, **ENGLISH, "outputs": {"A": "x"}}
    with outputs.open("a") as file:
        file.write(json.dumps(row) + "\n")
    scores = tmp_path / "scores.tsv"
    scores.write_text("lp\tsystem\thuman_da_z\nde-en\tA\t0.1\nde-en\tB\t0.2\n")
    assert message(lambda: wmt_system(outputs, scores)).startswith(
        "outputs: system 'B', group 'de-en' has outputs for 3 of 4 items (none for item '4')"
    )


def test_darr(tmp_path: Path, outputs: Path) -> None:
    pair = {"lp": "de-en", "pair_id": "0", "sid": "2", "better": "A", "worse": "C"}
    pairs = jsonl(tmp_path / "pairs.jsonl", pair)
    found = darr(outputs, pairs)
    assert found.preferences == (Preference("de-en", "2", "A", "C"),)
    assert [output.key for output in found.outputs] == [("de-en", "2", "A"), ("de-en", "2", "C")]
    assert found.notes == ("outputs without a preference: 16, left out",)
    jsonl(pairs, pair, {**pair, "worse": "Z"})
    assert message(lambda: darr(outputs, pairs)) == (
        f"{pairs}, line 2: system 'Z', group 'de-en' is in the preferences only; it has no output"
    )


def test_summaries(tmp_path: Path) -> None:
    systems = [
        {"system": name, "hypothesis": text, "human": {"coherence": 1, "fluency": 2.5}}
        for name, text in (("M1", "x"), (0, "y"))
    ]
    row = {"doc_id": 52, "source": "text", "references": ["r", "s"], "systems": systems}
    path = jsonl(tmp_path / "sum.jsonl", row)
    found = summaries(path)
    assert found == qags(path)
    assert found.outputs == (
        Output("", "52", "M1", "x", ("r", "s"), "text"),
        Output("", "52", "0", "y", ("r", "s"), "text"),
    )
    assert found.dimensions() == ("coherence", "fluency")
    jsonl(path, {**row, "systems": [{"system": "M1", "hypothesis": "x", "human": 3}]})
    assert message(lambda: summaries(path)) == (
        f"{path}, line 1, systems 1: column 'human' holds 3; an object is needed"
    )
    jsonl(path, {**row, "systems": {}})
    assert message(lambda: summaries(path)) == (
        f"{path}, line 1: column 'systems' holds {{}}; a list of objects is needed"
    )


def test_data_to_text(tmp_path: Path) -> None:
    row = {"doc_id": 0, "source": "inform()", "hypothesis": "x", "human": {"quality": 3}}
    found = data_to_text(jsonl(tmp_path / "d2t.jsonl", {**row, "references": ["a", "a", "b", "a"]}))
    assert found.outputs == (Output("", "0", "", "x", ("a", "a", "b", "a"), "inform()"),)
    assert found.notes == ("references that repeat another of their item: 2, kept",)


def test_bawden_references(tmp_path: Path) -> None:
    path = tmp_path / "human.tsv"
    path.write_text('sid\treference\tparaphrase1\tparaphrase2\n1\tr\ta "b"\t\n2\tr\tc\td\n')
    found = bawden_references(path)
    assert found.references == {"1": ['a "b"'], "2": ["c", "d"]}
    assert found.notes == ("blank paraphrases: 1, left out",)
    path.write_text("sid\treference\tparaphrase1\n1\tr\ta\n1\tr\tb\n")
    assert message(lambda: bawden_references(path)) == f"{path}, line 3: segment '1' occurs twice"


def test_the_human_paraphrases(data: Callable[[str], Path]) -> None:
    found = bawden_references(data("judgements/bawden_human_paraphrases_deen500.tsv"))
    assert list(found.references) == [str(number) for number in range(1, 501)]
    assert sum(map(len, found.references.values())) == 2495
    assert found.references["3"][0] == "Yes she wants to..."
    assert found.notes == ("blank paraphrases: 5, left out",)
