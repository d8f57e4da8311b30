"""Make files of trained weights: the function behind `paraphrast train export`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paraphrast import _version
from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field, Rows
from paraphrast.jobs.train import check_packages
from paraphrast.train.recipe import read_recipe

if TYPE_CHECKING:
    from paraphrast.train.export.embedder.embedder_export import Embedded
    from paraphrast.train.export.encoder.encoder_parity import Parity
    from paraphrast.train.export.generator.generator_export import Generated
    from paraphrast.train.export.generator.generator_source import LmSource

Tell = Callable[[str], None]

_RECIPE, _CONFIG = "recipe.toml", "config.json"
_WRITERS = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel")


def train_export(
    source: Path,
    output: Path,
    *,
    name: str | None = None,
    model: str | None = None,
    version: str = _version.VERSION,
    languages: Sequence[str] = ("en",),
    average: Sequence[Path] = (),
    layer: int | None = None,
    texts: str | None = None,
    form: str | None = None,
    pairs: int | None = None,
    baseline: bool = True,
    vocabulary: Sequence[str] = (),
    least: int = 1,
    data: Path | None = None,
    command: str = "",
    tell: Tell = lambda _line: None,
) -> Parity | Embedded | Generated:
    """Write a run as what its recipe trains, or a model of transformers as an embedder or writer.

    A folder with a recipe is a run: its best weights are written, or with other runs to `average`
    the mean of the weights of all; an encoder's name is "paraphrast-encoder" and its model "mini"
    unless given, a generator's are "paraphrast-generator" and "paraphraser". Any other folder, or
    the id of a model on the hub, is a model of transformers: an encoder, for which `layer`, `pairs`
    and `baseline` are, or one that writes. `vocabulary`, for those that write, are files of texts:
    sub-words that they do not use `least` times are left out. What is returned says how the small
    file compares with fp32.
    """
    check_packages("onnx", "onnxruntime")
    shared: dict[str, Any] = {"version": version, "languages": tuple(languages)}
    asked: dict[str, Any] = {"layer": layer, "texts": texts, "form": form, "pairs": pairs}
    given = {key: value for key, value in asked.items() if value is not None}
    running = (source / _RECIPE).exists()
    kind = read_recipe(source / _RECIPE).kind if running else _kind(source)
    unread = [f"--{key}" for key in given] + ["--no-baseline"] * (not baseline)
    if kind == "generator":
        _refuse(f"{source} writes texts", [one for one in unread if one not in _WRITING], "encoder")
        found = _generator(source, average, texts, data, running=running)
        usual = ("paraphrast-generator", "paraphraser") if running else (None, None)
        request = {"name": name or usual[0], "model": model or usual[1], "least": least, **shared}
        request |= {"command": command, "form": form or ("auto" if found.held_out else "float32")}
        return _export_generator(found, output, request, vocabulary, tell)
    cut = ["--vocabulary"] * bool(vocabulary) + ["--least"] * (least != 1)
    _refuse(f"{source} is an encoder", cut, "generator")
    if running:
        _refuse(f"{source} is a training run", unread, "encoder of transformers")
        from paraphrast.train.export.encoder.encoder_export import export_run

        shared |= {"name": name or "paraphrast-encoder", "model": model or "mini"}
        return export_run(source, output, **shared, average=average, data=data, tell=tell)
    _check_encoder(source, average, pairs, baseline)
    from paraphrast.train.export.embedder.embedder_export import EmbedderRequest, export_embedder

    given |= {} if baseline else {"pairs": None}
    asked_for = EmbedderRequest(name=name, model=model, command=command, **shared, **given)
    return export_embedder(str(source), output, asked_for, data=data, tell=tell)


_WRITING = ("--form", "--texts")


def _kind(source: Path) -> str:
    """Return whether a folder of transformers holds a writer or an encoder, the usual thing."""
    try:
        names = json.loads((source / _CONFIG).read_text(encoding="utf-8")).get("architectures")
    except (OSError, ValueError, AttributeError):
        return "encoder"  # whatever it is, the encoder's export tells what is wrong
    return "generator" if str((names or [""])[0]).endswith(_WRITERS) else "encoder"


def _generator(
    source: Path, average: Sequence[Path], texts: str | None, data: Path | None, *, running: bool
) -> LmSource:
    from dataclasses import replace

    from paraphrast.train.export.generator.generator_source import from_folder, from_run

    if running:
        _refuse(f"{source} is a training run", ["--texts"] * bool(texts), "model of transformers")
        return from_run(source, average, data=data)
    _refuse(f"{source} is no training run", ["--average"] * bool(average), "run")
    found = from_folder(str(source))
    if texts is None:
        return found
    same = [(text, text) for text in _texts([texts])]
    return replace(found, calibration=same[::2], held_out=same[1::2])


def _export_generator(
    found: LmSource, output: Path, request: dict[str, Any], vocabulary: Sequence[str], tell: Tell
) -> Generated:
    from paraphrast.train.export.generator.generator_export import (
        LONGEST,
        GeneratorRequest,
        export_generator,
    )

    places = getattr(found.network.config, "max_position_embeddings", None)
    if places is not None and places < 2 * LONGEST:
        request |= {"max_source": places // 2, "max_target": places // 2}
    return export_generator(
        found,
        output,
        GeneratorRequest(**request),
        vocabulary=_texts(vocabulary) if vocabulary else None,
        tell=tell,
    )


def _texts(files: Sequence[str]) -> Iterator[str]:
    """Yield the texts of files: a text per line, or FILE:COLUMN of a table."""
    for given in files:
        field = Field.parse(given, role="text")
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


def _check_encoder(
    source: Path, average: Sequence[Path], pairs: int | None, baseline: bool
) -> None:
    """Refuse options that an encoder of transformers has no use for, and folders that are none."""
    if source.is_dir() and not (source / _CONFIG).exists():
        raise ConfigError(
            f"{source} is neither a training run (it has no {_RECIPE}) nor an encoder of "
            f"transformers (it has no {_CONFIG})"
        )
    if average:
        raise ConfigError(f"{source} is not a training run; --average can be given for runs only")
    if pairs is not None and not baseline:
        raise ConfigError("--pairs is for the baseline, which --no-baseline leaves out")
