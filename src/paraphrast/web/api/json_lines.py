"""Large inputs as a stream: a line of JSON in, a line of JSON out, and nothing held whole."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from paraphrast.errors import ParaphrastError
from paraphrast.web.access_log import log_failure
from paraphrast.web.api.request_errors import FieldError
from paraphrast.web.api.waiting import service_of
from paraphrast.web.queueing.work_queue import QueueFull, ServerStopping

L = TypeVar("L", bound=BaseModel)

MEDIA_TYPE = "application/x-ndjson"
_IDLE = 60.0  # seconds without a byte after which a client is given up
_PAUSE = 0.05  # seconds after which a full line is tried again


class LineError(Exception):
    """A line of the stream is wrong."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(message)


class LineResponse(StreamingResponse):
    """An answer that is sent while the request is still read.

    Starlette's own would read on to hear of the client's leaving, and lose what it reads.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.stream_response(send)


@dataclass(frozen=True, slots=True)
class LineStream:
    """What a stream of lines is made of: a kind of line, its work, and how an answer is shown."""

    kind: type[BaseModel]
    check: Callable[[Any], Any]  # from a line to the item that is worked on
    submit: Callable[[list[Any]], Future[list[Any]]]
    show: Callable[[Any], dict[str, Any]]
    signature: str

    def response(self, request: Request) -> LineResponse:
        """Answer each line with a line; the last one tells how many there were."""
        return LineResponse(self._lines(request), media_type=MEDIA_TYPE)

    async def _lines(self, request: Request) -> AsyncIterator[bytes]:
        count = last = 0
        try:
            async for block in self._blocks(request):
                numbers, items = zip(*block, strict=True)
                answers = await _answers(request, self.submit, list(items))
                for number, found in zip(numbers, answers, strict=True):
                    count, last = count + 1, number
                    yield _json({"line": number} | self.show(found))
        except ClientDisconnect:
            return
        except LineError as error:
            yield _json({"error": {"code": "invalid_line", "message": str(error)},
                         "line": error.line})  # fmt: skip
        except (ParaphrastError, ServerStopping, TimeoutError) as error:
            message = str(error) or "the client, or the answer, took too long"
            yield _json({"error": {"code": "stopped", "message": message}, "line": last + 1})
        except Exception as error:  # noqa: BLE001  a defect of ours must not show its trace
            log_failure(error)
            message = "something went wrong inside paraphrast; this is a bug of ours"
            yield _json({"error": {"code": "internal", "message": message}, "line": last + 1})
        else:
            yield _json({"done": count, "signature": self.signature})

    async def _blocks(self, request: Request) -> AsyncIterator[list[tuple[int, Any]]]:
        """Yield as many lines as are read together, or what has come when the stream ends.

        Each has its number in the stream, in which empty lines count.
        """
        options = service_of(request).options
        block: list[tuple[int, Any]] = []
        number = 0
        try:
            async for line in _text_lines(request, options.most_bytes):
                number += 1
                if line.strip():
                    block.append((number, self._item(line, number)))
                if len(block) == options.batch:
                    yield block
                    block = []
        except LineError:
            if block:  # what came before is answered
                yield block
            raise
        if block:
            yield block

    def _item(self, line: bytes, number: int) -> Any:
        try:
            return self.check(self.kind.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise LineError(number, f"{place}: {first['msg']}".removeprefix(": ")) from error
        except FieldError as error:
            raise LineError(number, f"{error.field}: {error}") from error


async def _answers(
    request: Request, submit: Callable[[list[Any]], Future[list[Any]]], block: list[Any]
) -> list[Any]:
    """Wait for room in the line, then for the answers; a stream waits instead of being refused."""
    limit = service_of(request).options.time_limit
    async with asyncio.timeout(limit):
        while True:
            try:
                waiting = submit(block)
            except QueueFull:
                await asyncio.sleep(_PAUSE)
            else:
                return await asyncio.wrap_future(waiting)


async def _text_lines(request: Request, most: int) -> AsyncIterator[bytes]:
    """Yield the lines of the body as they come."""
    held, number = b"", 1
    stream = request.stream().__aiter__()
    while True:
        async with asyncio.timeout(_IDLE):
            try:
                part = await anext(stream)
            except StopAsyncIteration:
                break
        *lines, held = (held + part).split(b"\n")
        for line in lines:
            yield line
            number += 1
        if len(held) > most:
            raise LineError(number, f"the line is longer than {most:,} bytes")
    if held:
        yield held


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n"
