"""A finished run into an encoder directory: graph, small file, parity check, card."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from paraphrast.errors import ConfigError, MissingExtra
from paraphrast.models.card import CARD, FORMAT, KIND, NETWORK, TOKENISER
from paraphrast.models.encoder import EditEncoder
from paraphrast.text.words import WordText
from paraphrast.train import runs
from paraphrast.train.calibrate import UNKNOWN, calibrate
from paraphrast.train.checkpoint import Progress, load
from paraphrast.train.corpus import data_root, split
from paraphrast.train.parity import Parity, compare
from paraphrast.train.recipe import Recipe

WINDOW = 256  # sub-words read at once; longer pairs are cut into windows
PARITY_PAIRS = 1000
FULL, SMALL = "float32", "int8 weights, float32 arithmetic"


def export_run(
    run: Path,
    out: Path,
    *,
    name: str,
    model: str,
    version: str,
    languages: tuple[str, ...] = ("en",),
    data: Path | None = None,
    tell: Callable[[str], None] = lambda _line: None,
) -> Parity:
    """Write the best weights of a run as an encoder directory; what it held before is replaced.

    The full-precision graph stays in the run, under `full/`. When the small one differs from it
    by more than the check allows, ModelError is raised and `out` is left as it was.
    """
    recipe, root = runs.open_run(run), data or data_root()
    if not (run / "best").exists() and not (run / ".best.old").exists():
        raise ConfigError(f"{run} has no best weights yet: it has to reach a validation first")
    identity: dict[str, Any] = {
        "name": name,
        "model": model,
        "version": version,
        "languages": list(languages),
    }
    full, small = run / "full", run / "small"
    made = _write_graphs(run, recipe, full, small)
    identity |= {"max_tokens": min(WINDOW, made.longest), "training": _training(recipe, made)}
    for folder, dtype in ((full, FULL), (small, SMALL)):
        _write_card(folder, {**identity, "dtype": dtype})
    tell("choosing thresholds on held-out rows")
    findings = asdict(calibrate(EditEncoder.load(str(small)), recipe, root))
    tell("comparing the small file with the full one")
    found = compare(
        EditEncoder.load(str(small)),
        EditEncoder.load(str(full)),
        _sample(recipe, root, PARITY_PAIRS),
        findings["thresholds"]["tag"],
    )
    found.check()
    identity["training"] |= {"parity": asdict(found)}
    for folder, dtype in ((full, FULL), (small, SMALL)):
        _write_card(folder, {**identity, "dtype": dtype, **findings})
    _install(small, out)
    return found


class _Made(NamedTuple):
    progress: Progress
    longest: int


def _write_graphs(run: Path, recipe: Recipe, full: Path, small: Path) -> _Made:
    try:
        import onnx

        from paraphrast.train.network import EditEncoder as Network
        from paraphrast.train.onnx_graph import write_graph
        from paraphrast.train.quantise import shrink
    except ModuleNotFoundError as error:
        raise MissingExtra("train", error.name or "torch") from error
    network = Network.create(recipe.model)
    progress, weights = load(run / "best")
    network.load_state_dict(weights)
    tokeniser = runs.load_tokeniser(recipe).tokeniser
    for folder in (full, small):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        tokeniser.save(str(folder / TOKENISER), pretty=False)
    write_graph(network, full / NETWORK)
    onnx.save(shrink(onnx.load(full / NETWORK)), small / NETWORK)
    return _Made(progress, network.longest or WINDOW)


def _write_card(folder: Path, entries: dict[str, Any]) -> None:
    files = {
        file: hashlib.sha256((folder / file).read_bytes()).hexdigest()
        for file in (NETWORK, TOKENISER)
    }
    card = {
        "kind": KIND,
        "format": FORMAT,
        "thresholds": {"tag": 0.0, "entailment": 0.0, "score": 0.0},
        "calibration": UNKNOWN,
        **entries,
        "files": files,
    }
    (folder / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def _training(recipe: Recipe, made: _Made) -> dict[str, Any]:
    progress = made.progress
    return {
        "recipe": f"recipes/{recipe.name}.toml",
        "fingerprint": recipe.fingerprint,
        "seed": recipe.seed,
        "backbone": Path(recipe.model.backbone).name,
        "backbone_sha256": recipe.model.sha256,
        "steps": progress.best_step,
        "validation": {name: round(value, 4) for name, value in progress.figures.items()},
    }


def _sample(recipe: Recipe, root: Path, limit: int) -> list[tuple[WordText, WordText]]:
    """An even share of every source, cut to `limit`."""
    each = -(-limit // len(recipe.source))
    pairs = []
    for source in recipe.source:
        rows = split(source, recipe.seed, root)[0]
        step = max(1, len(rows) // each)
        pairs += [(row.a, row.b) for row in rows[::step][:each]]
    return pairs[:limit]


def _install(small: Path, out: Path) -> None:
    """Move the three files into place, the card last: it holds the hashes of the others."""
    out.mkdir(parents=True, exist_ok=True)
    for file in (NETWORK, TOKENISER, CARD):
        new = out / f".{file}.new"
        shutil.copyfile(small / file, new)
        new.replace(out / file)
