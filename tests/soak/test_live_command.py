"""A live command that prints too much and too little at random: no line gets another's answer."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from paraphrast.corpora.translators.programs.command import Command
from paraphrast.corpora.translators.translator import Failed
from paraphrast.errors import InputError
from tests.soak.campaign import ROUNDS, SEED

pytestmark = pytest.mark.soak

_ERRATIC = """
import random, sys, time
draw = random.Random()
for line in sys.stdin:
    number, tab, text = line.strip().rpartition("\\t")
    answer, fault = number + tab + text[::-1], draw.random()
    if fault > 0.01:
        print(answer, flush=True)
    if fault < 0.005 or fault > 0.985:
        time.sleep(draw.choice([0, 0, 0.01]))
        print(draw.choice(["warning: slow", answer]), flush=True)
"""


@pytest.mark.parametrize("numbered", [False, True])
def test_a_command_with_stray_and_skipped_lines(
    numbered: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "erratic.py").write_text(_ERRATIC)
    program = (sys.executable, "-S", str(tmp_path / "erratic.py"))
    command = Command(
        name="it",
        source="en",
        target="xx",
        command=program,
        live=True,
        timeout=1.0,
        numbered=numbered,
    )
    draw = random.Random(SEED)
    right = failed = refused = 0
    for _ in range(ROUNDS):
        texts = [f"text {draw.randrange(10**6)}" for _ in range(100)]
        try:
            with command.open() as translate:
                found = translate(texts)
        except InputError:
            refused += 1
            continue
        for text, answer in zip(texts, found, strict=True):
            if isinstance(answer, Failed):
                failed += 1
            else:
                assert answer in (text[::-1], "warning: slow"), (text, answer)
                right += answer == text[::-1]
    with capsys.disabled():
        print(
            f"\nlive command, numbered={numbered}: {right} right, {failed} set aside, "
            f"{refused} of {ROUNDS} calls refused"
        )
