"""A token that every client must know, where the server has one."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from paraphrast.errors import ConfigError
from paraphrast.web.api.problem_answers import problem_response

COOKIE = "paraphrast_session"
LOGIN = "/login"
_FREE = ("/healthz", "/readyz", LOGIN, "/static/")
_LEAST = 16


class AccessToken:
    """A secret that is compared and never shown; browsers hold a cookie made from it."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._session = hmac.new(secrets.token_bytes(32), self._secret, hashlib.sha256).hexdigest()

    @classmethod
    def read(cls, path: str) -> AccessToken:
        """Read the first line of a file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"the token file {path} cannot be read") from error
        token = text.split("\n", 1)[0].strip()
        if len(token) < _LEAST or not token.isascii() or any(c.isspace() for c in token):
            raise ConfigError(
                f"the first line of {path} is no token: at least {_LEAST} characters of ASCII "
                "without a space are needed, as `openssl rand -hex 24` writes"
            )
        return cls(token)

    def __repr__(self) -> str:
        return "AccessToken(…)"

    @property
    def session(self) -> str:
        """What the cookie holds; it ends with this process."""
        return self._session

    def is_right(self, given: str) -> bool:
        """Compare in a time that does not depend on the answer."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._secret)

    def admits(self, headers: Headers) -> bool:
        """Whether a request carries the token, or the cookie of a browser that did."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_right(given.strip()):
            return True
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(
            cookie.value.encode("utf-8", "replace"), self._session.encode()
        )


class TokenGuard:
    """Answers 401 without the token; a browser that wants a page is sent to the login."""

    def __init__(self, app: ASGIApp, token: AccessToken | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        free = scope["type"] != "http" or scope["path"].startswith(_FREE)
        if self._token is None or free or self._token.admits(headers := Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        wants_page = scope["method"] == "GET" and "text/html" in headers.get("accept", "")
        answer: ASGIApp = (
            RedirectResponse(LOGIN, 303)
            if wants_page
            else problem_response(
                401,
                "no_token",
                "this server wants a token: send 'Authorization: Bearer …'",
                headers={"WWW-Authenticate": "Bearer"},
            )
        )
        await answer(scope, receive, send)
