"""Judge metrics against people: score the judged outputs, then correlate."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from paraphrast.errors import ConfigError, InputError, did_you_mean
from paraphrast.jobs.inputs import python_chunks
from paraphrast.jobs.score import build_metrics, score_chunks
from paraphrast.jobs.score_options import Options
from paraphrast.meta.align import Missing, Scores, system_level, system_means
from paraphrast.meta.evaluate import Request, evaluate
from paraphrast.meta.judgements import Judgements, Key, Output
from paraphrast.meta.layouts import read_judgements
from paraphrast.meta.pairs import with_preferences
from paraphrast.meta.report import MetaReport, Row, Table
from paraphrast.meta.scores import read_scores
from paraphrast.meta.tasks import Task, find_task, is_there, load_task, task_names
from paraphrast.metrics.base import REFERENCES, SOURCE, Metric, Place
from paraphrast.metrics.catalogue import METRICS, make_metric, metric_class
from paraphrast.metrics.corpus_fitting import survey
from paraphrast.results import Report

_MOST_NOTES = 8  # on the texts of one task

Extra = Mapping[tuple[str, str], Sequence[str]]
"""More references for (group, item)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A metric, the column of it to judge, and the name it goes by."""

    metric: Metric
    column: str
    name: str


def ready_metrics(
    requests: Sequence[str], place: Place, notes: list[str] | None = None
) -> list[Asked]:
    """Read the requests and load what they need, so that errors come before any work.

    A file that a metric must count is read here, once for all tasks.
    """
    asked = asked_metrics(requests)
    for metric in _distinct(asked):
        metric.prepare(place)
    return _after_survey(asked, place, None, notes)


def _after_survey(
    asked: list[Asked], place: Place, references: list[list[str]] | None, notes: list[str] | None
) -> list[Asked]:
    """Return the same with metrics that have seen the references, or the files they name."""
    metrics = _distinct(asked)
    given = None if references is None else lambda: references
    found = dict(zip(metrics, survey(metrics, place, given, notes), strict=True))
    return [replace(one, metric=found[one.metric]) for one in asked]


def asked_metrics(requests: Sequence[str]) -> list[Asked]:
    """Read `name`, `name.part` or `name.part:option=value` (`rouge1.recall:preset=google`).

    A metric goes by its name, or by the whole request where two would share one.
    """
    if not requests:
        raise ConfigError("no metric to judge: give at least one with -m")
    names = [request.partition(":")[0] for request in requests]
    found = []
    for request, name in zip(requests, names, strict=True):
        base, dot, part = name.partition(".")
        metric = make_metric(base + request[len(name) :])
        if dot and part not in metric.parts():
            hint = did_you_mean(part, metric.parts())
            known = ", ".join(metric.parts()) or "none"
            raise InputError(f"metric {base!r} has no part {part!r}{hint}; parts: {known}")
        found.append(Asked(metric, part, name if names.count(name) == 1 else request))
    return found


def judge_scores(
    judgements: Judgements,
    requests: Sequence[str] | Sequence[Asked],
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
    asked = [one for one in requests if isinstance(one, Asked)]
    asked = asked or ready_metrics([str(one) for one in requests], place, mended)
    outputs = judged_outputs(judgements)
    asked = _after_survey(asked, place, _item_references(outputs, extra or {}), mended)
    values: list[dict[Key, float]] = [{} for _ in asked]
    signatures = [""] * len(asked)
    said = dict.fromkeys(mended)
    for keys, reports in _scored(outputs, asked, level, extra or {}, options, progress):
        for number, one in enumerate(asked):
            at = _distinct(asked).index(one.metric)
            values[number].update(_column(one, at, keys, reports))
            signatures[number] = next(iter(reports.values())).scores[at].signature
        said |= dict.fromkeys(_said(keys, reports))
    if notes is not None:
        notes += [note for note in _shortened(list(said)) if note not in notes]
    return [
        Scores(one.name, found, sign + _part(one), _sign(one))
        for one, found, sign in zip(asked, values, signatures, strict=True)
    ]


def _said(keys: list[list[Key]], reports: Mapping[str, Report]) -> Iterator[str]:
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


def _distinct(asked: list[Asked]) -> list[Metric]:
    """Return each metric once, however many of its parts are judged."""
    return list(dict.fromkeys(one.metric for one in asked))


def _sign(one: Asked) -> int:
    """Return −1 for a metric whose lower values are better; parts are taken as they are."""
    return -1 if one.metric.card.better == "lower" and not one.column else 1


def _part(one: Asked) -> str:
    return f"|part:{one.column}" if one.column else ""


def _scored(
    outputs: list[Output],
    asked: list[Asked],
    level: str,
    extra: Extra,
    options: Options,
    progress: Callable[[int], None] | None,
) -> Iterable[tuple[list[list[Key]], Mapping[str, Report]]]:
    """Yield scored batches: all outputs at once, or the systems of one group side by side."""
    if level != "system":
        yield (
            [[output.key for output in outputs]],
            _reports({"": outputs}, asked, extra, options, progress),
        )
        return
    groups: dict[str, dict[str, list[Output]]] = {}
    for output in outputs:
        groups.setdefault(output.group, {}).setdefault(output.system, []).append(output)
    for group, systems in groups.items():
        _check_parallel(group, systems)
        keys = [[(group, "", system)] for system in systems]
        yield keys, _reports(systems, asked, extra, options, progress)


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
    asked: list[Asked],
    extra: Extra,
    options: Options,
    progress: Callable[[int], None] | None,
) -> Mapping[str, Report]:
    shared = next(iter(systems.values()))
    references = [[*o.references, *extra.get((o.group, o.item), ())] for o in shared]
    sources = [o.source for o in shared if o.source is not None]
    given = {REFERENCES} if any(references) else set()
    given |= {SOURCE} if len(sources) == len(shared) else set()
    metrics = build_metrics(_distinct(asked), frozenset(given))
    _, chunks = python_chunks(
        {name: [output.candidate for output in many] for name, many in systems.items()},
        references if REFERENCES in given else None,
        sources if SOURCE in given else None,
        None,
        "segment",
    )
    return score_chunks(chunks, metrics, options, progress=progress).systems


def _column(
    one: Asked, place: int, keys: list[list[Key]], reports: Mapping[str, Report]
) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for mine, report in zip(keys, reports.values(), strict=True):
        score = report.scores[place]
        if report.segment_values:
            values = report.values_of(place, one.column).tolist()
        else:
            values = [score.parts[one.column] if one.column else score.score]
        if one.metric.card.better == "near 1" and not one.column:
            values = [-abs(value - 1) for value in values]
        found.update(zip(mine, values, strict=True))
    return found


def run_tasks(
    names: Sequence[str],
    requests: Sequence[str],
    *,
    statistics: Sequence[str] = (),
    level: str | None = None,
    samples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    cache: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> MetaReport:
    """Evaluate metrics on named tasks, at each task's own level and with its own statistics.

    At another level, asked for by name, ratings of outputs are averaged per system where systems
    are to be correlated.
    """
    place = Options(threads=threads, device=device, cache=cache).place()
    mended: list[str] = []
    asked = ready_metrics(requests, place, mended)  # errors come before any data are read
    tables: list[Table] = []
    for name in dict.fromkeys(names):
        task, judgements = load_task(name)
        scored: dict[bool, list[Scores]] = {}
        said: dict[bool, list[str]] = {True: [*mended], False: [*mended]}
        at = level or task.level
        for statistic in dict.fromkeys(statistics or task.statistics):
            request = Request(task.name, task.title, at, statistic, task.dimension, samples, seed)
            singly = statistic == "soft_pairwise_accuracy"
            rated = system_means(judgements) if at == "system" and not singly else judgements
            found = scored.get(singly) or judge_scores(
                judgements,
                asked,
                "segment" if singly else at,
                jobs=jobs,
                threads=threads,
                device=device,
                cache=cache,
                progress=progress,
                notes=said[singly],
            )
            scored[singly] = found
            table = evaluate(rated, found, request)
            table = replace(table, notes=(*table.notes, *said[singly]))
            tables.append(_published(table, task))
    return MetaReport(f"Meta-evaluation: {', '.join(names)}", tuple(tables), _notes(samples, seed))


def correlate_files(
    scores: str,
    judgements: str,
    *,
    level: str = "segment",
    dimension: str | None = None,
    columns: Mapping[str, str] | None = None,
    lower: Collection[str] = (),
    missing: Missing = "error",
    threshold: float = 25.0,
    statistics: Sequence[str] = (),
    samples: int = 1000,
    seed: int = 12345,
) -> MetaReport:
    """Correlate scores in a file, ours or another tool's, with judgements in a file.

    At pairwise level without better/worse rows, pairs are made of raw 0–100 ratings that differ by
    at least `threshold`, as WMT does.
    """
    judged = read_judgements(judgements, columns, missing=missing)
    found = [_directed(one) for one in read_scores(scores, lower=lower)]
    fallen = [one.metric for one in found if one.sign < 0]
    notes = (f"lower is better: {', '.join(fallen)}",) if fallen else ()
    rated = "" if level == "pairwise" else _dimension(judged, dimension)
    if level == "pairwise" and not judged.preferences:
        judged = with_preferences(judged, _dimension(judged, dimension), threshold)
    tables = []
    for name in statistics or ("darr",) * (level == "pairwise") or ("pearson",):
        request = Request(
            judged.name, judged.name, level, name, rated, samples, seed, 0.05, missing
        )
        people, mine = judged, found
        if level == "system" and name != "soft_pairwise_accuracy":
            people, mine = system_level(judged, rated, found, missing)
        tables.append(evaluate(people, mine, request))
    said = (*notes, *_notes(samples, seed))
    return MetaReport(f"Meta-evaluation: {judged.name}", tuple(tables), said)


def _directed(scores: Scores) -> Scores:
    """Negate scores under the name of one of our metrics whose lower values are better."""
    name = scores.metric.partition("#")[0]
    ours = name in METRICS.table and metric_class(name).card.better == "lower"
    return replace(scores, sign=-1) if ours else scores


def _notes(samples: int, seed: int) -> tuple[str, ...]:
    return (
        f"Intervals are 95 % bootstrap intervals over items ({samples:,} samples, seed {seed}); "
        "p-values of pairs come from the bootstrap standard error of the difference.",
    )


def _dimension(judgements: Judgements, asked: str | None) -> str:
    known = judgements.dimensions()
    if asked is not None:
        return asked
    if len(known) != 1:
        listed = ", ".join(known) or "none"
        raise InputError(f"{judgements.name}: choose a dimension of: {listed}")
    return known[0]


def task_rows() -> list[dict[str, object]]:
    """Return what `paraphrast meta tasks` lists."""
    return [
        {
            "task": task.name,
            "level": task.level,
            "statistics": ", ".join(task.statistics),
            "data": "there" if is_there(task) else "missing",
            "title": task.title,
        }
        for task in map(find_task, task_names())
    ]


_CORPUS_BLEU = "case:mixed|eff:no|tok:13a|smooth:exp|order:4"
_GOOGLE = "tok:google|stem:yes"
# how papers call what we offer, and what our signature must hold to be the same variant
_OUR_NAMES: dict[str, tuple[tuple[str, str], ...]] = {
    "BLEU": (("bleu", _CORPUS_BLEU), ("sentence_bleu", "case:mixed")),
    "sentenceBLEU": (("sentence_bleu", "case:mixed|eff:yes|tok:13a|smooth:exp|order:4"),),
    "TER": (("ter", "normalized:no|no_punct:no|asian_support:no"),),
    "ROUGE": (("rougeL", "rougeL"),),  # the paper names no variant
    "METEOR": (("meteor", "meteor"),),
    "sentenceMETEOR": (("meteor", "meteor"),),
    "chrF++": (("chrf++", "nc:6|nw:2|beta:2.0"),),
    "rouge1_f": (("rouge1", _GOOGLE),),
    "rouge2_f": (("rouge2", _GOOGLE),),
    "rougel_f": (("rougeLsum", "split:sentences"), ("rougeL", _GOOGLE)),
    "rouge1_r": (("rouge1.recall", _GOOGLE),),
    "rouge2_r": (("rouge2.recall", _GOOGLE),),
    "rougel_r": (("rougeLsum.recall", "split:sentences"),),
    # whatever the weights: papers name theirs, and docs/league.md says how they differ
    "BERTScore-RoBERTa-large": (("bertscore", "value:F"),),
    "BERTScore": (("bertscore", "value:F"),),
    "bert_score_f": (("bertscore", "value:F"),),
    "bert_score_r": (("bertscore.R", "bertscore"),),
    "MoverScore": (("moverscore", "moverscore"),),
    "mover_score": (("moverscore", "moverscore"),),
}


def _published(table: Table, task: Task) -> Table:
    """Put the value a paper printed beside each row of the same variant, level and statistic."""
    if table.level != task.level:
        return table
    printed = {one.metric: one.value for one in task.published if one.statistic == table.statistic}
    rows = [replace(row, published=_printed(row, task, printed)) for row in table.rows]
    return replace(table, rows=tuple(rows))


def _printed(row: Row, task: Task, printed: Mapping[str, float]) -> float | None:
    name = row.metric.partition(":")[0]
    for paper, variants in _OUR_NAMES.items():
        for ours, fragment in variants:
            single = ours != "rougeL" or paper == "ROUGE" or task.name.startswith("bagel")
            corpus = ours != "sentence_bleu" or task.level != "system"
            fits = name == ours and fragment in row.signature and single and corpus
            if fits and paper in printed:
                return printed[paper]
    return None
