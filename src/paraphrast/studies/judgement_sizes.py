"""How agreement depends on how much was judged: curves over random subsets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from paraphrast import _version
from paraphrast.meta.alignment import Scores
from paraphrast.meta.evaluate import AgreementRequest
from paraphrast.meta.judgements import Judgements
from paraphrast.meta.sizes import Curve, judgement_curves
from paraphrast.render.charts.curve import curve_html
from paraphrast.render.markup import preformatted
from paraphrast.render.terminal.tables import align
from paraphrast.studies.metric_comparison import show

SIZES = (10, 20, 50, 100, 200, 500)


@dataclass(frozen=True, slots=True)
class SizeStudy:
    """Curves of a statistic by the number of judged outputs per group.

    A point is (size, mean, 5th percentile, 95th percentile) over `repeats` random subsets.
    """

    task: str
    statistic: str
    curves: dict[str, Curve]
    repeats: int
    seed: int
    notes: tuple[str, ...] = ()
    command: str = ""

    def with_command(self, command: str) -> SizeStudy:
        """Return the study with the command that made it."""
        return replace(self, command=command)

    def how(self) -> str:
        """Say what the points and bands are."""
        return (
            f"Each point is the mean over {self.repeats} random subsets (seed {self.seed}), drawn "
            "without replacement in every group; the band goes from their 5th to their 95th "
            "percentile. The whole set is drawn once and has no band."
        )

    def to_json(self) -> str:
        """Return the curves, with names for the four numbers of a point, as JSON."""
        names = ("size", "mean", "low", "high")
        curves = {
            name: [dict(zip(names, point, strict=True)) for point in curve]
            for name, curve in self.curves.items()
        }
        found = {
            "task": self.task,
            "statistic": self.statistic,
            "repeats": self.repeats,
            "seed": self.seed,
            "band": [0.05, 0.95],
            "curves": curves,
            "notes": list(self.notes),
        }
        return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False)

    def to_html(self) -> str:
        """Return a page of its own: the curve, its numbers, how they were made."""
        return curve_html(
            self.curves,
            x_label="outputs per group",
            y_label=self.statistic,
            title=f"{self.task}: {self.statistic} by number of judged outputs",
            band="from the 5th to the 95th percentile of the subsets",
            notes=(self.how(), *self.notes),
            command=self.command,
            version=_version.VERSION,
        )

    def _repr_html_(self) -> str:
        """Return the text in a block of its own, for notebooks."""
        return preformatted(str(self))

    def __str__(self) -> str:
        sizes = [f"{point[0]:.0f}" for point in next(iter(self.curves.values()))]
        rows = [["", *sizes]]
        rows += [[name, *(show(p[1]) for p in curve)] for name, curve in self.curves.items()]
        head = f"{self.task}, mean {self.statistic} by outputs per group"
        return "\n".join([head, align(rows), *(f"note: {note}" for note in self.notes)])


def measure_sizes(
    judgements: Judgements,
    scores: Sequence[Scores],
    request: AgreementRequest,
    sizes: Sequence[int],
    *,
    repeats: int,
) -> SizeStudy:
    """Repeat an evaluation over random subsets of growing size."""
    curves = judgement_curves(judgements, scores, request, sizes or SIZES, repeats=repeats)
    return SizeStudy(request.task, request.statistic, dict(curves), repeats, request.seed)
