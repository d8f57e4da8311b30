"""A finished run into an encoder directory: graph, small file, parity check, card."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from paraphrast.errors import ConfigError, MissingExtra
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.encoder_card import FORMATS, KIND
from paraphrast.models.encoder.pair_encoding import PairTokeniser
from paraphrast.models.weights_card import CARD, NETWORK, TOKENISER
from paraphrast.text.words import WordText
from paraphrast.train import runs
from paraphrast.train.checkpoint import Progress, has_best, load_progress
from paraphrast.train.data.assembly import Part, data_root, parts
from paraphrast.train.export.encoder.calibration import NO_DOUBT, UNKNOWN, calibrate
from paraphrast.train.export.encoder.encoder_parity import Parity, compare
from paraphrast.train.export.export_folder import install, write_card
from paraphrast.train.export.export_options import FULL, STATIC, STORED, ExportOptions
from paraphrast.train.recipe import TrainingRecipe

AT_ONCE = 256  # sub-words of a pair; longer ones are cut into windows
WINDOW = 128  # sub-words of these: see recipes/windows.py
PARITY_PAIRS, RANGE_PAIRS = 1000, 600


def export_run(
    run: Path,
    out: Path,
    options: ExportOptions,
    *,
    tell: Callable[[str], None] = lambda _line: None,
) -> Parity:
    """Write the best weights of a run as an encoder directory; what it held before is replaced.

    With other runs of the same network to `average`, the mean of the weights of all is written.
    The full-precision graph stays in the run, under `full/`. The small one computes in calibrated
    integers; when it differs from the full one by more than the check allows, one that only
    stores its weights as integers takes its place. When that differs too, ModelError is raised
    and `out` is left as it was. The fastest of all stays in the run as well, under `fast/`,
    whether it passed or not: a teacher that labels many pairs may differ a little.
    """
    root = options.data or data_root()
    every = [run, *options.average]
    recipe, *others = map(_opened, every)
    identity: dict[str, Any] = {
        "name": options.name or "paraphrast-encoder",
        "model": options.model or "mini",
        "version": options.version,
        "languages": list(options.languages),
    }
    full, small = run / "full", run / "small"
    network = _write_full(every, recipe, full)
    longest = network.longest
    identity |= {"max_tokens": min(AT_ONCE, longest), "window": min(WINDOW, longest)}
    identity |= {"training": _training(recipe, network, others)}
    _write_card(full, {**identity, "dtype": FULL})
    found = parts(recipe, root)
    tell("choosing thresholds on held-out rows")
    whole = EditEncoder.load(str(full))
    findings = asdict(calibrate(whole, recipe, found, root))
    pairs = _sample(found, PARITY_PAIRS)
    expected = whole.read(pairs)
    shutil.rmtree(run / "fast", ignore_errors=True)
    for form, graph in _forms(full, runs.load_tokeniser(recipe), found):
        _write_small(full, small, graph)
        _write_card(small, {**identity, "dtype": form})
        if not (run / "fast").exists():
            shutil.copytree(small, run / "fast")
        parity = compare(
            EditEncoder.load(str(small)), expected, pairs, findings["thresholds"]["tag"]
        )
        tell(f"{form}: {parity.told()}")
        if parity.good:
            break
    parity.check()
    identity["training"] |= {"parity": asdict(parity)}
    for folder, dtype in ((full, FULL), (small, form)):
        _write_card(folder, {**identity, "dtype": dtype, **findings})
    _copy_into(small, out)
    return parity


def _opened(run: Path) -> TrainingRecipe:
    """Return the recipe of a run that has weights."""
    recipe = runs.open_run(run)
    if not has_best(run):
        raise ConfigError(f"{run} has no best weights yet: it has to reach a validation first")
    return recipe


class _FullNetwork(NamedTuple):
    progress: Progress
    longest: int


def _write_full(every: Sequence[Path], recipe: TrainingRecipe, full: Path) -> _FullNetwork:
    try:
        from paraphrast.train.checkpoint import mean_of
        from paraphrast.train.encoder.encoder_network import EditEncoderNetwork as Network
        from paraphrast.train.export.onnx_graph import write_graph
    except ModuleNotFoundError as error:
        raise MissingExtra("train", error.name or "torch") from error
    network = Network.create(recipe.model)
    mean_of(network, every)
    shutil.rmtree(full, ignore_errors=True)
    full.mkdir()
    runs.load_tokeniser(recipe).tokeniser.save(str(full / TOKENISER), pretty=False)
    write_graph(network, full / NETWORK)
    return _FullNetwork(load_progress(every[0] / "best"), network.longest or AT_ONCE)


def _forms(
    full: Path, tokeniser: PairTokeniser, found: Sequence[Part]
) -> Iterator[tuple[str, Any]]:
    """Yield the small forms of the graph, the fastest first."""
    import onnx

    from paraphrast.train.export.static_quantisation import make_static, measure, products
    from paraphrast.train.export.weight_quantisation import shrink

    model = onnx.load(full / NETWORK)
    if products(model):
        pairs = _sample(found, RANGE_PAIRS, 0.5)
        a, b = (tokeniser.sides([pair[side] for pair in pairs]) for side in (0, 1))
        joined = [tokeniser.join(*both) for both in zip(a, b, strict=True)]
        ranges = measure(model, full / NETWORK, [pair for pair in joined if len(pair) <= AT_ONCE])
        yield STATIC, shrink(make_static(model, ranges))
    yield STORED, shrink(model)


def _write_small(full: Path, small: Path, model: Any) -> None:
    import onnx

    shutil.rmtree(small, ignore_errors=True)
    small.mkdir()
    shutil.copyfile(full / TOKENISER, small / TOKENISER)
    onnx.save(model, small / NETWORK)


def _write_card(folder: Path, entries: dict[str, Any]) -> None:
    card = {
        "kind": KIND,
        "format": max(FORMATS),
        "thresholds": {"tag": 0.0, "entailment": 0.0, "score": 0.0},
        "calibration": UNKNOWN,
        "certainty": NO_DOUBT,
        **entries,
    }
    write_card(folder, card, (NETWORK, TOKENISER))


def _training(
    recipe: TrainingRecipe, network: _FullNetwork, others: Sequence[TrainingRecipe]
) -> dict[str, Any]:
    """Tell where weights come from; what a run's validation said is not true of a mean."""
    progress = network.progress
    figures = {name: round(value, 4) for name, value in progress.figures.items()}
    averaged = {"averaged_with": [f"recipes/{other.name}.toml" for other in others]}
    return {
        "recipe": f"recipes/{recipe.name}.toml",
        "fingerprint": recipe.fingerprint,
        "seed": recipe.seed,
        "backbone": Path(recipe.model.backbone).name,
        "backbone_sha256": recipe.model.sha256,
        "steps": progress.best_step,
        **(averaged if others else {"validation": figures}),
    }


def _sample(
    found: Sequence[Part], limit: int, begin: float = 0.0
) -> list[tuple[WordText, WordText]]:
    """An even share of every source, cut to `limit`; other values of `begin` take other rows."""
    each = -(-limit // len(found))
    pairs = []
    for part in found:
        step = max(1, len(part.train) // each)
        pairs += [(row.a, row.b) for row in part.train[int(begin * step) :: step][:each]]
    return pairs[:limit]


def _copy_into(small: Path, out: Path) -> None:
    """Put copies of the three files into place; an interrupt leaves nothing beside `out`."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".paraphrast-") as place:
        for file in (NETWORK, TOKENISER, CARD):
            shutil.copyfile(small / file, Path(place) / file)
        install(Path(place), out, (NETWORK, TOKENISER))
