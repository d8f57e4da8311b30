"""A server on this machine that answers by a script, and a clock that stands still."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from paraphrast.corpora.translators.services.pacing import Clock

Answer = tuple[int, Any]
"""A status, and JSON, raw bytes, headers and either, or a function that writes to the socket."""


@dataclass
class Script:
    """What to answer; after the last one it begins again with `forever`."""

    answers: list[Answer] = field(default_factory=list)
    forever: Callable[[dict[str, Any]], Answer] = lambda body: (200, {"translatedText": body["q"]})
    seen: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    held: threading.Event = field(default_factory=threading.Event)
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        with self._lock:
            self.seen.append((path, headers, body))
            return self.answers.pop(0) if self.answers else self.forever(body)


HOLD = 0, None
"""An answer that does not come before the server is closed."""


@contextmanager
def serving(script: Script) -> Iterator[Script]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(length))
            status, content = script.next(self.path, dict(self.headers), body)
            if not status:
                script.held.wait(30)
                return
            if callable(content):
                with suppress(OSError):
                    content(self.wfile)
                self.close_connection = True
                return
            headers = {}
            if isinstance(content, tuple):
                headers, content = content
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield script
    finally:
        script.held.set()
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Still:
    """A clock that only sleeping moves."""

    time: float = 1_000_000.0
    slept: list[float] = field(default_factory=list)

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.time, self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
