"""A running application for the tests of the server; they are skipped without its extra."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
pytest.importorskip("onnxruntime", reason="the extra `encoder` is not installed")

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

BASE = "http://127.0.0.1"


@pytest.fixture(scope="package")
def client() -> Iterator[TestClient]:
    """A client of an application with the usual limits but that on the rate."""
    from fastapi.testclient import TestClient

    from paraphrast.web.application import create_app
    from paraphrast.web.serve_options import ServeOptions

    with TestClient(create_app(ServeOptions(rate=0)), base_url=BASE) as found:
        yield found
