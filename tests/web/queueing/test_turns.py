"""A fair lock: those who wait go first when long work hands on."""

from __future__ import annotations

import threading

from paraphrast.web.queueing.turns import Turns


def test_long_work_lets_those_who_wait_go_first() -> None:
    turns, order = Turns(), list[str]()

    def short() -> None:
        with turns:
            order.append("short")

    thread = threading.Thread(target=short)
    with turns:
        order.append("long begins")
        thread.start()
        while len(turns._line) < 2:
            threading.Event().wait(0.001)
        turns.hand_on()
        order.append("long goes on")
    thread.join(10)
    assert order == ["long begins", "short", "long goes on"]


def test_nobody_waits_and_the_work_keeps_its_turn() -> None:
    turns = Turns()
    with turns:
        turns.hand_on()
        assert len(turns._line) == 1
    assert not turns._line
