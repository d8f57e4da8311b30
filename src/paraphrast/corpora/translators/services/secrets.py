"""Keys of services: where they come from, and how they are kept out of all that is shown."""

from __future__ import annotations

import json
import os
from urllib.parse import quote

from paraphrast.errors import ConfigError

HIDDEN = "***"
_TELLING = 4  # first characters of a key that may not be shown either
_KEY = 8  # characters from which on a key cannot be a word of a translation


def read_key(variable: str, url: str) -> str:
    """Return the key that an environment variable holds, without white space around it.

    ConfigError if there is none, or if it has characters that no HTTP header may hold: a second
    line of a key file, for example.
    """
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(
            f"the environment variable {variable}, which shall hold the key of {url}, is not set"
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(
            f"the environment variable {variable} holds more than a key: there is white space, a "
            "control character or a letter beyond ASCII in it (it is not shown here)"
        )
    return key


def without_key(text: str, variable: str) -> str:
    """Return a text in which the key of a variable is hidden, however it was quoted.

    A text that was cut off may end in the beginning of the key: that is hidden as well.
    """
    for form in _forms(variable):
        text = text.replace(form, HIDDEN)
        for length in range(len(form) - 1, _TELLING - 1, -1):
            if text.endswith(form[:length]):
                text = text[:-length] + HIDDEN
                break
    return text


def holds_key(text: str, variable: str) -> bool:
    """Tell whether a text, which is to be stored, repeats a key of eight characters or more."""
    return any(len(form) >= _KEY and form in text for form in _forms(variable))


def _forms(variable: str) -> list[str]:
    """Return the key as it may stand in a text, the longest forms first."""
    whole = os.environ.get(variable, "") if variable else ""
    found: set[str] = set()
    for key in (whole, whole.strip()):
        found |= {key, repr(key)[1:-1], ascii(key)[1:-1], quote(key, safe="")}
        found |= {json.dumps(key)[1:-1], json.dumps(key)[1:-1].replace("/", "\\/")}
    return sorted(found - {""}, key=lambda form: (-len(form), form))
