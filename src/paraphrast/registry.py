"""Names to objects, resolved when first asked for: our own table, then plug-in entry points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from paraphrast.errors import ConfigError, did_you_mean


@dataclass(frozen=True, slots=True)
class Registry:
    """A table name → "module:attribute"; packages add names through the entry-point group.

    Our own names win: a plug-in that reuses one is an error, since it would silently change what
    a published name means.
    """

    kind: str
    group: str
    table: Mapping[str, str] = field(default_factory=dict)

    def plugins(self) -> dict[str, EntryPoint]:
        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            if point.name in self.table or point.name in found:
                raise ConfigError(
                    f"the package that provides {self.kind} {point.name!r} ({point.value}) "
                    "reuses a name that is taken; rename it or uninstall the package"
                )
            found[point.name] = point
        return found

    def names(self) -> list[str]:
        return [*self.table, *sorted(self.plugins())]

    def load(self, name: str) -> object:
        """Return the object; an unknown name is a ConfigError with the nearest one."""
        if name in self.table:
            module, _, attribute = self.table[name].partition(":")
            return getattr(import_module(module), attribute)
        plugins = self.plugins()
        if name not in plugins:
            hint = did_you_mean(name, self.names())
            raise ConfigError(
                f"unknown {self.kind} {name!r}{hint}; known: {', '.join(self.names())}"
            )
        try:
            loaded: object = plugins[name].load()
        except (ImportError, AttributeError, SyntaxError, NameError, TypeError) as error:
            raise ConfigError(f"{self.kind} {name!r} ({plugins[name].value}): {error}") from error
        return loaded
