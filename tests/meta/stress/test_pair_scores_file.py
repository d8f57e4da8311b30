"""Scores of the suite that other tools wrote: layouts, order, and what cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from paraphrast.errors import ConfigError, InputError, ParaphrastError
from paraphrast.meta.stress.edge_cases import edge_cases
from paraphrast.meta.stress.pair_scores_file import in_suite_order, read_pair_scores
from paraphrast.meta.stress.suite import stress_pairs

IDS = [pair.id for pair in stress_pairs()]
EDGE_IDS = [case.id for case in edge_cases()]
VALUES = [n / 7 for n in range(len(IDS))]
HOW = "`paraphrast meta stress --pairs -o pairs.tsv` writes the pairs in their order"


def lines(values: list[float]) -> str:
    return "".join(f"{value!r}\n" for value in values)


def tsv(rows: list[tuple[str, float]]) -> str:
    return "id\tscore\n" + "".join(f"{name}\t{value!r}\n" for name, value in rows)


def test_numbers_in_the_order_of_the_suite(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(lines(VALUES))
    (found,) = read_pair_scores([path], [], [])
    assert (found.scores.metric, found.suite, found.edges) == ("mine", VALUES, {})


@pytest.mark.parametrize("backwards", [False, True])
def test_ids_make_the_order_free(tmp_path: Path, backwards: bool) -> None:
    rows = list(zip(IDS, VALUES, strict=True))[:: -1 if backwards else 1]
    path = tmp_path / "mine.tsv"
    path.write_text(tsv(rows))
    (found,) = read_pair_scores([path], [], [])
    assert (found.scores.metric, found.suite) == ("mine", VALUES)


def test_exported_pairs_with_columns_of_scores_added(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = [
        {"id": name, "text1": "a", "text2": "b", "one": value, "two": -value}
        for name, value in zip(IDS, VALUES, strict=True)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    one, two = read_pair_scores([path], ["two"], [])
    assert (one.scores.metric, one.scores.sign) == ("one", 1)
    assert (two.scores.metric, two.scores.sign) == ("two", -1)
    assert two.suite == [-value for value in VALUES]


def test_numbered_segments_as_our_own_score_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "segments.jsonl"
    rows = [{"segment": n, "chrf": v} for n, v in enumerate(VALUES, 1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (found,) = read_pair_scores([path], [], [])
    assert (found.scores.metric, found.suite) == ("chrf", VALUES)


def test_lines_of_comet_score(tmp_path: Path) -> None:
    path = tmp_path / "comet.txt"
    text = "".join(f"b.txt\tSegment {n}\tscore: {v!r}\n" for n, v in enumerate(VALUES))
    path.write_text(f"{text}b.txt\tscore: 0.5\n")
    (found,) = read_pair_scores([path], [], [])
    assert (found.scores.metric, found.suite) == ("COMET", VALUES)


def test_edge_cases_follow_the_suite_or_come_by_id(tmp_path: Path) -> None:
    more = [-float(n) for n in range(len(EDGE_IDS))]
    edges = dict(zip(EDGE_IDS, more, strict=True))
    by_place, by_id = tmp_path / "place.txt", tmp_path / "id.tsv"
    by_place.write_text(lines([*VALUES, *more]))
    by_id.write_text(tsv(list(zip([*EDGE_IDS, *IDS], [*more, *VALUES], strict=True))))
    for path in (by_place, by_id):
        (found,) = read_pair_scores([path], [], [])
        assert (found.suite, found.edges) == (VALUES, edges)


def rows_of(change: Callable[[list[tuple[str, float]]], object]) -> str:
    rows = list(zip(IDS, VALUES, strict=True))
    change(rows)
    return tsv(rows)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", lines(VALUES[:-1]), f"a.txt: a: 575 scores for the 576 pairs of the stress "
                                      f"suite; {HOW}"),
        ("a.txt", "0.5\n", f"a.txt: a: 1 score for the 576 pairs of the stress suite; {HOW}"),
        ("a.txt", "0.5\nhigh\n", "a.txt, line 2: a score is needed; got 'high'"),
        ("a.txt", "0.5\n\n", "a.txt, line 2: a score is needed; got ''"),
        ("a.txt", lines([*VALUES[:3], float("nan"), *VALUES[4:]]),
         f"a.txt: a: the score of {IDS[3]} is nan, not a number"),
        ("a.txt", lines([*VALUES[:-1], float("inf")]),
         f"a.txt: a: the score of {IDS[-1]} is inf, not a number"),
        ("a.tsv", rows_of(lambda rows: rows.append(rows[0])),
         f"a.tsv, line 578: a second score by 'score' for item '{IDS[0]}'"),
        ("a.tsv", rows_of(lambda rows: rows.append((IDS[0] + "x", 1.0))),
         f"a.tsv: a: the stress suite has no pair '{IDS[0]}x' (did you mean '{IDS[0]}'?); {HOW}"),
        ("a.tsv", rows_of(lambda rows: rows.pop(0)), f"a.tsv: a: no score for {IDS[0]}; {HOW}"),
        ("a.tsv", rows_of(lambda rows: rows.__delitem__(slice(0, 3))),
         f"a.tsv: a: no score for {IDS[0]} and 2 more; {HOW}"),
        ("a.tsv", rows_of(lambda rows: rows.append((EDGE_IDS[0], 1.0))),
         f"a.tsv: a: no score for {EDGE_IDS[1]} and {len(EDGE_IDS) - 2} more; {HOW}"),
        ("a.tsv", rows_of(lambda rows: rows.__setitem__(2, (IDS[2], float("nan")))),
         f"a.tsv: a: the score of {IDS[2]} is nan, not a number"),
        ("a.tsv", "id\ttext1\nx\ty\n", "a.tsv: no column of scores in it"),
        ("a.tsv", "pair\tscore\nx\t1\n",
         "a.tsv: no column 'item' or 'system' says what was scored"),
        ("a.jsonl", "", "a.jsonl is empty: there are no rows in it"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_pair_scores([name], [], [])
    assert str(caught.value) == message


def test_several_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{name}\t{system}\t1" for name in IDS for system in "ab"]
    Path("a.tsv").write_text("id\tsystem\tscore\n" + "\n".join(rows) + "\n")
    with pytest.raises(InputError, match=r"^a.tsv: a: scores of several systems; give a file for"):
        read_pair_scores(["a.tsv"], [], [])


def test_two_files_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x").mkdir()
    for path in (Path("a.txt"), Path("x/a.txt")):
        path.write_text(lines(VALUES))
    with pytest.raises(InputError, match=r"^x/a.txt: another file has scores by 'a', too$"):
        read_pair_scores(["a.txt", "x/a.txt"], [], [])


def test_lower_names_a_metric_of_the_files(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(lines(VALUES))
    with pytest.raises(ConfigError, match=r"^lower: no scores by 'mien' \(did you mean 'mine'"):
        read_pair_scores([path], ["mien"], [])
    with pytest.raises(ConfigError, match=r"there are: none$"):
        read_pair_scores([], ["ter"], [])


def test_values_given_in_python() -> None:
    assert in_suite_order(iter(VALUES), "f") == VALUES
    with pytest.raises(ParaphrastError, match=r"^f: 2 scores for the 576 pairs"):
        in_suite_order([1, 2], "f")
    with pytest.raises(InputError, match=r"^f: a number is needed for each pair; could not conv"):
        in_suite_order(["high"], "f")  # type: ignore[list-item]
    with pytest.raises(InputError, match=rf"^f: the score of {IDS[0]} is nan, not a number$"):
        in_suite_order([float("nan"), *VALUES[1:]], "f")
