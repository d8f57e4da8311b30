"""The cores of this process, and how many workers or threads may be asked of them."""

from __future__ import annotations

import os

from paraphrast.errors import ConfigError

_PER_CORE = 8
_ALWAYS = 64  # allowed on the smallest machine: waiting workers are cheap, thousands are not


def cores() -> int:
    """Return the number of cores that this process may use, not those of the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_limit(name: str, count: int) -> None:
    """Refuse more processes or threads than 8 for each core, or than 64 where that is less."""
    most = max(_ALWAYS, _PER_CORE * cores())
    if count > most:
        raise ConfigError(f"{name} can be at most {most} with {cores()} cores; got {count}")
