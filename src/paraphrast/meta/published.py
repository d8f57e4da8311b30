"""Numbers that papers print for metrics on the named tasks, and which of ours they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from paraphrast.meta.report import AgreementRow, Table


@dataclass(frozen=True, slots=True)
class Published:
    """A number in a paper: `metric` as printed there, `by` its values per group if given."""

    metric: str
    statistic: str
    value: float
    source: str
    by: Mapping[str, float] = field(default_factory=dict)


# Weston et al., Generative Pretraining for Paraphrase Evaluation, Table 1 (means over 7 pairs):
# Pearson, Kendall. Absolute values are printed; TER's are of the score that falls with quality.
_PARABLEU = {
    "BLEU": (0.423, 0.292),
    "TER": (0.475, 0.352),
    "ROUGE": (0.518, 0.354),
    "METEOR": (0.443, 0.301),
    "chrF++": (0.578, 0.396),
    "BLEURT-large": (0.818, 0.625),
    "BERTScore-RoBERTa-large": (0.759, 0.567),
    "BERTScore-T5-large": (0.738, 0.536),
    "BERTScore-DeBERTa-large": (0.773, 0.580),
    "MoverScore": (0.454, 0.322),
    "ParaBLEU-large": (0.843, 0.653),
    "ParaBLEU-base": (0.785, 0.589),
}
# Table 7 there, lv tr zh ru de cs fi. METEOR's columns average .494/.333: Table 1 prints .443/.301.
_PARABLEU_PAIRS = ("lv-en", "tr-en", "zh-en", "ru-en", "de-en", "cs-en", "fi-en")
_PARABLEU_PEARSON = {
    "BLEU": (0.334, 0.461, 0.488, 0.431, 0.372, 0.373, 0.503),
    "TER": (0.439, 0.472, 0.493, 0.509, 0.403, 0.458, 0.548),
    "ROUGE": (0.459, 0.560, 0.542, 0.488, 0.488, 0.462, 0.628),
    "METEOR": (0.403, 0.554, 0.521, 0.491, 0.445, 0.448, 0.597),
    "chrF++": (0.520, 0.614, 0.593, 0.588, 0.534, 0.523, 0.678),
}
_PARABLEU_KENDALL = {
    "BLEU": (0.215, 0.313, 0.344, 0.313, 0.259, 0.255, 0.342),
    "TER": (0.329, 0.393, 0.365, 0.358, 0.295, 0.315, 0.411),
    "ROUGE": (0.303, 0.395, 0.366, 0.343, 0.336, 0.302, 0.434),
    "METEOR": (0.258, 0.375, 0.352, 0.353, 0.307, 0.287, 0.402),
    "chrF++": (0.333, 0.432, 0.405, 0.415, 0.365, 0.350, 0.475),
}

# Bawden et al., A Study in Improving BLEU Reference Coverage, Tables 7 and 9: the mean, then pairs.
_WMT19_PAIRS = ("de-en", "fi-en", "gu-en", "kk-en", "lt-en", "ru-en", "zh-en")
_BAWDEN_SYSTEM = {
    "BLEU": (0.905, 0.890, 0.985, 0.799, 0.943, 0.969, 0.862, 0.888),
    "BLEU, beam +5": (0.925, 0.928, 0.984, 0.793, 0.961, 0.986, 0.921, 0.900),
    "BLEU, random +5": (0.922, 0.916, 0.986, 0.805, 0.957, 0.983, 0.908, 0.898),
    "BLEU, sampled +5": (0.929, 0.937, 0.984, 0.798, 0.966, 0.989, 0.929, 0.902),
    "BLEU, constraints": (0.930, 0.922, 0.983, 0.809, 0.963, 0.989, 0.924, 0.921),
    "METEOR": (0.927, 0.909, 0.993, 0.883, 0.969, 0.972, 0.825, 0.941),
    "METEOR, sampled +5": (0.940, 0.925, 0.995, 0.891, 0.978, 0.982, 0.864, 0.945),
}
# The lt-en column of their segment-level tables; the other pairs' preferences are not at hand.
_BAWDEN_DARR = {
    "sentenceBLEU": 0.251,
    "sentenceBLEU, beam +5": 0.281,
    "sentenceBLEU, random +5": 0.269,
    "sentenceBLEU, sampled +5": 0.295,
    "sentenceBLEU, constraints": 0.323,
    "sentenceMETEOR": 0.275,
    "sentenceMETEOR, sampled +5": 0.292,
}
# Table 6 there: system level, the first 500 segments of de-en.
_BAWDEN_500 = {
    "BLEU": 0.895,
    "BLEU, beam +5": 0.934,
    "BLEU, random +5": 0.926,
    "BLEU, sampled +5": 0.939,
    "BLEU, constraints": 0.933,
    "BLEU, human +5": 0.948,
}

# Spearman, Kendall (QAGS: Pearson); _f and _r are F1 and recall.
_BARTSCORE = "BARTScore (Yuan et al. 2021), released analysis"
_BARTSCORE_REALSUMM = {
    "rouge1_r": (0.497526, 0.407974),
    "rouge2_r": (0.4233, 0.353119),
    "rougel_r": (0.488254, 0.402523),
    "bert_score_r": (0.440398, 0.346489),
    "mover_score": (0.372353, 0.290156),
    "prism_hypo_ref": (0.411005, 0.323994),
    "bart_score_cnn_hypo_ref": (0.474608, 0.374497),
}
_BARTSCORE_BAGEL = {
    "rouge1_f": (0.234338, 0.177972),
    "rouge2_f": (0.198585, 0.151011),
    "rougel_f": (0.188592, 0.145508),
    "bert_score_f": (0.289118, 0.217179),
    "mover_score": (0.283694, 0.20884),
    "prism_avg": (0.304946, 0.224797),
    "bart_score_para_avg_f": (0.329896, 0.246686),
}
_BARTSCORE_QAGS = {
    "rouge1_f": 0.337667,
    "rouge2_f": 0.459141,
    "rougel_f": 0.356889,
    "bert_score_f": 0.575994,
    "mover_score": 0.41414,
    "prism_src_hypo": 0.478689,
    "bart_score_cnn_src_hypo": 0.734672,
}
# Wang et al., ParaTag, Tables 4 and 5, printed there for these metrics with their larger models.
_PARATAG = "ParaTag (Wang et al. 2022), Tables 4 and 5"
_PARATAG_SUMMEVAL = {
    "coherence": {"BERTScore": 0.284, "MoverScore": 0.159},
    "consistency": {"BERTScore": 0.110, "MoverScore": 0.157},
    "fluency": {"BERTScore": 0.193, "MoverScore": 0.129},
    "relevance": {"BERTScore": 0.312, "MoverScore": 0.318},
}
_PARATAG_SFRES = {"BERTScore": 0.156, "MoverScore": 0.153}


def _parableu() -> tuple[Published, ...]:
    tables = (("pearson", 0, _PARABLEU_PEARSON), ("kendall", 1, _PARABLEU_KENDALL))
    return tuple(
        Published(
            metric,
            statistic,
            values[index],
            "ParaBLEU (Weston et al.), Tables 1 and 7",
            dict(zip(_PARABLEU_PAIRS, by[metric], strict=True)) if metric in by else {},
        )
        for statistic, index, by in tables
        for metric, values in _PARABLEU.items()
    )


def _bawden_system() -> tuple[Published, ...]:
    source = "Bawden et al. 2020, Tables 7 and 9"
    return tuple(
        Published(metric, "pearson", mean, source, dict(zip(_WMT19_PAIRS, by, strict=True)))
        for metric, (mean, *by) in _BAWDEN_SYSTEM.items()
    )


def _one(values: Mapping[str, float], statistic: str, source: str) -> tuple[Published, ...]:
    return tuple(Published(name, statistic, value, source) for name, value in values.items())


def _two(values: Mapping[str, tuple[float, float]]) -> tuple[Published, ...]:
    spearman = {name: pair[0] for name, pair in values.items()}
    kendall = {name: pair[1] for name, pair in values.items()}
    return _one(spearman, "spearman", _BARTSCORE) + _one(kendall, "kendall", _BARTSCORE)


def _summeval(dimension: str) -> tuple[Published, ...]:
    known = {"ROUGE-1 F, mean over 11 references": 0.167} if dimension == "coherence" else {}
    return _one(known, "spearman", "BARTScore (Yuan et al. 2021)") + _one(
        _PARATAG_SUMMEVAL[dimension], "spearman", _PARATAG
    )


PUBLISHED: Mapping[str, tuple[Published, ...]] = {
    "wmt17": _parableu(),
    "wmt19_system": _bawden_system(),
    "wmt19_darr": _one(_BAWDEN_DARR, "darr", "Bawden et al. 2020, Tables 7 and 9"),
    "deen500": _one(_BAWDEN_500, "pearson", "Bawden et al. 2020, Table 6"),
    "realsumm": _two(_BARTSCORE_REALSUMM),
    "qags_cnn": _one(_BARTSCORE_QAGS, "pearson", _BARTSCORE),
    "bagel_informativeness": _two(_BARTSCORE_BAGEL),
    "sfres_informativeness": _one(_PARATAG_SFRES, "spearman", _PARATAG),
    **{f"summeval_{dimension}": _summeval(dimension) for dimension in _PARATAG_SUMMEVAL},
}
"""What papers print, by task."""

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
    "BERTScore-RoBERTa-large": (("bertscore", "value:F"), ("bertscore", "part:F")),
    "BERTScore": (("bertscore", "value:F"), ("bertscore", "part:F")),
    "bert_score_f": (("bertscore", "value:F"), ("bertscore", "part:F")),
    "bert_score_r": (("bertscore.R", "bertscore"),),
    "MoverScore": (("moverscore", "moverscore"),),
    "mover_score": (("moverscore", "moverscore"),),
}


def beside_published(table: Table, task: str, level: str, published: Sequence[Published]) -> Table:
    """Put the value a paper printed beside each row of the same variant, level and statistic."""
    if table.level != level:
        return table
    printed = {one.metric: one.value for one in published if one.statistic == table.statistic}
    rows = [replace(row, published=_printed(row, task, level, printed)) for row in table.rows]
    return replace(table, rows=tuple(rows))


def _printed(
    row: AgreementRow, task: str, level: str, printed: Mapping[str, float]
) -> float | None:
    name = row.metric.partition(":")[0]
    for paper, variants in _OUR_NAMES.items():
        for ours, fragment in variants:
            single = ours != "rougeL" or paper == "ROUGE" or task.startswith("bagel")
            corpus = ours != "sentence_bleu" or level != "system"
            fits = name == ours and fragment in row.signature and single and corpus
            if fits and paper in printed:
                return printed[paper]
    return None
