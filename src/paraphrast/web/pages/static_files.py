"""Style sheet and scripts: a few known names, kept in memory, never a path from a request."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from paraphrast.render.pages.style import PAGE_CSS, PLOT_CSS

router = APIRouter(include_in_schema=False)
_TYPES = {
    "serve.css": "text/css",
    "serve.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "htmx.LICENSE": "text/plain",
    "icon.svg": "image/svg+xml",
}
_YEAR = "public, max-age=31536000, immutable"


@cache
def _asset(name: str) -> bytes:
    text = files("paraphrast.web.pages").joinpath("static", name).read_text(encoding="utf-8")
    return (PAGE_CSS + PLOT_CSS + text if name == "serve.css" else text).encode()


@cache
def asset_version(name: str) -> str:
    """Return the address of a static file, which changes with its content."""
    return f"/static/{name}?v={hashlib.sha256(_asset(name)).hexdigest()[:12]}"


@router.get("/static/{name}")
async def static_file(name: str) -> Response:
    """Return a static file."""
    if name not in _TYPES:
        raise HTTPException(404, "there is no such file")
    kind = f"{_TYPES[name]}; charset=utf-8"
    return Response(_asset(name), headers={"Cache-Control": _YEAR, "Content-Type": kind})
