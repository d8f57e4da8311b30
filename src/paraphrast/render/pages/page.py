"""The frame of a self-contained page: head, heading, notes, figures and tables with captions."""

from __future__ import annotations

from collections.abc import Sequence

from paraphrast.render.markup import esc, tag
from paraphrast.render.pages.style import PAGE_CSS, PLOT_CSS

# Nothing may be fetched and nothing may run, whatever a name or a note holds.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(
    title: str, body: str, *, notes: Sequence[str] = (), command: str = "", version: str = ""
) -> str:
    """Return a complete HTML document: no script, no remote style, font or image."""
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{esc(_POLICY)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{esc(title)}</title><style>{PAGE_CSS}{PLOT_CSS}</style>"
    )
    header = tag("header", tag("h1", esc(title), dir="auto"), _made_by(command, version))
    main = tag("main", header, note_list(notes), body)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{main}</body></html>\n'


def note_list(notes: Sequence[str]) -> str:
    """Return notes as a list, or nothing."""
    entries = [tag("li", esc(note), dir="auto") for note in notes]
    return tag("ul", *entries, class_="notes") if entries else ""


def exhibit(kind: str, ident: str, caption: str, body: str) -> str:
    """Return a numbered figure (`fig`) or table (`tab`) under its caption, which is markup."""
    return tag("figure", tag("figcaption", caption, id=ident), body, class_=kind)


def scroller(ident: str, body: str, *, kind: str = "") -> str:
    """Let wide content scroll by itself, by keyboard too, named by the caption `ident`."""
    return tag(
        "div",
        body,
        class_=f"scroll {kind}".strip(),
        role="region",
        tabindex=0,
        aria_labelledby=ident,
    )


def _made_by(command: str, version: str) -> str:
    maker = f"paraphrast {esc(version)}" if version else "paraphrast"
    made = tag("p", f"Made with {maker}.", class_="made")
    return made + (tag("pre", tag("code", esc(command)), tabindex=0) if command else "")
