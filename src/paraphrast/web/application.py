"""The application: routes behind guards, in the order in which a request meets them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import anyio
from fastapi import FastAPI

from paraphrast import _version
from paraphrast.jobs.tag import tag
from paraphrast.web.api import (
    generate_routes,
    pair_routes,
    score_routes,
    status_routes,
    stream_routes,
)
from paraphrast.web.api.request_errors import install_handlers
from paraphrast.web.limits.body_size import BodyLimit
from paraphrast.web.limits.request_rate import RateLimit
from paraphrast.web.monitoring import RequestCount
from paraphrast.web.pages import (
    compare_page,
    evaluate_page,
    help_pages,
    job_page,
    paraphrase_page,
    score_page,
    static_files,
    stress_form,
)
from paraphrast.web.pages.page_errors import problem_page, wants_page
from paraphrast.web.security.answer_headers import AnswerHeaders
from paraphrast.web.security.origin_guard import OriginGuard
from paraphrast.web.security.token_guard import AccessToken, TokenGuard
from paraphrast.web.serve_options import ServeOptions
from paraphrast.web.service import Service

_DESCRIPTION = "Do these two texts say the same thing? The verbs of paraphrast over HTTP."


_API = [
    module.router
    for module in (pair_routes, stream_routes, score_routes, generate_routes, status_routes)
]
_PAGES = [
    module.router
    for module in (
        compare_page,
        score_page,
        paraphrase_page,
        evaluate_page,
        stress_form,
        help_pages,
        job_page,
    )
]


def create_app(options: ServeOptions | None = None) -> FastAPI:
    """Return the application; its threads start and end with it."""
    options = options or ServeOptions()
    token = AccessToken.read(options.token_file) if options.token_file else None
    service = Service.start(options)

    tools: AbstractAsyncContextManager[None] | None = None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            place = service.place()
            service.warm(lambda: tag("one", "two", **place))
            stack.push_async_callback(anyio.to_thread.run_sync, service.stop)
            if tools is not None:
                await stack.enter_async_context(tools)
            yield

    app = FastAPI(
        title="Paraphrast",
        version=_version.VERSION,
        description=_DESCRIPTION,
        docs_url=None,  # FastAPI's pages fetch their scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    app.state.token = token
    for router in (*_API, *_PAGES, static_files.router):
        app.include_router(router)
    if options.mcp_http:
        from paraphrast.web.mcp.http_tools import add_tools

        tools = add_tools(app, service)
    install_handlers(app, wants_page, problem_page)
    _guard(app, options, token, service)
    return app


def _guard(
    app: FastAPI, options: ServeOptions, token: AccessToken | None, service: Service
) -> None:
    """Put the guards around the routes, the innermost first."""

    def most(path: str) -> int | None:
        if path.endswith("/stream"):
            return None
        return options.most_bytes if path.startswith(("/v1/", "/mcp")) else options.most_upload

    app.add_middleware(BodyLimit, most=most)
    app.add_middleware(TokenGuard, token=token)
    app.add_middleware(RateLimit, rate=options.rate)
    app.add_middleware(OriginGuard, loopback=options.is_loopback)
    app.add_middleware(AnswerHeaders)
    app.add_middleware(RequestCount, monitor=service.monitor)
