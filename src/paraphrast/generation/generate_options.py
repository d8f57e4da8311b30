"""The options of `generate`, on the command line as in Python, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

import numpy as np

from paraphrast.errors import ConfigError
from paraphrast.generation.decoding.decoding_options import (
    BEAMS,
    MOST_TEXTS,
    Decoding,
    refuse_unread,
)
from paraphrast.generation.selection.candidate_choice import Selection
from paraphrast.options import Option

MODEL, JUDGE, METHOD = "paraphraser", "mini", "top-p"
SEED = 12345

# Candidates are ranked by how new their words' order is, by the judge's score and by the
# generator's mean log-probability, which keeps clumsy texts back.
SELECT = "harmonic:w=3 + quality + 0.3*logprob"
POOL = 10  # candidates of a text, of which the best is kept

# Below this probability that it says the same, a candidate is refused: the judge's own verdict.
FLOOR = 0.5

# Low temperatures give safe texts that are much alike: one paraphrase is drawn at the first,
# several at the second. With a novelty, 1 is used, for safe texts copy too much.
TEMPERATURE = 0.7
VARIED = 0.85

# The shipped generator is told how much to copy: the ROUGE-L with the source that it aims at.
# With a novelty, it is told what the novelty leaves.
COPIED = 0.55

# A text of which no candidate passed gets a second pool: hotter, for other texts than the first,
# and nearer to the source, so that they pass.
HOTTER = 0.9
CAUTIOUS = 0.75

# The panels of `generate --help`.
WORDS, CHOICE, DECODING, SPEED = "Words", "Choice", "Decoding", "Models and speed"


def _length(text: str) -> int | float:
    """Read 20 as a number of sub-words and 0.8 or 1.0 as a share."""
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError:
        raise ConfigError(
            f"a length is a number of sub-words, as 20, or a share, as 0.8; got {text!r}"
        ) from None


_LENGTH = "sub-words, or with a point a share of the source's"
_MEASURED: dict[str, Any] = {
    "panel": DECODING,
    "metavar": "NUMBER",
    "typed": str | None,
    "parser": _length,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOptions:
    """The options of `generate`.

    `required` says that missing weights of the judge are an error; otherwise, without the usual
    judge, `floor`, `support` and `quality` have no say and a note tells so. Options of decoding
    that are None are left as `Decoding` has them.
    """

    n: Annotated[int, Option("Paraphrases of each text.", "-n", "--number")] = 1
    novelty: Annotated[
        float | None, Option("Least difference to the source, 1 - ROUGE-L: 0 to 1.")
    ] = None
    seed: Annotated[int, Option("Seed of the draws.")] = SEED
    must: Annotated[
        Sequence[str],
        Option(
            "A string that every paraphrase contains, or 'one|another'; may be repeated.",
            panel=WORDS,
            metavar="STRING",
            typed=list[str],
        ),
    ] = ()
    keep: Annotated[
        Sequence[str],
        Option(
            "A string that survives wherever a text has it; may be repeated.",
            panel=WORDS,
            metavar="STRING",
            typed=list[str],
        ),
    ] = ()
    forbid: Annotated[
        Sequence[str],
        Option(
            "A string that no paraphrase contains; may be repeated.",
            panel=WORDS,
            metavar="STRING",
            typed=list[str],
        ),
    ] = ()
    protect: Annotated[
        bool,
        Option(
            "Make names, numbers, URLs and code survive, and refuse others.",
            "--protect/--no-protect",
            panel=WORDS,
        ),
    ] = True
    pool: Annotated[
        int | None,
        Option("Candidates of each text to choose from; 10, or twice n.", panel=CHOICE),
    ] = None
    select: Annotated[
        str,
        Option(
            "How to rank them: harmonic:w=3, quality, cosine, mbr:chrf, logprob, a metric held "
            "against the source, or a sum: '0.7*paratag + 0.3*pinc'.",
            panel=CHOICE,
        ),
    ] = SELECT
    floor: Annotated[
        float | None,
        Option("Least probability that a paraphrase says the same.", panel=CHOICE),
    ] = FLOOR
    support: Annotated[
        float | None,
        Option(
            "Least probability that each content word of one text is said by the other; try 0.5.",
            panel=CHOICE,
        ),
    ] = None
    quality: Annotated[
        float | None,
        Option(
            "Least score by the edit encoder, a z-score of human ratings; try 0.5.", panel=CHOICE
        ),
    ] = None
    required: bool = False
    diverse: Annotated[bool, Option("Choose those farthest from each other.", panel=CHOICE)] = False
    judge: Annotated[
        str,
        Option("Edit encoder that judges: mini, base, a directory or org/name.", panel=CHOICE),
    ] = JUDGE
    check: Annotated[
        str | None,
        Option("A second edit encoder that has to agree about the best: base.", panel=CHOICE),
    ] = None
    method: Annotated[
        str,
        Option("greedy, sample, top-k, top-p, typical, beam or diverse-beam.", panel=DECODING),
    ] = METHOD
    temperature: Annotated[
        float | None,
        Option(
            f"Sampling: flatter above 1; usually {TEMPERATURE}, {VARIED} for several paraphrases, "
            "1 with a novelty.",
            panel=DECODING,
        ),
    ] = None
    top_k: Annotated[int | None, Option("top-k: sub-words to draw from.", panel=DECODING)] = None
    top_p: Annotated[float | None, Option("top-p: probability to draw from.", panel=DECODING)] = (
        None
    )
    typical: Annotated[
        float | None, Option("typical: probability to draw from.", panel=DECODING)
    ] = None
    beams: Annotated[int | None, Option("Beams of the search.", panel=DECODING)] = None
    length_penalty: Annotated[
        float | None,
        Option("Beams are ranked by log-probability over length to this.", panel=DECODING),
    ] = None
    patience: Annotated[
        float | None,
        Option("Beams stop when so many times their number have ended.", panel=DECODING),
    ] = None
    groups: Annotated[int | None, Option("Groups of beams, or of samples.", panel=DECODING)] = None
    diversity: Annotated[
        float | None, Option("What groups pay for the same sub-word.", panel=DECODING)
    ] = None
    repetition_penalty: Annotated[
        float | None, Option("Divide the probability of recent sub-words by this.", panel=DECODING)
    ] = None
    repetition_window: Annotated[
        int | None,
        Option("How many of the last sub-words are recent; usually 40.", panel=DECODING),
    ] = None
    no_repeat: Annotated[
        int | None, Option("Size of n-grams that do not recur.", panel=DECODING)
    ] = None
    min_length: Annotated[
        int | float | None,
        Option(f"Least length: {_LENGTH}.", **_MEASURED),
    ] = None
    max_length: Annotated[
        int | float | None,
        Option(f"Greatest length: {_LENGTH}.", **_MEASURED),
    ] = None
    reverse: Annotated[
        float | None,
        Option("Favour an order turned round, from the source's other end; try 6.", panel=DECODING),
    ] = None
    shorten: Annotated[
        float | None,
        Option("Beams pay for sub-words beyond this share of the source.", panel=DECODING),
    ] = None
    model: Annotated[str, Option("Weights: paraphraser, a directory or org/name.", panel=SPEED)] = (
        MODEL
    )
    threads: Annotated[
        int | None, Option("Threads of the model; one for each core.", panel=SPEED)
    ] = None
    device: Annotated[str, Option("Where the model runs: cpu, cuda or cuda:N.", panel=SPEED)] = (
        "cpu"
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            if isinstance(value := getattr(self, each.name), np.generic):
                object.__setattr__(self, each.name, value.item())
        for name in ("must", "keep", "forbid"):
            object.__setattr__(self, name, _strings(name, getattr(self, name)))
        self.selection()
        refuse_unread(self.decoding(), self.steering())

    def steering(self) -> dict[str, Any]:
        """Return the options of decoding that are set, those apart that have a default here."""
        values = {name: getattr(self, name) for name in _STEERING}
        return {name: value for name, value in values.items() if value is not None}

    def selection(self) -> Selection:
        """Return how candidates are chosen."""
        return Selection(
            n=self.n,
            select=self.select,
            novelty=self.novelty,
            floor=self.floor,
            quality=self.quality,
            support=self.support,
            required=self.required,
            diverse=self.diverse,
            protect=self.protect,
            judge=self.judge,
            check=self.check,
        )

    def decoding(self) -> Decoding:
        """Return how candidates are drawn: as many as the pool is to hold."""
        pool = self._pool_size()
        steering = self.steering()
        if self.method in BEAMS:
            steering.setdefault("beams", pool)
        elif self.method == METHOD:
            usual = TEMPERATURE if self.n == 1 else VARIED
            steering.setdefault("temperature", usual if self.novelty is None else 1.0)
        return Decoding(
            method=self.method,
            n=pool,
            must=tuple(self.must),
            keep=tuple(self.keep),
            forbid=tuple(self.forbid),
            protect=self.protect,
            seed=self.seed,
            **steering,
        )

    def hotter(self) -> Decoding | None:
        """Return how a second pool is drawn for texts without an output.

        None where the user said how to draw: another method, a pool, a temperature or a novelty.
        """
        chosen = (self.pool, self.novelty, self.temperature)
        if self.method != METHOD or any(value is not None for value in chosen):
            return None
        return replace(self.decoding(), temperature=HOTTER, seed=self.seed + 1)

    def _pool_size(self) -> int:
        if self.method == "greedy":
            pool = 1 if self.pool is None else self.pool
            if self.n > 1 or pool != 1:
                raise ConfigError(
                    f"greedy writes one text for each source, so n={self.n} and pool="
                    f"{pool} must be 1; choose a sampled method or beam"
                )
            return 1
        beams = self.beams if self.method in BEAMS else None
        usual = max(POOL, 2 * self.n) if beams is None else beams
        pool = usual if self.pool is None else self.pool
        if not isinstance(pool, int) or isinstance(pool, bool) or pool < 1:
            raise ConfigError(f"pool must be a whole number, at least 1; got {pool!r}")
        if pool < self.n:
            raise ConfigError(
                f"n={self.n} is more than the {pool} candidates that are written for a source; "
                f"raise pool{' or beams' if beams else ''}"
            )
        if isinstance(beams, int) and pool > beams:
            raise ConfigError(
                f"pool={pool} is more than the {beams} texts that beams={beams} can give; lower "
                "pool or raise beams"
            )
        if beams is None and pool > MOST_TEXTS:
            fix = "" if self.pool is not None else f", twice n={self.n}; lower n"
            raise ConfigError(f"pool must be at most {MOST_TEXTS:,}; got {pool}{fix}")
        return pool


_SHARED = ("method", "n", "must", "keep", "forbid", "protect", "seed")
_DECODED = {each.name for each in fields(Decoding)} - set(_SHARED)
_STEERING = [each.name for each in fields(GenerateOptions) if each.name in _DECODED]


def _strings(name: str, value: Any) -> tuple[str, ...]:
    """Take one string for a list of one."""
    if not isinstance(value, Iterable):
        raise ConfigError(f"{name} takes several strings; write {name}=['…']; got {value!r:.40}")
    return (value,) if isinstance(value, str) else tuple(value)
