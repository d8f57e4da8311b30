"""MCP on standard input and output, as assistants start it."""

from __future__ import annotations

from paraphrast.web.mcp.tool_server import tool_server
from paraphrast.web.serve_options import ServeOptions
from paraphrast.web.service import Service


def serve_stdio(options: ServeOptions) -> None:
    """Answer until standard input ends."""
    service = Service.start(options)
    try:
        tool_server(service).run("stdio")
    finally:
        service.stop()
