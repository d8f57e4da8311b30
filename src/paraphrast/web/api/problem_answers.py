"""Errors as every client gets them: a code, a sentence, and the field that is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import Response

from paraphrast.web.api.problems import ErrorAnswer, FieldProblem, Problem


def problem_response(
    status: int,
    code: str,
    message: str,
    *,
    fields: list[FieldProblem] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return an error in JSON."""
    problem = Problem(
        code=code,
        message=message,
        field=fields[0].field if fields else None,
        fields=fields or [],
    )
    body = json.dumps(ErrorAnswer(error=problem).model_dump(), ensure_ascii=True)
    return Response(body, status, dict(headers or {}), "application/json")
