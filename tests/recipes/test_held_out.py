"""The sentences that no recipe may use."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "recipes"))

from held_out import EACH, drawn, held_out, normal_form, sha256, texts  # noqa: E402


def test_the_list_holds_sums_and_no_text() -> None:
    found = held_out()
    assert len(found) == 2 * EACH
    assert len({each.normal for each in found}) == 2 * EACH
    assert sum(bool(re.fullmatch(r"ewt-\d+", each.id)) for each in found) == EACH
    assert all(
        re.fullmatch(r"[0-9a-f]{64}", s) for each in found for s in (each.sha256, each.normal)
    )


def test_the_normal_form_forgets_case_marks_and_spaces() -> None:
    assert normal_form(" “Ann’s”  CAT, sat. ") == "ann s cat sat"


class _Tagger:
    """Finds a verb in every text that says so."""

    def __call__(self, text: str) -> list[object]:
        pos = "VERB" if "runs" in text else "NOUN"
        return [type("Token", (), {"pos_": pos})()]


def test_only_sentences_with_a_verb_are_drawn_and_none_twice() -> None:
    pool = [("1", "A dog runs."), ("2", "a dog runs"), ("3", "No verb here.")]
    found = drawn(pool, 1, _Tagger())
    assert len(found) == 1
    assert found[0].normal == sha256("a dog runs")


def test_the_listed_texts_are_found_in_the_data(data: Callable[[str], Path]) -> None:
    data("pairs/wmt_outputs_to-en.train.jsonl.gz")
    sums = {sha256(text.strip()) for text in texts()}
    assert {each.sha256 for each in held_out()} <= sums
