"""Signatures: one string for one set of choices."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ConfigError
from paraphrast.signature import signature

VALUES = st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from(["a", "yes"])
FIELDS = st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=3)


def test_by_hand() -> None:
    full = signature("bleu", {"nrefs": "1-2", "eff": False, "k": 1.0, "order": 4}, "0.1")
    assert full == "bleu|nrefs:1-2|eff:no|k:1.0|order:4|version:0.1"


@given(one=FIELDS, other=FIELDS)
@settings(max_examples=100, deadline=None)
def test_different_fields_give_different_strings(
    one: dict[str, bool | int | float | str], other: dict[str, bool | int | float | str]
) -> None:
    texts = [
        [
            (k, {True: "yes", False: "no"}[v] if isinstance(v, bool) else str(v))
            for k, v in f.items()
        ]
        for f in (one, other)
    ]
    same = signature("m", one, "1") == signature("m", other, "1")
    assert same == (texts[0] == texts[1])


@pytest.mark.parametrize("bad", ["a|b", "a:b", ""])
def test_separators_are_refused(bad: str) -> None:
    for arguments in ((bad, {}, "1"), ("m", {bad: 1}, "1"), ("m", {"x": bad}, "1"), ("m", {}, bad)):
        with pytest.raises(ConfigError, match="cannot be part of a signature"):
            signature(*arguments)
