from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.corpora.build.minhash import RECALL, Buckets, band_keys, band_width, signatures
from paraphrast.corpora.build.record_file import RecordFile, SetFile
from paraphrast.corpora.word_ids import Sets, WordSets
from paraphrast.errors import InputError


def _text(words: range) -> str:
    return " ".join(f"w{n}" for n in words)


@pytest.mark.parametrize("shared", [20, 60, 90])
def test_least_items_agree_as_often_as_sets_are_alike(shared: int) -> None:
    one, two = _text(range(100)), _text(range(100 - shared, 200 - shared))
    found = signatures(WordSets("unicode")([one, two]), 0, 4000)
    jaccard = shared / (200 - shared)
    assert abs((found[0::1, 0] == found[:, 1]).mean() - jaccard) < 0.03


@pytest.mark.parametrize("near", [0.5, 0.7, 0.8, 0.9, 1.0])
def test_bands_are_as_wide_as_the_recall_allows(near: float) -> None:
    width = band_width(near)
    assert 1 - (1 - near**width) ** (64 // width) >= RECALL
    assert width == 64 or 1 - (1 - near ** (width + 1)) ** (64 // (width + 1)) < RECALL


def test_keys_differ_from_band_to_band() -> None:
    sets = WordSets("unicode")(["a b c", "a b c", "x y z"])
    keys = band_keys(signatures(sets, 0), 4)
    assert keys.shape == (3, 16)
    assert (keys[0] == keys[1]).all()
    assert len(np.unique(keys)) == 32


@settings(max_examples=40)
@given(
    blocks=st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=20), max_size=8),
    most=st.integers(1, 3),
)
def test_buckets_hold_the_first_rows(blocks: list[list[int]], most: int) -> None:
    buckets, wanted, number = Buckets(most), {key: [] for key in range(8)}, 0
    for block in blocks:
        keys = np.array(block, dtype=np.uint64)
        buckets.add(keys, np.arange(number, number + len(keys)))
        for key in block:
            wanted[key] = [*wanted[key], number][:most]
            number += 1
    places, rows = buckets.find(np.arange(8, dtype=np.uint64))
    found = {key: sorted(rows[places == key].tolist()) for key in range(8)}
    assert found == wanted


def test_spools_give_back_what_they_took(tmp_path: Path) -> None:
    spool = RecordFile(tmp_path / "records")
    spool.extend([b"one", b"", "é".encode()])
    spool.append_all(b"xyz", [1, 2])
    assert [spool[number] for number in range(len(spool))] == [
        b"one",
        b"",
        "é".encode(),
        b"x",
        b"yz",
    ]
    spool.close()
    sets = SetFile(tmp_path / "sets")
    assert len(sets.sets()) == 0
    first = Sets(np.array([1, 5, 9], dtype=np.uint64), np.array([0, 2, 2, 3]))
    sets.extend(first)
    sets.extend(first)
    assert sets.sets().sizes.tolist() == [2, 0, 1, 2, 0, 1]
    assert sets.sets().take(np.array([5, 0])).items.tolist() == [9, 1, 5]
    sets.close()


def test_a_full_disk_names_the_file() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    spool = RecordFile(full)
    with pytest.raises(InputError, match="cannot write /dev/full: No space left on device"):
        spool.extend([b"x" * 100_000])
    spool.close()
