"""The verbs that read lists, as work for the line: each is one call into the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.generation.paraphraser import Paraphraser
from paraphrast.jobs.generate import TaggedChoice, tagged_choices
from paraphrast.jobs.tag import tag
from paraphrast.web.api.verdicts import judged_pairs
from paraphrast.web.queueing.work_queue import BatchedWork
from paraphrast.web.service import Service

Pair = tuple[str, str]


def judging(service: Service, model: str) -> BatchedWork:
    """Return work that judges pairs."""
    return _reading(service, "judge", model, judged_pairs)


def tagging(service: Service, model: str) -> BatchedWork:
    """Return work that tags pairs."""
    return _reading(service, "tag", model, tag)


def _reading(
    service: Service, verb: str, model: str, read: Callable[..., Sequence[Any]]
) -> BatchedWork:
    def function(pairs: list[Any]) -> Sequence[Any]:
        with service.states.using(model):
            return read(pairs, model=model, **service.place())

    return BatchedWork((verb, model), function)


def generating(service: Service, options: GenerateOptions, *, explain: bool) -> BatchedWork:
    """Return work that writes paraphrases; the draws of a text do not depend on its batch."""
    options = replace(options, **service.place())

    def function(texts: list[Any]) -> Sequence[TaggedChoice]:
        with service.states.using(options.model, options.judge):
            return list(tagged_choices(Paraphraser(options), texts, explain=explain))

    return BatchedWork(("generate", options, explain), function)
