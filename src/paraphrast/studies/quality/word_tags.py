"""Tags of words, at the threshold of the card, against people's."""

from __future__ import annotations

from collections.abc import Sequence

from paraphrast.meaning.tag_evaluation import absent, count_tags
from paraphrast.meaning.tag_rows import read_pairs
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.models.encoder.tag_scores import support
from paraphrast.studies.quality.figures import BASELINE, Bench, Findings, Line
from paraphrast.studies.quality.intervals import ratio
from paraphrast.text.words import WordText
from paraphrast.train.data.assembly import data_root
from paraphrast.types import Floats

TAGS = ("etpc.dev", "multimwa_wiki.test", "multimwa_mtref.test")


def word_tags(name: str, system: str, bench: Bench) -> Findings:
    """Return the F1 of tag 1 over the words of both texts, drawing pairs."""
    rows = list(read_pairs(str(data_root() / "tags" / f"{name}.jsonl.gz"), gold=True))
    pairs = [row.pair for row in rows]
    right = [[tag for tags in row.gold or () for tag in tags] for row in rows]
    if system == BASELINE:
        tags, shown = [_absent(pair) for pair in pairs], "word absent"
    else:
        tags, shown = _tagged(system, pairs, bench), system
    counts = [count_tags(*both) for both in zip(tags, right, strict=True)]
    found = ratio(
        [2 * one.right for one in counts],
        [2 * one.right + one.wrong + one.missed for one in counts],
    )
    return Findings((Line.of(f"tags, {name}", "F1 of tag 1", shown, found),))


def _absent(pair: Sequence[WordText]) -> list[int]:
    a, b = pair[0].words, pair[1].words
    return [*absent(a, b), *absent(b, a)]


def _tagged(
    model: str, pairs: Sequence[tuple[WordText, WordText]], bench: Bench
) -> list[list[int]]:
    encoder = EditEncoder.load(model)
    cut = encoder.card.thresholds.tag
    readings = encoder.read(pairs, advance=bench.advance)
    return [[*_below(one.tags_a, cut), *_below(one.tags_b, cut)] for one in readings]


def _below(logits: Floats, cut: float) -> list[int]:
    """Tag words; those that the tokeniser drops are never tagged."""
    return [int(tag) for tag in (support(logits) < cut) & logits.any(axis=1)]
