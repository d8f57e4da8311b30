"""Mine pairs that share words but are no paraphrases, to stand beside those that are.

Suzuki et al. 2017, section 4.3: where positives outnumber negatives, pairs of different sentences
of plain text with an overlap of the same bin are added.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from paraphrast.corpora.build import source_rows
from paraphrast.corpora.build.build_step import (
    NOTHING,
    PAIRS,
    BuildStep,
    Resolve,
    build_step,
    check_files,
)
from paraphrast.corpora.build.overlapping_pairs import counted, neighbours
from paraphrast.corpora.build.record_file import RecordFile, SetFile
from paraphrast.corpora.build.steps.balance import row_bin
from paraphrast.corpora.build.steps.intake import CleanStep
from paraphrast.corpora.build.steps.pairing import in_target_language
from paraphrast.corpora.build.steps.splits import is_split_before
from paraphrast.corpora.pair_labels import NEGATIVE
from paraphrast.corpora.word_ids import (
    Ints,
    WordSets,
    mixed,
    seeded,
    sentence_keys,
    word_tokeniser,
    words_label,
)
from paraphrast.corpora.word_overlap import BINS, EXACT, bin_of, bins_of, overlap, rates
from paraphrast.engine.stages import Made
from paraphrast.engine.step import Advance, Dropped, Row
from paraphrast.errors import ConfigError
from paraphrast.io import chunks
from paraphrast.meaning.assessment import assess
from paraphrast.models.encoder.edit_encoder import EditEncoder

if TYPE_CHECKING:
    from paraphrast.corpora.build.corpus_recipe import CorpusRecipe
    from paraphrast.corpora.build.recipe_run import RecipeRun


MINED = "mined"

_BLOCK = 1 << 13  # sentences read together
_JUDGED = 256  # candidates looked at together
_ALL = 1 << 40  # no text has more words or characters
_TEXTS = "texts-"  # before the ids of texts that are only mined
_LOW = 3  # bins below this are filled by chance pairs


class Sentences(Protocol):
    """Where plain text comes from: rows with `id` and `text`, the same at every call."""

    @property
    def signature(self) -> Mapping[str, Any]: ...

    def __call__(self) -> Iterator[Row]: ...


class ParaphraseJudge(Protocol):
    """Scores how far two texts mean the same; pairs above the ceiling are taken for paraphrases."""

    @property
    def name(self) -> str: ...

    @property
    def signature(self) -> Mapping[str, Any]: ...

    def __call__(self, texts1: Sequence[str], texts2: Sequence[str]) -> Sequence[float]: ...


@dataclass(frozen=True, kw_only=True)
class Mining:
    """How to mine; without a `judge` nothing is asked but that two sentences differ."""

    tokenize: str = "unicode"
    seed: int = 0
    judge: ParaphraseJudge | None = None
    ceiling: float = 0.5


@build_step("negatives", takes=(PAIRS,), gives=PAIRS)
@dataclass(frozen=True, kw_only=True)
class NegativesStep(BuildStep):
    """Add pairs of different sentences that share many words, mined from `files`.

    Without files the sentences that the recipe began with are searched. `per_bin` is how many each
    bin gets from `lowest` on; 0 gives each as many as it has pairs of other origin. Pairs of which
    the encoder `judge` is surer than `ceiling` that they are paraphrases are left out.
    """

    files: tuple[str, ...] = ()
    per_bin: int = 0
    lowest: float = 0.5
    tokenize: str = "unicode"
    judge: str = ""
    ceiling: float = 0.5
    seed: int = 0

    def check_place(self, recipe: CorpusRecipe, number: int) -> None:
        if is_split_before(recipe, number):
            raise ConfigError("the pairs are split already; put the split after it")
        if self.files:
            return
        if in_target_language(recipe):
            raise ConfigError(
                "the pairs are in the target language, and the recipe's sentences are not; give "
                "files of texts in the target language"
            )
        if not any(step.takes == (NOTHING,) for step in recipe.steps):
            raise ConfigError("the recipe has no sentences to search; give files")

    def check_resources(self, recipe: CorpusRecipe, resolve: Resolve) -> None:
        check_files(self.files, resolve)
        self._worker(_NoSentences()).signature  # noqa: B018  (finds the judge)
        self._cleaning(recipe)

    def apply(self, run: RecipeRun) -> None:
        texts = self._texts(run) if self.files else run.sentences
        if texts is None:  # `check_place` refuses such recipes
            raise AssertionError("there are no sentences to search")
        run.all_rows(self._worker(StageSentences(texts)))
        rows = run.last.shards.rows()
        run.lacking = shortfalls(rows, per_bin=self.per_bin, lowest=self.lowest)

    def _worker(self, sentences: Sentences) -> MinedNegatives:
        judge = EncoderJudge(self.judge) if self.judge else None
        mining = Mining(tokenize=self.tokenize, seed=self.seed, judge=judge, ceiling=self.ceiling)
        return MinedNegatives(
            sentences=sentences, per_bin=self.per_bin, lowest=self.lowest, mining=mining
        )

    def _texts(self, run: RecipeRun) -> Made:
        """Return the texts of files to search, cleaned; the pairs stay what comes last."""
        fields = [run.resolve(name) for name in self.files]
        names = [Path(field.path).name for field in fields]
        files = source_rows.identity(fields, None)
        rows = lambda: source_rows.sentences(fields, names, files, prefix=_TEXTS)  # noqa: E731
        texts = run.stages.begin("texts", {**files, "ids": _TEXTS}, rows)
        run.record(texts, aside=True)
        for worker in self._cleaning(run.recipe):
            texts = run.stages.step(worker, texts)
            run.record(texts, aside=True)
        return texts

    def _cleaning(self, recipe: CorpusRecipe) -> list[CleanTexts]:
        """Return what the files go through: each `clean` of the recipe.

        Texts in the target language are not asked for the source language; their words are told
        apart as this step says. Without a `clean` texts are normalised, and that is all.
        """
        cleans = [step for step in recipe.steps if isinstance(step, CleanStep)]
        if not cleans:
            how: dict[str, Any] = {"check": "none", "tokenize": self.tokenize, "letters": 0.0}
            how |= {"strip_tags": False}
            how |= {"min_words": 0, "min_chars": 0, "max_words": _ALL, "max_chars": _ALL}
            return [CleanTexts(**how)]
        other = (
            {"language": "", "check": "none", "tokenize": self.tokenize}
            if in_target_language(recipe)
            else {}
        )
        return [CleanTexts(**{**asdict(step), **other}) for step in cleans]


@dataclass(frozen=True, kw_only=True)
class CleanTexts(CleanStep):
    """What texts that are only mined go through."""

    name: ClassVar[str] = "clean texts"


@dataclass(frozen=True)
class StageSentences:
    """The texts of a stage, to be searched."""

    result: Made

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"key": self.result.key}

    def __call__(self) -> Iterator[Row]:
        return self.result.shards.rows()


@dataclass(frozen=True)
class _NoSentences:
    """Stands for texts that are not there yet."""

    @property
    def signature(self) -> Mapping[str, Any]:
        return {}

    def __call__(self) -> Iterator[Row]:
        return iter(())


@dataclass(frozen=True)
class EncoderJudge:
    """An edit encoder that says how sure it is that two texts say the same."""

    model: str
    name: str = "same"

    @property
    def signature(self) -> Mapping[str, Any]:
        return {"encoder": EditEncoder.load(self.model).card.fingerprint, "figure": self.name}

    def __call__(self, texts1: Sequence[str], texts2: Sequence[str]) -> list[float]:
        """Return the probability for each pair."""
        pairs = list(zip(texts1, texts2, strict=True))
        found = assess(EditEncoder.load(self.model), pairs)
        return [one.chances.same for one in found]


@dataclass(frozen=True, kw_only=True)
class MinedNegatives:
    """Pass pairs through, then add mined ones to the bins that have too few negatives.

    A bin from that of `lowest` on gets `per_bin` mined pairs, or with 0 as many as make up for the
    pairs in it that are not negative (of another origin than "mined", and not labelled negative).
    No sentence is in two mined pairs, and none is paired with one of equal normal form.
    """

    sentences: Sentences
    per_bin: int = 0
    lowest: float = 0.5
    mining: Mining = Mining()
    name: str = "negatives"

    def __post_init__(self) -> None:
        word_tokeniser(self.mining.tokenize)
        if self.per_bin < 0:
            raise ConfigError(f"per_bin must be at least 0; got {self.per_bin}")
        if not 0 <= self.lowest < 1:
            raise ConfigError(f"lowest must be at least 0 and below 1; got {self.lowest}")

    @property
    def signature(self) -> Mapping[str, Any]:
        judge = self.mining.judge
        return {
            "step": "negatives",
            "places": "lists",
            "sentences": dict(self.sentences.signature),
            "per_bin": self.per_bin,
            "lowest": self.lowest,
            "tokenize": words_label(self.mining.tokenize),
            "seed": self.mining.seed,
            "judge": judge and {**judge.signature, "ceiling": self.mining.ceiling},
        }

    def run(
        self, rows: Callable[[], Iterator[Row]], scratch: Path, advance: Advance
    ) -> Iterator[Row | Dropped]:
        lacking = np.zeros(BINS, dtype=np.int64)
        for block in chunks(rows(), _BLOCK):
            for row in block:
                lacking[row_bin(row)] += -1 if _is_negative(row) else 1
                yield row
            advance(len(block))
        wanted = np.full(BINS, self.per_bin) if self.per_bin else np.maximum(lacking, 0)
        wanted[: bin_of(self.lowest)] = 0
        yield from mine_negatives(self.sentences, wanted.tolist(), scratch, self.mining)


def shortfalls(rows: Iterator[Row], *, per_bin: int = 0, lowest: float = 0.5) -> list[int]:
    """Return how many mined pairs each bin still lacks after a `NegativesStep` with these values.

    Bins that were not to be filled lack none.
    """
    mined, lacking = np.zeros((2, BINS), dtype=np.int64)
    for row in rows:
        mined[row_bin(row)] += row.get("origin") == MINED
        lacking[row_bin(row)] += -1 if _is_negative(row) else 1
    found = np.maximum(per_bin - mined if per_bin else lacking, 0)
    found[: bin_of(lowest)] = 0
    found[EXACT] = 0
    return [int(count) for count in found]


def _is_negative(row: Row) -> bool:
    return row.get("origin") == MINED or row.get("label") == NEGATIVE


def mine_negatives(
    sentences: Callable[[], Iterator[Row]],
    wanted: Sequence[int],
    scratch: Path,
    mining: Mining | None = None,
) -> Iterator[Row]:
    """Yield pairs of different sentences, up to `wanted` of each bin of word overlap.

    Texts and word sets lie in files under `scratch`. Candidates are neighbours in random sorted
    orders, of which there are twelve, or fewer if two in a row add nothing: a bin may stay short
    though all pairs of all sentences would fill it.
    """
    need = np.zeros(BINS, dtype=np.int64)
    need[:EXACT] = list(wanted)[:EXACT]
    if need.any():
        with closing(_SentencePool(sentences(), scratch, mining or Mining())) as mine:
            yield from mine.fill(need)


class _SentencePool:
    """Sentences on disk, which of them are used, and what is still needed."""

    def __init__(self, sentences: Iterator[Row], scratch: Path, how: Mining) -> None:
        self._how = how
        with ExitStack() as stack:
            self._places = stack.enter_context(closing(RecordFile(scratch / "places")))
            self._texts = stack.enter_context(closing(RecordFile(scratch / "texts")))
            self._word_sets = stack.enter_context(closing(SetFile(scratch / "words")))
            self._keys = self._read(sentences)
            self._close = stack.pop_all().close
        self._sets = self._word_sets.sets()
        self._used = np.zeros(len(self._keys), dtype=np.bool_)

    def close(self) -> None:
        self._close()

    def _read(self, sentences: Iterator[Row]) -> np.typing.NDArray[np.uint64]:
        sets = WordSets(self._how.tokenize)
        keys = [np.zeros(0, dtype=np.uint64)]
        for block in chunks(sentences, _BLOCK):
            texts = [row["text"] for row in block]
            self._places.extend(_place(row) for row in block)
            self._texts.extend(text.encode() for text in texts)
            self._word_sets.extend(sets(texts))
            keys.append(sentence_keys(texts))
        return np.concatenate(keys)

    def fill(self, need: Ints) -> Iterator[Row]:
        """Yield pairs, and take them off what is needed."""
        low = bool(need[:_LOW].any())
        sizes = self._sets.sizes
        lacking = [0, int(need.sum())]
        for ones, twos in neighbours(self._sets, self._how.seed, apart=low):
            least = np.flatnonzero(need)[0] / EXACT  # overlap that is of use
            fit = np.minimum(sizes[ones], sizes[twos]) / np.maximum(sizes[ones], sizes[twos])
            good = (fit >= least) & (self._keys[ones] != self._keys[twos])
            good &= ~(self._used[ones] | self._used[twos])
            pairs = np.stack([ones[good], twos[good]], axis=1)
            bins = bins_of(*counted(self._sets, pairs[:, 0], pairs[:, 1]))
            for one in range(EXACT - 1, -1, -1):  # the more alike, the rarer: they choose first
                if need[one]:
                    yield from self._take(pairs[bins == one], one, need)
            lacking.append(int(need.sum()))
            if not lacking[-1] or lacking[-1] == lacking[-3]:
                return

    def _take(self, pairs: Ints, place: int, need: Ints) -> Iterator[Row]:
        """Go through the candidates of a bin in an order of the seed's, until it is full."""
        keys = self._keys[pairs]
        order = np.argsort(seeded(mixed(keys[:, 0]) + keys[:, 1], self._how.seed), kind="stable")
        free = (pair for pair in pairs[order].tolist() if not self._used[pair].any())
        while need[place] and (some := list(_few(free, _JUDGED))):
            for pair, share, scores in self._judged(some, place):
                if need[place] and not self._used[pair].any():
                    self._used[pair] = True
                    need[place] -= 1
                    yield self._row(pair, share, scores)

    def _judged(
        self, pairs: list[list[int]], place: int
    ) -> Iterator[tuple[list[int], float, dict[str, float]]]:
        """Yield those that are of the bin, word by word, and no paraphrases to the judge."""
        texts = [[self._texts[pair[side]].decode() for pair in pairs] for side in (0, 1)]
        counts = overlap(texts[0], texts[1], self._how.tokenize)
        judge = self._how.judge
        values = judge(texts[0], texts[1]) if judge else None
        shares, bins = rates(*counts).tolist(), bins_of(*counts).tolist()
        for number, (pair, share, found) in enumerate(zip(pairs, shares, bins, strict=True)):
            score = float(values[number]) if values is not None else None
            if found == place and (score is None or score <= self._how.ceiling):
                yield pair, share, {judge.name: score} if judge and score is not None else {}

    def _row(self, pair: list[int], share: float, scores: dict[str, float]) -> Row:
        one, two = sorted(pair)
        where = source_rows.places([json.loads(self._places[number]) for number in (one, two)])
        return {
            "id": "-".join([MINED, *where["sources"]]),
            "text1": self._texts[one].decode(),
            "text2": self._texts[two].decode(),
            "overlap": share,
            "quality": None,
            "origin": MINED,
            "systems": [],
            "source": None,
            **where,
            "scores": scores,
            "label": None,
        }


def _place(row: Row) -> bytes:
    """Return all of a row but its text."""
    kept = {key: row[key] for key in ("from", "row") if key in row}
    return json.dumps({"id": str(row["id"]), **kept}).encode()


def _few(items: Iterator[list[int]], most: int) -> Iterator[list[int]]:
    for _, item in zip(range(most), items, strict=False):
        yield item
