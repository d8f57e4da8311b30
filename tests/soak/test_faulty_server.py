"""A translation service that answers as broken ones do: no row ever gets another row's text."""

from __future__ import annotations

import itertools
import json
import random
import time
from pathlib import Path
from typing import IO, Any

import pytest

from paraphrast.cli.main import run
from tests.corpora.translators.server import HOLD, Answer, Script, serving
from tests.jobs.test_build import SENTENCES
from tests.soak.campaign import ROUNDS, SEED, contents

pytestmark = [pytest.mark.soak, pytest.mark.filterwarnings("ignore")]


def _cut(file: IO[bytes]) -> None:
    file.write(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"translatedText": "half')


def _closed(_file: IO[bytes]) -> None:
    """Say nothing at all."""


def _drip(file: IO[bytes]) -> None:
    file.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
    for _ in range(40):
        file.write(b" ")
        file.flush()
        time.sleep(0.1)


FAULTS: dict[str, Answer] = {
    "no answer": HOLD,
    "half an answer": (200, _cut),
    "a closed connection": (200, _closed),
    "a dripping answer": (200, _drip),
    "no JSON": (200, b"<html>busy</html>"),
    "an empty body": (200, b""),
    "brackets in brackets": (200, b"[" * 100_000),
    "the wrong shape": (200, {"text": "x"}),
    "no text": (200, {"translatedText": None}),
    "not UTF-8": (200, b'{"translatedText": "\xff"}'),
    "busy": (429, ({"Retry-After": "0"}, {"error": "slow down"})),
    "broken": (500, {"error": "oops"}),
    "away": (503, b""),
    "refused": (422, {"error": "not this text"}),
}


def test_a_service_with_all_its_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(SEED)
    sent: dict[str, int] = dict.fromkeys(FAULTS, 0)
    kinds = itertools.cycle(draw.sample(list(FAULTS), len(FAULTS)))

    def answer(body: dict[str, Any]) -> Answer:
        if draw.random() < 0.2:
            kind = next(kinds)
            sent[kind] += 1
            return FAULTS[kind]
        back = body["q"].startswith("Le ")
        words = {"Le": "The", "near": "by"} if back else {"The": "Le"}
        return 200, {"translatedText": " ".join(words.get(w, w) for w in body["q"].split())}

    texts = [text for text in SENTENCES if "near" in text][: 5 * ROUNDS]
    (tmp_path / "texts.txt").write_text("".join(f"{text}\n" for text in texts))
    with serving(Script(forever=answer)) as script:
        (tmp_path / "recipe.toml").write_text(
            'name = "faulty"\nshard = 10\n[[system]]\nname = "it"\nbackend = "libretranslate"\n'
            f'source = "en"\ntarget = "xx"\nurl = "{script.url}"\ntries = 3\ntimeout = 1\n'
            f'[[step]]\nuse = "source"\nfiles = ["{tmp_path}/texts.txt"]\n'
            '[[step]]\nuse = "clean"\nlanguage = "en"\ncheck = "none"\n'
            '[[step]]\nuse = "translate"\n[[step]]\nuse = "pair"\nways = ["source"]\n'
        )
        command = ["build", str(tmp_path / "recipe.toml"), "-o", str(tmp_path / "corpus"), "-q"]
        starts = 1
        while run([*command, "--jobs", "2"]):
            said = capsys.readouterr().err
            assert said.startswith("error: "), said
            starts += 1
            assert starts <= ROUNDS, said
    lines = b"".join(contents(tmp_path / "corpus", "*.jsonl").values()).splitlines()
    pairs = [json.loads(line) for line in lines]
    assert pairs
    for pair in pairs:
        one, two = sorted([pair["text1"], pair["text2"]], key=lambda text: "by" in text.split())
        assert two == one.replace("near", "by"), pair
    with capsys.disabled():
        print(f"\nservice: {starts} starts, {len(pairs)} of {len(texts)} pairs, faults {sent}")
