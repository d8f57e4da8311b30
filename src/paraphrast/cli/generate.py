"""`paraphrast generate`: write paraphrases of texts."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from paraphrast.cli.options import taking
from paraphrast.cli.shared import Device, Quiet, Threads, echo, show_notes
from paraphrast.errors import ConfigError
from paraphrast.io import Field
from paraphrast.jobs.generate import (
    AT_ONCE,
    FLOOR,
    JUDGE,
    METHOD,
    MODEL,
    SEED,
    SELECT,
    SUPPORT,
    GenerateOptions,
)
from paraphrast.jobs.generate_files import Target, generate_files
from paraphrast.render.terminal.paraphrases import paraphrase_lines
from paraphrast.render.terminal.progress import progress

_CHOICE, _WORDS, _SEARCH = "Choice", "Words", "Decoding"
_SEARCHED = (  # fields that Decoding has by the same name
    "temperature top_k top_p typical beams groups diversity repetition_penalty no_repeat "
    "min_length max_length reverse shorten length_penalty repetition_window patience"
).split()


def _option(panel: str, text: str, *names: str) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How to write and to choose; each field is an option."""

    number: Annotated[int, _option(_CHOICE, "Paraphrases of each text.", "-n", "--number")] = 1
    pool: Annotated[
        int | None, _option(_CHOICE, "Candidates of each text to choose from; 10, or twice -n.")
    ] = None
    select: Annotated[
        str,
        _option(
            _CHOICE,
            "How to rank them: harmonic:w=3, quality, cosine, mbr:chrf, logprob, a metric held "
            "against the source, or a sum: '0.7*paratag + 0.3*pinc'.",
        ),
    ] = SELECT
    novelty: Annotated[
        float | None, _option(_CHOICE, "Least difference to the source, 1 - ROUGE-L: 0 to 1.")
    ] = None
    floor: Annotated[
        float | None,
        _option(_CHOICE, f"Least probability, both ways, that it says the same; usually {FLOOR}."),
    ] = None
    quality: Annotated[
        float | None,
        _option(_CHOICE, "Least score by the edit encoder, a z-score of human ratings; try 0.5."),
    ] = None
    support: Annotated[
        float | None,
        _option(
            _CHOICE,
            "Least probability that each content word of one text is said by the other; usually "
            f"{SUPPORT}.",
        ),
    ] = None
    no_floor: Annotated[
        bool, _option(_CHOICE, "Judge no candidate by its adequacy.", "--no-floor")
    ] = False
    no_support: Annotated[
        bool, _option(_CHOICE, "Judge no candidate by its support.", "--no-support")
    ] = False
    diverse: Annotated[
        bool, _option(_CHOICE, "Choose those farthest from each other.", "--diverse")
    ] = False
    judge: Annotated[
        str, _option(_CHOICE, "Edit encoder of the floor: mini, base, a directory or org/name.")
    ] = JUDGE
    check: Annotated[
        str | None,
        _option(_CHOICE, "A second edit encoder that has to agree, asked about the best: base."),
    ] = None
    keep: Annotated[
        list[str] | None, _option(_WORDS, "A string that survives wherever a text has it.")
    ] = None
    forbid: Annotated[
        list[str] | None, _option(_WORDS, "A string that no paraphrase contains.")
    ] = None
    no_protect: Annotated[
        bool, _option(_WORDS, "Let names, numbers, URLs and code change.", "--no-protect")
    ] = False
    method: Annotated[
        str, _option(_SEARCH, "greedy, sample, top-k, top-p, typical, beam or diverse-beam.")
    ] = METHOD
    seed: Annotated[int, _option(_SEARCH, "Seed of the draws.")] = SEED
    temperature: Annotated[float | None, _option(_SEARCH, "Sampling: flatter above 1.")] = None
    top_k: Annotated[int | None, _option(_SEARCH, "top-k: sub-words to draw from.")] = None
    top_p: Annotated[float | None, _option(_SEARCH, "top-p: probability to draw from.")] = None
    typical: Annotated[float | None, _option(_SEARCH, "typical: probability to draw from.")] = None
    beams: Annotated[int | None, _option(_SEARCH, "Beams of the search.")] = None
    length_penalty: Annotated[
        float | None, _option(_SEARCH, "Beams are ranked by log-probability over length to this.")
    ] = None
    patience: Annotated[
        float | None, _option(_SEARCH, "Beams stop when so many times their number have ended.")
    ] = None
    groups: Annotated[int | None, _option(_SEARCH, "Groups of beams, or of samples.")] = None
    diversity: Annotated[
        float | None, _option(_SEARCH, "What groups pay for the same sub-word.")
    ] = None
    repetition_penalty: Annotated[
        float | None, _option(_SEARCH, "Divide the probability of recent sub-words by this.")
    ] = None
    repetition_window: Annotated[
        int | None, _option(_SEARCH, "How many of the last sub-words are recent; usually 40.")
    ] = None
    no_repeat: Annotated[int | None, _option(_SEARCH, "Size of n-grams that do not recur.")] = None
    min_length: Annotated[
        str | None, _option(_SEARCH, "Sub-words, or with a point a share of the source's.")
    ] = None
    max_length: Annotated[
        str | None, _option(_SEARCH, "Sub-words, or with a point a share of the source's.")
    ] = None
    reverse: Annotated[
        float | None,
        _option(_SEARCH, "Favour an order turned round, from the source's other end; try 6."),
    ] = None
    shorten: Annotated[
        float | None, _option(_SEARCH, "Beams pay for sub-words beyond this share of the source.")
    ] = None
    model: Annotated[str, typer.Option(help="Weights: paraphraser, a directory or org/name.")] = (
        MODEL
    )
    threads: Threads = None
    device: Device = "cpu"

    def options(self) -> GenerateOptions:
        """Return the options as the job takes them."""
        for name in ("floor", "support"):
            if getattr(self, f"no_{name}") and getattr(self, name) is not None:
                raise ConfigError(f"--{name} and --no-{name} contradict each other")
        asked = {name: getattr(self, name) for name in _SEARCHED}
        for name in ("min_length", "max_length"):
            asked[name] = _length(name, asked[name])
        return GenerateOptions(
            n=self.number,
            method=self.method,
            pool=self.pool,
            select=self.select,
            novelty=self.novelty,
            floor=_least(self.floor, FLOOR, off=self.no_floor),
            quality=self.quality,
            support=_least(self.support, SUPPORT, off=self.no_support),
            required=(self.floor, self.quality, self.support) != (None, None, None),
            diverse=self.diverse,
            keep=tuple(self.keep or ()),
            forbid=tuple(self.forbid or ()),
            protect=not self.no_protect,
            seed=self.seed,
            steering={name: value for name, value in asked.items() if value is not None},
            model=self.model,
            judge=self.judge,
            check=self.check,
            threads=self.threads,
            device=self.device,
        )


@taking(Asked)
def command(
    asked: Asked,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="A text, in place of -i.")
    ] = None,
    input: Annotated[
        str | None,
        typer.Option(
            "-i",
            "--input",
            help="Texts, or FILE:COLUMN of a table; '-' is standard input. They are taken "
            f"{AT_ONCE} at a time.",
        ),
    ] = None,
    input_format: Annotated[
        str | None, typer.Option(help="text, tsv, jsonl or parquet; otherwise by the file name.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write to this file.")
    ] = None,
    output_format: Annotated[
        str | None,
        typer.Option("-f", "--format", help="text, jsonl, tsv or lines; otherwise by -o's name."),
    ] = None,
    rejected: Annotated[
        str | None, typer.Option(help="Write what was rejected to this table, with the reason.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show which words were changed.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Write paraphrases of texts, choose the best and say why."""
    stream = sys.stdout  # the progress line puts itself in its place
    with progress("writing", quiet=quiet, unit="texts") as advance:
        notes = generate_files(
            _given(text, input, input_format),
            Target(output=output, format=output_format, rejected=rejected),
            asked.options(),
            explain=explain,
            render=paraphrase_lines,
            advance=advance,
            show=lambda line: echo(line, stream),
        )
    show_notes(notes, quiet=quiet)


def _least(asked: float | None, usual: float, *, off: bool) -> float | None:
    return None if off else usual if asked is None else asked


def _given(text: str | None, input: str | None, form: str | None) -> Field | str:
    if input is not None and text is None:
        return Field.parse(input, role="text", format=form)
    if text is None or input is not None:
        raise ConfigError("give a TEXT, or a file of texts with -i")
    if form is not None:
        raise ConfigError("--input-format goes with -i")
    return text


def _length(name: str, given: str | None) -> int | float | None:
    """Read 20 as sub-words and 0.8 or 1.0 as a share."""
    if given is None:
        return None
    try:
        return int(given) if given.strip().isdigit() else float(given)
    except ValueError:
        option = f"--{name.replace('_', '-')}"
        raise ConfigError(f"{option} is a number of sub-words or a share; got {given!r}") from None
