"""Language models that go on from a prompt: two kinds of endpoint, and models of this machine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from paraphrast.corpora.translators.services.endpoint import Remote
from paraphrast.corpora.translators.services.http import chat_text, text_of, tokens_of
from paraphrast.corpora.translators.translator import Failed, Usage
from paraphrast.errors import ConfigError, InputError
from paraphrast.generation.decoding.attempts import Attempts
from paraphrast.generation.decoding.decoding_options import Bounds, Decoding
from paraphrast.generation.decoding.searches import Item
from paraphrast.models.generator.generator_loading import load_generator
from paraphrast.models.generator.language_model import CAUSAL, LanguageModel

Write = Callable[[Sequence[str]], list[str | Failed]]
_CHAT = (
    "You continue lists. The user gives a list of sentences and their paraphrases; write what "
    "comes next in exactly the same form, and nothing else."
)


@dataclass(frozen=True, kw_only=True)
class PromptWriter(ABC):
    """A language model. What it writes ends in a line break unless it was cut off.

    `max_tokens` is how much it may write (300 in ParaTag's paper); `stop` are strings it ends
    before.
    """

    name: str
    model: str
    max_tokens: int = 300
    temperature: float = 1.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    backend: ClassVar[str]

    def __post_init__(self) -> None:
        if not self.model:
            raise ConfigError("model is empty; name the language model")
        if self.max_tokens < 1:
            raise ConfigError(f"max_tokens is {self.max_tokens}; it must be at least 1")
        if not 0 < self.top_p <= 1:
            raise ConfigError(f"top_p is {self.top_p:g}; it must be above 0 and at most 1")
        if self.temperature < 0:
            raise ConfigError(f"temperature is {self.temperature:g}; it must not be negative")

    @property
    def signature(self) -> dict[str, Any]:
        """All that a text depends on, as JSON values."""
        return {
            "backend": self.backend,
            "model": self.model,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "stop": list(self.stop),
            **self.describe(),
        }

    @abstractmethod
    def describe(self) -> Mapping[str, Any]:
        """Return the backend's part of the signature."""

    @abstractmethod
    def check(self) -> None:
        """Raise at once if the model cannot be asked."""

    @abstractmethod
    def open(self, usage: Usage) -> AbstractContextManager[Write]:
        """Yield a function from prompts to what the model writes after each."""


@dataclass(frozen=True, kw_only=True)
class _EndpointWriter(Remote, PromptWriter):
    @contextmanager
    def open(self, usage: Usage) -> Iterator[Write]:
        self.check()
        ask = self.asking(usage)

        def write(prompts: Sequence[str]) -> list[str | Failed]:
            usage.add(Usage(texts=len(prompts), characters=sum(map(len, prompts))))
            return ask(prompts)

        yield write

    def payload(self, text: str) -> dict[str, Any]:
        """Return what is sent for a prompt."""
        made = {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
        }
        return {**made, "stop": list(self.stop)} if self.stop else made


@dataclass(frozen=True, kw_only=True)
class ChatWriter(_EndpointWriter):
    """POST the prompt as a user's message to /v1/chat/completions."""

    backend: ClassVar[str] = "chat"

    def payload(self, text: str) -> dict[str, Any]:
        messages = [{"role": "system", "content": _CHAT}, {"role": "user", "content": text}]
        return {**super().payload(text), "messages": messages}

    @staticmethod
    def read(answer: Any) -> tuple[str | Failed, Usage]:
        text, used = chat_text(answer, cut=True)
        return _ended(text, answer["choices"][0]), used


@dataclass(frozen=True, kw_only=True)
class CompletionWriter(_EndpointWriter):
    """POST the prompt to /v1/completions, as the paper did with GPT-3."""

    backend: ClassVar[str] = "completions"

    def payload(self, text: str) -> dict[str, Any]:
        return {**super().payload(text), "prompt": text}

    @staticmethod
    def read(answer: Any) -> tuple[str | Failed, Usage]:
        choice = answer["choices"][0]
        return _ended(text_of(choice["text"]), choice), tokens_of(answer)


def _ended(text: str | Failed, choice: Mapping[str, Any]) -> str | Failed:
    if isinstance(text, Failed) or choice.get("finish_reason") == "length":
        return text
    return text + "\n"


@dataclass(frozen=True, kw_only=True)
class LocalWriter(PromptWriter):
    """A decoder-only model: a folder or a hub's name, as `paraphrast generate --model` takes it.

    The prompt is read as `[EOS] prompt`, without the separator that a paraphraser expects.
    """

    threads: int | None = None
    device: str = "cpu"
    seed: int = 0
    backend: ClassVar[str] = "local"

    def describe(self) -> Mapping[str, Any]:
        return {"fingerprint": self._loaded().fingerprint, "seed": self.seed}

    def check(self) -> None:
        self._loaded()

    @contextmanager
    def open(self, usage: Usage) -> Iterator[Write]:
        model = self._loaded()
        attempts = Attempts(model, self._decoding())

        def write(prompts: Sequence[str]) -> list[str | Failed]:
            if not prompts:
                return []
            items = self._items(model, prompts)
            found = [outcome.candidates[0] for outcome in attempts.decode(items, lambda _n: None)]
            usage.add(
                Usage(
                    texts=len(prompts),
                    characters=sum(map(len, prompts)),
                    prompt_tokens=sum(len(item.prompt) for item in items),
                    completion_tokens=sum(one.tokens for one in found if one),
                )
            )
            return [
                Failed("empty") if one is None else self._stopped(one.text, cut=not one.finished)
                for one in found
            ]

        yield write

    def _loaded(self) -> LanguageModel:
        model = load_generator(self.model, threads=self.threads, device=self.device)
        if model.kind != CAUSAL:
            raise ConfigError(
                f"the model {self.model!r} reads a source and writes its paraphrase; a prompt "
                "needs a decoder-only model (GPT-2, Llama)"
            )
        return model

    def _decoding(self) -> Decoding:
        if self.temperature == 0:
            return Decoding(method="greedy", max_length=self.max_tokens, protect=False)
        return Decoding(
            method="top-p",
            top_p=self.top_p,
            temperature=self.temperature,
            max_length=self.max_tokens,
            protect=False,
            seed=self.seed,
        )

    def _items(self, model: LanguageModel, prompts: Sequence[str]) -> list[Item]:
        most = min(self.max_tokens, model.max_target - 1)
        items = []
        for prompt, ids in zip(prompts, model.targets(prompts), strict=True):
            framed = np.concatenate([[model.end], ids[:-1]]).astype(np.int64)
            if len(framed) > model.max_source:
                raise InputError(
                    f"a prompt has {len(framed)} sub-words, but {self.model} reads "
                    f"{model.max_source}; give it fewer demonstrations"
                )
            items.append(Item(prompt, framed, ids[:-1], Bounds(1, most, most), draws=(0,)))
        return items

    def _stopped(self, text: str, *, cut: bool) -> str:
        ends = [text.index(stop) for stop in self.stop if stop in text]
        if ends:
            return text[: min(ends)] + "\n"
        return text if cut else text + "\n"
