"""Many clients at once, and arbitrary requests: short in the tests, long in `make soak`."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

PAIR = {"a": "The company sold 40 trucks in March.", "b": "The firm sold 25 trucks in March."}
PATIENCE = 120.0


@schemathesis.serializer("application/x-ndjson")
def _lines(_context: Any, value: Any) -> bytes:
    """Write a value as one line of a stream."""
    return json.dumps(value).encode() + b"\n"


@dataclass
class Load:
    """What many clients saw: how often each status, the seconds of those that were answered."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """Return the seconds within which that share of the answers came."""
        ordered = sorted(self.seconds)
        return ordered[min(math.ceil(share * len(ordered)), len(ordered)) - 1]


def many_clients(address: str, *, clients: int, seconds: float) -> Load:
    """Let clients ask one request after the other; those that are refused wait as they are told."""
    return asyncio.run(_many(address, clients, seconds))


async def _many(address: str, clients: int, seconds: float) -> Load:
    load, end = Load(), time.monotonic() + seconds
    limits = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE, limits=limits) as client:
        await asyncio.gather(*(_one(client, number, end, load) for number in range(clients)))
    return load


async def _one(client: httpx.AsyncClient, number: int, end: float, load: Load) -> None:
    count = 0
    while time.monotonic() < end:
        count += 1
        body = PAIR | {"a": f"Client {number} sold {count} trucks in March."}
        started = time.monotonic()
        found = await client.post("v1/judge", json=body)
        load.statuses[found.status_code] += 1
        if found.status_code == 429:
            await asyncio.sleep(min(float(found.headers["Retry-After"]), 1.0))
        else:
            load.seconds.append(time.monotonic() - started)


def resident(pid: int) -> int:
    """Return the memory of a process in bytes; 0 where /proc does not tell."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0
    line = next(one for one in status.read_text().splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def arbitrary_requests(address: str, *, examples: int) -> Counter[int]:
    """Send what the description of the API allows, and some of what it forbids; no 5xx may come."""
    schema = schemathesis.openapi.from_url(f"{address}openapi.json")
    statuses: Counter[int] = Counter()
    for found in schema.get_all_operations():
        _try(found.ok(), examples, statuses)
    return statuses


def _try(operation: Any, examples: int, statuses: Counter[int]) -> None:
    for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def check(case: Any) -> None:
            answer = case.call()
            statuses[answer.status_code] += 1
            assert answer.status_code < 500, (case.as_curl_command(), answer.text)

        with suppress(Unsatisfiable):  # a route without fields has nothing that could be wrong
            check()
