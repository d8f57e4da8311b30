"""METEOR against its oracle, the 1.5 jar, run with Java on real text."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from paraphrast.errors import MissingExtra
from paraphrast.metrics.meteor.resources import package_file
from paraphrast.metrics.meteor.statistics import score, segment_statistics

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("PARAPHRAST_DATA", ROOT.parent / "shared" / "data"))
MRPC = DATA / "pairs" / "mrpc.test.jsonl.gz"
PARAPHRASES = DATA / "judgements" / "bawden_human_paraphrases_deen500.tsv"
OPTIONS = ["-", "-", "-stdio", "-l", "en", "-norm"]

Segments = Sequence[tuple[str, Sequence[str]]]


class Jar:
    """The jar under its ``-stdio`` protocol: SCORE returns statistics, EVAL scores them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def scores(self, segments: Segments) -> tuple[NDArray[np.float64], float]:
        """Return the scores of the segments and of the corpus they make."""
        statistics = []
        for candidate, references in segments:
            self._send("SCORE", *references, candidate)
            statistics.append(self._receive())
        self._send("EVAL", *statistics)
        *values, corpus = (float(self._receive()) for _ in range(len(segments) + 1))
        return np.array(values), corpus

    def _send(self, *fields: str) -> None:
        print(" ||| ".join(fields), file=self._process.stdin, flush=True)

    def _receive(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@pytest.fixture(scope="module")
def jar() -> Iterator[Jar]:
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    try:
        path = package_file("meteor-1.5.jar")
    except MissingExtra as error:
        pytest.skip(str(error))
    with subprocess.Popen(
        ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", path, *OPTIONS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        yield Jar(process)
        process.kill()


def data_file(path: Path) -> Path:
    if not path.is_file():
        pytest.skip(f"{path} is missing; set PARAPHRAST_DATA")
    return path


def assert_equal(jar: Jar, segments: Segments) -> None:
    expected, expected_corpus = jar.scores(segments)
    statistics = np.array([segment_statistics(text, refs) for text, refs in segments])
    np.testing.assert_allclose(score(statistics)[:, 0], expected, rtol=0, atol=1e-9)
    corpus = score(statistics.sum(axis=0, keepdims=True))[0, 0]
    assert corpus == pytest.approx(expected_corpus, abs=1e-9)


def test_equals_the_jar_on_1000_mrpc_pairs(jar: Jar) -> None:
    with gzip.open(data_file(MRPC), "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in itertools.islice(file, 1000)]
    assert_equal(jar, [(row["text1"], [row["text2"]]) for row in rows])


def test_equals_the_jar_on_200_segments_with_two_to_five_references(jar: Jar) -> None:
    with data_file(PARAPHRASES).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:201]
    references = [[text for text in row[2:] if text.strip()] for row in rows]
    ragged = [texts[: 2 + number % 4] for number, texts in enumerate(references)]
    assert_equal(jar, list(zip((row[1] for row in rows), ragged, strict=True)))


def test_equals_the_jar_on_awkward_text(jar: Jar) -> None:
    texts = [
        "The U.S. paid No. 5 $3.50, i.e. \u201ctoo much\u201d\u2026 didn't it?",
        "the us paid no 5 $ 3.50 - that is , '' too much '' ... did it not ?",
        "1,000,000,5 a,b,,c ''x'' 80's o'clock rock'n'roll d\u2019accord",
        "caf\u00e9 \u00a0 na\u00efve\u3000\u0416\u0438\u0437\u043d\u044c",
        "\u65e5\u672c \U0001f600 \U0001f600 --- x--y \u2013 z \u2014 x",
        "He said he 'd go to St. Mary 's at 5 p.m. ..... Then",
        "end.Of sentence. next Mr. Smith vs. Jones e.g. this",
        "the the the a a a of of of to to to in in in the the the a a a of of of",
    ]
    assert_equal(jar, [(one, [two]) for one in texts for two in texts])
