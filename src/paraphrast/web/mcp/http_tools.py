"""MCP over streamable HTTP, under /mcp beside the pages and behind the same guards."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from fastapi import FastAPI
from mcp.server.transport_security import TransportSecuritySettings

from paraphrast.web.mcp.tool_server import tool_server
from paraphrast.web.service import Service


def add_tools(app: FastAPI, service: Service) -> AbstractAsyncContextManager[None]:
    """Add the route, and return what has to be entered while the application runs."""
    server = tool_server(service)
    # Hosts and origins are checked for all routes by our own guard.
    ours = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    tools = server.streamable_http_app(
        stateless_http=True,
        json_response=True,
        max_request_body_size=service.options.most_bytes,
        transport_security=ours,
    )
    app.router.routes.extend(tools.routes)
    return server.session_manager.run()
