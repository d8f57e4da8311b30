"""The columns of the decoding study: what is measured of the outputs of one setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from paraphrast.corpora.text_store import normal_form
from paraphrast.generation.decoding.constraints import survives
from paraphrast.meaning.assessment import assess
from paraphrast.meaning.judge import judge_signature
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.pair_scores import score_lists
from paraphrast.metrics.paraphrase import RougeP
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.text.particulars.protected_strings import protected
from paraphrast.text.tokenise import Tokeniser
from paraphrast.types import Floats

BINS = 20  # of the histogram of source ROUGE-L, from 0 to 1


@dataclass(frozen=True, slots=True)
class StudyColumn:
    """One column: its name in JSON, its head in tables, how it is written, what it means."""

    name: str
    title: str
    form: str  # score, points, signed, share, ratio, count or rate
    about: str


COLUMNS = (
    StudyColumn("bleu", "BLEU", "points", "BLEU with the reference; human: source with reference"),
    StudyColumn("ter", "TER", "points", "TER with the reference; human: source with reference"),
    StudyColumn("source_rouge1", "src R-1", "score", "ROUGE-1 recall of the source: adequacy"),
    StudyColumn("source_rougeL", "src R-L", "score", "mean ROUGE-L F with the source: copying"),
    StudyColumn("source_rougeL_sd", "sd", "score", "standard deviation of it over the sentences"),
    StudyColumn(
        "rouge_p", "ROUGE-P", "score", "ROUGE-P, with the corpus's references as benchmark"
    ),
    StudyColumn("pinc", "PINC", "score", "share of n-grams that the source does not have"),
    StudyColumn(
        "same", "same", "score",
        "probability that source and output say the same, as the judge has it, mean",
    ),
    StudyColumn(
        "entailment", "entail", "score",
        "probability that the one follows from the other, mean of both directions",
    ),
    StudyColumn("entailment_gap", "− human", "signed", "entailment less that of the human row"),
    StudyColumn(
        "tags", "tags", "score",
        "mean probability (F) that words have a counterpart",
    ),
    StudyColumn("tags_gap", "− human", "signed", "tags less that of the human row"),
    StudyColumn(
        "quality", "quality", "signed",
        "the judge's score of the output with the source as reference, a z-score of human ratings",
    ),
    StudyColumn(
        "support", "support", "score",
        "probability that the other text says the content word for which it is least, mean",
    ),
    StudyColumn(
        "identical", "copies", "share",
        "outputs equal to the source but for case, punctuation and white space",
    ),
    StudyColumn(
        "kept", "kept", "share",
        "outputs in which every name, number, address and piece of code of the source stands as "
        "it was (the rules of generate.protect)",
    ),
    StudyColumn("length", "length", "ratio", "words of the output over words of the source, mean"),
    StudyColumn("missing", "none", "count", "sentences without an output, left out of all means"),
    StudyColumn(
        "vocabulary_diversity", "vocab", "score",
        "distinct words per word in source, reference and the samples of the pool; sampled "
        "settings only",
    ),
    StudyColumn(
        "tokens_per_second", "tokens/s", "rate",
        "sub-words of all texts of the pool, in a second of decoding",
    ),
)  # fmt: skip


class Examiner:
    """An edit encoder that assesses outputs; the checks of a judge have no say."""

    def __init__(self, model: str, *, threads: int | None = None, device: str = "cpu") -> None:
        self._encoder = EditEncoder.load(model, threads=threads, device=device)
        self.fingerprint = self._encoder.card.fingerprint
        self.signature = judge_signature(self._encoder.card, ())
        self.limited = 0

    def __call__(self, sources: Sequence[str], texts: Sequence[str]) -> ExaminedOutputs:
        """Assess each text against its source."""
        found = assess(self._encoder, list(zip(sources, texts, strict=True)))
        self.limited += sum(one.limited for one in found)
        rows = [
            (
                one.chances.same,
                (one.chances.forward + one.chances.backward) / 2,
                one.tags,
                one.score,
                one.weakest.support,
            )
            for one in found
        ]
        return ExaminedOutputs(*np.array(rows, dtype=np.float64).reshape(-1, 5).T)


@dataclass(frozen=True, slots=True)
class ExaminedOutputs:
    """Columns of the study by sentence; `entailment` is the mean of both directions."""

    same: Floats
    entailment: Floats
    tags: Floats
    quality: Floats
    support: Floats


@dataclass(frozen=True, slots=True)
class SettingFigures:
    """Values by column, and by sentence those that the report draws; NaN without an output."""

    values: dict[str, float | None]
    source_rougeL: Floats  # noqa: N815  (the metric's name)
    same: Floats | None
    signatures: dict[str, str] = field(default_factory=dict)

    def histogram(self) -> list[int]:
        """Count sentences by source ROUGE-L."""
        there = self.source_rougeL[~np.isnan(self.source_rougeL)]
        return [int(count) for count in np.histogram(there, bins=BINS, range=(0.0, 1.0))[0]]


def benchmark_of(sources: Sequence[str], references: Sequence[str]) -> float:
    """Return the mean ROUGE-L F of references with their sources; 0 and 1 are an InputError."""
    report = score_lists([make_metric("rouge_p")], _ones(references), references, sources)
    return report["rouge_p"].parts["source_rougeL"]


def measure(
    sources: Sequence[str],
    references: Sequence[str],
    outputs: Sequence[str | None],
    *,
    benchmark: float,
    examiner: Examiner | None,
    human: bool = False,
) -> SettingFigures:
    """Measure the outputs of one setting; the sentences without one are left out, and counted.

    The human row's outputs are the references, so its BLEU and TER hold the source against them,
    as the first row of the paper's tables does.
    """
    there = [place for place, text in enumerate(outputs) if text is not None]
    values: dict[str, float | None] = dict.fromkeys(column.name for column in COLUMNS)
    values["missing"] = len(outputs) - len(there)
    whole = np.full(len(outputs), np.nan)
    if not there:
        return SettingFigures(values, whole, None if examiner is None else whole)
    texts = [text for text in outputs if text is not None]
    there_sources, right = ([side[place] for place in there] for side in (sources, references))
    rivals = _ones(there_sources if human else texts)
    close = score_lists([make_metric("bleu"), make_metric("ter")], rivals, right)
    novel = [RougeP(benchmark=benchmark), make_metric("pinc")]
    far = score_lists(novel, _ones(texts), sources=there_sources)
    rouge_l = np.array(far.values_of(0, "source_rougeL"))
    whole[there] = rouge_l
    values |= {
        "bleu": close["bleu"].score,
        "ter": close["ter"].score,
        "source_rouge1": far["rouge_p"].parts["adequacy"],
        "source_rougeL": far["rouge_p"].parts["source_rougeL"],
        "source_rougeL_sd": float(rouge_l.std()),
        "rouge_p": far["rouge_p"].score,
        "pinc": far["pinc"].score,
    }
    values |= _plain(there_sources, texts)
    signatures = {one.metric: one.signature for one in (*close.scores, *far.scores)}
    same = None
    if examiner is not None:
        judged = examiner(there_sources, texts)
        for name in ("same", "entailment", "tags", "quality", "support"):
            values[name] = float(getattr(judged, name).mean())
        same = np.full(len(outputs), np.nan)
        same[there] = judged.same
        signatures["judge"] = examiner.signature
    return SettingFigures(values, whole, same, signatures)


def _plain(sources: Sequence[str], texts: Sequence[str]) -> dict[str, float]:
    """Return the shares and the ratio that need no metric."""
    pairs = list(zip(sources, texts, strict=True))
    same = [normal_form(source) == normal_form(text) for source, text in pairs]
    kept = [all(survives(name, text) for name in protected(source)) for source, text in pairs]
    tokenise = Tokeniser("unicode")
    lengths = zip(tokenise(list(texts)), tokenise(list(sources)), strict=True)
    ratios = [len(mine) / max(len(theirs), 1) for mine, theirs in lengths]
    return {
        "identical": float(np.mean(same)),
        "kept": float(np.mean(kept)),
        "length": float(np.mean(ratios)),
    }


def vocabulary_diversity(
    sources: Sequence[str], references: Sequence[str], samples: Sequence[Sequence[str]]
) -> Floats:
    """Return the vocabulary diversity of each source; one without samples is left out."""
    there = [place for place, texts in enumerate(samples) if texts]
    if not there:
        return np.zeros(0)
    report = score_lists(
        [make_metric("vocabulary_diversity")],
        [samples[place] for place in there],
        [references[place] for place in there],
        [sources[place] for place in there],
    )
    return np.array(report.values_of(0))


def with_gaps(values: dict[str, float | None], human: dict[str, float | None]) -> None:
    """Fill in how far entailment and tags lie from the human row's."""
    for name in ("entailment", "tags"):
        mine, theirs = values[name], human[name]
        if mine is not None and theirs is not None:
            values[f"{name}_gap"] = mine - theirs


def _ones(texts: Sequence[str]) -> list[list[str]]:
    """Return each text as the only candidate of its segment."""
    return [[text] for text in texts]
