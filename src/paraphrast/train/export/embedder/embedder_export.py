"""Any encoder of `transformers` into an embedder directory: graph, small form, checks, card."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.models.embedder.embedder_card import KIND, EmbedderCard
from paraphrast.models.embedder.text_embedder import TextTokeniser
from paraphrast.models.weights_card import CARD, FORMAT, NETWORK, TOKENISER
from paraphrast.train.backbone import load_backbone, longest_input
from paraphrast.train.data.assembly import data_root
from paraphrast.train.export.embedder.embedder_graph import write_states
from paraphrast.train.export.embedder.embedder_parity import EmbedParity, baseline, compare
from paraphrast.train.export.embedder.embedder_states import (
    DEFAULT,
    LEAST,
    MeasuringTexts,
    Network,
    TextRow,
    check_pairs,
    default_texts,
    long_rows,
    read_texts,
    rows_of,
)
from paraphrast.train.export.embedder.transformers_folder import EncoderFolder
from paraphrast.train.export.export_folder import check_writable, install, write_card
from paraphrast.train.export.export_options import FULL, STORED, ExportOptions
from paraphrast.train.recipe import ModelPart

MOST_TOKENS, LEAST_TOKENS = 512, 16
PARITY_PAIRS, RANGE_TEXTS, LONG_ROWS = 500, 600, 8
SEED = 13

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Embedded:
    """What was written; without texts it was compared with torch alone, and parity is None."""

    card: EmbedderCard
    parity: EmbedParity | None
    size: int

    def summary(self) -> str:
        """Return the figures in a few words."""
        card, parity = self.card, self.parity
        words = f"{card.dtype}, {self.size / 1e6:.1f} MB, layer {card.layer} of {card.layers}"
        if parity is None:
            return words
        return (
            f"{words}; against the full file on {parity.pairs:,} pairs, BERTScore F differs by "
            f"{parity.f_mean_difference:.4f} on average, r {parity.f_r:.4f}"
        )


def export_embedder(
    folder: str,
    out: Path,
    options: ExportOptions,
    *,
    tell: Tell = lambda _line: None,
) -> Embedded:
    """Write an encoder, from a folder or a hub, as an embedder directory.

    The three files of a directory that was there are replaced, others stay. The small forms are
    those of `export_run`. Whatever fails, `out` is left as it was.
    """
    _check_out(out, folder)
    source = EncoderFolder.open(folder)
    layer = _layer(options.layer, source, tell)
    texts = _texts(options, options.data or data_root())
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".paraphrast-") as place:
            job = _EmbedderExport(Path(place), source, options, layer, texts, tell)
            parity = job.make()
            size = install(job.made, out, (NETWORK, TOKENISER))
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from error
    return Embedded(EmbedderCard.read(out), parity, size)


def _check_out(out: Path, folder: str) -> None:
    """Refuse what cannot be written, or what must not be written over, before any work."""
    check_writable(out)
    if Path(folder).is_dir() and out.resolve() == Path(folder).resolve():
        raise ConfigError(f"{out} is the encoder itself; give another folder to write")
    if (out / CARD).is_file():
        try:
            EmbedderCard.read(out)
        except ModelError as error:
            raise ConfigError(f"{out} is in use, and not by an embedder: {error}") from error


def _layer(layer: int | None, source: EncoderFolder, tell: Tell) -> int:
    if layer is None:
        chosen = max(1, round(source.layers * 2 / 3))
        tell(f"layer {chosen} of {source.layers}, two thirds of the way up; --layer takes another")
        return chosen
    if not 0 <= layer <= source.layers:
        raise ConfigError(
            f"layer is {layer}; {source.name} has {source.layers} layers, and 0 is its embedding"
        )
    return layer


def _texts(options: ExportOptions, root: Path) -> MeasuringTexts | None:
    given, name = options.texts, None
    if given is None and (found := default_texts(root, options.languages)) is not None:
        given, name = str(found), str(DEFAULT)
    if given is not None:
        texts = read_texts(given, name=name, seed=SEED)
        if options.random_pairs is not None:
            check_pairs(options.random_pairs, len(texts.texts))
        return texts
    if options.needs_texts:
        raise ConfigError(
            "an export needs texts to calibrate and to compare with: give --texts FILE, one text "
            f"per line (or --form float32 --no-baseline); {DEFAULT} in the folder of the data "
            "serves English"
        )
    return None


class _EmbedderExport:
    """One export at work in a folder of its own."""

    def __init__(
        self,
        place: Path,
        source: EncoderFolder,
        options: ExportOptions,
        layer: int,
        texts: MeasuringTexts | None,
        tell: Tell,
    ) -> None:
        self.full, self.made = place / "full.onnx", place / "made"
        self.source, self.options, self.layer = source, options, layer
        self.texts, self.tell = texts, tell
        self.made.mkdir()

    def make(self) -> EmbedParity | None:
        """Write the three files; return how the network compares, if there are texts to tell."""
        self.source.plain_tokeniser().save(str(self.made / TOKENISER), pretty=False)
        tokeniser = TextTokeniser.from_file(self.made / TOKENISER)
        self.tell(f"tracing {self.source.name}")
        longest, width, apart = self._write_full()
        self.tell(f"float32: states differ from torch's by {apart:.1e} at most")
        entries: dict[str, Any] = {"max_tokens": longest, "width": width}
        training = self._training() | {"torch_difference": apart}
        if self.texts is None:
            self.full.replace(self.made / NETWORK)
            self._write_card(entries | {"dtype": FULL, "training": training})
            return None
        rows = self._rows(self.texts, tokeniser, longest)
        dtype, parity, network = self._choose(rows, tokeniser, longest)
        training["parity"] = asdict(parity)
        if self.options.random_pairs is not None:
            entries["baseline"] = self._baseline(network, rows, self.options.random_pairs)
        self._write_card(entries | {"dtype": dtype, "training": training})
        return parity

    def _write_full(self) -> tuple[int, int, float]:
        network = load_backbone(ModelPart(backbone=str(self.source.path)))
        limits = (longest_input(network), self.source.most_tokens, MOST_TOKENS)
        longest = min(limit for limit in limits if limit is not None)
        if longest < LEAST_TOKENS:
            raise ModelError(
                f"{self.source.name} reads {longest} sub-words at once; at least {LEAST_TOKENS} "
                "are needed"
            )
        typed = self.source.typed
        width, apart = write_states(network, self.full, typed=typed, longest=longest)
        return longest, width, apart

    def _rows(self, texts: MeasuringTexts, tokeniser: TextTokeniser, longest: int) -> list[TextRow]:
        most = max((self.options.random_pairs or 0) + 1, RANGE_TEXTS + 2 * PARITY_PAIRS)
        rows = rows_of(texts.texts[:most], tokeniser, longest)
        if len(rows) < LEAST:
            raise InputError(
                f"{texts.name} holds {len(rows)} texts within {longest} sub-words; at least "
                f"{LEAST} are needed"
            )
        return rows

    def _choose(
        self, rows: list[TextRow], tokeniser: TextTokeniser, longest: int
    ) -> tuple[str, EmbedParity, Network]:
        """Write the first form asked for that is close enough to the full one, else ModelError."""
        compared = rows[::-1][: min(2 * PARITY_PAIRS, len(rows) // 2 * 2)]
        network = Network(self.full, self.source.layers, tokeniser.pad)
        expected = network.read(compared, [self.layer])
        del network  # a large one and its copy need not fit into memory together
        calibrated = rows[:RANGE_TEXTS] + long_rows(rows, tokeniser, longest, LONG_ROWS)
        for form, model in self._forms(calibrated):
            _save(model, self.made / NETWORK)
            found = Network(self.made / NETWORK, self.source.layers, tokeniser.pad)
            parity = compare(found, expected, compared, self.layer)
            self.tell(f"{form}: {parity.told()}")
            if parity.good:
                break
        parity.check()
        return form, parity, found

    def _forms(self, rows: list[TextRow]) -> Iterator[tuple[str, Any]]:
        import onnx

        from paraphrast.train.export.static_quantisation import make_static, measure, products
        from paraphrast.train.export.weight_quantisation import shrink

        model = onnx.load(self.full)
        for form in self.options.forms:
            if form == FULL:
                yield form, model
            elif form == STORED:
                yield form, shrink(model)
            elif products(model):
                yield form, shrink(make_static(model, measure(model, self.full, rows)))
            elif self.options.form == "static":
                raise ModelError(
                    f"{self.source.name} has no matrix large enough for integers; take --form "
                    "stored or float32"
                )

    def _baseline(self, network: Network, rows: list[TextRow], pairs: int) -> dict[str, Any]:
        self.tell(f"baseline: {pairs:,} random pairs of texts")
        found = baseline(network, rows, pairs, SEED)
        name = self.texts.name if self.texts else ""
        return {
            "data": f"{pairs:,} random pairs of texts of {name}",
            "layers": {str(layer): values for layer, values in enumerate(found)},
        }

    def _training(self) -> dict[str, Any]:
        texts = self.texts
        return {
            "backbone": self.source.name,
            "backbone_sha256": self.source.sha256,
            **({"command": self.options.command} if self.options.command else {}),
            **({"texts": texts.name, "texts_sha256": texts.sha256} if texts else {}),
            "seed": SEED,
            **{package: installed(package) for package in ("torch", "transformers")},
        }

    def _write_card(self, entries: dict[str, Any]) -> None:
        short = self.source.name.rpartition("/")[2].partition("@")[0]
        card = {
            "kind": KIND,
            "format": FORMAT,
            "name": self.options.name or short,
            "model": self.options.model or short,
            "version": self.options.version,
            "dtype": entries.pop("dtype"),
            "languages": list(self.options.languages),
            "layers": self.source.layers,
            "layer": self.layer,
            **entries,
            "results": {},
        }
        write_card(self.made, card, (NETWORK, TOKENISER))
        EmbedderCard.read(self.made)  # what it refuses must not reach the output


def _save(model: Any, path: Path) -> None:
    import onnx

    onnx.save(model, path)
