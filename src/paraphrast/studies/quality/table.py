"""All rows of the quality table: measured task by task and system by system, and kept.

What was measured is written to a folder at once, in a file named by the task, the weights and the
version, so that a run that was stopped goes on where it was, and new weights are measured anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import MappingProxyType

from paraphrast import _version
from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.io.atomic import atomic_writer
from paraphrast.io.resume import digest, is_sealed, seal_file
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.store import find
from paraphrast.studies.encoder_quality import paraphrase
from paraphrast.studies.quality.agreement import summaries, translation
from paraphrast.studies.quality.chances import calibration, entailment, minimal_pairs
from paraphrast.studies.quality.figures import (
    BASELINE,
    Advance,
    Bench,
    EvaluateMetrics,
    Findings,
    Line,
    Measure,
)
from paraphrast.studies.quality.first_reasons import first_reasons
from paraphrast.studies.quality.itself import itself
from paraphrast.studies.quality.refusals import screening
from paraphrast.studies.quality.word_tags import word_tags

TASKS: Mapping[str, Measure] = MappingProxyType(
    {
        "stress": minimal_pairs,
        "nli_hard": partial(entailment, "nli_hard.dev"),
        "snli": partial(entailment, "snli.dev"),
        "paws": partial(paraphrase, "paws"),
        "mrpc": partial(paraphrase, "mrpc"),
        "wmt17": partial(translation, "wmt17"),
        "mqm21": partial(translation, "mqm21"),
        "mlqe": partial(translation, "mlqe"),
        "itself": itself,
        "etpc": partial(word_tags, "etpc.dev"),
        "wiki": partial(word_tags, "multimwa_wiki.test"),
        "mtref": partial(word_tags, "multimwa_mtref.test"),
        "qags": partial(summaries, "qags_cnn"),
        "summeval": partial(summaries, "summeval_consistency"),
        "realsumm": partial(summaries, "realsumm"),
        "calibration_same": partial(calibration, "same"),
        "calibration_entailment": partial(calibration, "entailment"),
        "reasons": first_reasons,
        "screening": screening,
    }
)
Watch = Callable[[str, str], AbstractContextManager[Advance]]


def chosen_tasks(only: str | None) -> list[str]:
    """Return the tasks of a list such as "stress,snli", all of them for None."""
    if only is None:
        return list(TASKS)
    names = [name.strip() for name in only.split(",") if name.strip()]
    for name in names:
        if name not in TASKS:
            raise ConfigError(
                f"unknown task {name!r}{did_you_mean(name, TASKS)}; known: {', '.join(TASKS)}"
            )
    return names


def measure(
    tasks: Sequence[str],
    models: Sequence[str],
    evaluate_metrics: EvaluateMetrics,
    *,
    folder: Path,
    watch: Watch,
) -> Iterator[Findings]:
    """Yield what every model, and the baselines, reach on the tasks; what is kept is read.

    `watch` is entered with the names of task and system while they are measured.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for task in tasks:
        for system in (BASELINE, *models):
            path = folder / f"{task}-{system.replace('/', '-')}-{_key(task, system)}.json"
            if not (path.exists() and is_sealed(path)):
                with watch(task, system) as advance:
                    found = TASKS[task](system, Bench(evaluate_metrics, advance))
                keep(path, found)
            yield kept(path)


def keep(path: Path, found: Findings) -> None:
    """Write findings as JSON, and their seal."""
    lines = [asdict(line) for line in found.lines]
    curves = {name: list(points) for name, points in found.curves.items()}
    with atomic_writer(path) as file:
        json.dump({"lines": lines, "curves": curves}, file, ensure_ascii=False, indent=1)
    seal_file(path)


def kept(path: Path) -> Findings:
    """Read findings again."""
    found = json.loads(path.read_text(encoding="utf-8"))
    curves = {name: [(x, y, a, b) for x, y, a, b in many] for name, many in found["curves"].items()}
    return Findings(tuple(Line(**line) for line in found["lines"]), curves)


def _key(task: str, system: str) -> str:
    parts = [task, system, _version.VERSION]
    if system != BASELINE:
        parts.append(EncoderCard.read(find(system, download=False)).fingerprint)
    return digest(parts)
