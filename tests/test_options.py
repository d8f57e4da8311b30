"""An option is declared once: command line and Python signature come from one dataclass."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import Annotated, Any

import pytest

import paraphrast
from paraphrast.cli.main import run
from paraphrast.errors import ConfigError
from paraphrast.jobs.scoring.score_options import CompareOptions, ScoreOptions
from paraphrast.options import Option, declared_fields, takes_options

VERBS: list[tuple[Any, Any, str]] = [
    (paraphrast.score, ScoreOptions, "score"),
    (paraphrast.compare, CompareOptions, "compare"),
]


@dataclass(frozen=True, kw_only=True)
class Shade:
    depth: Annotated[int, Option("How dark.", "-d", "--depth")] = 3
    name: str = "grey"


@pytest.mark.parametrize(("function", "kind", "verb"), VERBS)
def test_python_takes_the_fields_with_their_defaults(function: Any, kind: Any, verb: str) -> None:
    signature = inspect.signature(function)
    for field in fields(kind):
        assert signature.parameters[field.name].default == field.default
        assert signature.parameters[field.name].kind is inspect.Parameter.KEYWORD_ONLY
    assert list(signature.parameters)[:3] == ["candidates", "references", "sources"]


@pytest.mark.parametrize(("function", "kind", "verb"), VERBS)
def test_every_parameter_has_a_line_in_the_docstring(function: Any, kind: Any, verb: str) -> None:
    lines = inspect.getdoc(function) or ""
    for name in inspect.signature(function).parameters:
        assert f"\n{name}: " in f"\n{lines}"


@pytest.mark.parametrize(("function", "kind", "verb"), VERBS)
def test_the_command_line_shows_the_same_help(
    function: Any,
    kind: Any,
    verb: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert run([verb, "--help"]) == 0
    shown = capsys.readouterr().out
    for field in declared_fields(kind):
        if field.option:
            assert field.option.help in shown
            assert all(flag in shown for flag in field.option.flags)


def test_a_function_gets_the_options_built() -> None:
    @takes_options(Shade)
    def paint(what: str, *, options: Shade) -> tuple[str, int, str]:
        """Paint."""
        return what, options.depth, options.name

    assert paint("wall") == ("wall", 3, "grey")
    assert paint(what="wall", depth=1) == ("wall", 1, "grey")
    assert (paint.__doc__ or "").endswith("Paint.\ndepth: How dark.")
    with pytest.raises(ConfigError, match=r"paint has no option 'dept' \(did you mean 'depth'"):
        paint("wall", dept=2)


def test_checks_are_those_of_the_class() -> None:
    with pytest.raises(ConfigError, match="at least 2 samples"):
        paraphrast.score(["a"], ["a"], metrics="bleu", samples=1)
    with pytest.raises(ConfigError, match="without a baseline"):
        paraphrast.compare({"a": ["a"], "b": ["b"]}, ["a"], baseline="a", all_pairs=True)
