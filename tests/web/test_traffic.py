"""Small forms of the soak tests: clients at once, arbitrary requests, an end in the middle."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.web.conftest import RunningServer

pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from tests.web.traffic import PAIR, arbitrary_requests, many_clients


def test_many_clients_at_once_get_answers_or_are_told_to_wait() -> None:
    server = RunningServer.start("--rate", "0", "--most-waiting", "8", "--most-texts", "8")
    try:
        load = many_clients(server.address, clients=24, seconds=2)
    finally:
        server.stop()
    assert set(load.statuses) <= {200, 429}
    assert load.statuses[200]
    assert load.statuses[429]
    assert load.percentile(0.5) <= load.percentile(0.95)


@pytest.mark.filterwarnings("ignore")
def test_no_request_that_can_be_described_breaks_the_server(server: Callable[..., str]) -> None:
    statuses = arbitrary_requests(server("--rate", "0"), examples=4)
    assert statuses[200]
    assert statuses[422]


def test_an_end_in_the_middle_finishes_what_was_begun() -> None:
    assert ended_in_the_middle() == (200, 200, 0)


def ended_in_the_middle() -> tuple[int, int, int]:
    """Ask for 200 verdicts and end the server: return status, verdicts, and the exit code."""
    server = RunningServer.start()
    body = {name: [text] * 200 for name, text in PAIR.items()}
    body["a"] = [f"{text} {number}" for number, text in enumerate(body["a"])]
    with ThreadPoolExecutor(1) as pool:
        httpx.post(f"{server.address}v1/judge", json=PAIR, timeout=60)
        asked = pool.submit(httpx.post, f"{server.address}v1/judge", json=body, timeout=60)
        _until_busy(server)
        code = server.stop()
        found = asked.result(60)
    return found.status_code, len(found.json()["verdicts"]), code


def _until_busy(server: RunningServer) -> None:
    """Wait until the second request has been taken out of the line, or answered."""
    for _ in range(1000):
        text = httpx.get(f"{server.address}metrics").text
        if 'paraphrast_requests_total{method="POST"' in text and _taken(text):
            return


def _taken(text: str) -> bool:
    begun = [line for line in text.splitlines() if line.startswith("paraphrast_open_requests ")]
    return bool(begun) and float(begun[0].split()[1]) >= 2
