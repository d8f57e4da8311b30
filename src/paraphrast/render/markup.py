"""Escaped markup for HTML and SVG: the one place where a text becomes part of a page."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

# Shown as U+FFFD, never passed on: what XML 1.0 forbids (control characters, lone surrogates), and
# what turns the order of the characters behind it round (embeddings, overrides, isolates), so that
# a text would not look as it reads.
_FORBIDDEN = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]"
)


def esc(text: object) -> str:
    """Escape a text for content and for quoted attributes alike."""
    return html.escape(_FORBIDDEN.sub("\ufffd", str(text)))


def name(text: object) -> str:
    """Escape a name and keep its writing direction from disturbing what stands beside it."""
    return f"<bdi>{esc(text)}</bdi>"


def row_head(text: str) -> str:
    """Head a row with a name: on one line, unless it is a long one."""
    kind = "who" if len(text) <= 24 else "who long"
    return tag("th", name(text), scope="row", class_=kind)


def tag(kind: str, *children: str, **attributes: object) -> str:
    """Build an element from markup made before; attributes are escaped here, None ones left out.

    `class_` stands for `class`, `stroke_width` for `stroke-width`.
    """
    pairs = [
        f' {key.rstrip("_").replace("_", "-")}="{esc(value)}"'
        for key, value in attributes.items()
        if value is not None
    ]
    return f"<{kind}{''.join(pairs)}>{''.join(children)}</{kind}>"


def picture(*children: str, width: float, height: float, title: str, desc: str = "") -> str:
    """Wrap shapes in an SVG that a screen reader announces by its title and description."""
    words = tag("title", esc(title)) + (tag("desc", esc(desc)) if desc else "")
    return tag(
        "svg", words, *children, class_="plot", role="img", viewBox=f"0 0 {width:g} {height:g}"
    )


def preformatted(text: str) -> str:
    """Show a text as it would stand in a terminal."""
    return tag("pre", esc(text))


def grid_table(grid: Sequence[Sequence[str]]) -> str:
    """Build a plain table of texts, the first row its head; it needs no style sheet."""
    head, *rows = grid
    lines = [tag("tr", *(tag("td", esc(cell)) for cell in row)) for row in rows]
    heads = tag("tr", *(tag("th", esc(cell), scope="col") for cell in head))
    return tag("table", tag("thead", heads), tag("tbody", *lines))
