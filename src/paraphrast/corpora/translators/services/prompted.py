"""Pairs that a prompted language model writes: ParaTag, Wang et al. 2022, section 4.1.

The prompt is a list of paraphrases, "Premise: …" and "Paraphrase: …" line by line, and the model
goes on with the list: it writes both texts of new pairs, or the paraphrase of a premise of ours.
The paper takes 20 pairs into a prompt and lets 300 tokens be written; the pairs come from MRPC in
the first week, and from what was accepted before in each week that follows.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import regex

from paraphrast._version import VERSION
from paraphrast.corpora.text_store import normal_form
from paraphrast.corpora.translators.line_checks import one_line
from paraphrast.corpora.translators.services.prompt_writers import PromptWriter, Write
from paraphrast.corpora.translators.spending import log_usage
from paraphrast.corpora.translators.translator import EMPTY, Failed, Usage
from paraphrast.corpora.word_overlap import overlap, rates
from paraphrast.engine.step import Dropped, Row, Work
from paraphrast.errors import ConfigError
from paraphrast.metrics.base import Place
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.pair_scores import SegmentTexts, score_pairs
from paraphrast.text.words import word_spans

TextPair = tuple[str, str]
"""Premise and paraphrase."""

PREMISE, PARAPHRASE = "Premise:", "Paraphrase:"
STOP = (f"\n{PREMISE}",)
NOTHING, REPEATED = "no pair in what the model wrote", "repeats a demonstration"
EQUAL = "equal pair"

_PAIR = regex.compile(
    rf"^[ \t]*{PREMISE}[ \t]*(\S[^\n]*)\n+[ \t]*{PARAPHRASE}[ \t]*(\S[^\n]*)\n", regex.MULTILINE
)
_METRIC = "sentence_bleu"


@dataclass(frozen=True, kw_only=True)
class PairWindow:
    """Which pairs are kept.

    BLEU is above `low` and below `high`, both texts have `characters` or more, and the longer has
    fewer than `ratio` times the words of the shorter. BLEU is sacrebleu's of the sentence, the
    paraphrase being the candidate and the premise its reference.
    """

    low: float = 5.0
    high: float = 20.0
    characters: int = 10
    ratio: float = 2.5

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ConfigError(f"low={self.low:g} is not below high={self.high:g}")

    def rejected(self, pair: TextPair, bleu: float) -> str | None:
        """Return why a pair is not kept."""
        if min(map(len, pair)) < self.characters:
            return f"shorter than {self.characters} characters"
        words = sorted(len(_words(text)) for text in pair)
        if words[1] >= self.ratio * words[0]:
            return f"{self.ratio:g} times as many words or more"
        if bleu <= self.low:
            return f"BLEU of {self.low:g} or less"
        return f"BLEU of {self.high:g} or more" if bleu >= self.high else None


def demonstrations(accepted: Iterable[TextPair], n: int, seed: int) -> tuple[TextPair, ...]:
    """Draw up to n distinct pairs; the order in which they were accepted does not matter."""
    pool = sorted(set(accepted))
    return tuple(random.Random(seed).sample(pool, min(n, len(pool))))  # noqa: S311


def prompt_of(shown: Sequence[TextPair], premise: str | None = None) -> str:
    """Return the prompt that asks for more pairs, or for the paraphrase of a premise."""
    lines = [f"{PREMISE} {one}\n{PARAPHRASE} {two}\n" for one, two in shown]
    asked = PREMISE if premise is None else f"{PREMISE} {premise}\n{PARAPHRASE}"
    return "".join(lines) + asked


def parse(written: str, premise: str | None = None) -> list[TextPair]:
    """Return the complete pairs of what was written after a prompt.

    A text that no line break ends was cut off and does not count. For a premise of ours only the
    first paraphrase does.
    """
    text = written.replace("\r\n", "\n")
    opened = text.lstrip().startswith
    if premise is None:
        whole = text if opened(PREMISE) else f"{PREMISE} {text.lstrip()}"
    elif opened(PREMISE):  # a chat that repeats the question
        whole = text
    else:
        bare = text.lstrip().removeprefix(PARAPHRASE)
        whole = f"{PREMISE} {premise}\n{PARAPHRASE} {bare.lstrip()}"
    found = [(one_line(one) or "", one_line(two) or "") for one, two in _PAIR.findall(whole)]
    return found if premise is None else [(premise, two) for _, two in found[:1]]


def distinct(rows: Iterable[Row]) -> Iterator[Row | Dropped]:
    """Keep the first of equal pairs; case and punctuation make no difference, nor does the order.

    Hashes and ids alone are kept in memory.
    """
    seen: dict[bytes, str] = {}
    for row in rows:
        said = "\n".join(sorted(_key((row["text1"], row["text2"]))))
        key = hashlib.blake2b(said.encode(), digest_size=16).digest()
        first = seen.setdefault(key, row["id"])
        yield row if first == row["id"] else Dropped(row, EQUAL, f"to {first}")


def request_rows(count: int, *, first: int = 0) -> Iterator[Row]:
    """Yield the rows of a step that is given no sentences: one for each prompt."""
    for number in range(first, first + count):
        yield {"id": f"{number:09d}"}


@dataclass(frozen=True, kw_only=True)
class PromptRound:
    """One round: a prompt for each row, whose `text`, if it has one, is the premise.

    Each prompt shows `shots` of the demonstrations, drawn by the seed, the round and the row.
    """

    writer: PromptWriter
    demonstrations: tuple[TextPair, ...]
    shots: int = 20
    round: int = 1
    seed: int = 13
    window: PairWindow = field(default_factory=PairWindow)
    tokenize: str = "unicode"
    usage_log: Path | None = None

    def __post_init__(self) -> None:
        if self.shots < 1:
            raise ConfigError(f"shots is {self.shots}; it must be at least 1")
        if len(self.demonstrations) < self.shots:
            raise ConfigError(
                f"there are {len(self.demonstrations)} demonstrations for {self.shots} shots; "
                "give more, or ask for fewer shots"
            )

    @property
    def name(self) -> str:
        return f"prompt {self.writer.name}, round {self.round}"

    @property
    def signature(self) -> Mapping[str, Any]:
        return {
            "step": "prompt",
            "version": VERSION,
            "writer": self.writer.signature,
            "demonstrations": [list(pair) for pair in self.demonstrations],
            "shots": self.shots,
            "round": self.round,
            "seed": self.seed,
            "window": asdict(self.window),
            "tokenize": self.tokenize,
        }

    @contextmanager
    def open(self) -> Iterator[Work]:
        usage = Usage()
        with (
            self.writer.open(usage) as free,
            replace(self.writer, stop=(*self.writer.stop, *STOP)).open(usage) as bound,
        ):
            yield partial(self._work, free, bound, usage)

    def _work(
        self, free: Write, bound: Write, usage: Usage, rows: Sequence[Row]
    ) -> Iterable[Row | Dropped]:
        yield from (Dropped(row, EMPTY) for row in rows if _premise(row) == "")
        rows = [row for row in rows if _premise(row) != ""]
        try:
            written = self._model_texts(free, bound, rows)
        finally:  # what was paid is paid, whatever happened
            if self.usage_log:
                log_usage(self.usage_log, self.writer.name, usage)
        pair_rows: list[Row] = []
        for row, text in zip(rows, written, strict=True):
            pairs = [] if isinstance(text, Failed) else parse(text, _premise(row))
            if pairs:
                pair_rows += [self._pair(row, number, pair) for number, pair in enumerate(pairs)]
            else:
                why = text if isinstance(text, Failed) else Failed(NOTHING, text[:200])
                yield Dropped(row, f"{self.writer.name}: {why.reason}", why.detail)
        yield from self._judged(pair_rows)

    def _model_texts(self, free: Write, bound: Write, rows: Sequence[Row]) -> list[str | Failed]:
        """Return what the model writes for each row; one with a premise stops after a pair."""
        prompts = [prompt_of(self._shown(row), _premise(row)) for row in rows]
        written: list[str | Failed] = [Failed(NOTHING)] * len(rows)
        for write, given in ((free, False), (bound, True)):
            asked = [n for n, row in enumerate(rows) if ("text" in row) is given]
            for number, text in zip(asked, write([prompts[n] for n in asked]), strict=True):
                written[number] = text
        return written

    def _shown(self, row: Row) -> list[TextPair]:
        rng = random.Random(f"{self.seed} {self.round} {row['id']}")  # noqa: S311
        return rng.sample(self.demonstrations, self.shots)

    def _pair(self, row: Row, number: int, pair: TextPair) -> Row:
        given = "text" in row
        return {
            "id": f"{row['id']}-{self.round:02d}-{number:02d}",
            "text1": pair[0],
            "text2": pair[1],
            "overlap": None,
            "quality": None,
            "origin": "prompt",
            "systems": [self.writer.name],
            "source": pair[0] if given else None,
            "sources": [row["id"]] if given else [],
            "scores": {},
            "label": None,
        }

    def _judged(self, rows: Sequence[Row]) -> Iterator[Row | Dropped]:
        if not rows:
            return
        pairs = [(row["text1"], row["text2"]) for row in rows]
        scored = [SegmentTexts(two, one, one) for one, two in pairs]
        bleu = score_pairs([make_metric(_METRIC)], scored, Place())[_METRIC].tolist()
        shared = rates(*overlap([p[0] for p in pairs], [p[1] for p in pairs], self.tokenize))
        known = {frozenset(_key(pair)) for pair in self.demonstrations}
        for row, pair, score, rate in zip(rows, pairs, bleu, shared.tolist(), strict=True):
            full = {**row, "overlap": rate, "scores": {_METRIC: round(score, 6)}}
            why = self.window.rejected(pair, score)
            if why is None and frozenset(_key(pair)) in known:
                why = REPEATED
            yield full if why is None else Dropped(full, why, f"BLEU {score:.2f}")


def _premise(row: Row) -> str | None:
    if "text" not in row:
        return None
    return one_line(row["text"]) or ""


def _key(pair: TextPair) -> TextPair:
    return normal_form(pair[0]), normal_form(pair[1])


def _words(text: str) -> list[str]:
    """Return the words of a text, without punctuation."""
    spans = (text[start:end] for start, end in word_spans(text))
    return [word for word in spans if any(map(str.isalnum, word))]
