"""Write one documentation page per metric, from what the metric itself declares.

`make docs` runs this before mkdocs. mkdocs loads it too, as a hook that puts the pages into the
navigation, so a new metric appears there without a change of configuration.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from paraphrast.jobs.scoring.cards import metric_card, metric_names
from paraphrast.render.terminal.metric_cards import card_markdown

FOLDER = Path(__file__).parent / "metrics"
SECTION = "Metrics"

_INDEX = """\
# Metrics

One page per metric, made from what the metric declares about itself. The same cards are shown by
`paraphrast metrics NAME`. The arrow tells which way is better: ↑ more, ↓ less.

| metric | what it tells | needs | range |
|---|---|---|---|
"""
_ARROWS = {"higher": "↑", "lower": "↓", "near 1": "→ 1"}


def file_name(metric: str) -> str:
    """Return the page's file name, which is also its address: no '+' in it."""
    return metric.replace("+", "-plus") + ".md"


def pages() -> dict[str, str]:
    """Return the Markdown of every page by its file name, the index first."""
    cards = [metric_card(name) for name in metric_names()]
    index = _INDEX + "".join(_row(card) for card in cards)
    return {"index.md": index} | {file_name(str(c["name"])): card_markdown(c) for c in cards}


def _row(card: dict[str, object]) -> str:
    name, arrow = str(card["name"]), _ARROWS[str(card["better"])]
    cells = f"{card['summary']} | {card['needs']} | {card['range']}"
    return f"| [`{name}`]({file_name(name)}) {arrow} | {cells} |\n"


def write(folder: Path = FOLDER) -> None:
    """Write the pages and remove those of metrics that are gone."""
    folder.mkdir(exist_ok=True)
    made = pages()
    for old in folder.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


def on_config(config: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """List the pages in mkdocs's navigation, below the index of the metrics."""
    entries = [{name: f"metrics/{file_name(name)}"} for name in metric_names()]
    for section in config["nav"]:
        if SECTION in section:
            section[SECTION] = ["metrics/index.md", *entries]
    return config


if __name__ == "__main__":
    write()
