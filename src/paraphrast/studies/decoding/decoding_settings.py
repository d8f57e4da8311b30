"""The settings of the decoding study, how a pool is drawn and what is chosen; its options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.generation.decoding.decode import Decoding
from paraphrast.generation.generate_options import (
    CHOICE,
    COPIED,
    FLOOR,
    SELECT,
    SPEED,
    TEMPERATURE,
)
from paraphrast.generation.selection.adequacy import installed_signature
from paraphrast.generation.selection.candidate_choice import Selection
from paraphrast.generation.selection.ranking_request import make_ranking
from paraphrast.options import Option

SAMPLES = 10  # of each source: what is selected from, and what vocabulary diversity is taken of
BEAMS = 20
REVERSE = 6.0  # what is favoured most becomes e⁶ ≈ 400 times as likely; the paper is silent
SHORTEN = 0.7
HUMAN, NONE = "human", "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One row of the study.

    `decoding` makes the pool, of `decoding.n` texts, by a generator that is asked to copy as much
    as `copied` says, if it listens; settings with equal ones share it. `select` ranks it (see
    `candidate_choice.Selection`); None takes the first text, whatever it is. `floor` and `support`
    are its own, beside those of the study. Without a decoding the row is the corpus's reference.
    """

    name: str
    title: str
    about: str
    decoding: Decoding | None = None
    select: str | None = None
    copied: float | None = None
    floor: float | None = None
    support: float | None = None

    @property
    def pool(self) -> int:
        """The number of texts that one is taken from."""
        return self.decoding.n if self.decoding else 0

    @property
    def sampled(self) -> bool:
        """Whether the pool holds independent draws, which vocabulary diversity is of."""
        return self.decoding is not None and not self.decoding.uses_beams and self.pool > 1

    def placed(self, *, protect: bool, seed: int) -> Preset:
        """Return the setting with the options that one study shares among all."""
        if self.decoding is None:
            return self
        return replace(self, decoding=replace(self.decoding, protect=protect, seed=seed))


_TOP_P = Decoding(method="top-p", top_p=0.95, n=SAMPLES)
_COOLER = replace(_TOP_P, temperature=TEMPERATURE)
_BEAM = Decoding(method="beam", beams=BEAMS, n=BEAMS, repetition_penalty=5.0, repetition_window=40)


def _weighted(weight: int) -> Preset:
    return Preset(
        name=f"w{weight}",
        title=f"{SAMPLES} samples, w = {weight}",
        about=f"the best of {SAMPLES} top-p samples by equation 5 with weight {weight}, at "
        f"temperature {TEMPERATURE:g} and asked to copy {COPIED:g}",
        decoding=_COOLER,
        select=f"harmonic:w={weight}",
        copied=COPIED,
    )


_ALL = (
    Preset(name=HUMAN, title="human", about="the reference itself"),
    Preset(
        name="greedy",
        title="greedy",
        about="the likeliest sub-word at each step",
        decoding=Decoding(method="greedy"),
    ),
    Preset(
        name="random",
        title="random",
        about="a draw from the model's whole distribution",
        decoding=Decoding(method="sample", n=SAMPLES),
    ),
    Preset(
        name="top-k",
        title="top-k 5",
        about="a draw from the 5 likeliest sub-words",
        decoding=Decoding(method="top-k", top_k=5, n=SAMPLES),
    ),
    Preset(
        name="top-p",
        title="top-p .95",
        about="a draw from the likeliest sub-words that make up .95",
        decoding=_TOP_P,
    ),
    Preset(
        name="generate",
        title="paraphrast generate",
        about=f"its defaults: the best of {SAMPLES} top-p samples at temperature {TEMPERATURE:g} "
        f"by {SELECT}, asked to copy {COPIED:g}, of those that say the same with a probability of "
        f"{FLOOR:g} at least",
        decoding=_COOLER,
        select=SELECT,
        copied=COPIED,
        floor=FLOOR,
    ),
    _weighted(1),
    _weighted(3),
    _weighted(10),
    Preset(
        name="beam",
        title=f"beam {BEAMS} normal",
        about=f"of {BEAMS} beams, with repetition penalty 5 over 40 sub-words, the best by "
        "equation 5 with weight 3",
        decoding=_BEAM,
        select="harmonic:w=3",
    ),
    Preset(
        name="beam-cosine",
        title=f"beam {BEAMS}, cosine",
        about="of the same beams, the one whose sentence embedding is nearest to the source's, as "
        "the paper chooses",
        decoding=_BEAM,
        select="cosine",
    ),
    Preset(
        name="reversed",
        title=f"beam {BEAMS} reversed",
        about=f"as beam, with sub-words from the other end of the source favoured, strength "
        f"{REVERSE:g}",
        decoding=replace(_BEAM, reverse=REVERSE),
        select="harmonic:w=3",
    ),
    Preset(
        name="shortened",
        title="shortened",
        about=f"the best of {BEAMS} beams that pay for length beyond {SHORTEN:g} of the source's",
        decoding=Decoding(method="beam", beams=BEAMS, shorten=SHORTEN),
    ),
    Preset(
        name="diverse-beam",
        title="diverse beam",
        about=f"the best of {SAMPLES} beams in 5 groups by equation 5 with weight 3",
        decoding=Decoding(method="diverse-beam", beams=SAMPLES, n=SAMPLES, groups=5),
        select="harmonic:w=3",
    ),
)
PRESETS = {preset.name: preset for preset in _ALL}
"""Every setting by its name, in the order of the table."""


def chosen_presets(names: Sequence[str] | None) -> list[Preset]:
    """Return the settings asked for, the human row before them; all of them by default."""
    if names is None:
        return list(_ALL)
    for name in names:
        if name not in PRESETS:
            near = did_you_mean(name, PRESETS)
            raise ConfigError(
                f"no setting is called {name!r}{near}; there are {', '.join(PRESETS)}"
            )
    wanted = [preset for preset in _ALL if preset.name in names or preset.name == HUMAN]
    if len(wanted) < 2:
        raise ConfigError("name at least one setting beside human, which is always there")
    return wanted


def _names(text: str) -> list[str]:
    """Return the names that the command line separates by commas."""
    return [name.strip() for name in text.split(",")]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """The options of `study decoding`, on the command line as in Python."""

    source: Annotated[str, Option("Column of the texts to paraphrase.")] = "text1"
    reference: Annotated[str, Option("Column of people's paraphrases.")] = "text2"
    limit: Annotated[int | None, Option("Take the first so many pairs.")] = None
    settings: Annotated[
        Sequence[str] | None,
        Option(
            "Of `study settings`; all unless given.",
            metavar="NAME,…",
            typed=str | None,
            parser=_names,
        ),
    ] = None
    seed: Annotated[int, Option("Seed of all draws.")] = 12345
    work: Annotated[
        str | Path | None,
        Option("Keep outputs here, to go on after a stop.", metavar="DIR", typed=str | None),
    ] = None
    samples_shown: Annotated[int, Option("Outputs in the report.")] = 50
    judge: Annotated[
        str,
        Option("Edit encoder: mini, base, a directory, org/name; or none.", panel=CHOICE),
    ] = "mini"
    floor: Annotated[
        float | None,
        Option("Least probability that a selected output says the same.", panel=CHOICE),
    ] = None
    support: Annotated[
        float | None,
        Option("Least support of a selected output's content words; try 0.5.", panel=CHOICE),
    ] = None
    quality: Annotated[
        float | None,
        Option("Least score of a selected output by the judge; try 0.5.", panel=CHOICE),
    ] = None
    check: Annotated[
        str | None,
        Option("A second edit encoder that has to agree on what is selected.", panel=CHOICE),
    ] = None
    examiner: Annotated[
        str | None,
        Option("Edit encoder that measures the outputs; --judge unless given.", panel=CHOICE),
    ] = None
    protect: Annotated[
        bool,
        Option("Make names and numbers survive.", "--protect/--no-protect", panel=CHOICE),
    ] = True
    model: Annotated[
        str, Option("Generator: paraphraser, a directory or org/name.", panel=SPEED)
    ] = "paraphraser"
    threads: Annotated[
        int | None, Option("Threads of the model; one for each core.", panel=SPEED)
    ] = None
    device: Annotated[str, Option("Where the model runs: cpu, cuda or cuda:N.", panel=SPEED)] = (
        "cpu"
    )

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ConfigError(f"limit must be a whole number, at least 1; got {self.limit}")
        if self.samples_shown < 0:
            raise ConfigError(f"samples_shown must not be negative; got {self.samples_shown}")
        judged = (self.floor, self.quality, self.support) != (None, None, None)
        if judged and self.judge == NONE:
            raise ConfigError("a floor, support or quality needs a judge; leave one of the two out")
        if self.judge == NONE and self.settings is not None:
            self._refuse_judged()
        if self.source == self.reference:
            raise ConfigError(f"source and reference are the same column, {self.source!r}")

    def _refuse_judged(self) -> None:
        for preset in chosen_presets(self.settings):
            if _is_judged(preset):
                raise ConfigError(
                    f"the setting {preset.name!r} needs a judge; leave it or --judge none out"
                )

    def presets(self) -> list[Preset]:
        """Return the settings with the seed and the protection that all share.

        Without a judge that is all but those that need one, unless they are named.
        """
        found = chosen_presets(self.settings)
        if self.judge == NONE:
            found = [preset for preset in found if not _is_judged(preset)]
        return [preset.placed(protect=self.protect, seed=self.seed) for preset in found]

    def left_out(self) -> list[str]:
        """Say which settings are left out for want of a judge."""
        if self.judge != NONE or self.settings is not None:
            return []
        names = [preset.name for preset in chosen_presets(None) if _is_judged(preset)]
        return [f"left out, as there is no judge: {', '.join(names)}"] if names else []

    def applied(self, preset: Preset) -> Preset:
        """Return a setting with the floors that are applied to it."""
        if preset.select is None:
            return preset
        selection = self.selection(preset)
        return replace(preset, floor=selection.floor, support=selection.support)

    def judge_signature(self) -> str | None:
        """Return what the judge's opinions depend on; None if there is none."""
        if self.judge == NONE:
            return None
        return installed_signature(self.judge, checked=self.protect)

    def selection(self, preset: Preset) -> Selection:
        """Return how one text is chosen from a pool; of two floors the higher holds."""
        shared: dict[str, Any] = {"protect": self.protect, "floor": None}
        if self.judge != NONE:
            shared |= {
                "judge": self.judge,
                "floor": _higher(self.floor, preset.floor),
                "support": _higher(self.support, preset.support),
                "quality": self.quality,
            }
            floors = [shared[name] for name in ("floor", "support", "quality")]
            shared["required"] = any(least is not None for least in floors)
            shared["check"] = self.check if shared["required"] else None
        return Selection(n=1, select=preset.select or SELECT, **shared)


def _is_judged(preset: Preset) -> bool:
    ranked = preset.select is not None and make_ranking(preset.select).judged
    return ranked or (preset.floor, preset.support) != (None, None)


def _higher(*floors: float | None) -> float | None:
    return max((floor for floor in floors if floor is not None), default=None)
