"""Numbers that papers print, from their judgement sets; skipped where the data are absent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from paraphrast.errors import ConfigError, InputError
from paraphrast.jobs import meta
from paraphrast.jobs.meta import (
    compare_metrics,
    correlate,
    evaluate_metrics,
    reference_study,
    size_study,
)
from paraphrast.jobs.scoring.judged_scores import judged_metrics
from paraphrast.meta.report import MetaReport

GOOGLE = "preset=google,stemmer=true"
Find = Callable[[str], Path]


@pytest.fixture
def task_data(data: Find, monkeypatch: pytest.MonkeyPatch) -> Find:
    monkeypatch.setenv("PARAPHRAST_DATA", str(data("judgements").parent))
    return data


def value(report: MetaReport, metric: str, statistic: str) -> float:
    found = report[metric, statistic].value
    assert found is not None
    return found


def test_wmt19_systems_with_bleu(task_data: Find) -> None:
    # Bawden et al. 2020, Table 7, baseline row
    expected = {"de": 0.890, "fi": 0.985, "gu": 0.799, "kk": 0.943, "lt": 0.969}
    expected |= {"ru": 0.862, "zh": 0.888}
    row = evaluate_metrics(["wmt19_system"], ["bleu"], samples=20)["bleu", "pearson"]
    assert {k: round(v or 0, 3) for k, v in row.by.items()} == {
        f"{k}-en": v for k, v in expected.items()
    }
    assert round(row.value or 0, 3) == 0.905
    assert row.published == 0.905


def test_wmt19_preferences_with_sentence_bleu(task_data: Find) -> None:
    report = evaluate_metrics(["wmt19_darr"], ["sentence_bleu"], samples=20)
    assert value(report, "sentence_bleu", "darr") == pytest.approx(0.251, abs=5e-4)


@pytest.mark.parametrize(
    ("task", "statistic", "requests", "expected"),
    [
        # SummEval: F1, mean over the 11 references
        ("summeval_coherence", "spearman", [f"rouge1:{GOOGLE},combine=mean"], [0.167]),
        # REALSumm: recall; L on one sentence per line
        (
            "realsumm",
            "spearman",
            [
                f"rouge1.recall:{GOOGLE}",
                f"rouge2.recall:{GOOGLE}",
                f"rougeLsum.recall:{GOOGLE},split=sentences",
            ],
            [0.498, 0.423, 0.488],
        ),
        # QAGS: F1 with the source text as the reference
        (
            "qags_cnn",
            "pearson",
            [f"rouge1:{GOOGLE}", f"rouge2:{GOOGLE}", f"rougeLsum:{GOOGLE},split=sentences"],
            [0.338, 0.459, 0.357],
        ),
        # BAGEL: F1, best reference
        (
            "bagel_informativeness",
            "spearman",
            [f"rouge1:{GOOGLE}", f"rouge2:{GOOGLE}", f"rougeL:{GOOGLE}"],
            [0.234, 0.199, 0.189],
        ),
    ],
)
def test_rouge_as_bartscore_published_it(
    task_data: Find, task: str, statistic: str, requests: list[str], expected: list[float]
) -> None:
    report = evaluate_metrics([task], requests, statistics=[statistic], samples=20)
    found = [value(report, one.name, statistic) for one in judged_metrics(requests)]
    assert found == pytest.approx(expected, abs=0.003)


def test_wmt17_ranks_character_metrics_above_bleu(task_data: Find) -> None:
    report = evaluate_metrics(["wmt17"], ["bleu", "chrf++", "ter"], samples=200)
    assert [row.metric for row in report.tables[0].rows] == ["chrf++", "ter", "bleu"]
    assert report.tables[0].items == 3920
    # ParaBLEU, Table 1, prints .578 and .475
    assert value(report, "chrf++", "pearson") == pytest.approx(0.578, abs=0.03)
    assert value(report, "ter", "pearson") == pytest.approx(0.475, abs=0.03)
    assert report.tables[0].rows[0].cluster == 1
    assert report.tables[0].rows[1].cluster == 2


def test_human_paraphrases_help_bleu(task_data: Find) -> None:
    extra = task_data("judgements/bawden_human_paraphrases_deen500.tsv")
    study = reference_study("deen500", str(extra), ["bleu"], samples=50)
    result = study.to_dict()
    (bleu,) = result["metrics"]
    # Bawden et al. 2020, Table 6: .895 and .948
    assert bleu["before"] == pytest.approx(0.895, abs=5e-4)
    assert bleu["after"] == pytest.approx(0.948, abs=5e-4)
    assert bleu["by"]["de-en"]["williams"] < 0.05
    assert bleu["decisions"]["improved"] > bleu["decisions"]["degraded"]
    for grams in result["ngrams"]:
        assert grams["matched"] + grams["newly"] + grams["missing"] == grams["total"]
    assert "extra references" in str(study)
    json.loads(study.to_json())


def test_compare_tells_two_metrics_apart(task_data: Find) -> None:
    found = compare_metrics("wmt17", "chrf++", "bleu", samples=200)
    assert found.difference == pytest.approx(found.values[0] - found.values[1])
    assert found.bootstrap == pytest.approx(1 / 201)
    assert found.permutation == pytest.approx(1 / 201)
    assert all(one.williams is not None and one.williams < 0.01 for one in found.by)
    assert "Williams p" in str(found)
    with pytest.raises(ConfigError, match="compared with itself"):
        compare_metrics("wmt17", "bleu", "bleu")


@pytest.mark.parametrize(
    ("task", "first", "second"),
    [("realsumm", "chrf", "ter"), ("wmt19_darr", "chrf", "length_ratio")],
)
def test_compare_tests_by_permutation_at_every_level(
    task_data: Find, task: str, first: str, second: str
) -> None:
    found = compare_metrics(task, first, second, samples=100)
    assert found.difference > 0
    assert found.permutation == pytest.approx(1 / 101)


def test_sizes_end_at_the_whole_set(task_data: Find) -> None:
    study = size_study("wmt17", ["chrf++"], sizes=[20, 560], repeats=5)
    whole = evaluate_metrics(["wmt17"], ["chrf++"], statistics=["pearson"], samples=20)
    assert study.curves["chrf++"][-1][1] == pytest.approx(value(whole, "chrf++", "pearson"))
    assert "560" in str(study)


def test_files_of_any_tool_can_be_judged(tmp_path: Path) -> None:
    scores, judgements = tmp_path / "scores.tsv", tmp_path / "ratings.csv"
    scores.write_text("segment\tours\terrors\n" + "".join(f"{n}\t{n}\t{9 - n}\n" for n in range(6)))
    judgements.write_text("nr,grade\n" + "".join(f"{n},{n * n}\n" for n in range(6)))
    report = correlate(
        str(scores),
        str(judgements),
        columns={"item": "nr", "value": "grade"},
        lower=["errors"],
        statistics=["spearman"],
        samples=50,
    )
    assert value(report, "ours", "spearman") == pytest.approx(1.0)
    assert value(report, "errors", "spearman") == pytest.approx(1.0)
    summary = json.loads(report.to_json())
    assert summary["level"] == "segment"
    assert {"metric", "statistic", "value", "by", "ci"} <= summary["rows"][0].keys()


def falling(tmp_path: Path, name: str) -> tuple[str, str]:
    """Scores of one metric that fall while the ratings rise."""
    scores, judgements = tmp_path / "scores.tsv", tmp_path / "ratings.csv"
    scores.write_text(f"item\t{name}\n" + "".join(f"{n}\t{9 - n}\n" for n in range(6)))
    judgements.write_text("item,value\n" + "".join(f"{n},{n}\n" for n in range(6)))
    return str(scores), str(judgements)


@pytest.mark.parametrize("name", ["ter", "TER", "wer"])
def test_a_name_alone_turns_no_scores(tmp_path: Path, name: str) -> None:
    files = falling(tmp_path, name)
    report = correlate(*files, samples=50)
    assert value(report, name, "pearson") == pytest.approx(-1.0)
    assert not report[name, "pearson"].negated
    assert report.notes[0] == (
        f"{name}: no signature says that lower is better, so higher was taken to be; if lower is, "
        f"say --lower {name}"
    )


def test_lower_turns_scores_and_the_result_says_so(tmp_path: Path) -> None:
    files = falling(tmp_path, "TER")
    report = correlate(*files, lower=["TER"], samples=50)
    assert value(report, "TER", "pearson") == pytest.approx(1.0)
    assert report["TER", "pearson"].negated
    assert json.loads(report.to_json())["rows"][0]["negated"] is True
    assert report.tables[0].notes == (
        "lower is better, so correlations are of the negated scores; plots show the scores: TER",
    )


def test_a_signature_turns_scores(tmp_path: Path) -> None:
    scores, judgements = falling(tmp_path, "errors")
    signed = tmp_path / "report.json"
    one = {"metric": "errors", "score": 1.0, "signature": "ter|nrefs:1|version:1"}
    signed.write_text(json.dumps({"segments": 6, "scores": [one]}))
    report = correlate(scores, judgements, signatures=str(signed), samples=50)
    assert value(report, "errors", "pearson") == pytest.approx(1.0)
    assert report["errors", "pearson"].signature == "ter|nrefs:1|version:1"
    long = tmp_path / "long.tsv"
    rows = "".join(f"{n}\tm\t{9 - n}\twer|version:1\n" for n in range(6))
    long.write_text("item\tmetric\tscore\tsignature\n" + rows)
    assert correlate(str(long), judgements, samples=50)["m", "pearson"].negated


def test_parts_are_judged_only_if_asked(tmp_path: Path) -> None:
    scores, judgements = tmp_path / "scores.tsv", tmp_path / "ratings.csv"
    rows = "".join(f"{n}\t{n}\t{n % 3}\t{n % 2}\n" for n in range(6))
    scores.write_text("segment\tbleu\tbleu.sys_len\tv1.5\n" + rows)
    judgements.write_text("item,value\n" + "".join(f"{n},{n}\n" for n in range(6)))
    report = correlate(str(scores), str(judgements), samples=50)
    assert {row.metric for row in report} == {"bleu", "v1.5"}
    assert report.notes[0] == (
        "parts of metrics, left out: 1 (bleu.sys_len); judge one with -m bleu.sys_len"
    )
    report = correlate(str(scores), str(judgements), metrics=["bleu.sys_len"], samples=50)
    assert [row.metric for row in report] == ["bleu.sys_len"]
    with pytest.raises(ConfigError, match=r"no metric 'blue' \(did you mean 'bleu'\?\) in it"):
        correlate(str(scores), str(judgements), metrics=["blue"])


def test_an_infinite_score_is_named(tmp_path: Path) -> None:
    scores, judgements = falling(tmp_path, "m")
    Path(scores).write_text(Path(scores).read_text().replace("\t9\n", "\tinf\n"))
    with pytest.raises(
        InputError, match=r"metric 'm' has the score inf for item '0'.*--missing drop"
    ):
        correlate(scores, judgements)


def test_gaps_between_files_are_errors_or_counted(tmp_path: Path) -> None:
    scores, judgements = tmp_path / "scores.jsonl", tmp_path / "ratings.jsonl"
    scores.write_text("".join(f'{{"item": "{n}", "m": {n}}}\n' for n in range(1, 7)))
    rows = [{"item": str(n), "dimension": "da", "value": float(n)} for n in range(6)]
    judgements.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="metric 'm' has no score for"):
        correlate(str(scores), str(judgements))
    report = correlate(str(scores), str(judgements), missing="drop", samples=50)
    assert report.tables[0].items == 5
    notes = report.tables[0].notes
    assert "judgements without a score by every metric: 1, left out" in notes
    assert "m: 1 scores without a judgement, left out" in notes
    scores.write_text('{"item": "1", "m": 1}\n{"item": "1", "m": 2}\n')
    with pytest.raises(InputError, match="a second score by 'm'"):
        correlate(str(scores), str(judgements))


def ratings_and_scores(tmp_path: Path) -> tuple[Path, Path]:
    scores, judgements = tmp_path / "s.jsonl", tmp_path / "j.jsonl"
    keys = [(str(i), s) for i in range(8) for s in "ABCD"]
    scores.write_text(
        "".join(json.dumps({"item": i, "system": s, "m": ord(s) + int(i)}) + "\n" for i, s in keys)
    )
    rows = [
        {"item": i, "system": s, "dimension": "da", "value": 20.0 * (ord(s) - 64) + int(i)}
        for i, s in keys
    ]
    judgements.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return scores, judgements


def test_systems_are_averaged_over_the_same_outputs(tmp_path: Path) -> None:
    scores, judgements = ratings_and_scores(tmp_path)
    lines = scores.read_text().splitlines()
    scores.write_text("".join(line + "\n" for line in lines[1:]))
    with pytest.raises(InputError, match="metric 'm' has no score for"):
        correlate(str(scores), str(judgements), level="system", samples=50)
    report = correlate(str(scores), str(judgements), level="system", missing="drop", samples=50)
    assert "judgements without a score by every metric: 1, left out" in report.tables[0].notes


def test_pairs_are_made_of_raw_ratings(tmp_path: Path) -> None:
    scores, judgements = ratings_and_scores(tmp_path)
    report = correlate(str(scores), str(judgements), level="pairwise", samples=50)
    assert value(report, "m", "darr") == 1.0
    # of the six pairs of systems, three are 20 apart and three 40 or more
    assert report.tables[0].items == 8 * 3
    assert "24 pairs made of ratings at least 25 apart" in report.tables[0].notes
    with pytest.raises(InputError, match="differ by 90 or more"):
        correlate(str(scores), str(judgements), level="pairwise", threshold=90)


def test_ratings_of_systems_are_not_segments(tmp_path: Path) -> None:
    scores, judgements = tmp_path / "s.jsonl", tmp_path / "j.jsonl"
    scores.write_text("".join(json.dumps({"system": s, "m": ord(s)}) + "\n" for s in "ABCD"))
    rows = [{"system": s, "dimension": "da", "value": float(ord(s))} for s in "ABCD"]
    judgements.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="rates whole systems"):
        correlate(str(scores), str(judgements))
    report = correlate(str(scores), str(judgements), level="system", samples=50)
    assert value(report, "m", "pearson") == pytest.approx(1.0)


def test_extra_references_must_name_their_group(task_data: Find, tmp_path: Path) -> None:
    extra = tmp_path / "extra.jsonl"
    extra.write_text('{"item": "1", "references": ["x"]}\n')
    with pytest.raises(InputError, match="item '1' is in 7 groups of"):
        reference_study("wmt17", str(extra), ["bleu"])
    extra.write_text('{"item": "1", "group": "de-en", "references": ["x"]}\n')
    with pytest.raises(ConfigError, match="metric 'distinct_1' uses no references"):
        reference_study("wmt17", str(extra), ["distinct_1"])


def test_published_numbers_stand_beside_their_own_variant_only(task_data: Find) -> None:
    requests = ["bleu", "bleu:lowercase=true", "sentence_bleu"]
    rows = evaluate_metrics(["deen500"], requests, samples=20).tables[0].rows
    assert {row.metric: row.published for row in rows} == {
        "bleu": 0.895,
        "bleu:lowercase=true": None,
        "sentence_bleu": None,
    }


def test_accuracies_can_be_compared_but_not_sized(task_data: Find) -> None:
    found = compare_metrics("deen500", "bleu", "chrf", statistic="pairwise_accuracy", samples=50)
    assert found.permutation is None
    with pytest.raises(ConfigError, match="works for correlations"):
        size_study("deen500", ["bleu"], sizes=[5], statistic="pairwise_accuracy")
    with pytest.raises(ConfigError, match="seed must not be negative"):
        evaluate_metrics(["deen500"], ["bleu"], seed=-1)


@pytest.mark.parametrize(
    ("former", "now"), [("run_tasks", evaluate_metrics), ("correlate_files", correlate)]
)
def test_former_names_still_work(former: str, now: object) -> None:
    with pytest.warns(DeprecationWarning, match=f"{former} is now"):
        assert getattr(meta, former) is now
    assert not hasattr(meta, "run_task")


def test_a_single_name_is_not_taken_letter_by_letter(tmp_path: Path) -> None:
    scores, ratings = falling(tmp_path, "ter")
    alone = correlate(scores, ratings, lower="ter", metrics="ter", statistics="pearson", samples=20)
    listed = correlate(scores, ratings, lower=["ter"], samples=20)
    assert alone.to_dict() == listed.to_dict()


def test_tables_in_memory_are_refused_by_name(tmp_path: Path) -> None:
    class DataFrame(dict[str, list[int]]):
        pass

    table = DataFrame(item=[1], ter=[2])
    scores, ratings = falling(tmp_path, "ter")
    for given in (table, [table]):
        with pytest.raises(ConfigError, match="scores are names of files; got DataFrame"):
            correlate(given, ratings)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"judgements are .* got DataFrame"):
        correlate(scores, table)  # type: ignore[arg-type]
