"""Which metrics a request may ask for: none whose options make the server open a path."""

from __future__ import annotations

from typing import Any, get_type_hints

from paraphrast.errors import ConfigError
from paraphrast.metrics.base import Metric
from paraphrast.metrics.catalogue import make_metric, metric_class, option_names
from paraphrast.metrics.requests import parse_request
from paraphrast.models.store import EMBEDDERS, GENERATORS, PACKAGES

_SHIPPED = {*PACKAGES, *EMBEDDERS, *GENERATORS}
_COUNTED = ("references", "none")  # what idf may be beside a file
_FETCHED = ("flores", "spm")  # tokenisers that sacrebleu would fetch


def checked_metrics(requests: list[str] | None) -> list[str] | None:
    """Return the requests as they are; what would open a path or fetch a file is refused."""
    for request in requests or ():
        name, options = parse_request(request)
        kind = metric_class(name.partition(".")[0])
        for option, value in options.items():
            _check(kind, request, option, value)
        make_metric(request)
    return requests


def models_of(requests: list[str]) -> list[str]:
    """Return the names of the models that metrics run."""
    found = (getattr(make_metric(request), "model", None) for request in requests)
    return [name for name in found if isinstance(name, str)]


def _check(kind: type[Metric], request: str, option: str, value: str) -> None:
    if option == "model" and value not in _SHIPPED:
        known = ", ".join(sorted(_SHIPPED))
        raise ConfigError(f"metric {request!r}: over the web the model is one of {known}")
    if option == "idf" and value not in _COUNTED:
        raise ConfigError(f"metric {request!r}: over the web idf is 'references' or 'none'")
    if option == "tokenize" and value.startswith(_FETCHED):
        raise ConfigError(f"metric {request!r}: over the web no tokeniser is fetched")
    ours = kind.__module__.startswith("paraphrast.metrics.")
    if not ours and option in option_names(kind) and "str" in str(_hint(kind, option)):
        raise ConfigError(
            f"metric {request!r}: {option!r} is an option of a plug-in that may be a path; it "
            "cannot be set over the web"
        )


def _hint(kind: type[Metric], option: str) -> Any:
    return get_type_hints(kind).get(option, "str")
