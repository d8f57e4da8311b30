"""Run the server: a socket, uvicorn, an end that finishes what was begun."""

from __future__ import annotations

import copy
import errno
import logging
import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from paraphrast.errors import ConfigError
from paraphrast.web.application import create_app
from paraphrast.web.serve_options import ServeOptions

_FINISH = 120  # seconds in which requests that were begun are finished at the end
_BACKLOG = 1024


def serve(options: ServeOptions, announce: Callable[[str], None]) -> None:
    """Serve until a signal comes; `announce` is told the address."""
    app = create_app(options)
    listening = _listening(options.host, options.port)
    host = f"[{options.host}]" if ":" in options.host else options.host
    announce(f"http://{host}:{listening.getsockname()[1]}/")
    config = uvicorn.Config(
        app,
        log_config=_logging(),
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_FINISH,
        h11_max_incomplete_event_size=64 * 1024,
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:  # uvicorn passes the signal on when all is finished: this is the end
        return
    finally:
        listening.close()


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host.strip("[]"), port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise ConfigError(
                f"port {port} is taken, perhaps by another paraphrast serve; choose one with --port"
            ) from error
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    return listening


def _logging() -> dict[str, Any]:
    """Return uvicorn's way to log, on standard error; our own messages go the same way."""
    config = copy.deepcopy(uvicorn.config.LOGGING_CONFIG)
    for name in ("uvicorn", "uvicorn.error"):
        config["loggers"][name]["level"] = logging.WARNING
    config["loggers"]["paraphrast.serve"] = {"handlers": ["default"], "level": "INFO"}
    return config
