"""Requests to a service over HTTP: tried again after what passes, given up after what does not."""

from __future__ import annotations

import email.utils
import http.client
import json
import os
import random
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from paraphrast.corpora.translators.base import Failed, Usage
from paraphrast.corpora.translators.pacing import Clock, wait_turn
from paraphrast.errors import ConfigError, InputError

REFUSED, GARBAGE, SILENT = "refused by the endpoint", "garbage from the endpoint", "no answer"
_LONGEST_WAIT, _MOST_BYTES = 600.0, 1 << 24

Reader = Callable[[Any], tuple[str | Failed, Usage]]
"""From parsed JSON to the text and what it took; KeyError or TypeError if it is not there."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where to send requests, and how patiently.

    Status 429 and 5xx, broken connections, timeouts and garbage are tried again, `tries` times in
    all, after 1, 2, 4 … seconds, half more or less by chance, or as long as the answer asks for.
    Any other status is an InputError, as are `give_up` failed texts in succession. `key` names
    the environment variable that holds the key.
    """

    url: str
    key: str = ""
    timeout: float = 60.0
    tries: int = 5
    per_minute: float | None = None
    parallel: int = 1
    give_up: int = 10
    seed: int = 0
    clock: Clock = field(default_factory=Clock, repr=False, compare=False)

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme not in ("http", "https") or not urlsplit(self.url).netloc:
            raise ConfigError(f"url is {self.url!r}; it must begin with http:// or https://")
        for name in ("tries", "parallel", "give_up"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("timeout", "per_minute"):
            if (value := getattr(self, name)) is not None and value <= 0:
                raise ConfigError(f"{name} is {value:g}; it must be above 0")

    def check(self) -> None:
        """Raise ConfigError if there is no key where one is named."""
        if self.key and not os.environ.get(self.key):
            raise ConfigError(
                f"the environment variable {self.key}, which shall hold the key of {self.url}, "
                "is not set"
            )

    @property
    def secret(self) -> str:
        return os.environ.get(self.key, "") if self.key else ""

    def ask(
        self, payloads: Sequence[Mapping[str, Any]], read: Reader, usage: Usage
    ) -> list[str | Failed]:
        """Send each payload and return its text or failure, in order."""
        found: list[str | Failed] = []
        failed, halted = 0, threading.Event()

        def one(payload: Mapping[str, Any]) -> tuple[str | Failed, Usage]:
            try:
                return (Failed(SILENT), Usage()) if halted.is_set() else self._one(payload, read)
            except BaseException:
                halted.set()  # before this thread can take up the next
                raise

        with ThreadPoolExecutor(self.parallel) as pool:
            try:
                for answer, used in pool.map(one, payloads):
                    usage.add(used)
                    found.append(answer)
                    failed = failed + 1 if isinstance(answer, Failed) else 0
                    if isinstance(answer, Failed) and failed == self.give_up:
                        raise InputError(
                            f"{self.url} failed on {failed} texts in succession; the last: "
                            f"{answer.reason}: {answer.detail}"
                        )
            except BaseException:
                halted.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return found

    def _one(self, payload: Mapping[str, Any], read: Reader) -> tuple[str | Failed, Usage]:
        body = json.dumps(payload, ensure_ascii=False).encode()
        failed, used = Failed(SILENT), Usage()
        for attempt in range(self.tries):
            if self.per_minute is not None:
                wait_turn(self.url, self.per_minute, self.clock)
            used.requests += 1
            asked = 0.0
            try:
                answer, took = read(json.loads(self._send(body)))
                used.add(took)
                return answer, used
            except urllib.error.HTTPError as error:
                failed, asked = self._judged(error), _retry_after(error, self.clock)
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                failed = Failed(SILENT, self._hidden(f"{type(error).__name__}: {reason}"))
            except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
                failed = Failed(GARBAGE, self._hidden(f"{type(error).__name__}: {error}"))
            if attempt + 1 < self.tries:
                self.clock.sleep(max(asked, self._pause(body, attempt)))
        return failed, used

    def _send(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.secret:
            headers["Authorization"] = f"Bearer {self.secret}"
        request = urllib.request.Request(  # noqa: S310  (the scheme was checked)
            self.url, body, headers, method="POST"
        )
        opener = urllib.request.build_opener(_Stay)
        with opener.open(request, timeout=self.timeout) as answer:
            data: bytes = answer.read(_MOST_BYTES)
        return data

    def _judged(self, error: urllib.error.HTTPError) -> Failed:
        """Return the failure of a status that may pass; raise InputError for one that will not."""
        with error:
            said = self._hidden(error.read(2000).decode(errors="replace"))[:200].strip()
        told = f"HTTP {error.code} {error.reason}" + (f": {said}" if said else "")
        if error.code == 429 or error.code >= 500:
            return Failed(SILENT, told)
        raise InputError(f"{self.url} answered {told}") from None

    def _hidden(self, text: str) -> str:
        """Return a text in which the key cannot be read."""
        return text.replace(self.secret, "***") if self.secret else text

    def _pause(self, body: bytes, attempt: int) -> float:
        rng = random.Random(f"{self.seed} {attempt} {body!r}")  # noqa: S311  (no secret)
        return min(60.0, float(2**attempt)) * rng.uniform(0.5, 1.5)


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follow no redirection: the key is for this address only."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _retry_after(error: urllib.error.HTTPError, clock: Clock) -> float:
    """Return the seconds that the answer asks to wait, at most ten minutes."""
    given = (error.headers.get("Retry-After") or "").strip()
    try:
        seconds = float(given)
    except ValueError:
        date = email.utils.parsedate_tz(given)
        seconds = email.utils.mktime_tz(date) - clock.now() if date else 0.0
    return min(max(seconds, 0.0), _LONGEST_WAIT) if seconds == seconds else 0.0
