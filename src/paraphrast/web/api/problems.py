"""What an error looks like."""

from __future__ import annotations

from pydantic import BaseModel, Field


class FieldProblem(BaseModel):
    """One field of a request, and what is wrong with it."""

    field: str = Field(description="The field, with the places in its lists: pairs.3.b")
    message: str


class Problem(BaseModel):
    """What went wrong: a code for programs, a sentence for people."""

    code: str = Field(examples=["invalid_field"])
    message: str
    field: str | None = Field(None, description="The first field that is wrong.")
    fields: list[FieldProblem] = Field(default_factory=list)


class ErrorAnswer(BaseModel):
    """The body of every error."""

    error: Problem
