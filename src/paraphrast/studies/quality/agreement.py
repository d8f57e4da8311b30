"""Agreement with people: of ParaBLEU on translations, of faithfulness and tags on summaries."""

from __future__ import annotations

from collections.abc import Mapping

from paraphrast.meta.report import MetaReport
from paraphrast.studies.quality.figures import BASELINE, Bench, Findings, Line

TRANSLATIONS = {
    "wmt17": "WMT17 to-English segments",
    "mqm21": "WMT21 zh-en segments, MQM",
    "mlqe": "MLQE-PE test segments",
}
SUMMARIES = {
    "qags_cnn": "QAGS-CNN factuality",
    "summeval_consistency": "SummEval consistency",
    "realsumm": "REALSumm litePyramid recall",
}
FAITHFULNESS = "faithfulness"
ROUGE2 = "rouge2:preset=google,stemmer=true"
_STATISTICS = {"qags_cnn": ("pearson", "spearman")}
_SUMMARY = ("spearman", "kendall")
_PLAIN = {"chrf++": "chrf++", "bleu": "bleu"}
_OVERLAP = {ROUGE2: "ROUGE-2", "bertscore": "BERTScore"}
Requests = Mapping[str, tuple[str, str]]  # a metric's request: the row's task, and its system


def translation(task: str, system: str, bench: Bench) -> Findings:
    """Correlate ParaBLEU's score, or chrF++ and BLEU, with ratings of translations."""
    title = TRANSLATIONS[task]
    wanted = _PLAIN if system == BASELINE else {f"parableu:model={system}": system}
    requests = {request: (title, name) for request, name in wanted.items()}
    return _findings(task, requests, ("pearson", "kendall"), bench)


def summaries(task: str, system: str, bench: Bench) -> Findings:
    """Correlate faithfulness, and ParaTag's P in both scales, with ratings of summaries."""
    title = SUMMARIES[task]
    first = f"{title}, {FAITHFULNESS}"
    if system == BASELINE:
        requests = {request: (first, name) for request, name in _OVERLAP.items()}
    else:
        requests = {f"faithfulness:model={system}": (first, system)}
        requests |= {
            f"paratag.P:model={system},scale={scale}": (f"{title}, paratag P, {scale}", system)
            for scale in ("logit", "probability")
        }
    return _findings(task, requests, _STATISTICS.get(task, _SUMMARY), bench)


def _findings(task: str, requests: Requests, statistics: tuple[str, ...], bench: Bench) -> Findings:
    report = bench.evaluate_metrics(
        [task], list(requests), statistics=statistics, progress=bench.advance
    )
    return Findings(tuple(agreement_lines(report, requests)))


def agreement_lines(report: MetaReport, requests: Requests) -> list[Line]:
    """Take the values of a meta-evaluation; a lone metric goes by its bare name there."""
    bare = {request.partition(":")[0]: place for request, place in requests.items()}
    names = bare | dict(requests)
    return [
        Line(names[row.metric][0], table.statistic, names[row.metric][1], row.value, *_ends(row.ci))
        for table in report.tables
        for row in table.rows
        if row.value is not None and row.metric in names
    ]


def _ends(ci: tuple[float, float] | None) -> tuple[float | None, float | None]:
    return ci or (None, None)
