"""One request over HTTP, from first to last byte within a time, whatever the server does.

The timeout of a socket runs anew with each byte: a server that sends one now and then is waited for
without end. So the answer is read against a deadline, its headers as well as its body.
"""

from __future__ import annotations

import http.client
import io
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

_MOST_BYTES, _MOST_SAID = 1 << 24, 2000


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; of an error, as much of the body as could be had."""

    status: int
    reason: str
    retry_after: str
    body: bytes


def post(url: str, body: bytes, headers: Mapping[str, str], timeout: float) -> Answer:
    """Send a body and return the answer, of whatever status.

    OSError or http.client.HTTPException if there is none, or not all of one that says it is well.
    """
    request = urllib.request.Request(  # noqa: S310  (the scheme was checked)
        url, body, dict(headers), method="POST"
    )
    opener = urllib.request.build_opener(_NoRedirection, _PlainHandler, _SecureHandler)
    try:
        with opener.open(request, timeout=timeout) as answer:
            return Answer(answer.status, answer.reason, "", answer.read(_MOST_BYTES))
    except urllib.error.HTTPError as error:
        said = b""
        with error, suppress(OSError, http.client.HTTPException):
            said = error.read(_MOST_SAID)
        again = (error.headers.get("Retry-After") or "").strip()
        return Answer(error.code, str(error.reason), again, said)


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """Follow no redirection: the key is for this address only."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _TimedSocket(io.RawIOBase):
    """What a socket receives until the deadline; then TimeoutError."""

    def __init__(self, file: socket.SocketIO, sock: socket.socket, deadline: float) -> None:
        self._file, self._sock, self._deadline = file, sock, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left)
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


class _TimedResponse(http.client.HTTPResponse):
    """A response that is read against a deadline."""

    def __init__(self, sock: socket.socket, *args: Any, deadline: float, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_TimedSocket(sock.makefile("rb", buffering=0), sock, deadline))


class _TimedConnection(http.client.HTTPConnection):
    """A connection whose deadline begins with it."""

    def __init__(self, host: str, *, timeout: float = 60.0, **options: Any) -> None:
        super().__init__(host, timeout=timeout, **options)
        deadline = time.monotonic() + timeout
        self.response_class = partial(_TimedResponse, deadline=deadline)  # type: ignore[assignment]


class _TimedSecureConnection(_TimedConnection, http.client.HTTPSConnection):
    pass


class _PlainHandler(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_TimedConnection, request)


class _SecureHandler(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_TimedSecureConnection, request)
