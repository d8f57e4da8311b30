"""`paraphrast serve`: a web page, an HTTP API and MCP."""

from __future__ import annotations

from importlib.util import find_spec

import typer

from paraphrast.cli.options import taking
from paraphrast.cli.shared import Quiet
from paraphrast.errors import MissingExtra
from paraphrast.web.serve_options import ServeOptions

_NEEDED = {"fastapi": "fastapi", "uvicorn": "uvicorn", "multipart": "python-multipart",
           "jinja2": "jinja2", "prometheus_client": "prometheus-client", "mcp": "mcp"}  # fmt: skip


@taking(ServeOptions)
def command(
    options: ServeOptions,
    quiet: Quiet = False,
) -> None:
    """Open the web page and the HTTP API of this toolkit; end it with Ctrl-C."""
    for module, package in _NEEDED.items():
        if find_spec(module) is None:
            raise MissingExtra("serve", package)
    if options.mcp:
        from paraphrast.web.mcp.stdio_server import serve_stdio

        serve_stdio(options)
        return
    from paraphrast.web.serving import serve

    serve(options, lambda address: _announce(address, quiet=quiet))


def _announce(address: str, *, quiet: bool) -> None:
    if not quiet:
        typer.echo(f"paraphrast serves {address} (Ctrl-C ends it)", err=True)
