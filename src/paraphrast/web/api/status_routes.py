"""What machines ask about the server itself: metrics' cards, health, readiness, Prometheus."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from paraphrast import _version
from paraphrast.jobs.scoring.cards import metric_card, metric_names
from paraphrast.web.api.answers import HealthAnswer, MetricsAnswer, ReadyAnswer, finite_values
from paraphrast.web.api.waiting import service_of

router = APIRouter(tags=["server"])
_TEXT = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/v1/metrics", response_model=MetricsAnswer, summary="The cards of all metrics.")
def metrics() -> Any:
    """Return what each metric declares: what it needs, its range, its options, its signature."""
    return {"metrics": _cards(), "version": _version.VERSION}


@cache
def _cards() -> list[Any]:
    return [finite_values(metric_card(name)) for name in metric_names()]


@router.get("/healthz", response_model=HealthAnswer)
async def health() -> Any:
    """Say that the process lives."""
    return {"status": "ok", "version": _version.VERSION}


@router.get(
    "/readyz",
    response_model=ReadyAnswer,
    responses={503: {"model": ReadyAnswer, "description": "A model is being loaded, or failed."}},
)
async def ready(request: Request) -> Response:
    """Say whether requests are answered at once, and which models are loaded."""
    service = service_of(request)
    states = service.states
    answer = ReadyAnswer(
        ready=states.ready,
        models=dict(states.states),
        waiting=service.models.waiting + service.texts.waiting,
        messages=states.messages,
    )
    return JSONResponse(answer.model_dump(), 200 if states.ready else 503)


@router.get("/metrics", response_class=Response, responses={200: {"content": {_TEXT: {}}}})
async def prometheus(request: Request) -> Response:
    """Return counts for Prometheus."""
    return Response(service_of(request).monitor.exposition(), media_type=_TEXT)
