"""The metrics there are, and how a request such as `rouge1:stemmer=true` becomes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

from paraphrast.errors import ConfigError, did_you_mean
from paraphrast.metrics.base import Metric
from paraphrast.metrics.requests import parse_request
from paraphrast.registry import Registry

_HERE = "paraphrast.metrics"
METRICS = Registry(
    kind="metric",
    group="paraphrast.metrics",
    table={
        "bleu": f"{_HERE}.bleu:Bleu",
        "sentence_bleu": f"{_HERE}.bleu:SentenceBleu",
        "chrf": f"{_HERE}.chrf:Chrf",
        "chrf++": f"{_HERE}.chrf:ChrfPlusPlus",
        "ter": f"{_HERE}.ter:Ter",
        "rouge1": f"{_HERE}.rouge:Rouge1",
        "rouge2": f"{_HERE}.rouge:Rouge2",
        "rougeL": f"{_HERE}.rouge:RougeL",
        "rougeLsum": f"{_HERE}.rouge:RougeLsum",
        "rouge_p": f"{_HERE}.paraphrase:RougeP",
        "pinc": f"{_HERE}.paraphrase:Pinc",
        "self_bleu_source": f"{_HERE}.bleu:SelfBleuSource",
        "self_bleu_pairwise": f"{_HERE}.bleu:SelfBleuPairwise",
        "ibleu": f"{_HERE}.bleu:IBleu",
        "meteor": f"{_HERE}.meteor.metric:Meteor",
        "wor": f"{_HERE}.overlap:Wor",
        "levenshtein": f"{_HERE}.edit:Levenshtein",
        "wer": f"{_HERE}.edit:Wer",
        "ds_bow": f"{_HERE}.diversity:DsBow",
        "ds_tree": f"{_HERE}.diversity:DsTree",
        "vocabulary_diversity": f"{_HERE}.diversity:VocabularyDiversity",
        "distinct_1": f"{_HERE}.distinct:Distinct1",
        "distinct_2": f"{_HERE}.distinct:Distinct2",
        "length_ratio": f"{_HERE}.overlap:LengthRatio",
        "parableu": f"{_HERE}.learned:ParaBleu",
        "entailment": f"{_HERE}.learned:Entailment",
        "faithfulness": f"{_HERE}.faithfulness:Faithfulness",
        "paratag": f"{_HERE}.learned:ParaTag",
        "bertscore": f"{_HERE}.bertscore:BertScore",
        "moverscore": f"{_HERE}.moverscore:MoverScore",
        "embedding_cosine": f"{_HERE}.embedding:EmbeddingCosine",
        "perplexity": f"{_HERE}.likelihood:Perplexity",
        "generation_score": f"{_HERE}.generation:GenerationScore",
    },
)


def names_beginning(incomplete: str) -> list[str]:
    """Return the names of metrics that begin with what a shell has of one."""
    return [name for name in METRICS.names() if name.startswith(incomplete)]


def metric_class(name: str) -> type[Metric]:
    """Return the class behind a name, ours or a plug-in's."""
    found = METRICS.load(name)
    if not (isinstance(found, type) and issubclass(found, Metric)):
        raise ConfigError(f"metric {name!r} is not a subclass of paraphrast.metrics.base.Metric")
    if found.name != name:
        raise ConfigError(f"the metric registered as {name!r} calls itself {found.name!r}")
    return found


def make_metric(
    request: str | Metric, *, defaults: Mapping[str, object] | None = None, **options: object
) -> Metric:
    """Build a metric from `name`, `name.part` or `name:option=value,option="a, b"`.

    `options` are those of the metric beside the request's, `defaults` those that the request may
    replace. Every option is checked.
    """
    if isinstance(request, Metric):
        return request
    if not isinstance(request, str):
        raise ConfigError(f"a metric is a name or a Metric object; got {request!r}")
    whole, texts = parse_request(request)
    name, dot, part = whole.partition(".")
    if dot and whole in METRICS.plugins():  # a plug-in's name may have a point
        name = whole
    elif dot:
        options = {**options, "part": part}
    for key in texts.keys() & options.keys():
        raise ConfigError(f"metric {request!r}: option {key!r} is given twice")
    values: dict[str, Any] = {**(defaults or {}), **options, **texts}
    kind = metric_class(name)
    hints = get_type_hints(kind)
    known = option_names(kind)
    for key in values:
        if key == "part" and not kind.card.parts:
            raise ConfigError(f"metric {name!r} has no parts to choose {values[key]!r} from")
        if key not in known:
            hint = did_you_mean(key, known)
            listed = ", ".join(known) or "none"
            raise ConfigError(f"metric {name!r} has no option {key!r}{hint}; options: {listed}")
    typed: dict[str, Any] = {
        key: convert(name, key, value, hints[key]) for key, value in values.items()
    }
    metric = kind(**typed)
    metric.check_part()
    return metric


def option_names(kind: type[Metric]) -> list[str]:
    """Return the names of a metric's options; only one that has parts takes `part`."""
    own = [one.name for one in fields(kind) if one.name != "part"]
    return [*own, "part"] if kind.card.parts else own


def convert(metric: str, key: str, value: object, hint: Any) -> object:
    """Turn the text of an option into its declared type; a wrong type is a ConfigError."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if NoneType in kinds and (value is None or value == "none"):
        return None
    kind = next(k for k in kinds if k is not NoneType)
    if kind is bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if str(value).lower() in words:
            return words[str(value).lower()]
    elif kind in (int, float) and not isinstance(value, bool):
        try:
            number = float(str(value))
        except ValueError:
            number = float("nan")
        if number == number and abs(number) != float("inf") and kind(number) == number:
            return kind(number)
    elif kind is str and isinstance(value, str):
        return value
    raise ConfigError(f"metric {metric!r}: option {key!r} takes {kind.__name__}; got {value!r}")
