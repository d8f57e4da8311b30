"""The report of a project as a page: nothing runs, nothing is fetched, all is escaped."""

from __future__ import annotations

from typing import Any

from paraphrast.render.pages.annotation_page import annotation_html
from paraphrast.render.terminal.annotation_tables import annotation_markdown, annotation_text

FIGURES: dict[str, Any] = {
    "items": 10, "answers": 20, "kappa": 0.61, "alpha": 0.6, "word_kappa": None, "word_alpha": None,
    "word_f1": None, "span_f1": None, "accuracy": None, "rating_alpha": None,
}  # fmt: skip
REPORT: dict[str, Any] = {
    "name": "<script>x</script>",
    "task": "labels",
    "guideline": 1,
    "items": {"pairs": 12, "wanted": 24, "answers": 20, "complete": 10, "shared": 10,
              "final": 8, "waiting": 2},
    "annotators": [{"name": "ana", "answers": 10, "skipped": 1, "flagged": 0, "seconds": 12.4,
                    "gold": 2, "gold_right": 0.5}],
    "agreement": {
        "overall": FIGURES,
        "annotators": {"ana": FIGURES},
        "couples": [{"annotators": ["ana", "bo"], **FIGURES}],
        "timeline": [{"at": float(n), **FIGURES, "alpha": n / 4} for n in range(3)],
        "personal": {"ana": [{"at": 1.0, **FIGURES}]},
        "close": FIGURES,
        "alarms": ["ana: α of the last 10 shared items is 0.20, below 0.40"],
    },
    "overlap": [],
    "edits": {"word order": 3, "lexical entailment": 5},
    "edited": 8,
    "methods": {"agreed": 8},
    "seconds": [8.0, 12.0, 20.0],
    "influence": {"shown": 8, "same_when_shown": 0.9, "blind": 2, "same_when_blind": 0.5},
    "command": "paraphrast annotate report desk",
    "version": "1",
}  # fmt: skip


def test_the_page_escapes_and_draws_agreement_over_time() -> None:
    page = annotation_html(REPORT)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "Agreement over time" in page
    assert "below 0.40" in page
    assert "windows" not in annotation_html(
        {**REPORT, "agreement": {**REPORT["agreement"], "timeline": []}}
    )


def test_tables_hold_what_is_known() -> None:
    text = annotation_text(REPORT)
    assert text.startswith("alarm: ana: α of the last 10")
    rows = [line.split() for line in text.splitlines()]
    assert ["all", "10", ".610", ".600"] in rows
    assert ["lexical", "entailment", "5", "62.5"] in rows
    assert ["shown", "8", ".900"] in rows
    assert "κ of words" not in text
    assert "## Kinds of edits" in annotation_markdown(REPORT)
