"""A running application for the tests of the server; they are skipped without its extra."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
pytest.importorskip("onnxruntime", reason="the extra `encoder` is not installed")

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

STARTING = 60  # seconds
BASE = "http://127.0.0.1"


@pytest.fixture(scope="package")
def client() -> Iterator[TestClient]:
    """A client of an application with the usual limits but that on the rate."""
    from fastapi.testclient import TestClient

    from paraphrast.web.application import create_app
    from paraphrast.web.serve_options import ServeOptions

    with TestClient(create_app(ServeOptions(rate=0)), base_url=BASE) as found:
        yield found


@dataclass(frozen=True)
class RunningServer:
    """A server in a process of its own, on a free port."""

    process: subprocess.Popen[str]
    address: str

    @classmethod
    def start(cls, *options: str) -> RunningServer:
        command = [sys.executable, "-m", "paraphrast", "serve", "--port", "0", *options]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line + process.stderr.read()
        return cls(process, found[0])

    def stop(self) -> int:
        self.process.terminate()
        try:
            return self.process.wait(STARTING)
        finally:
            self.process.kill()
            if self.process.stderr is not None:
                self.process.stderr.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Callable[..., str]]:
    """A function from options to the address of a server in a process of its own."""
    started: dict[tuple[str, ...], RunningServer] = {}

    def find(*options: str) -> str:
        if options not in started:
            started[options] = RunningServer.start(*options)
        return started[options].address

    yield find
    for one in started.values():
        one.stop()
