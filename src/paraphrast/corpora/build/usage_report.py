"""What was asked of the systems of one run, and what it cost."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paraphrast.corpora.build.corpus_report import SystemUse
from paraphrast.corpora.translators.spending import read_usage
from paraphrast.corpora.translators.translator import Price

USAGE = "usage"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLog:
    """A system that a stage of the run uses, its price, and where its usage is logged."""

    name: str
    kind: str
    version: str = ""
    price: Price | None = None
    log: Path


def log_file(folder: Path, signature: Mapping[str, Any], before: str) -> Path:
    """Return where a stage logs what it uses: another file for every step and all before it.

    So a run never counts what another recipe, or an earlier state of this one, has used.
    """
    text = json.dumps([dict(signature), before], sort_keys=True)
    return folder / USAGE / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.jsonl"


def system_uses(logs: Iterable[SystemLog]) -> tuple[SystemUse, ...]:
    """Sum up the logs: an entry for each system, there and back or all rounds together."""
    counts: dict[tuple[str, str, str], dict[str, float]] = {}
    for one in logs:
        found = counts.setdefault((one.name, one.kind, one.version), defaultdict(int))
        for used in read_usage(one.log).values():
            for key, value in used.to_dict().items():
                found[key] += value
            if one.price is not None:
                found["cost"] += used.cost(one.price)
    return tuple(
        SystemUse(name=name, kind=kind, version=version, usage=_rounded(found))
        for (name, kind, version), found in counts.items()
    )


def _rounded(counts: Mapping[str, float]) -> dict[str, int | float]:
    """Leave out what is 0; costs keep six digits, however small they are."""
    kept = {key: value for key, value in counts.items() if value}
    return {
        key: float(f"{value:.6g}") if key == "cost" else round(value, 2)
        for key, value in kept.items()
    }
