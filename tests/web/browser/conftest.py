"""Debian's chromium, driven by Playwright; the tests are skipped where it is not installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")  # Playwright holds the loop of its thread until it ends
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    flags = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=flags)
        yield found
        found.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser wrote to its console as an error, and scripts that failed."""
    return []


@pytest.fixture
def page(browser: Browser, server: Callable[..., str], complaints: list[str]) -> Iterator[Page]:
    """A page of the server; a request to any other place is an error."""
    context = browser.new_context(base_url=server(), viewport={"width": 1280, "height": 900})
    found = watched(context, server(), complaints)
    yield found
    context.close()
    assert complaints == []


def watched(context: BrowserContext, base: str, complaints: list[str]) -> Page:
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda said: (
            complaints.append(said.text)
            if said.type in ("error", "warning") and "status of 422" not in said.text
            else None
        ),
    )
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((base, "data:", "blob:")) else complaints.append(asked.url)
        ),
    )
    return page
