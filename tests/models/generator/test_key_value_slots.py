from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.models.generator.key_value_slots import NOTHING, Slots

Row = tuple[int, tuple[int, ...]]


def seen(slots: Slots) -> list[Row]:
    """Read back what each row has written, and of which group it is, from the store alone."""
    keys = slots.store.arrays[0]
    found = []
    for cell in slots.cells:
        group, line = keys[cell // slots.each], slots.history[cell]
        values = [group[0, slot] for slot in line if slot != NOTHING]
        origins = {int(value[1]) for value in values}
        assert len(origins) <= 1
        found.append((origins.pop() if origins else -1, tuple(int(value[0]) for value in values)))
    return found


def write(slots: Slots, rows: list[Row], tokens: list[int]) -> list[Row]:
    """Write a token to each row; cells without a row write −7, which no row may ever read."""
    slots.room(1)
    distance = slots.distance(1)
    values = np.full((len(slots.history), 2), -7.0)
    for (origin, _), cell, token in zip(rows, slots.cells, tokens, strict=True):
        values[cell] = (token, origin)
    new = values.reshape(slots.store.groups, 1, slots.each, 2)
    check_distances(slots, distance)
    slots.write([new] * len(slots.store.arrays))
    return [(origin, (*line, token)) for (origin, line), token in zip(rows, tokens, strict=True)]


def check_distances(slots: Slots, distance: np.ndarray) -> None:
    for cell in slots.cells:
        line = distance[cell // slots.each, cell % slots.each]
        expected = np.full(len(line), -1)
        for age, slot in enumerate(slots.history[cell][::-1], 1):
            expected[slot] = age
        expected[slots.store.capacity + cell % slots.each] = 0
        assert (line == expected).all()


@given(st.data())
def test_rows_stay_what_they_are_however_they_are_chosen(data: st.DataObject) -> None:
    sources = data.draw(st.integers(1, 4))
    slots = Slots.empty(2, sources, 1, 2)
    rows: list[Row] = write(slots, [(n, ()) for n in range(sources)], list(range(sources)))
    for step in range(data.draw(st.integers(1, 12))):
        if data.draw(st.booleans()):
            some = st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=9)
            chosen = data.draw(some)
            slots, _ = slots.chosen(np.array(chosen))
            rows = [rows[row] for row in chosen]
        for again in range(data.draw(st.sampled_from([1, 1, 2, 20]))):
            rows = write(slots, rows, [100 * step + 10 * again + n for n in range(len(rows))])
        assert seen(slots) == rows


def test_beams_share_what_they_have_in_common() -> None:
    slots = Slots.empty(2, 2, 1, 2)
    rows = write(slots, [(0, ()), (1, ())], [1, 1])
    slots, groups = slots.chosen(np.repeat([0, 1], 5))
    rows = [rows[n] for n in np.repeat([0, 1], 5)]
    assert groups is None
    store = slots.store
    for step in range(200):
        rows = write(slots, rows, [step] * 10)
        slots, groups = slots.chosen(np.repeat([0, 5], 5))  # all go on from the best one
        rows = [rows[n] for n in np.repeat([0, 5], 5)]
        assert groups is None
    assert slots.store is not store
    assert slots.store.capacity < 2 * 201 * 2  # 2,010 slots were written, 201 are alive
    assert seen(slots) == rows


def test_a_state_that_was_left_can_be_taken_up_again() -> None:
    slots = Slots.empty(2, 1, 1, 2)
    rows = write(slots, [(0, ())], [1])
    one, _ = slots.chosen(np.array([0, 0]))
    two, _ = slots.chosen(np.array([0, 0, 0]))
    first = write(one, rows * 2, [2, 3])
    second = write(two, rows * 3, [4, 5, 6])
    first = write(one, first, [7, 8])
    assert seen(one) == first == [(0, (1, 2, 7)), (0, (1, 3, 8))]
    assert seen(two) == second == [(0, (1, 4)), (0, (1, 5)), (0, (1, 6))]


def test_padding_is_never_looked_at() -> None:
    slots = Slots.empty(2, 2, 1, 2)
    hidden = np.array([[True, True, False], [False, False, False]])
    slots.room(3)
    distance = slots.distance(3, hidden)
    new = distance[..., slots.store.capacity :]
    assert new[0].tolist() == [[-1, -1, -1], [-1, -1, -1], [-1, -1, 0]]
    assert new[1].tolist() == [[0, -1, -1], [1, 0, -1], [2, 1, 0]]
    slots.write([np.zeros((2, 1, 3, 2), dtype=np.float32)] * 2, hidden)
    later = slots.distance(1)
    assert (later[0] >= 0).sum() == 2  # its one token and itself
    assert (later[1] >= 0).sum() == 4
