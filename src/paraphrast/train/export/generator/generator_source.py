"""What an export of a generator starts from: a training run, or a model of transformers."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models.generator.language_model import CAUSAL, SEQ2SEQ
from paraphrast.models.generator.subword_text import Frame
from paraphrast.models.generator.torch_generator import frame_of, load_network
from paraphrast.train.data.assembly import Part, data_root, parts

Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class LmSource:
    """A network, its tokeniser, and what stands around the texts that it was trained on.

    `calibration` and `held_out` are pairs of a text and its paraphrase, if there are any.
    """

    name: str
    network: Any
    tokeniser: Any
    frame: Frame
    training: dict[str, Any]
    calibration: Pairs
    held_out: Pairs

    @property
    def start(self) -> int | None:
        if self.frame.kind == CAUSAL:
            return None
        return int(self.network.config.decoder_start_token_id)

    @property
    def special(self) -> set[int]:
        """The ids that the model is built with."""
        frame, config = self.frame, self.network.config
        pad = getattr(config, "pad_token_id", None)
        found = {frame.end, frame.separator, self.start, pad, *frame.codes}
        return {number for number in found if number is not None}


def from_folder(name: str, *, prefix: str = "") -> LmSource:
    """Load a folder or a model of the hub."""
    network, tokeniser = load_network(name)
    frame = frame_of(network, tokeniser, prefix=prefix)
    short = Path(name).resolve().name if Path(name).is_dir() else name
    training = {
        "backbone": short,
        **{package: installed(package) for package in ("torch", "transformers")},
    }
    backend = copy.deepcopy(tokeniser.backend_tokenizer)
    return LmSource(short, network, backend, frame, training, [], [])


def from_run(run: Path, average: Sequence[Path] = (), *, data: Path | None = None) -> LmSource:
    """Load the best weights of a generator's run, or their mean with those of others."""
    from paraphrast.train import runs
    from paraphrast.train.checkpoint import has_best, load_progress, mean_of
    from paraphrast.train.generator.generator_network import Generator

    recipe = runs.open_run(run)
    if recipe.kind != "generator":
        raise ConfigError(f"{run} trains an {recipe.kind}, not a generator")
    if not has_best(run):
        raise ConfigError(f"{run} has no best weights yet: it has to reach a validation first")
    network = Generator.create(recipe.model)
    mean_of(network, [run, *average])
    tokeniser = runs.load_tokeniser(recipe).tokeniser
    named = [tokeniser.token_to_id(code) for code in recipe.generation.codes]
    codes = tuple(code for code in named if code is not None)
    if len(codes) < len(named):
        raise ModelError(f"{run}: the tokeniser lacks one of generation.codes")
    frame = Frame(SEQ2SEQ, network.end, codes=codes, copied=recipe.generation.copied)
    progress = load_progress(run / "best")
    figures = {name: round(value, 4) for name, value in progress.figures.items()}
    training = {
        "recipe": f"recipes/{recipe.name}.toml",
        "fingerprint": recipe.fingerprint,
        "seed": recipe.seed,
        "backbone": Path(recipe.model.backbone).name,
        "backbone_sha256": recipe.model.sha256,
        "steps": progress.best_step,
        **({"averaged_with": [str(one) for one in average]} if average else {}),
        **({} if average else {"validation": figures}),
    }
    found = parts(recipe, data or data_root())
    held_out = [row for part in found for row in part.held_out]
    return LmSource(
        recipe.name,
        network.backbone,
        tokeniser,
        frame,
        training,
        _pairs([row for part in found for row in part.train[:: _stride(part)]]),
        _pairs(held_out),
    )


def _stride(part: Part) -> int:
    return max(1, len(part.train) // 300)


def _pairs(rows: Sequence[Any]) -> Pairs:
    return [(row.a.text, row.b.text) for row in rows]
