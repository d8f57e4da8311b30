"""What a request of the API may hold; options are those that the library declares."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.jobs.scoring.score_options import CompareOptions, ScoreOptions
from paraphrast.options import declared_fields

STEERED = (
    "n", "novelty", "seed", "keep", "forbid", "protect", "pool", "floor", "support", "quality",
    "diverse", "method", "temperature", "top_k", "top_p", "typical", "beams", "length_penalty",
    "reverse", "shorten",
)  # fmt: skip
SCORED = ("ci", "samples", "seed", "empty")
COMPARED = ("baseline", "all_pairs", "test", "trials", "alpha", "samples", "seed", "empty")
_A = "The city council approved the plan on Tuesday."
_B = "The plan was approved by the city council on Monday."

OneOrMore = str | list[str]
Segment = str | list[str]


class RequestBody(BaseModel):
    """Nothing unknown, nothing of another type, no number that is none."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class PairsBody(RequestBody):
    """Two texts, or two lists of texts of equal length."""

    a: Annotated[OneOrMore, Field(description="A text, or a list of texts.", examples=[_A])]
    b: Annotated[OneOrMore, Field(description="What to hold it against.", examples=[_B])]
    model: Annotated[str, Field(description="Weights: mini or base, if installed.")] = "mini"

    def pairs(self) -> list[tuple[str, str]]:
        """Return the pairs."""
        if isinstance(self.a, str) or isinstance(self.b, str):
            return [(str(self.a), str(self.b))]
        return list(zip(self.a, self.b, strict=True))


class ScoreTexts(RequestBody):
    """Candidates, and what the metrics hold them against."""

    candidates: Annotated[
        list[Segment],
        Field(description="A text, or a list of texts, for each segment.", examples=[[_B]]),
    ]
    references: Annotated[
        list[Segment] | None,
        Field(description="The reference, or the references, of each segment.", examples=[[_A]]),
    ] = None
    sources: Annotated[list[str] | None, Field(description="The source of each segment.")] = None
    metrics: Annotated[
        list[str] | None,
        Field(description="Names such as chrf++ or rouge1:stemmer=true.", examples=[["bleu"]]),
    ] = None
    segments: Annotated[bool, Field(description="Add the value of each segment.")] = False


class CompareTexts(RequestBody):
    """Several systems on the same segments."""

    candidates: Annotated[
        dict[str, list[Segment]],
        Field(
            description="The candidates of each system, by its name.",
            examples=[{"first": [_A, _B], "second": [_B, _B]}],
        ),
    ]
    references: Annotated[list[Segment] | None, Field(examples=[[_A, _B]])] = None
    sources: list[str] | None = None
    metrics: Annotated[list[str] | None, Field(examples=[["chrf++"]])] = None
    segments: Annotated[bool, Field(description="Add the value of each segment.")] = False


class GenerateTexts(RequestBody):
    """Texts to paraphrase."""

    texts: Annotated[OneOrMore, Field(description="A text, or a list of texts.", examples=[[_A]])]
    explain: Annotated[bool, Field(description="Tag the words that were changed.")] = False
    rejected: Annotated[bool, Field(description="Add what was refused, and why.")] = False


def with_options(
    base: type[RequestBody], options: type[Any], names: Collection[str], title: str
) -> Any:
    """Add options, as the library declares them, to a body."""
    fields: dict[str, Any] = {}
    for field in declared_fields(options):
        if field.name in names:
            kind = list[str] | str if field.name in ("keep", "forbid") else field.type
            help_text = field.option.help if field.option else None
            default = list(field.default) if isinstance(field.default, tuple) else field.default
            fields[field.name] = (kind, Field(default, description=help_text))
    return create_model(title, __base__=base, **fields)


if (
    TYPE_CHECKING
):  # a type checker knows the texts; the options have been checked when they are read
    ScoreBody = ScoreTexts
    CompareBody = CompareTexts
    GenerateBody = GenerateTexts
else:
    ScoreBody = with_options(ScoreTexts, ScoreOptions, SCORED, "ScoreBody")
    CompareBody = with_options(CompareTexts, CompareOptions, COMPARED, "CompareBody")
    GenerateBody = with_options(GenerateTexts, GenerateOptions, STEERED, "GenerateBody")


def chosen_options(body: RequestBody, names: Collection[str]) -> dict[str, Any]:
    """Return the options that the request sets, for the library to check."""
    return {name: getattr(body, name) for name in names if name in body.model_fields_set}
