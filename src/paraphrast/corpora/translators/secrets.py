"""Keys of services and programs, and what keeps them out of all that is shown."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from urllib.parse import quote

from paraphrast.errors import ConfigError

HIDDEN = "***"
_TELLING = 4  # first characters of a key that may not be shown either
_KEY = 8  # characters from which on a key cannot be a word of a translation
_SECRET = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)  # in a variable's name


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

    A text that was cut off may end in the beginning of the key, or begin with its end: that is
    hidden as well.
    """
    for form in _forms(variable):
        text = text.replace(form, HIDDEN)
        for length in range(len(form) - 1, _TELLING - 1, -1):
            if text.endswith(form[:length]):
                text = text[:-length] + HIDDEN
                break
        for length in range(len(form) - 1, _TELLING - 1, -1):
            if text.startswith(form[-length:]):
                text = HIDDEN + text[length:]
                break
    return text


def holds_key(text: str, variable: str) -> bool:
    """Tell whether a text, which is to be stored, repeats a key of eight characters or more."""
    return any(len(form) >= _KEY and form in text for form in _forms(variable))


def secret_variables(named: Iterable[str] = ()) -> list[str]:
    """Return the environment variables that hold secrets: `named` ones, and all called so.

    A program is given the whole environment and may print any of it. Values of fewer than eight
    characters are no secrets unless they are named.
    """
    called = {
        name
        for name, value in os.environ.items()
        if _SECRET.search(name) and len(value.strip()) >= _KEY
    }
    return sorted({*named, *called})


def without_secrets(text: str, named: Iterable[str] = ()) -> str:
    """Return a text without the values of all `secret_variables`."""
    for variable in secret_variables(named):
        text = without_key(text, variable)
    return text


def secret_forms(named: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the values of all `secret_variables`, as they may stand in a text to be stored."""
    forms = {form for variable in secret_variables(named) for form in _forms(variable)}
    return tuple(sorted(form for form in forms if len(form) >= _KEY))


def _forms(variable: str) -> list[str]:
    """Return the key as it may stand in a text, the longest forms first."""
    whole = os.environ.get(variable, "") if variable else ""
    found: set[str] = set()
    for key in (whole, whole.strip()):
        found |= {key, repr(key)[1:-1], ascii(key)[1:-1], quote(key, safe="")}
        found |= {json.dumps(key)[1:-1], json.dumps(key)[1:-1].replace("/", "\\/")}
    return sorted(found - {""}, key=lambda form: (-len(form), form))
