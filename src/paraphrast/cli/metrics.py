"""`paraphrast metrics`: the list, or one metric's card."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from paraphrast.errors import ConfigError
from paraphrast.jobs.scoring.cards import metric_card, metric_names
from paraphrast.metrics.catalogue import names_beginning
from paraphrast.render.terminal.metric_cards import card_text, names_table
from paraphrast.render.terminal.tables import align


def command(
    name: Annotated[
        str | None,
        typer.Argument(help="A metric, for its card.", autocompletion=names_beginning),
    ] = None,
    output_format: Annotated[str, typer.Option("-f", "--format", help="table or json.")] = "table",
) -> None:
    """List the metrics, or show one metric's card."""
    if output_format not in ("table", "json"):
        raise ConfigError(f"--format is table or json; got {output_format!r}")
    cards = [metric_card(name)] if name else [_listed(known) for known in metric_names()]
    if output_format == "json":
        typer.echo(json.dumps(cards[0] if name else cards, ensure_ascii=False, indent=2))
    elif name:
        typer.echo(card_text(cards[0]))
    else:
        typer.echo(align(names_table(cards), left=4))


def _listed(name: str) -> dict[str, object]:
    """Return a card; a plug-in that cannot be loaded is listed with its error."""
    try:
        return metric_card(name)
    except ConfigError as error:
        return {"name": name, "needs": "", "better": "", "title": f"cannot be loaded: {error}"}
