"""The four labels, and how files write them."""

from __future__ import annotations

import pytest

from paraphrast.corpora.pair_labels import LABELS, NAMES, read_label
from paraphrast.errors import InputError


@pytest.mark.parametrize(
    ("written", "label"),
    [
        (1, "positive"),
        (0, "negative"),
        ("1", "positive"),
        (0.0, "negative"),
        (True, "positive"),
        (" Paraphrase ", "positive"),
        ("NON_PARAPHRASE", "negative"),
        ("not-a-paraphrase", "negative"),
        ("Unnatural", "unnatural"),
        ("other", "other"),
        (None, None),
        ("", None),
        ("  ", None),
    ],
)
def test_aliases(written: object, label: str | None) -> None:
    assert read_label(written, "f, line 1") == label


def test_no_alias_stands_for_two_labels() -> None:
    every = [alias for label in LABELS for alias in (label.name, *label.aliases)]
    assert len(every) == len(set(every))
    assert [label.name for label in LABELS if label.kept] == ["positive", "negative"]
    assert tuple(label.name for label in LABELS) == NAMES


@pytest.mark.parametrize("wrong", [2, "posative", 0.5, ["1"]])
def test_unknown_labels_list_the_known(wrong: object) -> None:
    with pytest.raises(InputError) as error:
        read_label(wrong, "pairs.tsv, line 7")
    said = str(error.value)
    assert said.startswith(f"pairs.tsv, line 7: unknown label {wrong!r}")
    assert "known: positive (1, paraphrase, pos, p, true, yes), negative (0, " in said
    assert ("did you mean 'positive'?" in said) == (wrong == "posative")
