"""The tools, asked by the real client: in this process, over HTTP, and on standard streams."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import anyio.from_thread

import paraphrast

if TYPE_CHECKING:
    from mcp import Client

PAIR = {"a": ["The cat sat."], "b": ["A dog ran."]}


async def ask_all(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == {"judge", "tag", "score", "generate"}
    assert all(tool.output_schema and tool.description for tool in tools)
    judged = await client.call_tool("judge", PAIR)
    verdict = judged.structured_content["verdicts"][0]  # type: ignore[index]
    expected = paraphrast.judge("The cat sat.", "A dog ran.")
    assert (verdict["relation"], verdict["signature"]) == (expected.relation, expected.signature)
    tagged = await client.call_tool("tag", PAIR)
    words = tagged.structured_content["pairs"][0]["b"]["words"]  # type: ignore[index]
    assert words == ["A", "dog", "ran", "."]
    body = {"candidates": PAIR["a"], "references": PAIR["b"], "metrics": ["chrf++"]}
    scored = await client.call_tool("score", body)
    value = paraphrast.score(PAIR["a"], PAIR["b"], metrics=["chrf++"])["chrf++"].score
    assert scored.structured_content["scores"][0]["score"] == value  # type: ignore[index]
    written = await client.call_tool("generate", {"texts": ["The council met on Tuesday."]})
    assert written.structured_content["choices"][0]["source"]  # type: ignore[index]
    for arguments in (PAIR | {"model": "/etc"}, PAIR | {"b": []}, {"a": ["x"]}):
        refused = await client.call_tool("judge", arguments)
        assert refused.is_error
        assert "Traceback" not in str(refused.content)


def run(body: Callable[[], Awaitable[Any]]) -> None:
    with anyio.from_thread.start_blocking_portal() as portal:
        portal.call(body)


def test_tools_in_this_process() -> None:
    from mcp import Client

    from paraphrast.web.mcp.tool_server import tool_server
    from paraphrast.web.serve_options import ServeOptions
    from paraphrast.web.service import Service

    service = Service.start(ServeOptions())

    async def body() -> None:
        async with Client(tool_server(service)) as client:
            await ask_all(client)

    try:
        run(body)
    finally:
        service.stop()


def test_tools_on_standard_input_and_output() -> None:
    from mcp import Client, StdioServerParameters

    command = StdioServerParameters(
        command=sys.executable, args=["-m", "paraphrast", "serve", "--mcp"], env=dict(os.environ)
    )

    async def body() -> None:
        async with Client(command) as client:
            await ask_all(client)

    run(body)


def test_tools_over_http(server: Callable[..., Any]) -> None:
    from mcp import Client

    address = server("--mcp-http")

    async def body() -> None:
        async with Client(f"{address}mcp") as client:
            await ask_all(client)

    run(body)


def test_tools_are_served_over_http_only_on_request(client: Any) -> None:
    assert client.post("/mcp", json={}).status_code == 404
