"""Paraphrase a list of texts: draw candidates with a generator, choose among them.

Generator and judge know single sentences, so a long text is cut at its sentences, each is
paraphrased and judged by itself, and they are joined. A passage is judged by its weakest sentence,
and a sentence without a paraphrase stays as it was, which the note says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from paraphrast.generation.decoding.constraints import survives
from paraphrast.generation.decoding.decode import check_spelling, decode
from paraphrast.generation.decoding.requirements import Requirement, home, parse_all
from paraphrast.generation.generate_options import CAUTIOUS, COPIED, GenerateOptions
from paraphrast.generation.selection.candidate_choice import (
    Choice,
    Chooser,
    Paraphrase,
    Rejected,
)
from paraphrast.generation.selection.screening import lost
from paraphrast.models.generator.generator_loading import card_of, load_generator, told_to_copy
from paraphrast.models.generator.language_model import LanguageModel
from paraphrast.models.scripts import language_note, letters
from paraphrast.text.sentences import split_sentences

AT_ONCE = 64  # sources that are held while they are worked on
_LISTED = 5  # strings that a note names
_AIM = 0.05  # a generator is asked for a little more novelty than the least
WHOLE = 240  # characters up to which a text is read as one sentence
_LOWEST = ("same", "entailment", "support", "novelty")  # of all sentences; others are averaged


class Paraphraser:
    """A generator and what chooses from its candidates; counts what falls short."""

    def __init__(self, options: GenerateOptions) -> None:
        self.options = options
        place: dict[str, Any] = {"threads": options.threads, "device": options.device}
        self.model: LanguageModel = load_generator(options.model, **place)
        copied = COPIED if options.novelty is None else max(0.0, 1 - options.novelty - _AIM)
        self.model = told_to_copy(self.model, copied)
        self._decoding = options.decoding()
        check_spelling(self.model, self._decoding, options.must)
        self._required = parse_all(options.must, options.forbid)
        self._unmet: Counter[str] = Counter()  # texts without an output that has it
        self._chooser = Chooser(options.selection(), **place)
        self._chooser.prepare()
        self._hotter = options.hotter()
        self._absent = dict.fromkeys(options.keep)  # strings that no source has had so far
        self._shortfalls: Counter[str] = Counter()
        self._letters = self._foreign = 0

    def note_source(self, source: str) -> None:
        """Take note of a source that is paraphrased now or was before a stop."""
        for string in [each for each in self._absent if survives(each, source)]:
            del self._absent[string]

    def paraphrase(
        self, sources: Sequence[str], advance: Callable[[int], None] | None = None
    ) -> list[Choice]:
        """Return a choice for each source."""
        card = card_of(self.model)
        for source in sources:
            self.note_source(source)
        for source in sources if card else ():
            total, foreign = letters(source, card.languages if card else ())
            self._letters += total
            self._foreign += foreign
        plans = [cut(source) for source in sources]
        parts = [part.text for plan in plans for part in plan]
        must = [strings for plan in plans for strings in shared_out(self._required, plan)]
        single = len(parts) == len(sources)
        found = decode(
            self.model,
            parts,
            self._decoding,
            must=must,
            advance=advance if single else None,
            shortfalls=self._shortfalls,
        )
        choices = iter(self._again(parts, must, self._chooser.choose(parts, found)))
        if advance and not single:
            advance(len(sources))
        return [
            self._with_required(joined(source, plan, [next(choices) for _ in plan], self.options.n))
            for source, plan in zip(sources, plans, strict=True)
        ]

    def _with_required(self, choice: Choice) -> Choice:
        """Refuse the outputs of a passage without a required string; count what none has."""
        found = complete(choice, self._required)
        texts = [one.text for one in found.candidates] + [one.text for one in found.rejected]
        for each in self._required if found.source.strip() else ():
            if not any(map(each.met_by, texts)):
                self._unmet[each.name] += 1
        return found

    def _again(
        self, parts: Sequence[str], must: Sequence[Sequence[str]], choices: list[Choice]
    ) -> list[Choice]:
        """Write a second pool for the texts without an output, hotter and nearer to the source."""
        lacking = [n for n, one in enumerate(choices) if parts[n].strip() and not one.candidates]
        if self._hotter is None or not lacking:
            return choices
        texts = [parts[number] for number in lacking]
        model = told_to_copy(self.model, CAUTIOUS)
        wanted = [must[number] for number in lacking]
        found = decode(model, texts, self._hotter, must=wanted, shortfalls=self._shortfalls)
        for number, new in zip(lacking, self._chooser.choose(texts, found), strict=True):
            kept = tuple(replace(one, why=f"{one.why}, of a second pool") for one in new.candidates)
            rejected = (*choices[number].rejected, *new.rejected)
            choices[number] = replace(new, candidates=kept, rejected=rejected)
        return choices

    def notes(self) -> list[str]:
        """Return what a reader of the results has to know."""
        notes = list(self._chooser.notes)
        card = card_of(self.model)
        foreign = language_note(self._letters, self._foreign, card) if card else None
        notes += [foreign] if foreign else []
        if self._absent:
            listed = ", ".join(map(repr, islice(self._absent, _LISTED)))
            more = ", …" if len(self._absent) > _LISTED else ""
            count, every = len(self._absent), len(set(self.options.keep))
            notes.append(f"{count:,} of {every:,} strings to keep stand in no text: {listed}{more}")
        notes += [
            f"{count:,} texts for which nothing with {name!r} was found"
            for name, count in self._unmet.items()
        ]
        notes += [f"{count:,} candidates fewer: {why}" for why, count in self._shortfalls.items()]
        return notes


@dataclass(slots=True)
class ShortfallCount:
    """Counts sources that have fewer paraphrases than are wanted."""

    wanted: int
    sources: int = 0
    without: int = 0
    fewer: int = 0

    @classmethod
    def of(cls, found: Iterable[Choice], wanted: int) -> ShortfallCount:
        """Count the paraphrases of all choices."""
        count = cls(wanted)
        for choice in found:
            count.add(len(choice.candidates))
        return count

    def add(self, found: int) -> None:
        """Count a source with so many paraphrases."""
        self.sources += 1
        self.without += not found
        self.fewer += 0 < found < self.wanted

    def notes(self) -> list[str]:
        """Return a note for each way in which sources fell short."""
        notes = []
        if self.without:
            notes.append(f"{self.without:,} of {self.sources:,} sources have no paraphrase")
        if self.fewer:
            notes.append(f"{self.fewer:,} have fewer than the {self.wanted} asked for")
        return notes


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence of a text, and what stands between the one before and it."""

    text: str
    before: str


def cut(text: str) -> list[PassageSentence]:
    """Cut a long text at its sentences; any other is given back as one."""
    found = split_sentences(text) if len(text) > WHOLE else []
    if len(found) < 2:
        return [PassageSentence(text, "")]
    parts, end = [], 0
    for each in found:
        start = text.index(each, end)
        parts.append(PassageSentence(each, text[end:start]))
        end = start + len(each)
    return parts


def shared_out(
    required: Sequence[Requirement], parts: Sequence[PassageSentence]
) -> list[list[str]]:
    """Return what each sentence of a passage must contain for the passage to contain it all."""
    texts = [part.text for part in parts]
    homes = [home(each, texts) for each in required]
    return [
        [each.name for each, at in zip(required, homes, strict=True) if at == place]
        for place in range(len(parts))
    ]


def complete(choice: Choice, required: Sequence[Requirement]) -> Choice:
    """Refuse outputs that lack what is required, as where a sentence stayed as it was."""
    kept, rejected = [], list(choice.rejected)
    remarks = [choice.note] if choice.note else []
    for one in choice.candidates:
        refusal = lost([each.name for each in required if not each.met_by(one.text)])
        if refusal is None:
            kept.append(one)
        else:
            rejected.append(Rejected(one.text, refusal.reason))
            remarks.append(f"an output {refusal.reason}")
    if len(kept) == len(choice.candidates):
        return choice
    if not kept:
        remarks.insert(0, "no output")
    return replace(
        choice, candidates=tuple(kept), rejected=tuple(rejected), note="; ".join(remarks)
    )


def joined(
    source: str, parts: Sequence[PassageSentence], choices: Sequence[Choice], n: int
) -> Choice:
    """Put the choices of a passage's sentences together.

    The k-th output has the k-th paraphrase of each sentence, its last if it has fewer, or the
    sentence itself. Scores are the lowest of the sentences' where one bad sentence spoils a text,
    and means of those that were paraphrased otherwise.
    """
    if len(parts) == 1:
        return choices[0]
    rejected = tuple(each for choice in choices for each in choice.rejected)
    kept: dict[str, Paraphrase] = {}
    for place in range(max(len(choice.candidates) for choice in choices)):
        chosen = [
            choice.candidates[min(place, len(choice.candidates) - 1)] if choice.candidates else None
            for choice in choices
        ]
        output = _output(parts, chosen)
        kept.setdefault(output.text, output)
    outputs = tuple(kept.values())[:n]
    return Choice(source, outputs, rejected, _note(choices, len(outputs), n))


def _output(parts: Sequence[PassageSentence], chosen: Sequence[Paraphrase | None]) -> Paraphrase:
    texts = [
        part.before + (part.text if one is None else one.text)
        for part, one in zip(parts, chosen, strict=True)
    ]
    new = [one for one in chosen if one is not None]
    names = dict.fromkeys(name for one in new for name in one.scores)
    scores = {name: _combined(name, [one.scores for one in new]) for name in names}
    why = f"{len(new)} of {len(parts)} sentences are new, each chosen by itself"
    return Paraphrase("".join(texts), sum(one.logprob for one in new), scores, why)


def _combined(name: str, scores: Sequence[dict[str, float]]) -> float:
    values = [each[name] for each in scores if name in each]
    return min(values) if name in _LOWEST else sum(values) / len(values)


def _note(choices: Sequence[Choice], found: int, n: int) -> str | None:
    same = [place for place, choice in enumerate(choices, 1) if not choice.candidates]
    remarks = []
    if not found:
        return f"no output: none of {len(choices)} sentences has a paraphrase; {choices[0].note}"
    if found < n:
        remarks.append(f"{found} of {n} outputs")
    if same:
        places = ", ".join(map(str, same))
        remarks.append(f"{len(same)} of {len(choices)} sentences stay as they were: {places}")
    return "; ".join(remarks) or None
