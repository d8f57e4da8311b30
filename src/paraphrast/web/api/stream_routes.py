"""/v1/…/stream: any number of lines, answered as they come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse

from paraphrast.jobs.model_signature import encoder_signature, generator_signature
from paraphrast.web.api.answers import finite_values
from paraphrast.web.api.batched_verbs import generating, judging, tagging
from paraphrast.web.api.bodies import RequestBody
from paraphrast.web.api.generate_routes import check_length, generation_options
from paraphrast.web.api.json_lines import MEDIA_TYPE, LineStream
from paraphrast.web.api.pair_routes import check_model
from paraphrast.web.api.request_errors import ERRORS
from paraphrast.web.api.verdicts import verdict_signature
from paraphrast.web.api.waiting import service_of
from paraphrast.web.limits.text_limits import check_texts
from paraphrast.web.queueing.work_queue import BatchedWork
from paraphrast.web.service import Service


class PairLine(RequestBody):
    """A pair of texts."""

    a: str
    b: str


class TextLine(RequestBody):
    """A text to paraphrase."""

    text: str


def _lines_of(kind: type[RequestBody]) -> dict[str, Any]:
    content = {MEDIA_TYPE: {"schema": kind.model_json_schema()}}
    return {"requestBody": {"content": content, "required": True}}


router = APIRouter(prefix="/v1", tags=["streams"], responses=ERRORS)
Model = Annotated[str, Query(description="Weights: mini or base, if installed.")]


@router.post("/judge/stream", openapi_extra=_lines_of(PairLine), response_class=StreamingResponse)
async def judge_stream(request: Request, model: Model = "mini") -> StreamingResponse:
    """Judge a pair for each line {"a": …, "b": …}; read answers while you send."""
    return _pair_stream(request, judging, finite_values, verdict_signature, model)


@router.post("/tag/stream", openapi_extra=_lines_of(PairLine), response_class=StreamingResponse)
async def tag_stream(request: Request, model: Model = "mini") -> StreamingResponse:
    """Tag a pair for each line {"a": …, "b": …}; read answers while you send."""

    def signature(name: str) -> str:
        return encoder_signature("tag", name)

    return _pair_stream(request, tagging, lambda pair: pair.to_dict(), signature, model)


@router.post(
    "/generate/stream", openapi_extra=_lines_of(TextLine), response_class=StreamingResponse
)
async def generate_stream(
    request: Request, n: int = 1, seed: int = 12345, novelty: float | None = None
) -> StreamingResponse:
    """Write paraphrases of each line {"text": …}; read answers while you send."""
    service = service_of(request)
    chosen = {"n": n, "seed": seed} | ({} if novelty is None else {"novelty": novelty})
    options = generation_options(chosen)
    work = generating(service, options, explain=False)

    def check(line: TextLine) -> str:
        check_texts(service.options, "text", line.text)
        check_length("text", line.text)
        return line.text

    return LineStream(
        TextLine,
        check,
        lambda block: service.models.submit(work, block),
        lambda one: finite_values(one.to_dict(rejected=False)),
        generator_signature(options),
    ).response(request)


def _pair_stream(
    request: Request,
    reading: Callable[[Service, str], BatchedWork],
    show: Callable[[Any], dict[str, Any]],
    signature: Callable[[str], str],
    model: str,
) -> StreamingResponse:
    check_model(model)
    service = service_of(request)
    work = reading(service, model)

    def check(line: PairLine) -> tuple[str, str]:
        check_texts(service.options, "a", line.a)
        check_texts(service.options, "b", line.b)
        return line.a, line.b

    return LineStream(
        PairLine,
        check,
        lambda block: service.models.submit(work, block),
        show,
        signature(model),
    ).response(request)
