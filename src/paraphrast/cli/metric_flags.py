"""Options of metrics as flags of their own: `--model`, and those that sacrebleu's users know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from paraphrast.errors import ConfigError
from paraphrast.io import Field
from paraphrast.jobs.scoring.score_options import SPEED
from paraphrast.metrics.base import REFERENCES, Metric
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.requests import metric_name, parse_request, split_requests
from paraphrast.options import Option, declared_fields

_PEER = "Metric options (as in sacrebleu)"
_BLEU = ("bleu", "sentence_bleu", "ibleu", "self_bleu_source", "self_bleu_pairwise")
_CHRF = ("chrf", "chrf++")
_LEARNED = ("parableu", "entailment", "paratag")
_EMBEDDING = ("bertscore", "moverscore", "embedding_cosine")
_LIKELY = ("perplexity", "generation_score")
_KINDS = (_LEARNED, _EMBEDDING, _LIKELY)  # each runs models of its own kind
_PREFIXES = {"chrf_": _CHRF, "ter_": ("ter",)}


def _peer(text: str, *flags: str) -> Option:
    return Option(text, *flags, panel=_PEER)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFlags:
    """Each field is an option of the metrics of one family; unset ones keep the metric's own."""

    model: Annotated[
        str | None,
        Option(
            "Weights: mini or base for parableu, entailment, paratag; minilm for bertscore, "
            "moverscore, embedding_cosine; a directory or org/name for either.",
            panel=SPEED,
        ),
    ] = None
    tokenize: Annotated[
        str | None, _peer("BLEU: 13a, intl, char, none, zh, ja-mecab, …", "--tokenize", "-tok")
    ] = None
    lowercase: Annotated[bool, _peer("BLEU: ignore case.", "--lowercase", "-lc")] = False
    smooth_method: Annotated[str | None, _peer("BLEU: exp, floor, add-k or none.")] = None
    smooth_value: Annotated[
        float | None, _peer("BLEU: value of floor or add-k.", "--smooth-value", "-sv")
    ] = None
    chrf_char_order: Annotated[
        int | None, _peer("chrF: character order.", "--chrf-char-order", "-cc")
    ] = None
    chrf_word_order: Annotated[
        int | None, _peer("chrF: word order.", "--chrf-word-order", "-cw")
    ] = None
    chrf_beta: Annotated[float | None, _peer("chrF: weight of recall.")] = None
    chrf_whitespace: Annotated[bool, _peer("chrF: keep white space.")] = False
    chrf_lowercase: Annotated[bool, _peer("chrF: ignore case.")] = False
    chrf_eps_smoothing: Annotated[bool, _peer("chrF: epsilon smoothing.")] = False
    ter_case_sensitive: Annotated[bool, _peer("TER: keep case.")] = False
    ter_asian_support: Annotated[bool, _peer("TER: split CJK characters.")] = False
    ter_no_punct: Annotated[bool, _peer("TER: drop punctuation.")] = False
    ter_normalized: Annotated[bool, _peer("TER: normalise and tokenise.")] = False

    def metrics(self, requests: Sequence[str]) -> list[Metric]:
        """Build the metrics with these flags; an option written into the request wins."""
        return [make_metric(request, defaults=self._of(request)) for request in requests]

    def check(self, requests: Sequence[str]) -> None:
        """Refuse flags of metrics that are not asked for, rather than ignore them."""
        names = {metric_name(request) for request in requests}
        for flag in self._set():
            owners = _owners(flag)
            if not names & {*owners}:
                shown = "--" + flag.replace("_", "-")
                raise ConfigError(f"{shown} is for {_listed(owners)}, which -m does not name")
        firsts = [next((name for name in kind if name in names), None) for kind in _KINDS]
        several = [name for name in firsts if name]
        if self.model is not None and len(several) > 1:
            one, other = several[:2]
            raise ConfigError(
                f"--model cannot serve both {one} and {other}, which run models of "
                f"different kinds; write -m {one}:model=... -m {other}:model=..."
            )

    def _set(self) -> dict[str, Any]:
        """Return the flags that are set."""
        values = {field.name: getattr(self, field.name) for field in declared_fields(type(self))}
        return {name: v for name, v in values.items() if v is not None and v is not False}

    def _of(self, request: str) -> dict[str, Any]:
        """Return the set flags of the metric's family, by the names of its options."""
        name = metric_name(request)
        mine = {flag: value for flag, value in self._set().items() if name in _owners(flag)}
        return {_option(flag): value for flag, value in mine.items()}


def requested(metrics: Sequence[str] | None) -> list[str]:
    """Return the requests of all -m, each of which may hold several."""
    if metrics and not any(item.strip() for item in metrics):
        raise ConfigError("-m names no metric; `paraphrast metrics` lists them")
    return [request for item in metrics or () for request in split_requests(item)]


def counted_files(requests: Sequence[str]) -> list[str]:
    """Return the files that metrics take their idf from."""
    texts = [parse_request(request)[1].get("idf", "none") for request in requests]
    specs = [text for text in texts if text not in ("", "none", REFERENCES)]
    return [Field.parse(spec, role="reference").path for spec in specs]


def _owners(flag: str) -> tuple[str, ...]:
    """Return the metrics that have an option for the flag."""
    if flag == "model":
        return tuple(name for kind in _KINDS for name in kind)
    return next((names for prefix, names in _PREFIXES.items() if flag.startswith(prefix)), _BLEU)


def _option(flag: str) -> str:
    prefix = next((prefix for prefix in _PREFIXES if flag.startswith(prefix)), "")
    return flag.removeprefix(prefix)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
