"""How a ranking is asked for in one line of text: harmonic:w=3, mbr:chrf, a metric, or a sum."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.generation.selection.candidate_ranking import (
    ByHarmonic,
    ByLikelihood,
    ByMetric,
    ByQuality,
    ByRisk,
    BySum,
    Harmonic,
    Ranking,
    Term,
)
from paraphrast.metrics.base import REFERENCES, SOURCE, Metric
from paraphrast.metrics.catalogue import METRICS, convert, make_metric
from paraphrast.metrics.paraphrase import RougeP
from paraphrast.metrics.requests import parse_request

_QUOTED = r'"(?:[^"]|"")*+"'
_SIGN = re.compile(rf"({_QUOTED})|\s+([+-])\s+")  # between the terms of a sum
_LEAD = re.compile(r"([+-])\s*(?=[^\d.\s])")  # before the first of them, without a weight
_WEIGHT = re.compile(r"([+-]?\s*(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*\*\s*(.*)", re.DOTALL)
_HOW = "write a sum as 0.7*paratag + 0.3*pinc, with spaces around + and -"


def make_ranking(spec: str) -> Ranking:
    """Return the ranking that a line asks for; what is wrong with it is a ConfigError."""
    if not isinstance(spec, str) or not spec.strip():
        raise ConfigError(f"select={spec!r} is wrong: it must name a ranking, as harmonic:w=3 does")
    terms = _terms(spec.strip())
    if len(terms) > 1 or terms[0][0] is not None:
        return _sum(terms)
    request = terms[0][1]
    name, _, rest = request.partition(":")
    if name in _OWN:
        return _OWN[name](rest)
    return ByMetric(_term(request))


def _terms(spec: str) -> list[tuple[float | None, str]]:
    """Cut a sum into weights, None where there is none, and requests."""
    lead = _LEAD.match(spec)
    signs, parts, at = [lead[1] if lead else "+"], [], lead.end() if lead else 0
    for found in _SIGN.finditer(spec, at):
        if found[2]:
            parts.append(spec[at : found.start()])
            signs.append(found[2])
            at = found.end()
    parts.append(spec[at:])
    terms = []
    for sign, part in zip(signs, parts, strict=True):
        weighed = _WEIGHT.fullmatch(part)
        request = weighed[2] if weighed else part
        if not request or "*" in re.sub(_QUOTED, "", request):
            raise ConfigError(f"select={spec!r} cannot be read: {_HOW}")
        weight = float(weighed[1].replace(" ", "")) if weighed else None
        if sign == "-":
            weight = -(1.0 if weight is None else weight)
        terms.append((weight, request))
    return terms


def _sum(terms: list[tuple[float | None, str]]) -> BySum:
    found: list[Term] = []
    others: dict[str, tuple[float, Ranking]] = {}
    risks = sum(request.partition(":")[0] == "mbr" for _, request in terms)
    for given, request in terms:
        weight = 1.0 if given is None else given
        name, _, rest = request.partition(":")
        if name in _OWN:
            key = request if name == "mbr" else name  # risks by several metrics may be added up
            if key in others:
                raise ConfigError(f"{key} stands twice in a sum; give it once")
            ranking = _OWN[name](rest)
            _refuse_near_one(ranking.metric)
            if isinstance(ranking, ByRisk) and risks > 1:
                ranking = replace(ranking, name=request)
            others[key] = weight, ranking
            continue
        term = _term(request, weight)
        _refuse_near_one(term.metric)
        found.append(term)
    return BySum(tuple(found), tuple(others.values()))


def _refuse_near_one(metric: Metric | None) -> None:
    if metric is not None and metric.card.better == "near 1":
        raise ConfigError(
            f"{metric.name} is best near 1, which no weight of a sum can say; rank by it alone"
        )


def _term(request: str, weight: float = 1.0) -> Term:
    """Return the metric of `name:option=value`, or the part of it that `name.part` asks for."""
    named, colon, options = request.partition(":")
    name, _, part = named.partition(".")
    if name not in (known := METRICS.names()):
        near = did_you_mean(name, [*_OWN, *known])
        raise ConfigError(
            f"no ranking or metric is called {name!r}{near}; there are {', '.join(_OWN)} and the "
            f"metrics {', '.join(known)}"
        )
    metric = make_metric(name + colon + options)
    _check(metric)
    if "." in named and part not in metric.parts():
        listed = ", ".join(metric.parts()) or "none"
        near = did_you_mean(part, metric.parts())
        raise ConfigError(f"metric {name!r} has no part {part!r}{near}; parts: {listed}")
    return Term(metric, part, weight)


def _check(metric: Metric) -> None:
    """Refuse what cannot rate a candidate of its own."""
    if isinstance(metric, RougeP) and metric.benchmark is None:
        raise ConfigError(
            "rouge_p takes its benchmark from a whole corpus, and a candidate has none; "
            "give it as a number: rouge_p:benchmark=0.66"
        )
    lacking = metric.required() - {REFERENCES, SOURCE}
    whole = metric.ragged or (metric.whole_corpus and not isinstance(metric, RougeP))
    if lacking or whole:
        what = f"needs {' and '.join(sorted(lacking))}" if lacking else "looks at a whole corpus"
        raise ConfigError(
            f"metric {metric.name!r} {what}, so it cannot rate one candidate; rank by another"
        )
    if metric.corpus() is not None:
        raise ConfigError(
            f"metric {metric.name!r} surveys a corpus with these options (idf), and a candidate "
            "has none; leave them out"
        )


def _harmonic(rest: str) -> Ranking:
    _, given = parse_request(f"harmonic:{rest}")
    known = [option.name for option in fields(Harmonic)]
    for key in given:
        if key not in known:
            near = did_you_mean(key, known)
            raise ConfigError(f"harmonic has no option {key!r}{near}; options: {', '.join(known)}")
    options: dict[str, Any] = {
        key: convert("harmonic", key, value, float) for key, value in given.items()
    }
    return ByHarmonic(Harmonic(**options))


def _cosine(rest: str) -> Ranking:
    return ByMetric(_term(f"embedding_cosine:{rest}"), name="cosine")


def _risk(rest: str) -> Ranking:
    if not rest:
        raise ConfigError("mbr needs a metric: write mbr:chrf")
    if rest.partition(":")[0] in _OWN:
        raise ConfigError(f"mbr needs a metric, and {rest!r} is none: write mbr:chrf")
    return ByRisk(_term(rest))


def _likelihood(rest: str) -> Ranking:
    if rest:
        raise ConfigError(f"logprob takes no options; got {rest!r}")
    return ByLikelihood()


def _quality(rest: str) -> Ranking:
    if rest:
        raise ConfigError(f"quality takes no options; got {rest!r}")
    return ByQuality()


_OWN: dict[str, Callable[[str], Ranking]] = {
    "harmonic": _harmonic,
    "cosine": _cosine,
    "mbr": _risk,
    "logprob": _likelihood,
    "quality": _quality,
}
