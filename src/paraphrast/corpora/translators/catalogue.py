"""From the recipe's tables to translation systems and to language models that are prompted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from paraphrast.corpora.translators.apertium import Apertium
from paraphrast.corpora.translators.base import Price, System, Translator
from paraphrast.corpora.translators.bergamot import Bergamot
from paraphrast.corpora.translators.command import Command
from paraphrast.corpora.translators.endpoint import Connection, Endpoint
from paraphrast.corpora.translators.http import PROMPT, Chat, LibreTranslate, address
from paraphrast.corpora.translators.pacing import Clock
from paraphrast.corpora.translators.writers import (
    ChatWriter,
    CompletionWriter,
    LocalWriter,
    Writer,
)
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.io.tables import build


@dataclass(frozen=True, kw_only=True)
class _Named:
    """What every table has."""

    name: str
    backend: str
    source: str
    target: str

    def __post_init__(self) -> None:
        for key in ("name", "source", "target"):
            if not getattr(self, key).strip():
                raise ConfigError(f"{key} is empty")


@dataclass(frozen=True, kw_only=True)
class _Apertium(_Named):
    modes: tuple[str, ...]
    back_modes: tuple[str, ...] = ()
    timeout: float = 60.0
    data: str = ""


@dataclass(frozen=True, kw_only=True)
class _Bergamot(_Named):
    pass


@dataclass(frozen=True, kw_only=True)
class _Command(_Named):
    command: tuple[str, ...]
    back_command: tuple[str, ...] = ()
    live: bool = False
    numbered: bool = False
    batch: int = 256
    timeout: float = 300.0


@dataclass(frozen=True, kw_only=True)
class _Connection(Connection):
    """What every table with an address has."""

    price: Price = field(default_factory=Price)

    def endpoint(self, path: str, clock: Clock) -> Endpoint:
        keys = {each.name: getattr(self, each.name) for each in fields(Connection)}
        return Endpoint(**{**keys, "url": address(self.url, path)}, clock=clock)


@dataclass(frozen=True, kw_only=True)
class _Service(_Connection, _Named):
    def __post_init__(self) -> None:
        _Named.__post_init__(self)
        _Connection.__post_init__(self)


@dataclass(frozen=True, kw_only=True)
class _Chat(_Service):
    model: str
    prompt: str = PROMPT
    temperature: float = 0.0
    max_tokens: int = 512


@dataclass(frozen=True, kw_only=True)
class _Writer:
    backend: str
    model: str
    name: str = ""
    max_tokens: int = 300
    temperature: float = 1.0
    top_p: float = 1.0


@dataclass(frozen=True, kw_only=True)
class _Remote(_Connection, _Writer):
    pass


@dataclass(frozen=True, kw_only=True)
class _Local(_Writer):
    threads: int | None = None
    device: str = "cpu"
    seed: int = 0


_TABLES: dict[str, type[_Named]] = {
    "apertium": _Apertium,
    "bergamot": _Bergamot,
    "command": _Command,
    "libretranslate": _Service,
    "chat": _Chat,
}
BACKENDS = tuple(_TABLES)
_WRITERS: dict[str, type[_Writer]] = {"chat": _Remote, "completions": _Remote, "local": _Local}
WRITERS = tuple(_WRITERS)


def read_systems(
    tables: Sequence[Any], *, at: str = "system", clock: Clock | None = None
) -> list[System]:
    """Make the systems of a recipe; `at` is the key of the list, for messages.

    Nothing is started or looked for: `System.check` does that.
    """
    if not isinstance(tables, list | tuple):
        raise ConfigError(f"{at}: expected tables [[{at}]], found {tables!r}")
    systems: dict[str, System] = {}
    for number, table in enumerate(tables):
        place = f"{at}[{number}]"
        made = read_system(table, at=place, clock=clock)
        if made.name in systems:
            raise ConfigError(f"{place}.name: there is another system {made.name!r}; rename one")
        systems[made.name] = made
    return list(systems.values())


def read_system(table: Any, *, at: str = "system", clock: Clock | None = None) -> System:
    """Make one system of its table; unknown backends and keys are errors that say where."""
    backend = _backend(table, _TABLES, at)
    given = build(_TABLES[backend], table, at)
    try:
        return _MAKERS[backend](given, clock or Clock())
    except ConfigError as error:
        raise ConfigError(f"{at}: {error}") from None


def read_writer(table: Any, *, at: str = "prompt.system", clock: Clock | None = None) -> Writer:
    """Make the language model of a table; its name is the model's unless it has another."""
    backend = _backend(table, _WRITERS, at)
    given: Any = build(_WRITERS[backend], table, at)
    keys = ("model", "max_tokens", "temperature", "top_p")
    shared = {"name": given.name or given.model, **{key: getattr(given, key) for key in keys}}
    try:
        if backend == "local":
            extra = {key: getattr(given, key) for key in ("threads", "device", "seed")}
            return LocalWriter(**shared, **extra)
        kind = ChatWriter if backend == "chat" else CompletionWriter
        path = "/v1/chat/completions" if backend == "chat" else "/v1/completions"
        endpoint = given.endpoint(path, clock or Clock())
        return kind(**shared, endpoint=endpoint, price=given.price)
    except ConfigError as error:
        raise ConfigError(f"{at}: {error}") from None


def _backend(table: Any, known: Collection[str], at: str) -> str:
    if not isinstance(table, dict):
        raise ConfigError(f"{at}: expected a table, found {table!r}")
    listed = ", ".join(known)
    if "backend" not in table:
        raise ConfigError(f"{at}: the key 'backend' is missing; there are {listed}")
    backend = table["backend"]
    if not isinstance(backend, str) or backend not in known:
        near = did_you_mean(str(backend), known)
        raise ConfigError(f"{at}.backend: unknown backend {backend!r}{near}; there are {listed}")
    return backend


def _apertium(given: Any, _clock: Clock) -> System:
    forward = Apertium(**_there(given), modes=given.modes, timeout=given.timeout, data=given.data)
    if not given.back_modes:
        return System(given.name, forward)
    return System(given.name, forward, _turned(forward, modes=given.back_modes))


def _bergamot(given: Any, _clock: Clock) -> System:
    forward = Bergamot(**_there(given))
    return System(given.name, forward, _turned(forward))


def _command(given: Any, _clock: Clock) -> System:
    how = {key: getattr(given, key) for key in ("live", "numbered", "batch", "timeout")}
    forward = Command(**_there(given), command=given.command, **how)
    if not given.back_command:
        return System(given.name, forward)
    return System(given.name, forward, _turned(forward, command=given.back_command))


def _libretranslate(given: Any, clock: Clock) -> System:
    endpoint = given.endpoint("/translate", clock)
    forward = LibreTranslate(**_there(given), endpoint=endpoint, price=given.price)
    return System(given.name, forward, _turned(forward))


def _chat(given: Any, clock: Clock) -> System:
    forward = Chat(
        **_there(given),
        endpoint=given.endpoint("/v1/chat/completions", clock),
        price=given.price,
        model=given.model,
        prompt=given.prompt,
        temperature=given.temperature,
        max_tokens=given.max_tokens,
    )
    return System(given.name, forward, _turned(forward))


def _there(given: _Named) -> dict[str, Any]:
    return {"name": given.name, "source": given.source, "target": given.target}


def _turned(forward: Translator, **changes: Any) -> Translator:
    """Return the translator for the other direction."""
    return replace(forward, source=forward.target, target=forward.source, **changes)


_MAKERS: dict[str, Callable[[Any, Clock], System]] = {
    "apertium": _apertium,
    "bergamot": _bergamot,
    "command": _command,
    "libretranslate": _libretranslate,
    "chat": _chat,
}
