"""Markdown, CSV and terminal tables: the numbers come back, and no text breaks the layout."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest

from paraphrast.render.terminal.meta_tables import meta_csv, meta_markdown, meta_table

REPORT: dict[str, Any] = {
    "title": "Meta-evaluation: wmt17",
    "command": "paraphrast meta run wmt17",
    "version": "0.1.0",
    "notes": [],
    "tables": [
        {
            "task": "wmt17", "title": "WMT17", "level": "segment", "statistic": "pearson",
            "groups": ["cs-en", "de-en"], "items": 3920,
            "items_by": {"cs-en": 1400, "de-en": 2520},
            "rows": [
                {"metric": "chrf++", "signature": "chrf++|nrefs:1", "value": 0.57812345,
                 "by": {"cs-en": 0.523, "de-en": 0.6332469}, "ci": [0.56, 0.59], "cluster": 1,
                 "published": 0.578},
                {"metric": "bleu", "signature": "bleu|nrefs:1", "value": -0.04,
                 "by": {"cs-en": -0.1, "de-en": 0.02}, "ci": None, "cluster": 2,
                 "published": None},
                {"metric": "ter", "signature": "", "value": None, "by": {}, "ci": None,
                 "cluster": None, "published": None},
            ],
            "p": {"metrics": ["chrf++", "bleu"], "matrix": [[None, 0.0002], [0.0002, None]]},
            "points": {}, "notes": ["ter: undefined: constant scores"],
        }
    ],
}  # fmt: skip


def test_the_terminal_table() -> None:
    assert meta_table(REPORT) == (
        "Meta-evaluation: wmt17\n"
        "\n"
        "WMT17\n"
        "segment level, Pearson r, 3,920 items, mean over 2 groups\n"
        "\n"
        "#  metric  Pearson r      interval  published  cs-en  de-en\n"
        "1  chrf++       .578  [.560, .590]       .578   .523   .633\n"
        "2  bleu        -.040                           -.100   .020\n"
        "   ter             –                               –      –\n"
        "note: ter: undefined: constant scores"
    )


def test_groups_that_do_not_fit_are_named_not_cut() -> None:
    text = meta_table(REPORT, width=50)
    assert "(2 groups do not fit 50 columns: see CSV or HTML)" in text
    assert "cs-en" not in text
    assert "chrf++       .578" in text


def test_an_undefined_value_without_a_note_still_gets_a_word() -> None:
    table = REPORT["tables"][0] | {"notes": []}
    assert "note: ter: undefined" in meta_table(REPORT | {"tables": [table]})


def test_csv_gives_every_number_back_in_full() -> None:
    rows = list(csv.DictReader(io.StringIO(meta_csv(REPORT))))
    assert [(r["metric"], r["group"]) for r in rows] == [
        (metric, group)
        for metric in ("chrf++", "bleu", "ter")
        for group in ("mean", "cs-en", "de-en")
    ]
    first = rows[0]
    assert float(first["value"]) == 0.57812345
    assert (float(first["ci_low"]), float(first["ci_high"])) == (0.56, 0.59)
    assert (first["cluster"], first["published"], first["items"]) == ("1", "0.578", "3920")
    assert [r["items"] for r in rows[:3]] == ["3920", "1400", "2520"]
    assert float(rows[2]["value"]) == 0.6332469
    assert {r["value"] for r in rows[6:]} == {""}
    assert {r["note"] for r in rows[6:]} == {"undefined: constant scores"}
    assert {(r["task"], r["level"], r["statistic"]) for r in rows} == {
        ("wmt17", "segment", "pearson")
    }


def _cells(line: str) -> list[str]:
    parts = re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]
    return [re.sub(r"\\(.)", r"\1", part.strip()) for part in parts]


def test_markdown_gives_every_number_back_rounded() -> None:
    lines = [line for line in meta_markdown(REPORT).splitlines() if line.startswith("|")]
    assert _cells(lines[0]) == "#,metric,Pearson r,interval,published,cs-en,de-en".split(",")
    chrf, bleu, ter = map(_cells, lines[2:5])
    assert [float(chrf[n]) for n in (2, 4, 5, 6)] == [0.578, 0.578, 0.523, 0.633]
    assert chrf[3] == "[.560, .590]"
    assert [float(bleu[n]) for n in (2, 5, 6)] == [-0.04, -0.1, 0.02]
    assert ter == ["", "ter", "–", "", "", "–", "–"]
    assert _cells(lines[7]) == ["chrf++", "", "<.001"]
    assert "- chrf++: `chrf++|nrefs:1`" in meta_markdown(REPORT)
    assert "- ter: undefined: constant scores" in meta_markdown(REPORT)


def test_a_single_group_is_the_value_itself() -> None:
    table = REPORT["tables"][0] | {"groups": [""]}
    one = REPORT | {"tables": [table]}
    assert {r["group"] for r in csv.DictReader(io.StringIO(meta_csv(one)))} == {"mean"}
    assert "groups" not in meta_table(one)
    assert "groups" not in meta_markdown(one)


@pytest.mark.parametrize(
    "text",
    ["a|b", "*x* _y_ `z`", "<script>", "two\nlines", "\x1b[31mred\x1b[0m", "a\u202eb", "\\|"],
)
def test_no_name_breaks_a_table(text: str) -> None:
    row = REPORT["tables"][0]["rows"][0] | {"metric": text, "signature": text}
    table = REPORT["tables"][0] | {"rows": [row], "p": None, "notes": [text], "title": text}
    one = REPORT | {"tables": [table], "title": text}
    lines = [line for line in meta_markdown(one).splitlines() if line.startswith("|")]
    flat = re.sub("[\x1b\u202e]", "\ufffd", text.replace("\n", " "))
    assert len(lines) == 3
    assert _cells(lines[2])[1] == flat
    assert not set("\x1b\u202e") & set(meta_table(one) + meta_markdown(one))
    assert len(meta_table(one).splitlines()) == 8
    assert next(csv.DictReader(io.StringIO(meta_csv(one), newline="")))["metric"] == text


def test_a_carriage_return_does_not_end_a_csv_row() -> None:
    table = REPORT["tables"][0] | {"groups": [""], "title": "a\rb"}
    rows = list(csv.reader(io.StringIO(meta_csv(REPORT | {"tables": [table]}), newline="")))
    assert [row[1] for row in rows] == ["title", "a b", "a b", "a b"]


def test_a_signature_with_backticks_stays_code() -> None:
    row = REPORT["tables"][0]["rows"][0] | {"signature": "a``b"}
    table = REPORT["tables"][0] | {"rows": [row]}
    assert "``` a``b ```" in meta_markdown(REPORT | {"tables": [table]})
