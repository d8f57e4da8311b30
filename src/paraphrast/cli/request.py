"""The options that `score` and `compare` share, and how they become a call into jobs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import PurePath
from typing import Annotated, Any

import typer

from paraphrast.errors import ConfigError
from paraphrast.io import Field, check_target
from paraphrast.jobs.files import Fields, Inputs, score_files
from paraphrast.jobs.score import Options, default_metrics
from paraphrast.metrics.base import REFERENCES
from paraphrast.metrics.requests import parse_request, split_requests, write_request
from paraphrast.render.terminal.progress import progress
from paraphrast.results import Comparison

_FILES, _OUT, _STATS, _PEER = "Input", "Output", "Statistics", "Metric options (as in sacrebleu)"
_BLEU = ("bleu", "sentence_bleu", "ibleu", "self_bleu_source", "self_bleu_pairwise")
_OUTPUTS = ("table", "json", "tsv", "parquet")
_BLEU_FLAGS = ("tokenize", "lowercase", "smooth_method", "smooth_value")
_CHRF = ("chrf", "chrf++")
_LEARNED = ("parableu", "entailment", "paratag")
_EMBEDDING = ("bertscore", "moverscore", "embedding_cosine")
_LIKELY = ("perplexity", "generation_score")
_KINDS = (_LEARNED, _EMBEDDING, _LIKELY)  # each runs models of its own kind
_MODELS = (*_LEARNED, *_EMBEDDING, *_LIKELY)


def _peer(*names: str, text: str) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=_PEER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the user asked for; each field is an option of both commands."""

    candidates: Annotated[
        list[str] | None,
        typer.Option(
            "-c", "--candidates", "-i", "--input",
            metavar="[NAME=]FILE[:COLUMN]",
            help="A system's candidates; repeat for more systems; '-' is standard input.",
        ),
    ] = None  # fmt: skip
    references: Annotated[
        list[str] | None,
        typer.Option(
            "-r",
            "--references",
            metavar="FILE[:COLUMN]",
            help="Repeat for several references per segment.",
        ),
    ] = None
    source: Annotated[
        str | None, typer.Option("-s", "--source", metavar="FILE[:COLUMN]", help="Sources.")
    ] = None
    trees: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE[:COLUMN]", help="Bracketed trees, one option per -c, for ds_tree."
        ),
    ] = None
    as_set: Annotated[
        bool, typer.Option("--as-set", help="All -c are one system: a set of candidates a segment.")
    ] = False
    input_format: Annotated[
        str | None, typer.Option(help="text, tsv, jsonl or parquet; otherwise by the file name.")
    ] = None
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--metrics", metavar="NAME[:OPTION=VALUE,...]", help="Repeat for more metrics."
        ),
    ] = None
    empty: Annotated[str, typer.Option(help="'score' empty texts and note them, or 'error'.")] = (
        "score"
    )
    samples: Annotated[
        int, typer.Option("--samples", "--confidence-n", "-cin", help="Bootstrap resamples.")
    ] = 1000
    seed: Annotated[int, typer.Option(help="Seed of all resampling.")] = 12345
    jobs: Annotated[
        int,
        typer.Option("-j", "--jobs", help="Processes to use; one where a model runs."),
    ] = 1
    model: Annotated[
        str | None,
        typer.Option(
            help="Weights: mini or base for parableu, entailment, paratag; minilm for bertscore, "
            "moverscore, embedding_cosine; a directory or org/name for either."
        ),
    ] = None
    threads: Annotated[
        int | None, typer.Option(help="Threads where a model runs; one for each core.")
    ] = None
    device: Annotated[str, typer.Option(help="Where a model runs: cpu, cuda or cuda:N.")] = "cpu"
    cache: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Keep embeddings in this folder for later runs."),
    ] = None
    output_format: Annotated[
        str | None,
        typer.Option(
            "-f", "--format", help="table, json, tsv or parquet; otherwise by the name of -o."
        ),
    ] = None
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Write the result to this file.")
    ] = None
    segments: Annotated[
        str | None,
        typer.Option(help="Write segment values to this .jsonl, .tsv or .parquet file."),
    ] = None
    width: Annotated[
        int | None, typer.Option("-w", "--width", help="Digits after the point in the table.")
    ] = None
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress, no notes.")] = False
    tokenize: Annotated[
        str | None, _peer("--tokenize", "-tok", text="BLEU: 13a, intl, char, none, zh, ja-mecab, …")
    ] = None
    lowercase: Annotated[bool, _peer("--lowercase", "-lc", text="BLEU: ignore case.")] = False
    smooth_method: Annotated[
        str | None, _peer("--smooth-method", text="BLEU: exp, floor, add-k or none.")
    ] = None
    smooth_value: Annotated[
        float | None, _peer("--smooth-value", "-sv", text="BLEU: value of floor or add-k.")
    ] = None
    chrf_char_order: Annotated[
        int | None, _peer("--chrf-char-order", "-cc", text="chrF: character order.")
    ] = None
    chrf_word_order: Annotated[
        int | None, _peer("--chrf-word-order", "-cw", text="chrF: word order.")
    ] = None
    chrf_beta: Annotated[float | None, _peer("--chrf-beta", text="chrF: weight of recall.")] = None
    chrf_whitespace: Annotated[bool, _peer("--chrf-whitespace", text="chrF: keep white space.")] = (
        False
    )
    chrf_lowercase: Annotated[bool, _peer("--chrf-lowercase", text="chrF: ignore case.")] = False
    chrf_eps_smoothing: Annotated[
        bool, _peer("--chrf-eps-smoothing", text="chrF: epsilon smoothing.")
    ] = False
    ter_case_sensitive: Annotated[bool, _peer("--ter-case-sensitive", text="TER: keep case.")] = (
        False
    )
    ter_asian_support: Annotated[
        bool, _peer("--ter-asian-support", text="TER: split CJK characters.")
    ] = False
    ter_no_punct: Annotated[bool, _peer("--ter-no-punct", text="TER: drop punctuation.")] = False
    ter_normalized: Annotated[
        bool, _peer("--ter-normalized", text="TER: normalise and tokenise.")
    ] = False

    def __post_init__(self) -> None:
        if self.output_format not in (None, *_OUTPUTS):
            raise ConfigError(
                f"--format is table, json, tsv or parquet; got {self.output_format!r}"
            )
        if self.form == "parquet" and self.output is None:
            raise ConfigError("--format parquet needs a file: add -o FILE.parquet")
        if self.width is not None and not 0 <= self.width <= 15:
            raise ConfigError(f"--width is 0 to 15 digits; got {self.width}")
        if self.metrics and not any(item.strip() for item in self.metrics):
            raise ConfigError("-m names no metric; `paraphrast metrics` lists them")
        if self.segments:
            check_target(self.segments, table=True)
        if self.output:
            check_target(self.output)
        self._check_flags()

    def _check_flags(self) -> None:
        """Refuse flags of metrics that are not asked for, rather than ignore them."""
        if not self.metrics and self.model is None:
            return
        asked = [m for item in self.metrics or () for m in split_requests(item)]
        names = {m.partition(":")[0] for m in asked}
        kinds = {"chrf_": _CHRF, "ter_": ("ter",)}
        for field in fields(self):
            owners = next((o for p, o in kinds.items() if field.name.startswith(p)), ())
            owners = _BLEU if field.name in _BLEU_FLAGS else owners
            owners = _MODELS if field.name == "model" else owners
            given = getattr(self, field.name)
            if owners and given is not None and given is not False and not names & {*owners}:
                flag = "--" + field.name.replace("_", "-")
                raise ConfigError(f"{flag} is for {_listed(owners)}, which -m does not name")
        kinds_asked = [[name for name in kind if name in names] for kind in _KINDS]
        firsts = [asked_for[0] for asked_for in kinds_asked if asked_for]
        if self.model is not None and len(firsts) > 1:
            one, other = firsts[:2]
            raise ConfigError(
                f"--model cannot serve both {one} and {other}, which run models of "
                f"different kinds; write -m {one}:model=... -m {other}:model=..."
            )

    @property
    def form(self) -> str:
        """The format asked for, or the one the output's name tells."""
        ending = PurePath((self.output or "").removesuffix(".gz")).suffix[1:]
        return self.output_format or (ending if ending in _OUTPUTS else "table")

    def inputs(self) -> Inputs:
        """Turn the file options into fields, with a name for each system."""
        if not self.candidates and sys.stdin.isatty():
            raise ConfigError("no candidates: give -c FILE, or pipe them to standard input")
        named = [self._named(spec) for spec in self.candidates or ["-"]]
        trees = [self._field(spec, "trees") for spec in self.trees or ()]
        if trees and len(trees) != len(named):
            raise ConfigError(
                f"give one --trees for each -c: {len(named)} -c, {len(trees)} --trees"
            )
        if self.as_set:
            names = dict.fromkeys(name for name, _, explicit in named if explicit)
            name = next(iter(names), "")
            if len(names) > 1:
                raise ConfigError(f"--as-set makes one system, but -c names {', '.join(names)}")
            candidates: dict[str, Fields] = {name: [field for _, field, _ in named]}
            parsed: dict[str, Fields] | None = {name: trees} if trees else None
        else:
            candidates = _unique(named)
            parsed = {n: [t] for n, t in zip(candidates, trees, strict=True)} if trees else None
        references = [self._field(spec, "reference") for spec in self.references or ()]
        source = self._field(self.source, "source") if self.source else None
        return Inputs(candidates, references, source, parsed)

    def check_outputs(self, inputs: Inputs) -> None:
        """Refuse to write over an input, or both outputs to one file."""
        written = [os.path.realpath(path) for path in (self.output, self.segments) if path]
        written = [path for path in written if not path.startswith("/dev/")]
        if len(set(written)) < len(written):
            raise ConfigError("-o and --segments name the same file")
        for path in [field.path for _, field in inputs.columns()] + self._counted():
            if os.path.realpath(path) in written:
                raise ConfigError(f"{path} is an input and would be written over")

    def _counted(self) -> list[str]:
        """Return the files that metrics take their idf from."""
        asked = [parse_request(m)[1] for item in self.metrics or () for m in split_requests(item)]
        specs = [o["idf"] for o in asked if o.get("idf", "none") not in ("", "none", REFERENCES)]
        return [Field.parse(spec, role="reference").path for spec in specs]

    def _field(self, spec: str, role: str) -> Field:
        return Field.parse(spec, role=role, format=self.input_format)

    def _named(self, spec: str) -> tuple[str, Field, bool]:
        """Split NAME=FILE; without a name the file's stem, or its column, is the name."""
        name, equals, rest = spec.partition("=")
        if equals and name and "/" not in name and not os.path.exists(spec):
            return name, self._field(rest, "candidate"), True
        field = self._field(spec, "candidate")
        stem = PurePath(field.path).name.removesuffix(".gz")
        return field.column or PurePath(stem).stem or "-", field, False

    def chosen_metrics(self, given: frozenset[str]) -> list[str]:
        """Return the metrics asked for, with the sacrebleu-style flags written into them."""
        asked = [m for item in self.metrics or () for m in split_requests(item)]
        return [self._with_flags(m) for m in asked or default_metrics(given)]

    def _with_flags(self, metric: str) -> str:
        """Add the flags of the metric's family; an option written into the metric wins."""
        name, given = parse_request(metric)
        flags: dict[str, object] = {}
        if name in _BLEU:
            flags = {
                key: getattr(self, key) for key in ("tokenize", "smooth_method", "smooth_value")
            }
            flags["lowercase"] = self.lowercase
        elif name in _MODELS:
            flags = {"model": self.model}
        elif name in _CHRF or name == "ter":
            prefix = name[:4].rstrip("+") + "_"
            own = [f.name for f in fields(self) if f.name.startswith(prefix)]
            flags = {key.removeprefix(prefix): getattr(self, key) for key in own}
        chosen = {k: v for k, v in flags.items() if v is not None and v is not False}
        return write_request(name, {**chosen, **given})

    def options(self, **more: Any) -> Options:
        """Return the job's options, with what one command adds."""
        names = ("samples", "seed", "jobs", "empty", "threads", "device", "cache")
        shared = {name: getattr(self, name) for name in names}
        return Options(**shared, segments=self.segments is not None, **more)

    def run(self, options: Options, inputs: Inputs) -> Comparison:
        """Score, with a progress line on standard error."""
        self.check_outputs(inputs)
        with progress("scoring", quiet=self.quiet) as advance:
            return score_files(
                inputs,
                metrics=self.chosen_metrics(inputs.given()),
                options=options,
                progress=advance,
            )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _unique(named: list[tuple[str, Field, bool]]) -> dict[str, Fields]:
    found: dict[str, Fields] = {}
    for name, field, _ in named:
        if name in found:
            raise ConfigError(f"two systems are named {name!r}; write -c NAME={field.path}")
        found[name] = [field]
    return found
