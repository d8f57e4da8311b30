"""A generator into a directory that runs without torch: graphs, small form, checks, card."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.models.generator.generator_card import (
    DECODER,
    EMBEDDINGS,
    ENCODER,
    FILES,
    KIND,
    GeneratorCard,
)
from paraphrast.models.generator.generator_loading import open_generator
from paraphrast.models.generator.subword_text import Frame
from paraphrast.models.generator.text_likelihood import token_logprobs
from paraphrast.models.session import Session
from paraphrast.models.weights_card import FORMAT, TOKENISER
from paraphrast.train.export.export_folder import install, write_card
from paraphrast.train.export.export_options import FULL, STORED, ExportOptions
from paraphrast.train.export.generator.generator_graphs import embeddings, shape_of, write_graphs
from paraphrast.train.export.generator.generator_parity import (
    Expected,
    LmParity,
    compare,
    expect,
    torch_difference,
)
from paraphrast.train.export.generator.generator_source import LmSource, Pairs
from paraphrast.train.export.generator.smaller_vocabulary import Ints, cut, plain, used_ids
from paraphrast.train.export.static_quantisation import Range, make_static, products
from paraphrast.train.export.weight_quantisation import shrink


class _Watch:
    """Stands where a session stands, and notes the range of every product's input."""

    def __init__(self, model: Any, path: Path) -> None:
        self.names = list(dict.fromkeys(node.input[0] for node in products(model)))
        self.ranges: dict[str, Range] = {}
        opened = onnx.ModelProto()
        opened.CopyFrom(model)
        for name in self.names:
            value = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
            opened.graph.output.append(value)
        self._session = Session.load(opened.SerializeToString(), path, outputs=())

    @property
    def session(self) -> Session:
        return Session(self, self._session.inputs)

    def run_with_ort_values(self, outputs: list[str], given: dict[str, Any]) -> list[Any]:
        """Run the network as onnxruntime would, and look at what passes."""
        found = self._session.handle.run_with_ort_values([*outputs, *self.names], given)
        for name, value in zip(self.names, found[len(outputs) :], strict=True):
            values = value.numpy()
            before = self.ranges.get(name)
            if before is None:
                before = Range(*np.zeros((2, values.shape[-1]), dtype=np.float32))
            self.ranges[name] = before.joined(values)
        return list(found[: len(outputs)])


def generator_ranges(folder: Path, pairs: Sequence[tuple[str, str]]) -> dict[str, dict[str, Range]]:
    """Read pairs one by one, so that no padding is seen; return the ranges by file and name."""
    watched = {
        file: _Watch(onnx.load(folder / file), folder / file)
        for file in (ENCODER, DECODER)
        if (folder / file).exists()
    }
    sessions = {file: watch.session for file, watch in watched.items()}
    model = open_generator(folder, opened=sessions)
    for source, target in pairs:
        token_logprobs(model, [source], [target])
    return {file: watch.ranges for file, watch in watched.items()}


PARITY_PAIRS, RANGE_PAIRS = 150, 200
LONGEST = 256  # sub-words of a source and of a target, unless asked for otherwise
BLOCK = 64  # inputs of an output that share a scale
_OUTER = "outer"  # the name, in every graph, of a feed-forward layer's second matrix

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Generated:
    """What was written, and how it compares with the full form."""

    card: GeneratorCard
    parity: LmParity | None
    size: int

    def summary(self) -> str:
        """Return the figures in a few words."""
        words = f"{self.card.dtype}, {self.size / 1e6:.1f} MB, {self.card.vocabulary:,} sub-words"
        return f"{words}; {self.parity.told()}" if self.parity else words


def export_generator(
    source: LmSource,
    out: Path,
    options: ExportOptions,
    *,
    vocabulary: Iterable[str] | None = None,
    tell: Tell = lambda _line: None,
) -> Generated:
    """Write a generator directory; the files of one that was there are replaced, others stay.

    With texts as `vocabulary`, sub-words that these do not use are left out. The small forms are
    tried in turn, the fastest first, and the first that writes what the full one writes is taken;
    if none does, that is a ModelError. Whatever fails, `out` is left as it was.
    """
    shape_of(source.network)  # what cannot be exported is refused before any work
    if options.form != "float32" and not (source.calibration and source.held_out):
        raise ConfigError(
            "a small form needs pairs of texts to calibrate and to compare with; "
            "take the form float32 if there are none"
        )
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".paraphrast-") as place:
            job = _GeneratorExport(Path(place), source, options, tell)
            parity = job.make(vocabulary)
            size = install(job.made, out, list(GeneratorCard.read(job.made).files))
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from error
    return Generated(GeneratorCard.read(out), parity, size)


class _GeneratorExport:
    """One export at work in a folder of its own."""

    def __init__(self, place: Path, source: LmSource, options: ExportOptions, tell: Tell) -> None:
        self.full, self.made = place / "full", place / "made"
        self.source, self.options, self.tell = source, options, tell
        self.max_source, self.max_target = _limits(options, source)
        for folder in (self.full, self.made):
            folder.mkdir()
        self.training = dict(source.training)

    def make(self, vocabulary: Iterable[str] | None) -> LmParity | None:
        kept = self._tokeniser(vocabulary)
        frame = _renumbered(self.source.frame, kept)
        self.tell(f"tracing {self.source.name}")
        write_graphs(self.source.network, kept, self.full)
        entries = self._entries(kept, frame)
        self._write_card(self.full, entries, FULL)
        apart = torch_difference(open_generator(self.full), self.source, kept)
        self.tell(f"float32: logits differ from torch's by {apart:.1e} of the largest at most")
        self.training |= {"torch_difference": apart}
        if self.options.form == "float32":
            self.made = self.full
            self._write_card(self.made, entries, FULL)
            return None
        form, parity = self._choose(entries)
        self.training |= {"parity": asdict(parity)}
        self._write_card(self.made, entries, form)
        return parity

    def _tokeniser(self, vocabulary: Iterable[str] | None) -> Ints:
        """Write the tokeniser and return the ids that are kept, in their new order."""
        given = self.source.tokeniser
        rows = int(self.source.network.config.vocab_size)
        kept = np.arange(min(given.get_vocab_size(), rows))
        made = plain(given)
        if vocabulary is not None:
            special = self.source.special
            kept = used_ids(given, vocabulary, least=self.options.least, also=special)
            made = cut(given, kept)
            self.tell(f"{len(kept):,} of {rows:,} sub-words are kept")
            self.training |= {"kept_subwords": len(kept), "all_subwords": rows}
        made.save(str(self.full / TOKENISER), pretty=False)
        return kept

    def _choose(self, entries: dict[str, Any]) -> tuple[str, LmParity]:
        """Write the first form asked for that is close enough to the full one, else ModelError."""
        pairs = self._shortened(self.source.held_out)[:PARITY_PAIRS]
        expected: Expected = expect(open_generator(self.full), pairs)
        for form, models in self._forms():
            for file, model in models.items():
                onnx.save(model, self.made / file)
            shutil.copyfile(self.full / TOKENISER, self.made / TOKENISER)
            self._write_card(self.made, entries, form)
            parity = compare(open_generator(self.made), expected, pairs)
            self.tell(f"{form}: {parity.told()}")
            if parity.good:
                break
        parity.check()
        return form, parity

    def _forms(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the forms asked for as networks by file, the fastest first."""
        files = [file for file in (ENCODER, DECODER) if (self.full / file).exists()]
        models = {file: onnx.load(self.full / file) for file in files}
        table = onnx.numpy_helper.to_array(onnx.load(self.full / EMBEDDINGS).graph.initializer[0])
        small = {EMBEDDINGS: embeddings(table, integers=True)}
        for form in self.options.forms:
            if form == STORED:
                made = {file: shrink(model, block=BLOCK) for file, model in models.items()}
                yield form, small | made
            elif any(map(products, models.values())):
                for static in self._static(models):
                    yield form, small | static
            elif self.options.form == "static":
                raise ModelError(
                    f"{self.source.name} has no matrix large enough for integers; take the form "
                    "stored or float32"
                )

    def _static(self, models: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield networks with all large products in integers, then with all but the hard ones.

        What enters the second matrix of a feed-forward layer has outliers that no scale fits.
        """
        pairs = self._shortened(self.source.calibration)
        step = max(1, len(pairs) // RANGE_PAIRS)
        ranges = generator_ranges(self.full, pairs[::step][:RANGE_PAIRS])
        yield {file: shrink(make_static(model, ranges[file])) for file, model in models.items()}
        for file, model in models.items():
            hard = {n.input[0] for n in products(model) if _OUTER in n.input[1].split(".")}
            ranges[file] = {name: one for name, one in ranges[file].items() if name not in hard}
        yield {file: shrink(make_static(model, ranges[file])) for file, model in models.items()}

    def _shortened(self, pairs: Pairs) -> Pairs:
        """Return the pairs whose texts surely fit, since no sub-word is less than a character."""
        most = min(self.max_source, self.max_target) - 3
        fitting = [pair for pair in pairs if max(map(len, pair)) <= most]
        return fitting or [(a[:most], b[:most]) for a, b in pairs]

    def _entries(self, kept: Ints, frame: Frame) -> dict[str, Any]:
        options, shape = self.options, shape_of(self.source.network)
        short = self.source.name.rpartition("/")[2].partition("@")[0]
        start = self.source.start
        return {
            "name": options.name or short,
            "model": options.model or short,
            "version": options.version,
            "languages": list(options.languages),
            "architecture": frame.kind,
            "vocabulary": len(kept),
            "max_tokens": self.max_source,
            "max_target": self.max_target,
            "end": frame.end,
            **({} if start is None else {"start": int(np.searchsorted(kept, start))}),
            **({} if frame.separator is None else {"separator": frame.separator}),
            **({"prefix": frame.prefix} if frame.prefix else {}),
            **({"codes": list(frame.codes), "copied": frame.copied} if frame.codes else {}),
            "decoder": {key: getattr(shape, key) for key in ("layers", "heads", "size")},
        }

    def _write_card(self, folder: Path, entries: dict[str, Any], dtype: str) -> None:
        command = {"command": self.options.command} if self.options.command else {}
        card = {
            "kind": KIND,
            "format": FORMAT,
            **entries,
            "dtype": dtype,
            "results": {},
            "training": self.training | command,
        }
        write_card(folder, card, FILES[entries["architecture"]])
        GeneratorCard.read(folder)  # what it refuses must not reach the output


def _renumbered(frame: Frame, kept: Ints) -> Frame:
    """Return the frame with the new numbers of its special ids, all of which are kept."""
    special = [frame.end, *frame.codes, *([] if frame.separator is None else [frame.separator])]
    for number in special:
        if number not in kept:
            raise ModelError(f"the special id {number} is none of the tokeniser's")
    place = {int(old): new for new, old in enumerate(kept)}
    return replace(
        frame,
        end=place[frame.end],
        separator=None if frame.separator is None else place[frame.separator],
        codes=tuple(place[code] for code in frame.codes),
    )


def _limits(options: ExportOptions, source: LmSource) -> tuple[int, int]:
    """Return how many sub-words are read and written at most, as far as the positions go."""
    places = getattr(source.network.config, "max_position_embeddings", None)
    usual = LONGEST if places is None else min(LONGEST, places // 2)
    limits = options.max_source or usual, options.max_target or usual
    if places is not None and sum(limits) > places:
        raise ConfigError(
            f"max_source and max_target are {sum(limits)} together; {source.name} has {places} "
            "positions"
        )
    return limits
