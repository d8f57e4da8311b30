"""TOML tables into dataclasses: what fits, and what is said of what does not."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import Any

import pytest

from paraphrast.errors import ConfigError
from paraphrast.io.toml_tables import build


@dataclass(frozen=True, kw_only=True)
class Inner:
    share: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Outer:
    name: str
    loose: dict[str, Any] = field(default_factory=dict)
    shares: dict[str, float] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    most: int | None = None
    inner: Inner = Inner()


def read(text: str) -> Outer:
    return build(Outer, tomllib.loads(text), "step[0]")


def test_a_table_of_anything_is_kept_as_it_is() -> None:
    found = read(
        'name = "a"\nloose = {backend = "chat", tries = 3, price = {prompt = 1.5}, x = []}'
    )
    assert found.loose == {"backend": "chat", "tries": 3, "price": {"prompt": 1.5}, "x": []}


def test_values_of_every_kind() -> None:
    found = read('name = "a"\nshares = {x = 1}\nnames = ["b"]\nmost = 3\ninner = {share = 1}')
    assert found == Outer(name="a", shares={"x": 1.0}, names=("b",), most=3, inner=Inner(share=1.0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "a"\nloose = "chat"', "step[0].loose: expected a table, found 'chat'"),
        ('name = "a"\nshares = {x = "y"}', "step[0].shares.x: expected a number, found 'y'"),
        ('name = "a"\nmost = true', "step[0].most: expected a whole number, found True"),
        ('name = "a"\nnames = "b"', "step[0].names: expected a list, found 'b'"),
        ('name = "a"\ninner = {shre = 1}', "step[0].inner: unknown key 'shre' (did you mean"),
        ("names = []", "step[0]: the key 'name' is missing"),
    ],
)
def test_what_does_not_fit_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read(text)
    assert str(error.value).startswith(message)
