"""How errors become answers: each names the field, and none shows what stands behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from paraphrast.errors import (
    ConfigError,
    InputError,
    MissingExtra,
    MissingInput,
    ModelError,
    ParaphrastError,
)
from paraphrast.web.access_log import log_failure
from paraphrast.web.api.problem_answers import problem_response
from paraphrast.web.api.problems import ErrorAnswer, FieldProblem
from paraphrast.web.queueing.work_queue import QueueFull, ServerStopping

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": words}
    for status, words in {
        400: "The body cannot be read.",
        401: "A token is needed.",
        403: "The request comes from elsewhere.",
        408: "The request came too slowly.",
        413: "The request is too large.",
        422: "A field is wrong.",
        429: "Too much is waiting; Retry-After says when to ask again.",
        503: "The answer took too long, or the server is stopping.",
    }.items()
}
Handler = Callable[[Request, Exception], Awaitable[Response]]
_CLIENT_GONE = 499
_NO_OBJECT = ("model_attributes_type", "dict_type", "missing")
_NEEDS_JSON = "send a JSON object, with the header Content-Type: application/json"
_CODES = {404: "not_found", 405: "wrong_method", 400: "bad_request", 408: "too_slow",
          413: "too_large"}  # fmt: skip


class FieldError(Exception):
    """One field of a request is wrong."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


class ClientGone(Exception):
    """Nobody waits for the answer any more."""


def install_handlers(
    app: FastAPI,
    wants_page: Callable[[Request], bool],
    page: Callable[[Request, Response], Response],
) -> None:
    """Let the application answer every error in one form, and on a page for those who read one."""

    def handler(answer: Callable[[Exception], Response]) -> Handler:
        async def handle(request: Request, error: Exception) -> Response:
            found = answer(error)
            return page(request, found) if wants_page(request) else found

        return handle

    for kind in (ParaphrastError, FieldError, QueueFull, ServerStopping, ClientGone, TimeoutError):
        app.add_exception_handler(kind, handler(answer_of))
    app.add_exception_handler(RequestValidationError, handler(_invalid))
    app.add_exception_handler(HTTPException, handler(_http))
    app.add_exception_handler(Exception, handler(_unknown))


def answer_of(error: Exception) -> Response:
    """Return the answer to an error that is expected."""
    match error:
        case FieldError():
            return _field(error.field, str(error))
        case QueueFull():
            headers = {"Retry-After": str(error.retry_after)}
            return problem_response(429, "queue_full", str(error), headers=headers)
        case ServerStopping():
            return problem_response(503, "stopping", str(error), headers={"Retry-After": "5"})
        case ClientGone():
            return Response(status_code=_CLIENT_GONE)
        case TimeoutError() | asyncio.TimeoutError():
            return problem_response(503, "time_limit", "the answer took too long; ask for less")
    return _library(error)


def _library(error: Exception) -> Response:
    match error:
        case MissingInput():
            return _field(error.need, str(error))
        case MissingExtra():
            return problem_response(422, "not_installed", f"the server lacks a package: {error}")
        case InputError():
            return problem_response(422, "invalid_input", str(error))
        case ConfigError():
            return problem_response(422, "invalid_option", str(error))
        case ModelError():
            return problem_response(422, "model_unavailable", "the model is not installed here")
    return problem_response(422, "invalid_input", str(error))


def _field(field: str, message: str) -> Response:
    problems = [FieldProblem(field=field, message=message)]
    return problem_response(422, "invalid_field", message, fields=problems)


def _invalid(error: Exception) -> Response:
    """Name every field that is wrong; what the client sent is not sent back."""
    assert isinstance(error, RequestValidationError)
    found: dict[str, list[str]] = {}
    if any(one["loc"] == ("body",) and one["type"] in _NO_OBJECT for one in error.errors()):
        return problem_response(422, "invalid_body", _NEEDS_JSON)
    for one in error.errors():
        found.setdefault(_place(one["loc"]), []).append(str(one["msg"]))
    fields = [
        FieldProblem(field=field, message=" or: ".join(dict.fromkeys(messages)))
        for field, messages in found.items()
    ]
    first = fields[0]
    message = f"{first.field}: {first.message}" if first.field else first.message
    return problem_response(422, "invalid_field", message, fields=fields)


def _place(location: Sequence[object]) -> str:
    """Return the field; the names of alternatives that pydantic tried are left out."""
    parts = [str(part) for part in location[1:]]
    return ".".join(part for part in parts if "[" not in part and part not in ("str", "float"))


def _http(error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "error")
    return problem_response(error.status_code, code, str(error.detail), headers=error.headers)


def _unknown(error: Exception) -> Response:
    log_failure(error)
    message = "something went wrong inside paraphrast; this is a bug of ours"
    return problem_response(500, "internal", message)
