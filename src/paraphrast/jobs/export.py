"""Make files of trained weights: the function behind `paraphrast train export`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, cast

from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, Rows
from paraphrast.jobs.train import check_packages
from paraphrast.options import takes_options
from paraphrast.train.export.export_options import ExportOptions
from paraphrast.train.recipe import read_recipe

if TYPE_CHECKING:
    from paraphrast.train.export.embedder.embedder_export import Embedded
    from paraphrast.train.export.encoder.encoder_parity import Parity
    from paraphrast.train.export.generator.generator_export import Generated
    from paraphrast.train.export.generator.generator_source import LmSource

P = ParamSpec("P")

_RECIPE, _CONFIG = "recipe.toml", "config.json"
_WRITERS = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel")
_OF_EMBEDDERS = ("texts", "form", "layer", "pairs", "baseline")
_OF_GENERATORS = ("vocabulary", "least")


def export_weights(
    source: Path, output: Path, options: ExportOptions
) -> Parity | Embedded | Generated:
    """Write what a folder holds: a run's encoder or generator, or a model of transformers.

    What is returned says how the small file compares with fp32.
    """
    check_packages("onnx", "onnxruntime")
    running = (source / _RECIPE).exists()
    kind = read_recipe(source / _RECIPE).kind if running else _kind(source)
    if kind == "generator":
        return _export_generator(source, output, options, running=running)
    _refuse(f"{source} is an encoder", options.chosen(*_OF_GENERATORS), "generator")
    if running:
        unread = options.chosen(*_OF_EMBEDDERS)
        _refuse(f"{source} is a training run", unread, "encoder of transformers")
        from paraphrast.train.export.encoder import encoder_export

        return encoder_export.export_run(source, output, options, tell=options.tell)
    _check_encoder(source, options.average)
    from paraphrast.train.export.embedder import embedder_export

    return embedder_export.export_embedder(str(source), output, options, tell=options.tell)


def _keywords(
    kind: Callable[P, ExportOptions],
) -> Callable[
    [Callable[..., Parity | Embedded | Generated]],
    Callable[Concatenate[Path, Path, P], Parity | Embedded | Generated],
]:
    """Give the function the options as keywords, for type checkers as for `help()`."""
    return cast("Any", takes_options(cast("type[ExportOptions]", kind)))  # type: ignore[no-any-return]


@_keywords(ExportOptions)
def train_export(
    source: Path, output: Path, *, options: ExportOptions
) -> Parity | Embedded | Generated:
    """Write a run as what its recipe trains, or a model of transformers as an embedder or writer.

    A folder with a recipe is a run: its best weights are written, or with other runs to `average`
    the mean of the weights of all; an encoder's name is "paraphrast-encoder" and its model "mini",
    a generator's are "paraphrast-generator" and "paraphraser". Any other folder, or the id of a
    model on the hub, is a model of transformers: an encoder, for which `layer`, `pairs` and
    `baseline` are, or one that writes, for which `vocabulary` and `least` are.

    source: The folder of a run or of a model of transformers, or the id of a model on a hub.
    output: The folder to write; the files of weights that it holds already are replaced.
    max_source: Sub-words that a generator reads at most; 256, or half of its positions.
    max_target: Sub-words that a generator writes at most; 256, or half of its positions.
    command: The command line to note on the card.
    tell: A function that hears of each stage.
    """
    return export_weights(source, output, options)


def _kind(source: Path) -> str:
    """Return whether a folder of transformers holds a writer or an encoder, the usual thing."""
    try:
        names = json.loads((source / _CONFIG).read_text(encoding="utf-8")).get("architectures")
    except (OSError, ValueError, AttributeError):
        return "encoder"  # whatever it is, the encoder's export tells what is wrong
    return "generator" if str((names or [""])[0]).endswith(_WRITERS) else "encoder"


def _export_generator(
    source: Path, output: Path, options: ExportOptions, *, running: bool
) -> Generated:
    unread = [name for name in _OF_EMBEDDERS if name not in ("form", "texts")]
    _refuse(f"{source} writes texts", options.chosen(*unread), "encoder")
    from paraphrast.train.export.generator.generator_export import export_generator

    found = _generator_source(source, options, running=running)
    options = replace(options, form=options.form or ("auto" if found.held_out else "float32"))
    if running:
        options = replace(
            options,
            name=options.name or "paraphrast-generator",
            model=options.model or "paraphraser",
        )
    vocabulary = _texts(options.vocabulary) if options.vocabulary else None
    return export_generator(found, output, options, vocabulary=vocabulary, tell=options.tell)


def _generator_source(source: Path, options: ExportOptions, *, running: bool) -> LmSource:
    from paraphrast.train.export.generator.generator_source import from_folder, from_run

    if running:
        unread = options.chosen("texts")
        _refuse(f"{source} is a training run", unread, "model of transformers")
        return from_run(source, options.average, data=options.data)
    _refuse(f"{source} is no training run", options.chosen("average"), "run")
    found = from_folder(str(source))
    if options.texts is None:
        return found
    same = [(text, text) for text in _texts([options.texts])]
    return replace(found, calibration=same[::2], held_out=same[1::2])


def _texts(files: Sequence[str]) -> Iterator[str]:
    """Yield the texts of files: a text per line, or FILE:COLUMN of a table."""
    for file in files:
        field = Field.parse(file, role="text")
        if not Path(field.path).is_file():
            raise InputError(f"there is no file {field.path} to read texts from")
        for (value,) in Rows([field]):
            yield from [value] if isinstance(value, str) else value or []


def _refuse(what: str, options: Sequence[str], other: str) -> None:
    if options:
        article = "an" if other[0] in "aeiou" else "a"
        raise ConfigError(
            f"{what}; {' and '.join(options)} can be given for {article} {other} only"
        )


def _check_encoder(source: Path, average: Sequence[Path]) -> None:
    """Refuse folders that hold no encoder, and runs to average where there is no run."""
    if source.is_dir() and not (source / _CONFIG).exists():
        raise ConfigError(
            f"{source} is neither a training run (it has no {_RECIPE}) nor an encoder of "
            f"transformers (it has no {_CONFIG})"
        )
    if average:
        raise ConfigError(f"{source} is not a training run; --average can be given for runs only")
