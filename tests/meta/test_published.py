"""Numbers of papers: as printed, and beside the variant of ours that they are about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from paraphrast.meta.published import beside_published
from paraphrast.meta.report import AgreementRow, Table
from paraphrast.meta.tasks import TASKS


def test_published_numbers() -> None:
    def known(task: str, metric: str, statistic: str) -> float:
        [one] = [p for p in TASKS[task].published if (p.metric, p.statistic) == (metric, statistic)]
        assert one.source
        return one.value

    assert known("wmt17", "BLEU", "pearson") == 0.423
    assert known("wmt17", "chrF++", "kendall") == 0.396
    assert known("wmt19_system", "BLEU", "pearson") == 0.905
    assert known("wmt19_darr", "sentenceBLEU", "darr") == 0.251
    assert known("deen500", "BLEU, human +5", "pearson") == 0.948
    assert known("summeval_coherence", "ROUGE-1 F, mean over 11 references", "spearman") == 0.167
    assert known("realsumm", "rouge1_r", "spearman") == 0.497526
    assert known("qags_cnn", "rouge2_f", "pearson") == 0.459141
    assert known("bagel_informativeness", "rougel_f", "spearman") == 0.188592


def test_published_means_are_those_of_their_pairs() -> None:
    """Table 1 and Table 7 of the ParaBLEU paper differ for METEOR, and for METEOR only."""
    off = {
        (one.metric, one.statistic): round(sum(one.by.values()) / len(one.by), 3)
        for task in TASKS.values()
        for one in task.published
        if one.by and abs(sum(one.by.values()) / len(one.by) - one.value) > 0.001
    }
    assert off == {("METEOR", "pearson"): 0.494, ("METEOR", "kendall"): 0.333}


def test_published_numbers_are_those_of_the_files(data: Callable[[str], Path]) -> None:
    lines = data("judgements/bartscore_published_numbers.tsv").read_text().splitlines()
    cells = [line.split("\t") for line in lines]
    statistics = {"kendalltau": "kendall"}
    theirs = {(c[0], statistics.get(c[2], c[2]), c[3], c[4]) for c in cells}
    names = {"realsumm": "REALSumm", "qags_cnn": "QAGS_CNN", "bagel_informativeness": "BAGEL"}
    for task, name in names.items():
        ours = {(name, p.statistic, p.metric, str(p.value)) for p in TASKS[task].published}
        assert ours
        assert ours <= theirs
    text = data("judgements/bawden_published_correlations.tsv").read_text()
    for one in TASKS["wmt19_system"].published:
        numbers = "\t".join(f"{value:.3f}" for value in (*one.by.values(), one.value))
        assert numbers in text


def test_a_number_stands_beside_its_own_variant_and_level_only() -> None:
    published = TASKS["wmt17"].published
    signatures = {"bertscore": "bertscore|part:F|version:1", "bertscore:x=1": "bertscore|part:R"}
    rows = tuple(
        AgreementRow(name, signature, "pearson", 0.5, {}) for name, signature in signatures.items()
    )
    table = Table("wmt17", "", "segment", "pearson", ("",), 9, rows)
    found = beside_published(table, "wmt17", "segment", published)
    assert [row.published for row in found.rows] == [0.759, None]
    assert beside_published(table, "wmt17", "system", published) == table
