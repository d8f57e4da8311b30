"""Write paraphrases: the function behind `paraphrast.generate` and `paraphrast generate`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, ParamSpec, Protocol, cast, overload

from paraphrast.errors import InputError, check_characters
from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.generation.paraphraser import AT_ONCE, Paraphraser, ShortfallCount
from paraphrast.generation.selection.candidate_choice import Choice
from paraphrast.io import chunks
from paraphrast.jobs.tag import Tagger
from paraphrast.meaning.tagged_pair import TaggedPair
from paraphrast.options import takes_options
from paraphrast.text.words import WordText

P = ParamSpec("P")
_DECIMALS = 5  # of figures in files: further ones depend on which texts were read together


class GenerateFunction(Protocol[P]):
    """The type of `generate`: the texts, then the fields of `GenerateOptions` as keywords."""

    @overload
    def __call__(  # type: ignore[overload-overlap]  # a text is a list of letters, too
        self, texts: str, *args: P.args, **options: P.kwargs
    ) -> Choice: ...
    @overload
    def __call__(
        self, texts: Iterable[str], *args: P.args, **options: P.kwargs
    ) -> list[Choice]: ...


def _generate_keywords(
    kind: Callable[P, GenerateOptions],
) -> Callable[[Callable[..., Choice | list[Choice]]], GenerateFunction[P]]:
    """Give the function the options as keywords, for type checkers as for `help()`."""
    return cast("Any", takes_options(cast("type[GenerateOptions]", kind)))  # type: ignore[no-any-return]


@_generate_keywords(GenerateOptions)
def generate(texts: str | Iterable[str], *, options: GenerateOptions) -> Choice | list[Choice]:
    """Return up to `n` paraphrases of each text, best first, with their scores; nothing is sent.

    One text gives one `Choice`, several a list. A pool of candidates is drawn for each text, those
    that change its meaning are refused, and the best of the others are chosen; where too few
    remain, `Choice.note` says why. A long text is paraphrased sentence by sentence, and a sentence
    without a paraphrase stays as it was, which the note tells too. `floor`, `support` and `quality`
    refuse nothing where they are None.

    texts: A text, or a list of texts.
    required: Whether it is an error if the weights of the judge are missing.
    """
    found = _choices([texts] if isinstance(texts, str) else texts, options)
    return found[0] if isinstance(texts, str) else found


def _choices(texts: Iterable[str], options: GenerateOptions) -> list[Choice]:
    sources = list(_checked(texts))
    writer = Paraphraser(options)
    found = [choice for block in chunks(sources, AT_ONCE) for choice in writer.paraphrase(block)]
    for note in [*writer.notes(), *ShortfallCount.of(found, options.n).notes()]:
        warnings.warn(note, UserWarning, stacklevel=4)
    return found


@dataclass(frozen=True, slots=True)
class TaggedChoice:
    """A choice, with the tagged differences of each of its candidates if these are wanted."""

    choice: Choice
    tagged: tuple[TaggedPair, ...] = ()

    def to_dict(self, *, rejected: bool = True) -> dict[str, Any]:
        """Return a row of JSONL, its figures rounded."""
        candidates = [asdict(kept) for kept in self.choice.candidates]
        for candidate, pair in zip(candidates, self.tagged, strict=False):
            candidate["differences"] = pair.to_dict()
        row: dict[str, Any] = {"source": self.choice.source, "candidates": _rounded(candidates)}
        if rejected:
            row["rejected"] = [asdict(each) for each in self.choice.rejected]
        return row | ({"note": self.choice.note} if self.choice.note else {})


def _rounded(value: Any) -> Any:
    """Return JSON values with every figure rounded."""
    if isinstance(value, float):
        return round(value, _DECIMALS)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value


def tagged_choices(
    writer: Paraphraser,
    sources: Iterable[str],
    *,
    explain: bool = False,
    advance: Callable[[int], None] | None = None,
) -> Iterator[TaggedChoice]:
    """Yield the choice for each source, reading some sources at a time.

    `explain` adds the tagged differences; `advance` is told how many sources more are done.
    """
    options = writer.options
    place: dict[str, Any] = {"threads": options.threads, "device": options.device}
    tagger = Tagger.load(options.judge, **place) if explain else None
    for block in chunks(sources, AT_ONCE):
        choices = writer.paraphrase(block, advance)
        if tagger is None:
            yield from map(TaggedChoice, choices)
            continue
        pairs = [
            (WordText.of(choice.source), WordText.of(kept.text))
            for choice in choices
            for kept in choice.candidates
        ]
        tagged = iter(tagger.tag(pairs))
        for choice in choices:
            yield TaggedChoice(choice, tuple(next(tagged) for _ in choice.candidates))


def _checked(texts: Any) -> Iterator[str]:
    if isinstance(texts, bytes | dict | set) or not isinstance(texts, Iterable):
        raise InputError(f"texts must be a list of strings; got {type(texts).__name__}")
    for row, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise InputError(f"texts, row {row}: expected text, got {text!r:.40}")
        check_characters(text, f"texts, row {row}")
        yield text
