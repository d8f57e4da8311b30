from __future__ import annotations

import pytest

from paraphrast.errors import ConfigError
from paraphrast.generation.decoding.decode import Decoding, decode
from paraphrast.generation.decoding.lengths import SLACK, Bounds, bounds
from tests.generation.toy import Toy


@pytest.mark.parametrize(
    ("least", "most", "length", "expected"),
    [
        (0, 1.8, 10, (1, 18 + SLACK)),
        (0, 7, 10, (1, 7)),
        (0.5, 1.0, 9, (5, 9 + SLACK)),
        (4, 6, 100, (4, 6)),
        (30, 1.0, 10, (30, 30)),  # the absolute one holds
        (0.9, 12, 100, (12, 12)),
        (0, 1.8, 1000, (1, 63)),  # what the model can write
        (0.9, 1.8, 1000, (63, 63)),
    ],
)
def test_bounds(
    least: int | float, most: int | float, length: int, expected: tuple[int, int]
) -> None:
    given = Decoding(min_length=least, max_length=most)
    assert bounds(given, length, room=63) == Bounds(*expected, free=63)


def test_absolute_lengths_are_shared_out_among_parts() -> None:
    given = Decoding(min_length=10, max_length=21)
    found = bounds(given, 5, room=63, share=0.25)
    assert (found.least, found.most) == (3, 6)


def test_more_than_the_model_can_write_is_an_error() -> None:
    with pytest.raises(ConfigError, match="min_length=70 is more than the 63 sub-words"):
        decode(Toy(), ["a b"], Decoding(min_length=70, max_length=90))


def test_the_free_length_is_the_share_that_shorten_names() -> None:
    given = Decoding(method="beam", shorten=0.7)
    assert bounds(given, 10, room=63).free == 7
