"""Notes on texts that a metric was not made for."""

from __future__ import annotations

import pytest

from paraphrast import score

_JAPANESE = ["吾輩は猫である。", "名前はまだ無い。"]


def _notes(texts: list[str], *metrics: str) -> list[str]:
    return list(score(texts, texts, metrics=list(metrics)).notes)


@pytest.mark.parametrize("metric", ["bleu", "sentence_bleu", "wer", "length_ratio"])
def test_scripts_without_spaces(metric: str) -> None:
    (note,) = _notes(_JAPANESE, metric)
    assert note.startswith(f"{metric}: 100% of the letters are of a script without spaces")
    assert note.endswith("use tokenize=zh, ja-mecab or char")


def test_ter_has_an_option_of_its_own() -> None:
    (note,) = _notes(_JAPANESE, "ter")
    assert note.endswith("use normalized=true,asian_support=true")
    assert not _notes(_JAPANESE, "ter:normalized=true,asian_support=true")


@pytest.mark.parametrize("metric", ["bleu:tokenize=char", "chrf", "rougeL", "levenshtein"])
def test_what_suits_the_script_has_no_note(metric: str) -> None:
    assert not _notes(_JAPANESE, metric)


def test_one_note_for_the_metrics_of_one_tokeniser() -> None:
    (note,) = _notes(_JAPANESE, "bleu", "sentence_bleu", "chrf")
    assert note.startswith("bleu, sentence_bleu: ")


def test_a_name_in_another_script_is_no_reason() -> None:
    assert not _notes(["The poet 松尾芭蕉 walked north."], "bleu")


def test_english_meteor_on_another_script() -> None:
    pytest.importorskip("pycocoevalcap", reason="the extra `meteor` is not installed")
    (note,) = _notes(["Кошка сидела на коврике."], "meteor")
    assert note.startswith("meteor: 100% of the letters are not Latin")
    assert not _notes(["The cat sat on the mat."], "meteor")


@pytest.mark.parametrize(("tokenised", "others", "expected"), [
    (9, 0, False), (10, 0, True), (10, 10, False), (11, 10, True), (100, 500, True)
])  # fmt: skip
def test_tokenised_candidates(tokenised: int, others: int, expected: bool) -> None:
    texts = ["The cat , it sat ."] * tokenised + ["The cat sat."] * others
    notes = _notes(texts, "bleu")
    assert [
        note.startswith(f"bleu: {tokenised} of {tokenised + others} candidates end in a full stop")
        for note in notes
    ] == [True] * expected
    assert not _notes(texts, "bleu:tokenize=none")
    assert not _notes(texts, "chrf", "rougeL")
