"""What the decoding study found: it prints as a table and exports as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from paraphrast._version import VERSION
from paraphrast.render.pages.study_page import settings_table
from paraphrast.render.terminal.study_table import study_text
from paraphrast.studies.decoding.decoding_settings import Preset
from paraphrast.studies.decoding.setting_figures import BINS, COLUMNS, SettingFigures


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting with what was measured of it."""

    preset: Preset
    figures: SettingFigures

    def to_dict(self) -> dict[str, Any]:
        decoding = self.preset.decoding
        return {
            "setting": self.preset.name,
            "title": self.preset.title,
            "about": self.preset.about,
            "decoding": asdict(decoding) if decoding else None,
            "pool": self.preset.pool,
            "select": self.preset.select,
            "floor": self.preset.floor,
            "least_support": self.preset.support,
            **self.figures.values,
            "histogram": self.figures.histogram(),
        }


@dataclass(frozen=True, slots=True)
class ShownOutput:
    """An output to be read; ROUGE-L is with the source, `same` the judge's probability."""

    row: int
    source: str
    reference: str
    output: str | None
    rougeL: float | None  # noqa: N815  (the metric's name)
    same: float | None


@dataclass(frozen=True, slots=True)
class Samples:
    """Outputs of one setting, chosen at random."""

    setting: str
    shown: tuple[ShownOutput, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingStudy:
    """Settings side by side on one corpus with one model."""

    file: str
    model: str
    fingerprint: str
    judge: str | None
    judge_signature: str | None
    check: str | None
    examiner: str | None
    seed: int
    floor: float | None
    quality: float | None
    support: float | None
    protect: bool
    pairs: int
    left_out: dict[str, int]
    benchmark: float
    rows: tuple[SettingRow, ...]
    samples: Samples
    notes: tuple[str, ...] = ()
    command: str = ""

    def __getitem__(self, setting: str) -> SettingFigures:
        for row in self.rows:
            if row.preset.name == setting:
                return row.figures
        known = ", ".join(row.preset.name for row in self.rows)
        raise KeyError(f"{setting!r} is not in this study: {known}")

    def with_command(self, command: str) -> DecodingStudy:
        """Return the study with the command that made it."""
        return replace(self, command=command)

    def to_dict(self) -> dict[str, Any]:
        return {
            "study": "decoding",
            "version": VERSION,
            "command": self.command,
            "file": self.file,
            "pairs": self.pairs,
            "left_out": self.left_out,
            "model": self.model,
            "fingerprint": self.fingerprint,
            "judge": self.judge,
            "judge_signature": self.judge_signature,
            "check": self.check,
            "examiner": self.examiner,
            "seed": self.seed,
            "floor": self.floor,
            "quality": self.quality,
            "support": self.support,
            "protect": self.protect,
            "benchmark": self.benchmark,
            "columns": [asdict(column) for column in COLUMNS],
            "bins": [number / BINS for number in range(BINS + 1)],
            "rows": [row.to_dict() for row in self.rows],
            "samples": {
                "setting": self.samples.setting,
                "shown": [asdict(one) for one in self.samples.shown],
            },
            "signatures": self.rows[0].figures.signatures,
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def __str__(self) -> str:
        return study_text(self.to_dict())

    def _repr_html_(self) -> str:
        return settings_table(self.to_dict())
