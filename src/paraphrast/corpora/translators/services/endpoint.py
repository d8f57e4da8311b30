"""Requests to a service over HTTP: tried again after what passes, given up after what does not."""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from paraphrast.corpora.translators.secrets import holds_key, read_key, without_key
from paraphrast.corpora.translators.services.pacing import Clock, wait_turn
from paraphrast.corpora.translators.services.wire import Answer, post
from paraphrast.corpora.translators.translator import Failed, Price, Usage
from paraphrast.errors import ConfigError, InputError

REFUSED, GARBAGE, SILENT = "refused by the endpoint", "garbage from the endpoint", "no answer"
_LONGEST_WAIT = 600.0
_PASSING = (408, 429)  # and 5xx
_OF_THE_TEXT = (400, 413, 422)  # another text may be taken
_GARBAGE = (
    ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError
)  # fmt: skip

Reader = Callable[[Any], tuple[str | Failed, Usage]]
"""From parsed JSON to the text and what it took; KeyError or TypeError if it is not there."""


@dataclass(slots=True)
class Streak:
    """How many texts have failed in succession."""

    failed: int = 0


@dataclass(frozen=True, kw_only=True)
class Connection:
    """Where to send requests, and how patiently: the keys of a recipe.

    Status 408, 429 and 5xx, broken connections, garbage, and answers that are not there in full
    within `timeout` seconds are tried again, `tries` times in all, after 1, 2, 4 … seconds, half
    more or less by chance, or as long as the answer asks for. A text that is answered with status
    400, 413 or 422 has failed. Any other status is an InputError, as are `give_up` failed texts in
    succession. `key` names the environment variable that holds the key.
    """

    url: str
    key: str = ""
    timeout: float = 60.0
    tries: int = 5
    per_minute: float | None = None
    parallel: int = 1
    give_up: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        if "@" in urlsplit(self.url).netloc:
            raise ConfigError(
                "url holds a user's name or password, which would be stored with the corpus; put a "
                "key into an environment variable and name that as key"
            )
        if urlsplit(self.url).scheme not in ("http", "https") or not urlsplit(self.url).netloc:
            raise ConfigError(f"url is {self.url!r}; it must begin with http:// or https://")
        for name in ("tries", "parallel", "give_up"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("timeout", "per_minute"):
            if (value := getattr(self, name)) is not None and value <= 0:
                raise ConfigError(f"{name} is {value:g}; it must be above 0")


@dataclass(frozen=True, kw_only=True)
class Endpoint(Connection):
    """A connection that is used, and the clock that it waits by."""

    clock: Clock = field(default_factory=Clock, repr=False, compare=False)

    def check(self) -> None:
        """Raise ConfigError if there is no usable key where one is named."""
        if self.key:
            read_key(self.key, self.url)

    @property
    def secret(self) -> str:
        return read_key(self.key, self.url) if self.key else ""

    def ask(
        self,
        payloads: Sequence[Mapping[str, Any]],
        read: Reader,
        usage: Usage,
        streak: Streak | None = None,
    ) -> list[str | Failed]:
        """Send each payload and return its text or failure, in order.

        `usage` has what was sent and paid even if this raises; `streak` goes from call to call.
        """
        found: list[str | Failed] = []
        streak, halted, lock = streak or Streak(), threading.Event(), threading.Lock()

        def one(payload: Mapping[str, Any]) -> str | Failed:
            if halted.is_set():
                return Failed(SILENT)
            used = Usage()
            try:
                return self._one(payload, read, used)
            except BaseException:
                halted.set()  # before this thread can take up the next
                raise
            finally:
                with lock:
                    usage.add(used)

        with ThreadPoolExecutor(self.parallel) as pool:
            try:
                for answer in pool.map(one, payloads):
                    found.append(answer)
                    self._count(answer, streak)
            except BaseException:
                halted.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return found

    def _count(self, answer: str | Failed, streak: Streak) -> None:
        if not isinstance(answer, Failed):
            streak.failed = 0
            return
        streak.failed += 1
        if streak.failed >= self.give_up:
            raise InputError(
                f"{self.url} failed on {streak.failed} texts in succession; the last: "
                f"{answer.reason}: {answer.detail}"
            )

    def _one(self, payload: Mapping[str, Any], read: Reader, used: Usage) -> str | Failed:
        body = json.dumps(payload, ensure_ascii=False).encode()
        failed = Failed(SILENT)
        for attempt in range(self.tries):
            if self.per_minute is not None:
                wait_turn(self.url, self.per_minute, self.clock)
            used.requests += 1
            wait, body_shown = 0.0, ""
            try:
                answer = post(self.url, body, self._headers(), self.timeout)
                body_shown = self._shown(answer)
                if answer.status < 300:
                    text, took = read(json.loads(answer.body))
                    used.add(took)
                    return self._without_key(text)
                failed, wait = self._judged(answer), _retry_after(answer, self.clock)
                if answer.status in _OF_THE_TEXT:
                    return failed
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                failed = Failed(SILENT, self._hidden(f"{type(error).__name__}: {reason}"))
            except _GARBAGE as error:
                why = self._hidden(f"{type(error).__name__}: {error}")
                failed = Failed(GARBAGE, body_shown or why)
            if attempt + 1 < self.tries:
                self.clock.sleep(max(wait, self._pause(body, attempt)))
        return failed

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return {**headers, "Authorization": f"Bearer {self.secret}"} if self.secret else headers

    def _judged(self, answer: Answer) -> Failed:
        """Return the failure of a status; raise InputError for one that no text will pass."""
        shown = self._shown(answer)
        told = self._hidden(f"HTTP {answer.status} {answer.reason}")
        told += f": {shown}" if shown else ""
        if answer.status in _PASSING or answer.status >= 500:
            return Failed(SILENT, told)
        if answer.status in _OF_THE_TEXT:
            return Failed(REFUSED, told)
        raise InputError(f"{self.url} answered {told}")

    def _shown(self, answer: Answer) -> str:
        """Return the beginning of what was answered."""
        return self._hidden(answer.body.decode(errors="replace"))[:200].strip()

    def _hidden(self, text: str) -> str:
        """Return a text in which the key cannot be read."""
        return without_key(text, self.key)

    def _without_key(self, text: str | Failed) -> str | Failed:
        """Return what was read from an answer, which is to be stored; a key is not part of it."""
        if isinstance(text, Failed):
            return Failed(text.reason, self._hidden(text.detail))
        if self.key and holds_key(text, self.key):
            return Failed(GARBAGE, "the answer repeats the key of the service")
        return text

    def _pause(self, body: bytes, attempt: int) -> float:
        rng = random.Random(f"{self.seed} {attempt} {body!r}")  # noqa: S311  (no secret)
        return min(60.0, float(2**attempt)) * rng.uniform(0.5, 1.5)


@dataclass(frozen=True, kw_only=True)
class Remote(ABC):
    """What is asked over an endpoint, and what it costs; for translators and writers alike."""

    endpoint: Endpoint
    price: Price | None = None

    def describe(self) -> Mapping[str, Any]:
        return {"url": self.endpoint.url}

    def check(self) -> None:
        self.endpoint.check()

    @abstractmethod
    def payload(self, text: str) -> dict[str, Any]:
        """Return what is sent for a text."""

    @staticmethod
    @abstractmethod
    def read(answer: Any) -> tuple[str | Failed, Usage]:
        """Return what came back."""

    def asking(self, usage: Usage) -> Callable[[Sequence[str]], list[str | Failed]]:
        """Return a function from texts to answers that counts failures from call to call."""
        streak = Streak()
        return lambda texts: self.endpoint.ask(
            list(map(self.payload, texts)), self.read, usage, streak
        )


def _retry_after(answer: Answer, clock: Clock) -> float:
    """Return the seconds that the answer asks to wait, at most ten minutes."""
    given = answer.retry_after
    try:
        seconds = float(given)
    except ValueError:
        date = email.utils.parsedate_tz(given)
        seconds = email.utils.mktime_tz(date) - clock.now() if date else 0.0
    return min(max(seconds, 0.0), _LONGEST_WAIT) if seconds == seconds else 0.0
