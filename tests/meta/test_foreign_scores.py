"""Files of other tools are read as they write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paraphrast.errors import InputError
from paraphrast.meta.alignment import Scores
from paraphrast.meta.judgements import Output, Rating, collect
from paraphrast.meta.layouts import read_judgements
from paraphrast.meta.score_files import read_scores, with_systems_of

# comet-score --to_json of unbabel-comet 2.2: a list of segments for each file
COMET = {
    "out/a.txt": [
        {"src": "s", "mt": "x", "ref": "r", "COMET": 0.5},
        {"src": "s", "mt": "y", "ref": "r", "COMET": 0.75},
    ],
    "out/b.txt": [
        {"src": "s", "mt": "x", "ref": "r", "COMET": 0.25},
        {"src": "s", "mt": "y", "ref": "r", "COMET": 1.0},
    ],
}
COMET_VALUES = {
    ("", "1", "a"): 0.5,
    ("", "2", "a"): 0.75,
    ("", "1", "b"): 0.25,
    ("", "2", "b"): 1.0,
}
# sacrebleu 2.6 -f json, one system and two metrics
SACREBLEU = [
    {"name": "BLEU", "score": 39.3, "signature": "nrefs:1|case:mixed|version:2.6.0", "tok": "13a"},
    {"name": "TER", "score": 29.4, "signature": "nrefs:1|case:lc|tok:tercom|version:2.6.0"},
]


def one(path: Path, text: str) -> Scores:
    path.write_text(text)
    (found,), _ = read_scores([path])
    return found


def test_comet_score_json(tmp_path: Path) -> None:
    found = one(tmp_path / "comet.json", json.dumps(COMET, indent=4))
    assert (found.metric, found.values) == ("COMET", COMET_VALUES)
    single = one(tmp_path / "old.json", json.dumps(COMET["out/a.txt"]))
    assert single.values == {("", "1", ""): 0.5, ("", "2", ""): 0.75}


def test_comet_score_lines_count_from_nought(tmp_path: Path) -> None:
    lines = [
        f"out/{system}.txt\tSegment {number - 1}\tscore: {value:.4f}"
        for (_, item, system), value in COMET_VALUES.items()
        for number in [int(item)]
    ]
    text = "\n".join([*lines, "out/a.txt\tscore: 0.6250", "out/b.txt\tscore: 0.6250"]) + "\n"
    for name in ("comet.txt", "comet.tsv"):
        assert one(tmp_path / name, text).values == COMET_VALUES
    with pytest.raises(InputError, match="line 7: no line of comet-score: 'what"):
        one(tmp_path / "comet.txt", text + "what\n")


def test_sacrebleu_json_of_one_system(tmp_path: Path) -> None:
    path = tmp_path / "online-A.json"
    path.write_text(json.dumps(SACREBLEU))
    (bleu, ter), _ = read_scores([path])
    assert bleu.values == {("", "", "online-A"): 39.3}
    assert bleu.signature == "bleu|nrefs:1|case:mixed|version:2.6.0"
    assert ter.signature.startswith("ter|")
    path.write_text(json.dumps(SACREBLEU[0]))
    assert read_scores([path])[0][0].values == bleu.values


def test_sacrebleu_json_of_several_systems(tmp_path: Path) -> None:
    rows = [{"system": "x/c.txt", "BLEU": "39.3"}, {"system": "d", "BLEU": {"score": 38.2}}]
    found = one(tmp_path / "all.json", json.dumps(rows))
    assert found.values == {("", "", "c"): 39.3, ("", "", "d"): 38.2}


def test_mt_metrics_eval_scores_and_ratings(tmp_path: Path) -> None:
    lines = "A\t1.5\nA\tNone\nB\t2\nB\t-3.0\n"
    found = one(tmp_path / "BLEU-refA.seg.score", lines)
    assert found.metric == "BLEU-refA"
    assert found.values == {("", "1", "A"): 1.5, ("", "1", "B"): 2.0, ("", "2", "B"): -3.0}
    systems = one(tmp_path / "BLEU-refA.sys.score", "A 1\nB 2\n")
    assert systems.values == {("", "", "A"): 1.0, ("", "", "B"): 2.0}
    human = tmp_path / "en-de.mqm.seg.score"
    human.write_text(lines)
    judged = read_judgements(human)
    assert judged.dimensions() == ("mqm",)
    assert {rating.key: rating.value for rating in judged.ratings} == found.values
    assert judged.notes == ("outputs that nobody rated: 1, left out",)
    with pytest.raises(InputError, match="line 1: a system and a score are needed; got 'A'"):
        one(tmp_path / "x.seg.score", "A\n")
    with pytest.raises(InputError, match="a score is needed; got 'high'"):
        one(tmp_path / "x.seg.score", "A high\n")


def test_our_own_report_carries_signatures(tmp_path: Path) -> None:
    score = {"metric": "ter", "score": 29.4, "signature": "ter|nrefs:1"}
    report = {"systems": {"c": {"scores": [score]}, "d": {"scores": [score | {"score": 30}]}}}
    found = one(tmp_path / "report.json", json.dumps(report))
    assert found.values == {("", "", "c"): 29.4, ("", "", "d"): 30.0}
    assert found.signature == "ter|nrefs:1"


def test_json_that_is_none_of_these(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no layout of comet-score, sacrebleu"):
        one(tmp_path / "x.json", '[{"item": "1", "m": 2}]')
    # one object per line is a table, whatever the name
    assert one(tmp_path / "x.json", '{"item": "1", "m": 2}\n').values == {("", "1", ""): 2.0}


def test_several_files_are_one_set_of_metrics(tmp_path: Path) -> None:
    for name in ("BLEU", "chrF"):
        (tmp_path / f"{name}.sys.score").write_text("A 1\nB 2\n")
    paths = [tmp_path / f"{name}.sys.score" for name in ("BLEU", "chrF")]
    assert [found.metric for found in read_scores(paths)[0]] == ["BLEU", "chrF"]
    with pytest.raises(InputError, match="a second score by 'BLEU'"):
        read_scores([paths[0], paths[0]])


def test_one_signature_for_one_metric(tmp_path: Path) -> None:
    path = tmp_path / "long.tsv"
    path.write_text("system\tmetric\tscore\tsignature\nA\tm\t1\tm|x:1\nB\tm\t2\tm|x:2\n")
    with pytest.raises(
        InputError, match="'m' has two signatures, so its scores cannot be compared"
    ):
        read_scores([path])


def test_one_system_needs_no_name(tmp_path: Path) -> None:
    found = one(tmp_path / "BLEU.seg.score", "online 1\nonline 2\n")
    judged = collect("set", (), [Rating("", str(n), "", "da", n) for n in (1, 2)])
    (renamed,), notes = with_systems_of([found], judged)
    assert renamed.values == {("", "1", ""): 1.0, ("", "2", ""): 2.0}
    assert notes == ["the scores' system 'online' is taken for the one that was rated"]
    named = collect(
        "set",
        [Output("", "1", system, "x") for system in "ab"],
        [Rating("", "1", system, "da", 1.0) for system in "ab"],
    )
    assert with_systems_of([found], named) == ([found], [])
