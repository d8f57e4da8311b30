"""The server's log: where something failed, and never on what."""

from __future__ import annotations

import logging
import traceback

LOGGER = logging.getLogger("paraphrast.serve")


def log_failure(error: BaseException) -> None:
    """Write the kind and the place of a failure; its message may hold a user's text."""
    frames = traceback.extract_tb(error.__traceback__)
    place = " < ".join(f"{f.filename}:{f.lineno} {f.name}" for f in reversed(frames[-8:]))
    LOGGER.error("%s at %s", type(error).__name__, place)
