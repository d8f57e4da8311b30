"""Which models there are, and whether each is loaded yet."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from paraphrast.errors import ParaphrastError
from paraphrast.models import store

ModelState = Literal["not loaded", "loading", "ready", "failed"]
_KINDS: tuple[tuple[store.Kind, dict[str, str]], ...] = (
    ("encoder", store.PACKAGES),
    ("embedder", store.EMBEDDERS),
    ("generator", store.GENERATORS),
)


def installed(kind: store.Kind) -> list[str]:
    """Return the shipped models of a kind that are installed here."""
    return [name for name in dict(_KINDS)[kind] if _is_there(name, kind)]


def _is_there(name: str, kind: store.Kind) -> bool:
    try:
        store.find(name, kind=kind, download=False)
    except ParaphrastError:
        return False
    return True


@dataclass(slots=True)
class ModelStates:
    """The state of each installed model, by its name."""

    states: dict[str, ModelState] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of_installed(cls) -> ModelStates:
        """Return the models that are there, none of them loaded."""
        return cls({name: "not loaded" for kind, _ in _KINDS for name in installed(kind)})

    @contextmanager
    def using(self, *names: str) -> Iterator[None]:
        """Say that models are loaded now if they were not, and whether that went well."""
        fresh = [name for name in names if self.states.get(name) in ("not loaded", "failed")]
        self._set(fresh, "loading")
        try:
            yield
        except BaseException:  # of the texts, most likely: the next request tells
            self._set(fresh, "not loaded")
            raise
        self._set(fresh, "ready")

    def expect(self, name: str) -> None:
        """Say that a model is about to be loaded."""
        self._set([name], "loading")

    def warm(self, name: str, load: Callable[[], object]) -> None:
        """Load a model ahead of the first request."""
        try:
            load()
        except ParaphrastError as error:
            self.messages[name] = str(error)
            self._set([name], "failed")
        else:
            self._set([name], "ready")

    @property
    def ready(self) -> bool:
        """Whether no model is being loaded or has failed to."""
        return not {"loading", "failed"} & set(self.states.values())

    def _set(self, names: list[str], state: ModelState) -> None:
        with self._guard:
            self.states |= dict.fromkeys(names, state)
