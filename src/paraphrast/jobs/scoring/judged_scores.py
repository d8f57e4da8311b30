"""Score the outputs that people judged, with every metric that is to be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from paraphrast.errors import ConfigError, InputError
from paraphrast.jobs.scoring.score import build_metrics, score_chunks
from paraphrast.jobs.scoring.score_options import Options
from paraphrast.jobs.scoring.text_columns import python_chunks
from paraphrast.meta.alignment import Scores
from paraphrast.meta.judgements import Judgements, Key, Output
from paraphrast.metrics.base import REFERENCES, SOURCE, Metric, Place
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.corpus_fitting import survey
from paraphrast.results import Report
from paraphrast.studies.reference_gain import Extra

_MOST_NOTES = 8  # on the texts of one task


@dataclass(frozen=True, slots=True)
class JudgedMetric:
    """A metric, with the part of it to judge if it is one, and the name it goes by."""

    metric: Metric
    name: str

    @property
    def is_part(self) -> bool:
        """Whether a part is judged that is not the usual score; its direction is its own."""
        return self.metric.label != self.metric.name


def ready_metrics(
    requests: Sequence[str], place: Place, notes: list[str] | None = None
) -> list[JudgedMetric]:
    """Read the requests and load what they need, so that errors come before any work.

    A file that a metric must count is read here, once for all tasks.
    """
    metrics = judged_metrics(requests)
    for metric in _distinct(metrics):
        metric.prepare(place)
    return _after_survey(metrics, place, None, notes)


def _after_survey(
    metrics: list[JudgedMetric],
    place: Place,
    references: list[list[str]] | None,
    notes: list[str] | None,
) -> list[JudgedMetric]:
    """Return the same with metrics that have seen the references, or the files they name."""
    before = _distinct(metrics)
    texts = None if references is None else lambda: references
    after = dict(zip(before, survey(before, place, texts, notes), strict=True))
    return [replace(one, metric=after[one.metric]) for one in metrics]


def judged_metrics(requests: Sequence[str]) -> list[JudgedMetric]:
    """Read `name`, `name.part` or `name.part:option=value` (`rouge1.recall:preset=google`).

    A part is built as `score` builds it, so that with several references both choose the same one.
    A metric goes by its name, or by the whole request where two would share one.
    """
    if not requests:
        raise ConfigError("no metric to judge: give at least one with -m")
    names = [request.partition(":")[0] for request in requests]
    return [
        JudgedMetric(make_metric(request), name if names.count(name) == 1 else request)
        for request, name in zip(requests, names, strict=True)
    ]


def judge_scores(
    judgements: Judgements,
    requests: Sequence[str] | Sequence[JudgedMetric],
    level: str,
    *,
    extra: Extra | None = None,
    jobs: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    cache: str | None = None,
    progress: Callable[[int], None] | None = None,
    notes: list[str] | None = None,
) -> list[Scores]:
    """Score every judged output, or at system level every judged system, with each metric.

    `notes` takes what scoring has to say of the texts, each thing once.
    """
    options = Options(
        segments=level != "system", jobs=jobs, threads=threads, device=device, cache=cache
    )
    place, mended = options.place(), list[str]()
    metrics = [one for one in requests if isinstance(one, JudgedMetric)]
    metrics = metrics or ready_metrics([str(one) for one in requests], place, mended)
    outputs = judged_outputs(judgements)
    metrics = _after_survey(metrics, place, _item_references(outputs, extra or {}), mended)
    values: list[dict[Key, float]] = [{} for _ in metrics]
    signatures = [""] * len(metrics)
    all_notes = dict.fromkeys(mended)
    for keys, reports in _scored(outputs, metrics, level, extra or {}, options, progress):
        for number, one in enumerate(metrics):
            at = _distinct(metrics).index(one.metric)
            values[number].update(_column(one, at, keys, reports))
            signatures[number] = next(iter(reports.values())).scores[at].signature
        all_notes |= dict.fromkeys(_report_notes(keys, reports))
    if notes is not None:
        notes += [note for note in _shortened(list(all_notes)) if note not in notes]
    return [
        Scores(one.name, found, signature, _sign(one))
        for one, found, signature in zip(metrics, values, signatures, strict=True)
    ]


def _report_notes(keys: list[list[Key]], reports: Mapping[str, Report]) -> Iterator[str]:
    """Yield the notes of all reports; those of a system are told by its group and name."""
    for ((group, _, _), *_), (system, report) in zip(keys, reports.items(), strict=True):
        name = " ".join(filter(None, (group, system))) if system else ""
        yield from (f"{name}: {note}" if name else note for note in report.notes)


def _shortened(notes: list[str]) -> list[str]:
    """Keep the first notes: a set of many systems would bury its results under them."""
    more = len(notes) - _MOST_NOTES
    if more <= 0:
        return notes
    rest = f"{more:,} more note{'s' * (more > 1)} of this kind, on other systems"
    return [*notes[:_MOST_NOTES], rest]


def judged_outputs(judgements: Judgements) -> list[Output]:
    """Return the outputs that people judged, themselves or as part of a judged system."""
    if not judgements.outputs:
        raise InputError(
            f"{judgements.name} holds no texts to score; correlate given scores instead"
        )
    keys = {rating.key for rating in judgements.ratings}
    keys |= {key for one in judgements.preferences for key in one.keys}
    systems = {(group, system) for group, item, system in keys if item == ""}
    return [
        output
        for output in judgements.outputs
        if output.key in keys or (output.group, output.system) in systems
    ]


def _item_references(outputs: list[Output], extra: Extra) -> list[list[str]]:
    """Return the references of each item once, however many systems answered it."""
    found = {(o.group, o.item): [*o.references, *extra.get((o.group, o.item), ())] for o in outputs}
    return list(found.values())


def _distinct(metrics: list[JudgedMetric]) -> list[Metric]:
    """Return each metric once, with the part that is its score, however often it is asked for."""
    return list(dict.fromkeys(one.metric for one in metrics))


def _sign(one: JudgedMetric) -> int:
    """Return −1 for a metric whose lower values are better; parts are taken as they are."""
    return -1 if one.metric.card.better == "lower" and not one.is_part else 1


def _scored(
    outputs: list[Output],
    metrics: list[JudgedMetric],
    level: str,
    extra: Extra,
    options: Options,
    progress: Callable[[int], None] | None,
) -> Iterable[tuple[list[list[Key]], Mapping[str, Report]]]:
    """Yield scored batches: all outputs at once, or the systems of one group side by side."""
    if level != "system":
        yield (
            [[output.key for output in outputs]],
            _reports({"": outputs}, metrics, extra, options, progress),
        )
        return
    groups: dict[str, dict[str, list[Output]]] = {}
    for output in outputs:
        groups.setdefault(output.group, {}).setdefault(output.system, []).append(output)
    for group, systems in groups.items():
        _check_parallel(group, systems)
        keys = [[(group, "", system)] for system in systems]
        yield keys, _reports(systems, metrics, extra, options, progress)


def _check_parallel(group: str, systems: Mapping[str, list[Output]]) -> None:
    first, *others = systems
    items = [output.item for output in systems[first]]
    for system in others:
        if [output.item for output in systems[system]] != items:
            raise InputError(
                f"{group or 'the set'}: system {system!r} has outputs for other items than "
                f"{first!r}; corpus values of different texts cannot be compared"
            )


def _reports(
    systems: Mapping[str, list[Output]],
    metrics: list[JudgedMetric],
    extra: Extra,
    options: Options,
    progress: Callable[[int], None] | None,
) -> Mapping[str, Report]:
    shared = next(iter(systems.values()))
    references = [[*o.references, *extra.get((o.group, o.item), ())] for o in shared]
    sources = [o.source for o in shared if o.source is not None]
    inputs = {REFERENCES} if any(references) else set()
    inputs |= {SOURCE} if len(sources) == len(shared) else set()
    built = build_metrics(_distinct(metrics), frozenset(inputs))
    _, chunks = python_chunks(
        {name: [output.candidate for output in many] for name, many in systems.items()},
        references if REFERENCES in inputs else None,
        sources if SOURCE in inputs else None,
        None,
        "segment",
    )
    return score_chunks(chunks, built, options, progress=progress).systems


def _column(
    one: JudgedMetric, place: int, keys: list[list[Key]], reports: Mapping[str, Report]
) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for mine, report in zip(keys, reports.values(), strict=True):
        if report.segment_values:
            values = report.values_of(place).tolist()
        else:
            values = [report.scores[place].score]
        if one.metric.card.better == "near 1" and not one.is_part:
            values = [-abs(value - 1) for value in values]
        found.update(zip(mine, values, strict=True))
    return found
