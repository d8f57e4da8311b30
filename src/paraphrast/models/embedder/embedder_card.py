"""The card of an embedder: its layers, which of them BERTScore reads, and its baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models.card_entries import Entries
from paraphrast.models.weights_card import WeightsCard, open_card, shared_entries, short_hash

KIND = "paraphrast embedder"
Baseline = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderCard(WeightsCard):
    """Layer 0 is the embedding of sub-words, `layers` the last one.

    `layer` is the one whose states say best, on development data, how alike words are.
    `baseline` holds, for each layer, the mean P, R and F of BERTScore over unrelated texts.
    """

    layers: int
    layer: int
    width: int
    baseline: Mapping[int, Baseline] = field(default_factory=dict)
    baseline_data: str = ""

    @classmethod
    def read(cls, directory: Path) -> EmbedderCard:
        """Read the card of an embedder directory; whatever is wrong with it is a ModelError."""
        card = open_card(directory, KIND, "an embedder")
        layers = card.whole("layers", 1)
        layer = card.whole("layer", 0)
        if layer > layers:
            raise ModelError(f"{card.path}: 'layer' is {layer}, but there are {layers} layers")
        given = "baseline" in card.entries
        return cls(
            **shared_entries(directory, card),
            layers=layers,
            layer=layer,
            width=card.whole("width", 1),
            baseline=_baseline(card, layers) if given else {},
            baseline_data=card.inner("baseline").text("data") if given else "",
        )

    @property
    def fingerprint(self) -> str:
        """A short hash of all that states depend on."""
        return short_hash(dict(self.files), self.max_tokens)

    def chosen(self, layer: int | None, default: int) -> int:
        """Return the layer asked for, or the default; one that is not there is a ConfigError."""
        if layer is None:
            return default
        if isinstance(layer, bool) or not isinstance(layer, int) or not 0 <= layer <= self.layers:
            raise ConfigError(
                f"layer must be a whole number from 0 to {self.layers}, the layers of "
                f"{self.model!r}; got {layer!r}"
            )
        return layer


def _baseline(card: Entries, layers: int) -> dict[int, Baseline]:
    entries = card.inner("baseline").inner("layers")
    found = {}
    for layer in range(layers + 1):
        if str(layer) in entries.entries:
            values = entries.numbers(str(layer))
            if len(values) != 3 or any(value >= 1 for value in values):
                raise ModelError(
                    f"{card.path}: the baseline of layer {layer} must be P, R and F, all below 1"
                )
            found[layer] = (values[0], values[1], values[2])
    return found
