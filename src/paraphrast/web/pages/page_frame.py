"""The frame of every page, and what templates may use."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from paraphrast import _version
from paraphrast.render.charts.heat_map import step
from paraphrast.render.markup import esc
from paraphrast.web.pages.static_files import asset_version
from paraphrast.web.pages.verdict_words import headline, relation_mood

NAVIGATION = (
    ("/", "Compare two texts"),
    ("/score", "Score files"),
    ("/paraphrase", "Paraphrase"),
    ("/evaluate", "Evaluate metrics"),
    ("/api", "API"),
)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("paraphrast.web.pages", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.globals |= {
        "navigation": NAVIGATION,
        "version": _version.VERSION,
        "asset": asset_version,
        "headline": headline,
        "mood": relation_mood,
        "shade": lambda chance: step(1.0 - chance, (0.0, 1.0)),
    }
    environment.filters["percent"] = percent
    return environment


def percent(share: float) -> str:
    """Write a share in percent; what is nearly certain is not called certain."""
    if 0.995 <= share < 1:
        return "over 99 %"
    return "under 1 %" if 0 < share < 0.005 else f"{share * 100:.0f} %"


def _shown(value: Any) -> Any:
    """Show what no page can hold, control characters say, as U+FFFD."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return markup(esc(value)) if plain else value


def markup(text: str) -> Markup:
    """Mark text as markup that `paraphrast.render` made, and escaped."""
    return Markup(text)  # noqa: S704  made by render.markup alone


def full_page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page."""
    text = _environment().get_template(template).render(path=request.url.path, **values)
    return HTMLResponse(text, status)


def fragment(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a part of a page to a script, or framed as a page to a browser without scripts."""
    if request.headers.get("hx-request") == "true":
        return full_page(request, template, status=status, **values)
    return full_page(request, "framed.html", status=status, inner=template, **values)


def sample(name: str) -> str:
    """Return one of the example files."""
    return files("paraphrast.web.pages").joinpath("samples", name).read_text(encoding="utf-8")
