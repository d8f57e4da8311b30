"""The server for a minute under 200 clients, under arbitrary requests, and killed in the middle."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from tests.soak.campaign import ROUNDS
from tests.web.conftest import RunningServer
from tests.web.test_traffic import ended_in_the_middle
from tests.web.traffic import arbitrary_requests, many_clients, resident

pytestmark = [pytest.mark.soak, pytest.mark.filterwarnings("ignore")]
_CLIENTS, _MINUTE = 200, 60.0


def test_two_hundred_clients_for_a_minute() -> None:
    server = RunningServer.start("--rate", "0")
    try:
        many_clients(server.address, clients=_CLIENTS, seconds=10)
        before = resident(server.process.pid)
        load = many_clients(server.address, clients=_CLIENTS, seconds=_MINUTE)
        after = resident(server.process.pid)
    finally:
        server.stop()
    rate, p95 = load.statuses[200] / _MINUTE, load.percentile(0.95)
    print(f"{dict(load.statuses)}; {rate:.1f} answers/s, p95 {p95:.2f} s")
    print(f"memory {before / 1e6:.0f} MB before, {after / 1e6:.0f} MB after")
    assert set(load.statuses) <= {200, 429}
    assert after < 1.2 * before + 50e6


def test_arbitrary_requests() -> None:
    server = RunningServer.start("--rate", "0")
    try:
        print(arbitrary_requests(server.address, examples=5 * ROUNDS))
        assert server.process.poll() is None
    finally:
        server.stop()


@pytest.mark.parametrize("_again", range(max(ROUNDS // 4, 1)))
def test_killed_in_the_middle(_again: int) -> None:
    assert ended_in_the_middle() == (200, 200, 0)
