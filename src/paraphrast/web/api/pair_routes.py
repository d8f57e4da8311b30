"""/v1/judge and /v1/tag: pairs of texts, read in batches with those of other clients."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from paraphrast.jobs.model_signature import encoder_signature
from paraphrast.web.api.answers import TagAnswer, finite_values
from paraphrast.web.api.batched_verbs import judging, tagging
from paraphrast.web.api.bodies import PairsBody
from paraphrast.web.api.request_errors import ERRORS, FieldError
from paraphrast.web.api.verdicts import JudgeAnswer
from paraphrast.web.api.waiting import answers, service_of
from paraphrast.web.limits.text_limits import check_count, check_texts
from paraphrast.web.queueing.model_states import installed
from paraphrast.web.service import Service

router = APIRouter(prefix="/v1", tags=["pairs"], responses=ERRORS)


@router.post("/judge", response_model=JudgeAnswer, summary="Do two texts say the same?")
async def judge(request: Request, body: PairsBody) -> Any:
    """Say how two texts relate, how sure that is, and which words make the difference."""
    service = service_of(request)
    pairs = checked_pairs(service, body)
    found = await answers(request, service.models.submit(judging(service, body.model), pairs))
    verdicts = finite_values(found)
    return {"verdicts": verdicts, "signature": verdicts[0]["signature"]}


@router.post("/tag", response_model=TagAnswer, summary="Which words does the other not say?")
async def tag(request: Request, body: PairsBody) -> Any:
    """Tag each word of two texts: 0 where the other text says it, 1 where it does not."""
    service = service_of(request)
    pairs = checked_pairs(service, body)
    found = await answers(request, service.models.submit(tagging(service, body.model), pairs))
    tagged = [pair.to_dict() for pair in found]
    return {"pairs": tagged, "signature": encoder_signature("tag", body.model)}


def checked_pairs(service: Service, body: PairsBody) -> list[tuple[str, str]]:
    """Return the pairs, within the limits."""
    check_model(body.model)
    if isinstance(body.a, str) != isinstance(body.b, str):
        raise FieldError("b", "a and b must both be texts, or both be lists of texts")
    if isinstance(body.a, list) and len(body.a) != len(body.b):
        raise FieldError("b", f"{len(body.b)} texts for {len(body.a)} of a; text n of each pairs")
    pairs = body.pairs()
    check_count(service.options, "a", len(pairs))
    check_texts(service.options, "a", body.a)
    check_texts(service.options, "b", body.b)
    return pairs


def check_model(name: str) -> None:
    """Refuse what is not the name of an installed encoder: no path is ever opened."""
    known = installed("encoder")
    if name not in known:
        listed = ", ".join(known) or "none"
        raise FieldError("model", f"encoders that are installed on the server: {listed}")
