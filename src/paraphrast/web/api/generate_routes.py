"""/v1/generate: paraphrases, with why each was kept and others were refused."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from paraphrast.errors import ConfigError
from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.jobs.model_signature import generator_signature
from paraphrast.web.api.answers import GenerateAnswer, finite_values
from paraphrast.web.api.batched_verbs import generating
from paraphrast.web.api.bodies import STEERED, GenerateBody, GenerateTexts, chosen_options
from paraphrast.web.api.request_errors import ERRORS, FieldError
from paraphrast.web.api.waiting import answers, service_of
from paraphrast.web.limits.text_limits import check_count, check_texts
from paraphrast.web.queueing.model_states import installed
from paraphrast.web.service import Service

router = APIRouter(prefix="/v1", tags=["paraphrases"], responses=ERRORS)
_MOST_TEXTS = 64
_MOST_CHARACTERS = 2000
_MOST_DRAWN = 40  # candidates of one text
_MOST_STRINGS = 100


@router.post("/generate", response_model=GenerateAnswer, summary="Write paraphrases.")
async def generate(request: Request, body: GenerateBody) -> Any:
    """Write up to n paraphrases of each text; those that change its meaning are refused."""
    service = service_of(request)
    texts, options = checked_generation(service, body)
    work = generating(service, options, explain=body.explain)
    found = await answers(request, service.models.submit(work, texts))
    choices = [finite_values(one.to_dict(rejected=body.rejected)) for one in found]
    return {"choices": choices, "signature": generator_signature(options)}


def checked_generation(service: Service, body: GenerateTexts) -> tuple[list[str], GenerateOptions]:
    """Return the texts and the options, within the limits."""
    texts = [body.texts] if isinstance(body.texts, str) else body.texts
    check_count(service.options, "texts", len(texts))
    if len(texts) > _MOST_TEXTS:
        raise FieldError("texts", f"at most {_MOST_TEXTS} texts at once; or send a stream")
    check_texts(service.options, "texts", body.texts)
    for place, text in enumerate(texts):
        check_length(f"texts.{place}", text)
    return texts, generation_options(chosen_options(body, STEERED))


def check_length(field: str, text: str) -> None:
    """Refuse a text that would take minutes to paraphrase."""
    if len(text) > _MOST_CHARACTERS:
        raise FieldError(field, f"at most {_MOST_CHARACTERS:,} characters are paraphrased at once")


def generation_options(chosen: dict[str, Any]) -> GenerateOptions:
    """Build the options; what the library refuses is a ConfigError, as are too many candidates."""
    if not installed("generator"):
        raise FieldError("texts", "no generator is installed on the server")
    for name in ("keep", "forbid"):
        value = chosen.get(name, ())
        strings = [value] if isinstance(value, str) else list(value)
        if len(strings) > _MOST_STRINGS or any(len(one) > _MOST_CHARACTERS for one in strings):
            raise FieldError(name, f"at most {_MOST_STRINGS} strings")
        chosen = chosen | {name: tuple(strings)}
    for name in ("n", "pool", "beams"):
        if isinstance(count := chosen.get(name), int) and count > _MOST_DRAWN:
            raise FieldError(name, f"at most {_MOST_DRAWN} over the web")
    options = GenerateOptions(**chosen)
    if options.decoding().n > 2 * _MOST_DRAWN:
        raise ConfigError(f"more than {2 * _MOST_DRAWN} candidates of one text")
    return options
