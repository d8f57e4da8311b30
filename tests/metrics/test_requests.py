"""Metrics as one line of text: what is written is what is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paraphrast
from paraphrast.cli.main import run
from paraphrast.errors import ConfigError
from paraphrast.jobs.scoring.judged_scores import judged_metrics
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.requests import parse_request, split_requests
from tests.encoders import make_encoder


def write_request(name: str, options: dict[str, str]) -> str:
    """Write a request with every value in quotes."""
    quoted = [f'{key}="{{}}"'.format(value.replace('"', '""')) for key, value in options.items()]
    return f"{name}:{','.join(quoted)}" if options else name


VALUES = st.text(alphabet="ab ,=\"':\\/\n", max_size=8)


@pytest.mark.parametrize(
    ("request_", "options"),
    [
        ("bleu", {}),
        ("bleu:", {}),
        ("bleu:,lowercase=true,,", {"lowercase": "true"}),
        ("bleu: lowercase = true , tokenize = intl ", {"lowercase": "true", "tokenize": "intl"}),
        ("bleu:tokenize=", {"tokenize": ""}),
        ('bleu:model="my, dir/enc",combine=mean', {"model": "my, dir/enc", "combine": "mean"}),
        ('bleu:model= " a " , combine=mean', {"model": " a ", "combine": "mean"}),
        ('bleu:model="a ""b"", c"', {"model": 'a "b", c'}),
        ('bleu:model=""', {"model": ""}),
        ('bleu:model=a"b', {"model": 'a"b'}),
        (r'bleu:model="C:\new dir"', {"model": r"C:\new dir"}),
        ("bleu:model=a=b:c", {"model": "a=b:c"}),
    ],
)
def test_options_are_read(request_: str, options: dict[str, str]) -> None:
    assert parse_request(request_) == ("bleu", options)


QUOTES = 'a quoted value ends with " before the next comma, and holds " only as ""'


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("bleu:lowercase", "write options as name:option=value,option=value"),
        ("bleu:tokenize=intl,lowercase", "write options as name:option=value,option=value"),
        ('bleu:model="my', QUOTES),
        ('bleu:model="my"x', QUOTES),
        ('bleu:model="my""', QUOTES),
        ('bleu:model="a",model=b', "option 'model' is given twice"),
    ],
)
def test_options_that_cannot_be_read(request_: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_request(request_)
    assert str(caught.value) == f"metric {request_!r}: {message}"


@given(options=st.dictionaries(st.sampled_from(["model", "combine", "part"]), VALUES))
def test_what_is_written_is_read_again(options: dict[str, str]) -> None:
    written = write_request("parableu", options)
    assert parse_request(written) == ("parableu", options)
    assert split_requests(f" {written}  bleu {written}") == [written, "bleu", written]


@given(text=st.text(alphabet='ab :,="', max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        name, options = parse_request(text)
    except ConfigError:
        return
    assert parse_request(write_request(name, options)) == (name, options)


def test_names_are_separated_by_spaces_outside_quotes() -> None:
    text = 'bleu  parableu:model="a b",combine=mean\tpinc'
    assert split_requests(text) == ["bleu", 'parableu:model="a b",combine=mean', "pinc"]
    assert split_requests(" ") == []
    assert split_requests('a:model="b c') == ['a:model="b', "c"]


def test_every_door_takes_a_path_with_a_comma_and_a_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    make_encoder(tmp_path / "my, dir" / "enc", model="mine")
    Path("c.txt").write_text("the cat sat\n")
    quoted = 'parableu:model="my, dir/enc"'
    arguments = ["score", "-c", "c.txt", "-r", "c.txt", "--threads", "1"]
    found = {
        " ".join(asked): (run([*arguments, *asked]), capsys.readouterr().out)
        for asked in (
            ["-m", quoted],
            ["-m", f"bleu {quoted}"],
            ["-m", "parableu", "--model", "my, dir/enc"],
        )
    }
    python = paraphrast.score(["the cat sat"], ["the cat sat"], metrics=quoted, threads=1)
    assert isinstance(python, paraphrast.Report)
    for code, out in found.values():
        assert code == 0
        assert python["parableu"].signature in out
        assert "|model:mine|" in out
    (one,) = judged_metrics([quoted])
    assert one.metric == make_metric("parableu", model="my, dir/enc")


def test_twins_in_a_meta_evaluation_go_by_requests_that_can_be_read_again(tmp_path: Path) -> None:
    make_encoder(tmp_path / "a, b")
    make_encoder(tmp_path / "c d", seed=1)
    requests = [f'paratag.P:model="{tmp_path}/{name}"' for name in ("a, b", "c d")]
    asked = judged_metrics(requests)
    assert [one.name for one in asked] == requests
    assert [one.metric for one in judged_metrics([one.name for one in asked])] == [
        one.metric for one in asked
    ]


def test_an_option_in_the_name_wins_over_a_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.txt").write_text("the cat sat on it\n")
    arguments = ["score", "-c", "c.txt", "-r", "c.txt", "--tokenize", "char"]
    assert run([*arguments, "-m", "bleu:tokenize=intl", "-m", "bleu"]) == 0
    assert re.findall(r"\|tok:(\w+)\|", capsys.readouterr().out) == ["intl", "char"]
