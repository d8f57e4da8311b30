"""The settings of the decoding study: how a pool of texts is made, and which of it is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.generation.decoding.decode import Decoding
from paraphrast.jobs.generate import COPIED, FLOOR, SELECT, SUPPORT, TEMPERATURE

SAMPLES = 10  # of each source: what is selected from, and what vocabulary diversity is taken of
BEAMS = 20
REVERSE = 6.0  # what is favoured most becomes e⁶ ≈ 400 times as likely; the paper is silent
SHORTEN = 0.7
HUMAN = "human"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One row of the study.

    `decoding` makes the pool, of `decoding.n` texts, by a generator that is asked to copy as much
    as `copied` says, if it listens; settings with equal ones share it. `select` ranks it (see
    `generation.choosing`); None takes the first text, whatever it is. `floor` and `support` are its
    own, beside those of the study. Without a decoding the row is the corpus's own reference.
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
        f"by {SELECT}, asked to copy {COPIED:g}, with an adequacy of {FLOOR:g} and a support of "
        f"{SUPPORT:g} at least",
        decoding=_COOLER,
        select=SELECT,
        copied=COPIED,
        floor=FLOOR,
        support=SUPPORT,
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
