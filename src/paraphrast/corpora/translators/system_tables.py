"""From the recipe's tables to translation systems and to language models that are prompted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from paraphrast.corpora.translators.bergamot import Bergamot
from paraphrast.corpora.translators.programs.apertium import Apertium
from paraphrast.corpora.translators.programs.command import Command
from paraphrast.corpora.translators.services.endpoint import Connection, Endpoint
from paraphrast.corpora.translators.services.http import PROMPT, Chat, LibreTranslate, address
from paraphrast.corpora.translators.services.pacing import Clock
from paraphrast.corpora.translators.services.prompt_writers import (
    ChatWriter,
    CompletionWriter,
    LocalWriter,
    PromptWriter,
)
from paraphrast.corpora.translators.translator import Price, System, Translator
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.io.toml_tables import build


@dataclass(frozen=True, kw_only=True)
class _SystemTable:
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
class _ApertiumTable(_SystemTable):
    modes: tuple[str, ...]
    back_modes: tuple[str, ...] = ()
    timeout: float = 60.0
    data: str = ""


@dataclass(frozen=True, kw_only=True)
class _BergamotTable(_SystemTable):
    pass


@dataclass(frozen=True, kw_only=True)
class _CommandTable(_SystemTable):
    command: tuple[str, ...]
    back_command: tuple[str, ...] = ()
    live: bool = False
    numbered: bool = False
    batch: int = 256
    timeout: float = 300.0
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _ConnectionTable(Connection):
    """What every table with an address has."""

    price: Price = field(default_factory=Price)

    def endpoint(self, path: str, clock: Clock) -> Endpoint:
        keys = {each.name: getattr(self, each.name) for each in fields(Connection)}
        return Endpoint(**{**keys, "url": address(self.url, path)}, clock=clock)


@dataclass(frozen=True, kw_only=True)
class _ServiceTable(_ConnectionTable, _SystemTable):
    def __post_init__(self) -> None:
        _SystemTable.__post_init__(self)
        _ConnectionTable.__post_init__(self)


@dataclass(frozen=True, kw_only=True)
class _ChatTable(_ServiceTable):
    model: str
    prompt: str = PROMPT
    temperature: float = 0.0
    max_tokens: int = 512


@dataclass(frozen=True, kw_only=True)
class _WriterTable:
    backend: str
    model: str
    name: str = ""
    max_tokens: int = 300
    temperature: float = 1.0
    top_p: float = 1.0


@dataclass(frozen=True, kw_only=True)
class _EndpointWriterTable(_ConnectionTable, _WriterTable):
    pass


@dataclass(frozen=True, kw_only=True)
class _LocalWriterTable(_WriterTable):
    threads: int | None = None
    device: str = "cpu"
    seed: int = 0


_TABLES: dict[str, type[_SystemTable]] = {
    "apertium": _ApertiumTable,
    "bergamot": _BergamotTable,
    "command": _CommandTable,
    "libretranslate": _ServiceTable,
    "chat": _ChatTable,
}
BACKENDS = tuple(_TABLES)
_WRITERS: dict[str, type[_WriterTable]] = {
    "chat": _EndpointWriterTable,
    "completions": _EndpointWriterTable,
    "local": _LocalWriterTable,
}
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
        system = read_system(table, at=place, clock=clock)
        if system.name in systems:
            raise ConfigError(f"{place}.name: there is another system {system.name!r}; rename one")
        systems[system.name] = system
    return list(systems.values())


def read_system(table: Any, *, at: str = "system", clock: Clock | None = None) -> System:
    """Make one system of its table; unknown backends and keys are errors that say where."""
    backend = _backend(table, _TABLES, at)
    keys = build(_TABLES[backend], table, at)
    try:
        return _MAKERS[backend](keys, clock or Clock())
    except ConfigError as error:
        raise ConfigError(f"{at}: {error}") from None


def read_writer(
    table: Any, *, at: str = "prompt.system", clock: Clock | None = None
) -> PromptWriter:
    """Make the language model of a table; its name is the model's unless it has another."""
    backend = _backend(table, _WRITERS, at)
    parsed: Any = build(_WRITERS[backend], table, at)
    keys = ("model", "max_tokens", "temperature", "top_p")
    shared = {"name": parsed.name or parsed.model, **{key: getattr(parsed, key) for key in keys}}
    try:
        if backend == "local":
            extra = {key: getattr(parsed, key) for key in ("threads", "device", "seed")}
            return LocalWriter(**shared, **extra)
        kind = ChatWriter if backend == "chat" else CompletionWriter
        path = "/v1/chat/completions" if backend == "chat" else "/v1/completions"
        endpoint = parsed.endpoint(path, clock or Clock())
        return kind(**shared, endpoint=endpoint, price=parsed.price)
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


def _apertium(keys: Any, _clock: Clock) -> System:
    forward = Apertium(**_there(keys), modes=keys.modes, timeout=keys.timeout, data=keys.data)
    if not keys.back_modes:
        return System(keys.name, forward)
    return System(keys.name, forward, _turned(forward, modes=keys.back_modes))


def _bergamot(keys: Any, _clock: Clock) -> System:
    forward = Bergamot(**_there(keys))
    return System(keys.name, forward, _turned(forward))


def _command(keys: Any, _clock: Clock) -> System:
    names = ("live", "numbered", "batch", "timeout", "secrets")
    how = {key: getattr(keys, key) for key in names}
    forward = Command(**_there(keys), command=keys.command, **how)
    if not keys.back_command:
        return System(keys.name, forward)
    return System(keys.name, forward, _turned(forward, command=keys.back_command))


def _libretranslate(keys: Any, clock: Clock) -> System:
    endpoint = keys.endpoint("/translate", clock)
    forward = LibreTranslate(**_there(keys), endpoint=endpoint, price=keys.price)
    return System(keys.name, forward, _turned(forward))


def _chat(keys: Any, clock: Clock) -> System:
    forward = Chat(
        **_there(keys),
        endpoint=keys.endpoint("/v1/chat/completions", clock),
        price=keys.price,
        model=keys.model,
        prompt=keys.prompt,
        temperature=keys.temperature,
        max_tokens=keys.max_tokens,
    )
    return System(keys.name, forward, _turned(forward))


def _there(keys: _SystemTable) -> dict[str, Any]:
    return {"name": keys.name, "source": keys.source, "target": keys.target}


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
