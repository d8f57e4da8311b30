"""judge, tag, score and generate as tools for assistants, with typed answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Annotated, Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from paraphrast import _version
from paraphrast.errors import ParaphrastError
from paraphrast.jobs.model_signature import encoder_signature, generator_signature
from paraphrast.web.access_log import log_failure
from paraphrast.web.api.answers import GenerateAnswer, SystemScores, TagAnswer, finite_values
from paraphrast.web.api.batched_verbs import generating, judging, tagging
from paraphrast.web.api.bodies import GenerateBody, PairsBody, ScoreBody
from paraphrast.web.api.generate_routes import checked_generation
from paraphrast.web.api.pair_routes import checked_pairs
from paraphrast.web.api.request_errors import FieldError
from paraphrast.web.api.score_routes import scoring, system_scores
from paraphrast.web.api.verdicts import JudgeAnswer
from paraphrast.web.queueing.work_queue import QueueFull, ServerStopping
from paraphrast.web.service import Service

T = TypeVar("T")

_ABOUT = (
    "Tell whether two texts say the same thing, which words make the difference, how good texts "
    "are beside references, and write paraphrases that keep the meaning. Runs locally."
)
Texts = Annotated[list[str], Field(description="One text or several; text n of each list pairs.")]
Model = Annotated[str, Field(description="Weights: mini or base, if installed.")]


def tool_server(service: Service) -> MCPServer[Any]:
    """Return the MCP server of a service."""
    server: MCPServer[Any] = MCPServer(
        "paraphrast", version=_version.VERSION, instructions=_ABOUT, log_level="ERROR"
    )
    tools = Tools(service)
    for tool in (tools.judge, tools.tag, tools.score, tools.generate):
        server.add_tool(tool, structured_output=True)
    return server


class Tools:
    """The tools; each checks as the API does, and waits in the same line."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def judge(self, a: Texts, b: Texts, model: Model = "mini") -> JudgeAnswer:
        """Say for each pair of texts whether they say the same thing, and why not."""

        async def answer() -> JudgeAnswer:
            pairs = checked_pairs(self._service, PairsBody(a=a, b=b, model=model))
            work = judging(self._service, model)
            found = finite_values(await self._answers(self._service.models.submit(work, pairs)))
            signature = found[0]["signature"]
            return JudgeAnswer.model_validate({"verdicts": found, "signature": signature})

        return await _guarded(answer)

    async def tag(self, a: Texts, b: Texts, model: Model = "mini") -> TagAnswer:
        """Tag the words of each pair of texts: 1 where the other text does not say the word."""

        async def answer() -> TagAnswer:
            pairs = checked_pairs(self._service, PairsBody(a=a, b=b, model=model))
            work = tagging(self._service, model)
            found = await self._answers(self._service.models.submit(work, pairs))
            signature = encoder_signature("tag", model)
            tagged = [pair.to_dict() for pair in found]
            return TagAnswer.model_validate({"pairs": tagged, "signature": signature})

        return await _guarded(answer)

    async def score(
        self,
        candidates: list[str],
        references: list[str] | None = None,
        sources: list[str] | None = None,
        metrics: list[str] | None = None,
    ) -> SystemScores:
        """Score candidate texts against references or sources with metrics such as chrf++."""

        async def answer() -> SystemScores:
            body = ScoreBody(
                candidates=[*candidates],
                references=None if references is None else [*references],
                sources=sources,
                metrics=metrics,
            )
            (report,) = await self._answers(scoring(self._service, body))
            return SystemScores.model_validate(system_scores(report, values=False))

        return await _guarded(answer)

    async def generate(
        self,
        texts: list[str],
        n: Annotated[int, Field(description="Paraphrases of each text.")] = 1,
        novelty: Annotated[
            float | None, Field(description="Least difference to the source, 0 to 1.")
        ] = None,
        keep: Annotated[list[str], Field(description="Strings that survive.")] = [],  # noqa: B006
    ) -> GenerateAnswer:
        """Write paraphrases of texts; those that would change the meaning are refused."""

        async def answer() -> GenerateAnswer:
            chosen = {} if novelty is None else {"novelty": novelty}
            body = GenerateBody.model_validate({"texts": texts, "n": n, "keep": keep} | chosen)
            checked, options = checked_generation(self._service, body)
            work = generating(self._service, options, explain=False)
            found = await self._answers(self._service.models.submit(work, checked))
            choices = [finite_values(one.to_dict(rejected=False)) for one in found]
            signature = generator_signature(options)
            return GenerateAnswer.model_validate({"choices": choices, "signature": signature})

        return await _guarded(answer)

    async def _answers(self, waiting: Future[list[Any]]) -> list[Any]:
        async with asyncio.timeout(self._service.options.time_limit):
            return await asyncio.wrap_future(waiting)


async def _guarded(answer: Callable[[], Awaitable[T]]) -> T:
    """Tell an assistant what it can mend, and nothing of what it cannot."""
    try:
        return await answer()
    except FieldError as error:
        raise ToolError(f"{error.field}: {error}") from None
    except (ParaphrastError, QueueFull, ServerStopping) as error:
        raise ToolError(str(error)) from None
    except TimeoutError:
        raise ToolError("the answer took too long; ask for less") from None
    except Exception as error:  # noqa: BLE001  an assistant learns nothing of it
        log_failure(error)
        raise ToolError("something went wrong inside paraphrast") from None
