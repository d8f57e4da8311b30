"""`paraphrast.support` and its file form: what goes in, what comes out, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paraphrast
from paraphrast.errors import ConfigError, InputError
from paraphrast.io import Field
from paraphrast.jobs.support import support_columns
from tests.encoders import make_encoder

SOURCE, TEXT = "The cat sat on the mat. He ran.", "He ran. Big dogs never said bad!"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_encoder(tmp_path_factory.mktemp("encoder"), format=2))


@pytest.fixture(scope="module")
def support(model: str) -> Callable[..., Any]:
    def call(*texts: Any, **options: Any) -> Any:
        return paraphrast.support(*texts, model=model, threads=1, **options)

    return call


def test_one_text_or_a_list(support: Callable[..., Any]) -> None:
    report = support(SOURCE, TEXT)
    assert isinstance(report, paraphrast.SupportReport)
    assert [claim.supported for claim in report.claims] == [True, False]
    many = support([SOURCE, TEXT], [TEXT, TEXT])
    assert many[0].to_dict() == report.to_dict()
    assert many[1].score == 1


def test_the_score_is_that_of_the_metric(support: Callable[..., Any], model: str) -> None:
    found = support(SOURCE, TEXT)
    report = paraphrast.score(
        [TEXT], sources=[SOURCE], metrics=[f"faithfulness:model={model}"], threads=1
    )
    assert isinstance(report, paraphrast.Report)
    assert report["faithfulness"].score == pytest.approx(found.score, abs=1e-4)
    assert report["faithfulness"].parts["least"] == pytest.approx(found.least, abs=1e-4)


@pytest.mark.parametrize(
    ("source", "text", "says"),
    [
        ([SOURCE], [TEXT, TEXT], "source holds 1 texts and text 2"),
        ([], [], "nothing to check"),
        (SOURCE, [TEXT], "give a text for source and one for text"),
        ([SOURCE], [None], "text, item 1"),
    ],
)
def test_bad_input_is_refused(
    source: Any, text: Any, says: str, support: Callable[..., Any]
) -> None:
    with pytest.raises(InputError, match=says):
        support(source, text)


def test_bad_options_are_refused(support: Callable[..., Any]) -> None:
    with pytest.raises(ConfigError, match="chunk must be at least 1"):
        support(SOURCE, TEXT, chunk=0)
    with pytest.raises(ConfigError, match="reach must be at least 1"):
        support(SOURCE, TEXT, reach=0)


def test_foreign_letters_are_warned_of(support: Callable[..., Any]) -> None:
    with pytest.warns(UserWarning, match="scripts that the weights"):
        report = support("猫はマットの上に座った。", "犬は走った。")
    assert len(report.claims) == 1


def test_columns_of_files(tmp_path: Path, model: str) -> None:
    sources, texts = tmp_path / "s.txt", tmp_path / "t.txt"
    sources.write_text(f"{SOURCE}\n{TEXT}\n\n", encoding="utf-8")
    texts.write_text(f"{TEXT}\n{TEXT}\nThe cat.\n", encoding="utf-8")
    fields = [Field.parse(str(path), role="text", format=None) for path in (sources, texts)]
    rows = list(support_columns(*fields, model=model, threads=1))
    assert [row.row for row in rows] == [1, 2, 3]
    assert [bool(row.report) for row in rows] == [False, True, False]
    assert rows[2].report.score == 0
