"""A metric's card as text and as the Markdown of its documentation page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def card_text(card: Mapping[str, object]) -> str:
    """Lay a card out for a terminal: one field a line, options and parts indented."""
    lines = [f"{card['name']}: {card['title']}", str(card["summary"]), ""]
    shown = ("formula", "paper", "needs", "range", "better", "empty", "signature")
    lines += [f"{key + ':':<11}{card[key]}" for key in shown]
    for key in ("options", "parts"):
        entries = card[key]
        assert isinstance(entries, Mapping)
        if entries:
            lines += ["", f"{key}:"]
            width = max(map(len, entries))
            lines += [f"  {name:<{width}}  {text}" for name, text in entries.items()]
    return "\n".join(lines)


def card_markdown(card: Mapping[str, object]) -> str:
    """Return the documentation page of a metric."""
    lines = [f"# {card['title']} (`{card['name']}`)", "", str(card["summary"]), ""]
    lines += ["| | |", "|---|---|"]
    shown = ("formula", "paper", "needs", "range", "better", "empty")
    lines += [f"| {key} | {_cell(card[key])} |" for key in shown]
    lines += ["", "Signature with default options:", "", "```text", str(card["signature"]), "```"]
    for key, head in (("options", "default"), ("parts", "meaning")):
        entries = card[key]
        assert isinstance(entries, Mapping)
        if entries:
            lines += ["", f"## {key.capitalize()}", "", f"| {key[:-1]} | {head} |", "|---|---|"]
            lines += [f"| `{name}` | {_cell(text)} |" for name, text in entries.items()]
    return "\n".join([*lines, ""])


def _cell(value: object) -> str:
    """Escape what would end a table cell."""
    return str(value).replace("|", "\\|")


def names_table(cards: Sequence[Mapping[str, object]]) -> list[list[str]]:
    """Return rows of name, needs, direction and title for the list of metrics."""
    rows = [["metric", "needs", "better", "title"]]
    return rows + [[str(c[key]) for key in ("name", "needs", "better", "title")] for c in cards]
