"""Results on standard output or in a file, in the format asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import typer

from paraphrast.cli.request import Request
from paraphrast.errors import InputError
from paraphrast.io import atomic_writer, write_table
from paraphrast.results import Comparison, PairedTest, report_table


def show(result: Comparison, request: Request, *, bare: bool = False) -> None:
    """Write segment values and then the result, so that the result means all went well."""
    if request.segments:
        write_table(request.segments, _segment_rows(result))
    if bare:
        _write(_bare(result, 1 if request.width is None else request.width), request.output)
        return
    if request.form in ("tsv", "parquet"):
        write_table(request.output or "-", _score_rows(result), format=request.form)
        return
    if request.form == "json":
        single = len(result.systems) == 1 and not result.tests
        text = (next(iter(result.systems.values())) if single else result).to_json()
    else:
        text = report_table(
            result.systems,
            result.tests,
            method=result.method,
            digits=request.width,
            notes=None if request.quiet else result.notes,
        )
    _write(text, request.output)


def _bare(result: Comparison, digits: int) -> str:
    reports = result.systems.values()
    return "\n".join(f"{s.score:.{digits}f}" for report in reports for s in report.scores)


def _write(text: str, path: str | None) -> None:
    if path is None or path == "-":
        if sys.stdout is None:
            raise InputError("cannot write to standard output: it is closed")
        typer.echo(text)
        return
    with atomic_writer(path) as file:
        file.write(text + "\n")


def _score_rows(result: Comparison) -> Iterator[Mapping[str, object]]:
    for name, report in result.systems.items():
        tests = [test for test in result.tests if test.system == name]
        for number, score in enumerate(report.scores):
            low, high = score.ci or (None, None)
            row: dict[str, Any] = {"system": name, "metric": score.metric, "score": score.score}
            row |= {"ci_low": low, "ci_high": high}
            if result.tests:
                row |= _test_row(tests[number] if tests else None)
            yield row | {"segments": report.segments, "signature": score.signature}


def _test_row(test: PairedTest | None) -> dict[str, object]:
    names = ("difference", "p", "p_holm", "significant")
    return {name: getattr(test, name) if test else None for name in names}


def _segment_rows(result: Comparison) -> Iterator[Mapping[str, object]]:
    several = len(result.systems) > 1
    for name, report in result.systems.items():
        columns = {key: values.tolist() for key, values in report.segment_values.items()}
        for index in range(report.segments):
            row: dict[str, object] = {"system": name} if several else {}
            row["segment"] = index + 1
            yield row | {key: values[index] for key, values in columns.items()}
