"""Translation by a service: endpoints of the LibreTranslate and of the OpenAI-chat kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from paraphrast.corpora.translators.services.endpoint import REFUSED, Remote
from paraphrast.corpora.translators.translator import Failed, Raw, Translator, Usage
from paraphrast.errors import ConfigError

CUT_OFF = "cut off"
PROMPT = (
    "Translate the sentence that the user gives from {source} to {target} (language codes). "
    "Answer with the translation alone, on one line."
)


@dataclass(frozen=True, kw_only=True)
class _EndpointTranslator(Remote, Translator):
    """A translator behind an endpoint."""

    @contextmanager
    def start(self, usage: Usage) -> Iterator[Raw]:
        yield self.asking(usage)


@dataclass(frozen=True, kw_only=True)
class LibreTranslate(_EndpointTranslator):
    """POST {q, source, target, format} to /translate; the key goes into the body as well."""

    backend: ClassVar[str] = "libretranslate"

    def payload(self, text: str) -> dict[str, Any]:
        made = {"q": text, "source": self.source, "target": self.target, "format": "text"}
        key = self.endpoint.secret
        return {**made, "api_key": key} if key else made

    @staticmethod
    def read(answer: Any) -> tuple[str | Failed, Usage]:
        return text_of(answer["translatedText"]), Usage()


@dataclass(frozen=True, kw_only=True)
class Chat(_EndpointTranslator):
    """POST a system prompt and the text to /v1/chat/completions.

    `prompt` may use {source} and {target}, the codes of the languages.
    """

    model: str
    prompt: str = PROMPT
    temperature: float = 0.0
    max_tokens: int = 512
    backend: ClassVar[str] = "chat"

    def __post_init__(self) -> None:
        if not self.model:
            raise ConfigError("model is empty; name the model that the endpoint shall use")
        try:
            self.prompt.format(source="", target="")
        except (KeyError, IndexError, ValueError):
            raise ConfigError(
                f"prompt is {self.prompt!r}; only {{source}} and {{target}} may stand in braces"
            ) from None

    def describe(self) -> Mapping[str, Any]:
        return {
            **super().describe(),
            "model": self.model,
            "prompt": self.prompt,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }

    def payload(self, text: str) -> dict[str, Any]:
        asked = self.prompt.format(source=self.source, target=self.target)
        return {
            "model": self.model,
            "messages": [
                {"role": "system", "content": asked},
                {"role": "user", "content": text},
            ],
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }

    @staticmethod
    def read(answer: Any) -> tuple[str | Failed, Usage]:
        return chat_text(answer)


def chat_text(answer: Any, *, cut: bool = False) -> tuple[str | Failed, Usage]:
    """Return the first choice of a chat; a text that was cut off fails unless `cut` allows it."""
    choice = answer["choices"][0]
    message, why = choice["message"], choice.get("finish_reason")
    used = tokens_of(answer)
    if message.get("refusal") or why == "content_filter":
        return Failed(REFUSED, str(message.get("refusal") or why)[:200]), used
    if why == "length" and not cut:
        return Failed(CUT_OFF), used
    return text_of(message["content"]), used


def tokens_of(answer: Any) -> Usage:
    """Return the tokens that an answer of the OpenAI kind says it took, 0 if it does not."""
    told = answer.get("usage") or {}
    counts = [told.get(name) or 0 for name in ("prompt_tokens", "completion_tokens")]
    return Usage(prompt_tokens=int(counts[0]), completion_tokens=int(counts[1]))


def text_of(value: Any) -> str:
    """Return a value that must be a text."""
    if not isinstance(value, str):
        raise TypeError(f"expected a text, found {value!r}"[:200])
    return value


def address(url: str, path: str) -> str:
    """Return a server's address with the path of the service, unless it is there already."""
    bare = url.rstrip("/")
    if bare.endswith(path):
        return bare
    version = "/v1"
    if path.startswith(version + "/") and bare.endswith(version):
        return bare + path.removeprefix(version)
    return bare + path
