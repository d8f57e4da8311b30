"""`paraphrast score`: files in, numbers out, one line of error and the right exit code."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

import paraphrast
from paraphrast.cli.main import run

CANDIDATES = ["the cat sat on the mat", "a dog ran home", "it rains a lot today"]
REFERENCES = ["the cat sat on a mat", "the dog ran back home", "it is raining a lot today"]
OTHERS = ["a cat was sitting on the mat", "a dog ran home", "today it rains a lot"]
SOURCES = ["on the mat a cat sat", "the dog went home", "there is much rain today"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    named = {"c": CANDIDATES, "r": REFERENCES, "r2": OTHERS, "s": SOURCES}
    for name, texts in named.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts))
    return tmp_path


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def as_json(cli: Callable[..., tuple[int, str, str]], *arguments: str) -> Any:
    code, out, err = cli(*arguments, "-f", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_json_has_the_documented_shape(files: Path, cli: Any) -> None:
    result = as_json(cli, "score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu", "--ci")
    (score,) = result["scores"]
    expected = sacrebleu.corpus_bleu(CANDIDATES, [REFERENCES])
    assert result["segments"] == 3
    assert score["metric"] == "bleu"
    assert score["score"] == pytest.approx(expected.score, abs=1e-9)
    assert score["ci"][0] <= score["score"] <= score["ci"][1]
    assert score["parts"]["bp"] == pytest.approx(expected.bp)
    assert score["signature"].startswith("bleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp")
    assert as_json(cli, "score", "-c", "c.txt", "-r", "r.txt")["scores"][0]["ci"] is None


def test_python_and_cli_are_one_door(files: Path, cli: Any) -> None:
    names = ["bleu", "chrf++", "ter", "rougeL", "rouge_p", "pinc"]
    report = paraphrast.score(
        CANDIDATES, list(zip(REFERENCES, OTHERS, strict=True)), SOURCES, metrics=names, ci=True
    )
    flags = [flag for name in names for flag in ("-m", name)]
    inputs = ["-c", "c.txt", "-r", "r.txt", "-r", "r2.txt", "-s", "s.txt"]
    assert as_json(cli, "score", *inputs, *flags, "--ci") == json.loads(report.to_json())


def test_several_systems_stand_under_their_names(files: Path, cli: Any) -> None:
    result = as_json(cli, "score", "-c", "c.txt", "-c", "other=r2.txt", "-r", "r.txt", "-m", "bleu")
    assert list(result["systems"]) == ["c", "other"]
    assert result["systems"]["other"]["segments"] == 3


def test_columns_by_name_and_ragged_references(files: Path, cli: Any) -> None:
    rows = [
        {"hyp": c, "refs": [r, o] if n else [r]}
        for n, (c, r, o) in enumerate(zip(CANDIDATES, REFERENCES, OTHERS, strict=True))
    ]
    with gzip.open("data.jsonl.gz", "wt") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))
    result = as_json(
        cli, "score", "-c", "data.jsonl.gz:hyp", "-r", "data.jsonl.gz:refs", "-m", "bleu"
    )
    streams = [REFERENCES, [None, *OTHERS[1:]]]
    expected = sacrebleu.corpus_bleu(CANDIDATES, streams)  # type: ignore[arg-type]
    assert result["scores"][0]["score"] == pytest.approx(expected.score, abs=1e-9)
    assert "nrefs:1-2" in result["scores"][0]["signature"]


def test_sets_from_files_and_from_a_list_column(files: Path, cli: Any) -> None:
    sets = list(zip(CANDIDATES, OTHERS, strict=True))
    Path("sets.jsonl").write_text("".join(json.dumps({"candidates": s}) + "\n" for s in sets))
    flags = ["-m", "ds_bow", "-m", "self_bleu_pairwise", "-m", "distinct_1"]
    by_files = as_json(cli, "score", "-c", "c.txt", "-c", "r2.txt", "--as-set", *flags)
    assert by_files == as_json(cli, "score", "-c", "sets.jsonl", *flags)
    assert by_files == json.loads(paraphrast.score(sets, metrics=flags[1::2]).to_json())


def test_trees_stand_beside_the_candidates(files: Path, cli: Any) -> None:
    trees = ["(S (NP (DT the) (NN cat)) (VP (VBD sat)))"] * 3
    Path("t1.txt").write_text("\n".join(trees))
    Path("t2.txt").write_text("\n".join([trees[0], "(S (VP (VB go)))", trees[2]]))
    both = ["-c", "c.txt", "-c", "r2.txt", "--as-set", "-m", "ds_tree"]
    result = as_json(cli, "score", *both, "--trees", "t1.txt", "--trees", "t2.txt")
    assert result["scores"][0]["score"] == pytest.approx(1 / 3)
    assert cli("score", *both, "--trees", "t1.txt")[0] == 2
    Path("t2.txt").write_text("\n".join([trees[0], "(S (VP", trees[2]]))
    code, _, err = cli("score", *both, "--trees", "t1.txt", "--trees", "t2.txt")
    assert code == 1
    assert "2 '(' never closed" in err


def test_segment_values_are_written_beside(files: Path, cli: Any) -> None:
    cli("score", "-c", "c.txt", "-r", "r.txt", "-m", "sentence_bleu", "--segments", "seg.jsonl")
    rows = [json.loads(line) for line in Path("seg.jsonl").read_text().splitlines()]
    expected = [
        sacrebleu.sentence_bleu(c, [r]).score for c, r in zip(CANDIDATES, REFERENCES, strict=True)
    ]
    assert [row["segment"] for row in rows] == [1, 2, 3]
    assert [row["sentence_bleu"] for row in rows] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("ending", ["tsv", "parquet"])
def test_tables_can_be_written(files: Path, cli: Any, ending: str) -> None:
    arguments = ["score", "-c", "c.txt", "-c", "r2.txt", "-r", "r.txt", "-m", "bleu"]
    assert cli(*arguments, "-f", ending, "-o", f"out.{ending}")[0] == 0
    if ending == "tsv":
        lines = Path("out.tsv").read_text().splitlines()
        assert lines[0].split("\t")[:3] == ["system", "metric", "score"]
        assert len(lines) == 3
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        assert parquet.read_table("out.parquet")["system"].to_pylist() == ["c", "r2"]


def test_sacrebleu_users_find_their_flags(files: Path, cli: Any) -> None:
    flags = ["-m", "bleu chrf ter", "-tok", "intl", "-lc", "-cw", "2", "--ter-case-sensitive"]
    result = as_json(cli, "score", "-i", "c.txt", "-r", "r.txt", *flags)
    bleu, chrf, ter = (score["signature"] for score in result["scores"])
    assert "case:lc" in bleu
    assert "tok:intl" in bleu
    assert "nw:2" in chrf
    assert "case_sensitive:yes" in ter
    code, out, _ = cli("score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu", "-b", "-w", "3")
    assert (code, out) == (0, f"{sacrebleu.corpus_bleu(CANDIDATES, [REFERENCES]).score:.3f}\n")


def test_jobs_change_nothing(files: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu", "-m", "distinct_2", "--ci"]
    alone = as_json(cli, *arguments)
    monkeypatch.setattr("paraphrast.jobs.scoring.scored_files.CHUNK", 1)
    assert as_json(cli, *arguments, "-j", "2") == alone


def test_carriage_returns_are_removed_and_noted_once(files: Path, cli: Any) -> None:
    Path("win.txt").write_bytes("".join(f"{text}\r\n" for text in CANDIDATES).encode())
    result = as_json(cli, "score", "-c", "win.txt", "-r", "r.txt", "-m", "bleu")
    plain = as_json(cli, "score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu")
    assert result["scores"] == plain["scores"]
    assert result["notes"] == ["win.txt: removed a trailing carriage return from 3 lines"]


def test_empty_texts_are_noted_or_refused(files: Path, cli: Any) -> None:
    Path("e.txt").write_text("the cat\n\nit rains\n")
    code, out, _ = cli("score", "-c", "e.txt", "-r", "r.txt", "-m", "chrf")
    assert code == 0
    assert "note: e: 1 empty candidate, scored as the metric's card says" in out
    code, _, err = cli("score", "-c", "e.txt", "-r", "r.txt", "-m", "chrf", "--empty", "error")
    assert code == 1
    assert "segment 2: the candidate of system 'e' is empty" in err


BAD_DATA = [
    (["-c", "c.txt", "-r", "short.txt"], "c.txt has 3, short.txt has 1"),
    (["-c", "c.txt", "-r", "empty.txt"], "empty.txt is empty"),
    (["-c", "latin.txt", "-r", "r.txt"], "latin.txt, line 2: not valid UTF-8"),
    (["-c", "gone.txt", "-r", "r.txt"], "gone.txt: No such file"),
    (["-c", "data.jsonl:nope", "-r", "r.txt"], "no column 'nope'"),
    (["-c", "data.jsonl:number", "-r", "r.txt"], "data.jsonl, line 1"),
    (["-c", "sets.jsonl", "-r", "r.txt", "-m", "bleu"], "segment 1 of system 'sets' has 2 cand"),
    (["-c", "c.txt", "-r", "norefs.jsonl", "-m", "bleu"], "segment 2 has no reference"),
    (["-c", "nulls.jsonl", "-r", "r.txt"], "nulls.jsonl, row 2: the candidate is missing"),
    (["-c", "c.txt", "-m", "ds_bow"], "no segment has two or more candidates"),
    (["-c", "c.txt", "-r", "r.txt", "-o", "/dev/full"], "No space left on device"),
    (["-c", "c.txt", "-r", "r.txt", "--segments", "no/such/x.tsv"], "no/such/x.tsv"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_DATA)
def test_bad_data_exits_1_with_one_line(
    files: Path, cli: Any, arguments: list[str], message: str
) -> None:
    Path("short.txt").write_text("one\n")
    Path("empty.txt").write_text("")
    Path("latin.txt").write_bytes(b"one\ncaf\xe9\nthree\n")
    Path("data.jsonl").write_text('{"hyp": "a", "number": 1}\n' * 3)
    Path("sets.jsonl").write_text('{"candidates": ["a", "b"]}\n' * 3)
    Path("norefs.jsonl").write_text('{"references": ["a"]}\n' + '{"references": []}\n' * 2)
    Path("nulls.jsonl").write_text('{"candidate": "a"}\n' + '{"candidate": null}\n' * 2)
    code, out, err = cli("score", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


WRONG_USAGE = [
    (["score", "-c", "c.txt", "-r", "r.txt", "-m", "blue"], "unknown metric 'blue' (did you mean"),
    (["score", "-c", "c.txt", "--nope"], "No such option"),
    (
        ["score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu:tokeniser=13a"],
        "did you mean 'tokenize'",
    ),
    (["score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu:max_ngram_order=x"], "takes int"),
    (["score", "-c", "c.txt", "-r", "r.txt", "-f", "xml"], "--format is table"),
    (["score", "-c", "c.txt", "-r", "r.txt", "-f", "parquet"], "needs a file"),
    (["score", "-c", "c.txt", "-c", "c.txt", "-r", "r.txt"], "two systems are named 'c'"),
    (["score", "-c", "c.txt", "-r", "r.txt", "-j", "0"], "jobs must be at least 1"),
    (["score", "-c", "c.txt", "-r", "r.txt", "--empty", "skip"], "empty must be"),
    (["score", "-c", "a=c.txt", "-c", "b=c.txt", "--as-set", "-m", "ds_bow"], "one system"),
    (["compare", "-c", "c.txt", "-r", "r.txt"], "at least two systems"),
    (["compare", "-c", "c.txt", "-c", "r2.txt", "-r", "r.txt", "-pbs", "-par"], "choose one"),
    (["compare", "-c", "c.txt", "-c", "r2.txt", "-r", "r.txt", "--baseline", "x"], "baseline 'x'"),
    (["metrics", "-f", "xml"], "--format is table or json"),
    (["score", "-c", "c.txt", "-r", "r.txt", "-m", "chrf", "-cc", "0"], "char_order must be"),
    (["score", "-c", "c.txt", "-r", "r.txt", "-m", "rouge1", "-tok", "zh"], "--tokenize is for"),
    (["score", "-c", "c.txt", "-r", "r.txt", "-o", "c.txt"], "c.txt is an input"),
    (["score", "-c", "c.txt", "-r", "r.txt", "-o", "x.tsv", "--segments", "x.tsv"], "same file"),
    (["score", "-c", "c.txt", "-r", "r.txt", "-w", "-1"], "--width is 0 to 15"),
    (["score", "-c", "c.txt", "-s", "s.txt", "-s", "r.txt", "-m", "pinc"], "-s is given 2 times"),
    (
        ["compare", "-c", "c.txt", "-c", "r2.txt", "-r", "r.txt", "--test", "bootstrap", "-par"],
        "--test bootstrap and --paired-ar contradict each other",
    ),
    (
        ["compare", "-c", "c.txt", "-c", "r2.txt", "-r", "r.txt", "--all-pairs", "--baseline", "c"],
        "without a baseline",
    ),
    (
        ["score", "-c", "c.txt", "-r", "r.txt", "--samples", "100000000000", "--ci"],
        "samples is at most 1,000,000; got 100,000,000,000",
    ),
    (
        ["compare", "-c", "c.txt", "-c", "r2.txt", "-r", "r.txt", "--trials", "1000001"],
        "trials is at most 1,000,000; got 1,000,001",
    ),
    (
        ["score", "-c", "c.txt", "-m", "bleu"],
        "metric 'bleu' needs references; none were given: add -r FILE\n",
    ),
    (["score", "-c", "c.txt", "-r", "r.txt", "-m", "pinc"], "none were given: add -s FILE\n"),
    (
        ["score", "-c", "c.txt", "-r", "r.txt", "-o", "a.json", "--output", "b.json"],
        "error: --output is given twice; give it once",
    ),
    (["nonsense"], "No such command"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_USAGE)
def test_wrong_usage_exits_2(files: Path, cli: Any, arguments: list[str], message: str) -> None:
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_failed_run_leaves_an_older_result_alone(files: Path, cli: Any) -> None:
    Path("out.json").write_text("old")
    Path("short.txt").write_text("one\n")
    code, _, _ = cli("score", "-c", "c.txt", "-r", "short.txt", "-f", "json", "-o", "out.json")
    assert code == 1
    assert Path("out.json").read_text() == "old"
    assert sorted(path.name for path in files.iterdir() if "out" in path.name) == ["out.json"]


def test_a_file_with_an_equals_sign_is_that_file(files: Path, cli: Any) -> None:
    Path("a=r2.txt").write_text(Path("c.txt").read_text())
    arguments = ["-r", "r.txt", "-m", "bleu", "-b"]
    assert cli("score", "-c", "a=r2.txt", *arguments) == cli("score", "-c", "c.txt", *arguments)


def test_the_name_of_the_output_tells_its_format(files: Path, cli: Any) -> None:
    cli("score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu", "-o", "out.json")
    assert json.loads(Path("out.json").read_text())["segments"] == 3


def test_metrics_lists_and_shows_cards(cli: Any) -> None:
    code, out, _ = cli("metrics")
    assert code == 0
    assert out.splitlines()[1].split()[0] == "bleu"
    card = as_json(cli, "metrics", "rouge_p")
    assert {"formula", "paper", "needs", "range", "better", "signature", "options"} <= card.keys()
    assert cli("metrics", "blue")[0] == 2


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_half_a_surrogate_pair_is_named_with_its_line(files: Path, cli: Any, verb: str) -> None:
    rows = ['{"candidate": "a", "reference": "a"}', '{"candidate": "\\ud800", "reference": "b"}']
    Path("p.jsonl").write_text("\n".join(rows) + "\n")
    others = ["-c", "x=p.jsonl:reference"] if verb == "compare" else []
    found = cli(verb, "-c", "p.jsonl", *others, "-r", "p.jsonl", "-m", "bleu")
    assert found == (
        1,
        "",
        "error: p.jsonl, line 2: key 'candidate' holds half a surrogate pair (\\ud800), which is "
        "no character; mend the program that wrote it\n",
    )


# --- forms of the result -------------------------------------------------------------------------

FORMS = {
    "txt": "bleu ↑",
    "json": '"metric": "bleu"',
    "tsv": "system\tmetric\tscore",
    "csv": "system,metric,score",
    "md": "| bleu ↑ |",
    "tex": "\\toprule",
    "html": "<!doctype html>",
}


@pytest.mark.parametrize(("ending", "part"), FORMS.items())
def test_the_name_of_the_output_decides_the_form(
    files: Path, cli: Any, ending: str, part: str
) -> None:
    arguments = ["score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu"]
    assert cli(*arguments, "-o", f"x.{ending}") == (0, "", "")
    assert part in Path(f"x.{ending}").read_text()
    names = {"txt": "table", "md": "markdown", "tex": "latex"}
    code, out, _ = cli(*arguments, "-f", names.get(ending, ending))
    assert code == 0
    assert part in out


def test_a_name_that_tells_no_form_is_refused(files: Path, cli: Any) -> None:
    arguments = ["score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu", "-o", "x.docx"]
    code, _, err = cli(*arguments)
    assert code == 2
    assert "x.docx: the name tells no format; end it in one of .txt, .json" in err
    assert cli(*arguments, "-f", "json") == (0, "", "")
    assert json.loads(Path("x.docx").read_text())["segments"] == 3
    assert cli(*arguments[:-1], "without_a_point")[0] == 0


def test_bare_scores_have_the_digits_of_the_metric(files: Path, cli: Any) -> None:
    given = ["score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu", "-m", "rouge1", "-b"]
    found = paraphrast.score(CANDIDATES, REFERENCES, metrics=["bleu", "rouge1"])
    expected = f"{found['bleu'].score:.2f}\n{found['rouge1'].score:.4f}\n"
    assert cli(*given) == (0, expected, "")


def test_html_and_latex_escape_what_a_name_holds(files: Path, cli: Any) -> None:
    arguments = ["score", "-c", "a_b<i>&=c.txt", "-r", "r.txt", "-m", "bleu"]
    code, page, _ = cli(*arguments, "-f", "html")
    assert code == 0
    assert "a_b&lt;i&gt;&amp;" in page
    assert "<i>" not in page
    assert "a\\_b<i>\\&" in cli(*arguments, "-f", "latex")[1]
    assert "| a\\_b\\<i\\>& |" in cli(*arguments, "-f", "markdown")[1]


def test_csv_files_are_scored(files: Path, cli: Any) -> None:
    rows = [
        f'{c},"{r}"' for c, r in zip(CANDIDATES, REFERENCES, strict=True)
    ]  # no text holds a quotation mark
    Path("both.csv").write_text("candidate,reference\n" + "\n".join(rows) + "\n")
    table = as_json(cli, "score", "-c", "both.csv", "-r", "both.csv", "-m", "bleu")
    plain = as_json(cli, "score", "-c", "c.txt", "-r", "r.txt", "-m", "bleu")
    assert table["scores"] == plain["scores"]


def test_a_part_is_asked_for_by_its_name(files: Path, cli: Any) -> None:
    arguments = ["score", "-c", "c.txt", "-r", "r.txt"]
    whole = as_json(cli, *arguments, "-m", "rouge1")["scores"][0]
    (part,) = as_json(cli, *arguments, "-m", "rouge1.recall:stemmer=false")["scores"]
    assert (part["metric"], part["score"]) == ("rouge1.recall", whole["parts"]["recall"])
    assert part["signature"] == whole["signature"].replace("|version", "|part:recall|version")
    assert as_json(cli, *arguments, "-m", "rouge1:part=recall")["scores"] == [part]
    both = as_json(cli, *arguments, "-m", "rouge1", "-m", "rouge1.recall")["scores"]
    assert [score["metric"] for score in both] == ["rouge1", "rouge1.recall#2"]


@pytest.mark.parametrize("form", [["-b"], ["-f", "csv"], ["-f", "tsv"], ["-o", "out.csv"]])
def test_notes_without_a_place_in_the_result_go_to_standard_error(
    files: Path, cli: Any, form: list[str]
) -> None:
    Path("e.txt").write_text("a\n\nb\n")
    asked = ["score", "-c", "e.txt", "-r", "r.txt", "-m", "chrf", *form]
    code, out, err = cli(*asked)
    assert (code, "note" in out) == (0, False)
    assert err == "note: e: 1 empty candidate, scored as the metric's card says\n"
    assert cli(*asked, "-q") == (0, out, "")


def test_rows_of_all_pairs_keep_the_scores(files: Path, cli: Any) -> None:
    systems = ["-c", "a=c.txt", "-c", "b=r2.txt", "-c", "c=s.txt", "-r", "r.txt"]
    asked = ["compare", *systems, "-m", "chrf", "-m", "ter", "--all-pairs"]
    table, found = cli(*asked, "-f", "csv", "-q")[1], as_json(cli, *asked)
    rows = list(csv.DictReader(table.splitlines()))
    assert len(rows) == len(found["tests"]) == 6
    for row, test in zip(rows, found["tests"], strict=True):
        for prefix, system in (("", row["system"]), ("baseline_", row["baseline"])):
            scores = {s["metric"]: s for s in found["systems"][system]["scores"]}
            expected = scores[row["metric"]]
            assert float(row[f"{prefix}score"]) == expected["score"]
            assert float(row[f"{prefix}ci_low"]) == expected["ci"][0]
        assert float(row["p_holm"]) == test["p_holm"]


def test_a_page_is_titled_by_what_was_asked(files: Path, cli: Any) -> None:
    inputs = ["-c", "c.txt", "-c", "r2.txt", "-r", "r.txt", "-m", "wer", "-f", "html"]
    assert "<title>Scores" in cli("score", *inputs)[1]
    assert "<title>Systems compared" in cli("compare", *inputs)[1]


@pytest.mark.parametrize(
    ("long", "short"), [("t.markdown", "t.md"), ("t.latex", "t.tex"), ("t.latex.gz", "t.tex.gz")]
)
def test_long_endings_are_known(files: Path, cli: Any, long: str, short: str) -> None:
    for name in (long, short):
        assert cli("score", "-c", "c.txt", "-r", "r.txt", "-o", name)[0] == 0
    assert len({as_text(Path(name)) for name in (long, short)}) == 1


def as_text(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
