"""The options of `score` and `compare`, on the command line as in Python."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Annotated

from paraphrast.errors import ConfigError
from paraphrast.jobs.scoring.text_columns import Order, Texts
from paraphrast.metrics.base import Metric, Place
from paraphrast.metrics.catalogue import names_beginning
from paraphrast.models.session import check_place
from paraphrast.options import Option
from paraphrast.stats.checks import check_rounds

Metrics = Sequence[str | Metric] | str | Metric
"""Names such as "bleu" or "rouge1:preset=google,stemmer=true", or metric objects."""

INPUT, STATISTICS, SPEED = "Input", "Statistics", "Models and speed"
TRIALS = {"bootstrap": 1000, "randomisation": 10_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What scoring one system and comparing several have in common."""

    metrics: Annotated[
        Metrics | None,
        Option(
            "A metric: bleu, paratag.P, rouge1:stemmer=true, …; there may be several.",
            "-m",
            "--metrics",
            metavar="NAME",
            typed=list[str] | None,
            complete=names_beginning,
        ),
    ] = None
    trees: Texts | Mapping[str, Texts] | None = None
    references_by: Order = "segment"
    segments: bool = True
    empty: Annotated[str, Option("'score' empty texts and note them, or 'error'.", panel=INPUT)] = (
        "score"
    )
    samples: Annotated[
        int,
        Option("Bootstrap resamples.", "--samples", "--confidence-n", "-cin", panel=STATISTICS),
    ] = 1000
    seed: Annotated[int, Option("Seed of all resampling.", panel=STATISTICS)] = 12345
    jobs: Annotated[
        int, Option("Processes to use; one where a model runs.", "-j", "--jobs", panel=SPEED)
    ] = 1
    threads: Annotated[
        int | None, Option("Threads where a model runs; one for each core.", panel=SPEED)
    ] = None
    device: Annotated[str, Option("Where a model runs: cpu, cuda or cuda:N.", panel=SPEED)] = "cpu"
    cache: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "Keep embeddings in this folder for later runs.",
            panel=SPEED,
            metavar="DIR",
            typed=str | None,
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.empty not in ("score", "error"):
            raise ConfigError(f"empty must be 'score' or 'error'; got {self.empty!r}")
        for name in ("samples", "seed", "jobs"):
            check_whole(name, getattr(self, name))
        if self.samples < 2:
            raise ConfigError("a resampling test needs at least 2 samples")
        check_rounds("samples", self.samples)
        if self.seed < 0:
            raise ConfigError(f"the seed must not be negative; got {self.seed}")
        check_place(self.threads, self.device)
        self.place()

    @property
    def intervals(self) -> bool:
        """Whether confidence intervals are asked for."""
        return False

    def place(self) -> Place:
        """Return where models run; a cache that cannot be a folder's name is refused."""
        cache = self.cache
        if cache is None:
            return Place(self.threads, self.device)
        if not isinstance(cache, str | os.PathLike) or not os.fspath(cache):
            raise ConfigError(f"cache must be the name of a folder; got {cache!r}")
        return Place(self.threads, self.device, os.fspath(cache))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(Options):
    """The options of `score`."""

    ci: Annotated[
        bool,
        Option("Add 95 % bootstrap intervals.", "--ci", "--confidence", "-ci", panel=STATISTICS),
    ] = False

    @property
    def intervals(self) -> bool:
        return self.ci


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(Options):
    """The options of `compare`."""

    baseline: Annotated[
        str | None, Option("Name of the system to compare with; the first one.", panel=STATISTICS)
    ] = None
    all_pairs: Annotated[
        bool, Option("Test every pair of systems, not each with a baseline.", panel=STATISTICS)
    ] = False
    test: Annotated[
        str | None,
        Option("The paired test: bootstrap (usual) or randomisation.", panel=STATISTICS),
    ] = None
    trials: Annotated[
        int | None,
        Option(
            "Rounds of the test: usually 1,000 resamples or 10,000 exchanges.",
            "--trials",
            "--paired-bs-n",
            "--paired-ar-n",
            panel=STATISTICS,
        ),
    ] = None
    alpha: Annotated[float, Option("Level of significance.", panel=STATISTICS)] = 0.05

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.baseline is not None:  # the names of systems are taken as text, too
            object.__setattr__(self, "baseline", str(self.baseline))
        if self.test not in (None, *TRIALS):
            raise ConfigError(f"test must be 'bootstrap' or 'randomisation'; got {self.test!r}")
        if self.trials is not None:
            check_whole("trials", self.trials)
            if self.trials < 2:
                raise ConfigError("a resampling test needs at least 2 samples")
            check_rounds("trials", self.trials)
        if not isinstance(self.alpha, Real):
            raise ConfigError(f"alpha must be a number; got {self.alpha!r}")
        if not 0 < self.alpha < 1:
            raise ConfigError(f"alpha must lie between 0 and 1; got {self.alpha}")
        if self.all_pairs and self.baseline is not None:
            raise ConfigError("all pairs are compared without a baseline; choose one of the two")

    @property
    def intervals(self) -> bool:
        return True

    @property
    def method(self) -> str:
        """The paired test, by its name."""
        return self.test or "bootstrap"

    @property
    def rounds(self) -> int:
        """How many resamples or exchanges the test makes."""
        usual = self.samples if self.method == "bootstrap" else TRIALS[self.method]
        return self.trials or usual


def check_whole(name: str, value: object) -> None:
    """Refuse what is not a whole number."""
    if not isinstance(value, Integral):
        raise ConfigError(f"{name} must be a whole number; got {value!r}")
