"""Code points and UTF-16 units: Python counts the first, JavaScript the second."""

from __future__ import annotations

from paraphrast.errors import InputError


def to_utf16(text: str, offset: int) -> int:
    """Return how many UTF-16 units stand before a code point."""
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


def from_utf16(text: str, units: int, where: str) -> int:
    """Return how many code points stand before a UTF-16 unit; one within a character is wrong."""
    raw = text.encode("utf-16-le", "surrogatepass")
    if not 0 <= 2 * units <= len(raw):
        raise InputError(f"{where}: the offset {units} is beyond the text")
    try:
        return len(raw[: 2 * units].decode("utf-16-le"))
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: the offset {units} is within a character") from error
