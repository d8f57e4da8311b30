"""The page about the API, the state of the models, and the login where a token is wanted."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from paraphrast.web.api.waiting import service_of
from paraphrast.web.pages.page_frame import full_page
from paraphrast.web.security.token_guard import COOKIE, LOGIN

router = APIRouter(include_in_schema=False)
_TRIED = {
    "/v1/judge": {"a": "She sold 40 trucks.", "b": "She sold 25 trucks."},
    "/v1/tag": {"a": "She sold 40 trucks.", "b": "She sold 25 trucks."},
    "/v1/score": {"candidates": ["A cat sat."], "references": ["The cat sat."]},
    "/v1/compare": {
        "candidates": {"one": ["A cat sat."], "two": ["Cats sit."]},
        "references": ["The cat sat."],
        "test": "randomisation",
    },
    "/v1/generate": {"texts": ["The council approved the plan."], "n": 2},
}


@router.get("/api")
async def api_page(request: Request) -> Response:
    """List the routes of the API, each with a request to try."""
    schema = request.app.openapi()
    routes = [_route(path, verbs) for path, verbs in schema["paths"].items()]
    return full_page(request, "api.html", routes=routes, base=str(request.base_url).rstrip("/"))


def _route(path: str, verbs: dict[str, Any]) -> dict[str, Any]:
    (method, details), *_ = verbs.items()
    body = _TRIED.get(path)
    return {
        "method": method.upper(),
        "path": path,
        "words": details.get("description", ""),
        "body": json.dumps(body, ensure_ascii=False) if body else "",
    }


@router.get("/models")
async def model_state(request: Request) -> Response:
    """Say in the foot of each page whether the models are loaded."""
    states = service_of(request).states.states
    found = set(states.values())
    return full_page(
        request,
        "models.html",
        loading="loading" in found,
        failed="failed" in found,
        absent="mini" not in states,
    )


@router.get(LOGIN)
async def login_page(request: Request) -> Response:
    """Ask for the token."""
    return full_page(request, "login.html", wrong=False)


@router.post(LOGIN)
async def login(request: Request, token: Annotated[str, Form()] = "") -> Response:
    """Give a browser that knows the token a cookie, which ends with this process."""
    known = request.app.state.token
    if known is None or not known.is_right(token.strip()):
        return full_page(request, "login.html", status=401, wrong=True)
    answer = RedirectResponse("/", 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(
        COOKIE, known.session, httponly=True, samesite="strict", secure=secure, path="/"
    )
    return answer
