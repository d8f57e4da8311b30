"""Apertium, the real one: live programs give what fresh ones give, whatever came before."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.translators.line_checks import one_line
from paraphrast.corpora.translators.programs.apertium import Apertium
from paraphrast.corpora.translators.programs.apertium_mode import (
    Mode,
    framed,
    numbered_alike,
    unframed,
)
from paraphrast.corpora.translators.translator import Failed
from paraphrast.errors import ConfigError

MODES = Path("/usr/share/apertium/modes")
needs = pytest.mark.skipif(
    shutil.which("apertium") is None
    or not all((MODES / f"{mode}.mode").exists() for mode in ("eng-spa", "es-pt")),
    reason="needs Debian's apertium, apertium-eng-spa and apertium-es-pt",
)


def chain(**options: Any) -> Apertium:
    modes = options.pop("modes", ("eng-spa", "es-pt"))
    return Apertium(name="rules", source="en", target="pt", modes=modes, **options)


def fresh(text: str, mode: str, *options: str) -> str:
    """What a new apertium makes of one line."""
    command = ["apertium", *options, "-u", mode]
    done = subprocess.run(command, input=text + "\n", capture_output=True, text=True, check=True)
    return " ".join(done.stdout.split())


@pytest.fixture
def english() -> Iterator[Mode]:
    mode = Mode("rules", "eng-spa", str(MODES.parent), 60)
    yield mode
    mode.close()


@needs
def test_a_chain_of_modes_is_a_system() -> None:
    texts = ["The book is red.", "My brother [the tall one] lives in Paris.", "I like the dog."]
    with pickle.loads(pickle.dumps(chain())).open() as translate:
        assert translate(texts) == [  # apertium -f none -u eng-spa, then es-pt, of Debian 12
            "O livro é vermelho.",
            "Meu irmão [o alto um] vidas em Paris.",
            "Gosto do cão.",
        ]


@needs
def test_nothing_of_a_text_is_left_for_the_next(english: Mode) -> None:
    """After "a lot of", null flush alone gives "Red", "Acordar" and "Arriesgar" (see Mode)."""
    texts = ["There is a lot of rain.", "(ZD Net)", "i agree, Hmmmmmm.", "- MEH-risk Oct 20.doc"]
    found = english(texts)
    assert found[1:] == ["(ZD Neto)", "i Acuerda, Hmmmmmm.", "- MEH-Riesgo Oct 20.doc"]
    assert found == [fresh(text, "eng-spa", "-f", "none") for text in texts]


@needs
def test_real_sentences_come_out_as_from_a_fresh_process(
    data: Callable[[str], Path], english: Mode
) -> None:
    with gzip.open(data("text/en_ud_ewt.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [one_line(json.loads(line)["text"]) or "" for line in lines]
    texts = rows[::160]
    found = english(texts)
    assert len(found) == len(texts) == 104
    assert english(texts[::-1]) == found[::-1]
    plain = [n for n, text in enumerate(texts) if text.strip(".!?").replace(" ", "").isalpha()]
    assert len(plain) > 6
    for number in plain[:6]:
        answer = found[number]
        assert isinstance(answer, str)
        assert " ".join(answer.split()) == fresh(texts[number], "eng-spa", "-f", "none")


@needs
def test_special_characters_survive_as_in_apertium_s_own_text_format(english: Mode) -> None:
    texts = [
        "a [b] c {x} ^a$ a/b a\\b a@b.c <b>bold</b>",
        "*star* #hash +plus ~tilde",
        "[:3:] \\[the dog\\] [:4:",
        "I like 😀 dogs & cats|mice; 100 %",
    ]
    found = english(texts)
    assert found == [fresh(text, "eng-spa", "-n") for text in texts]


@needs
@pytest.mark.parametrize("mark", "^$@\\/<>{}[]~*#+|&")
def test_a_mark_of_the_stream_format_neither_hangs_nor_vanishes(mark: str) -> None:
    """Before a word ends, lrx-proc waits without end after a caret that is escaped."""
    texts = [f"The book is red {mark}", mark, f"The book {mark} is red.", f"red{mark}{mark}"]
    with chain(modes=("eng-spa",), timeout=20.0).open() as translate:
        found = translate(texts)
    assert [each.count(mark) for each in found if isinstance(each, str)] == [1, 1, 1, 2]


def test_no_caret_is_sent() -> None:
    message = framed(7, "x^2 ^")
    assert b"^" not in message
    assert unframed(message) == "x^2 ^"


@needs
def test_odd_texts_never_shift_the_lines() -> None:
    odd = ["", ".", "[", "\\", "^$", "a\nb", "x\0y", "~", "\ud800", "\uffff end", "y" * 9000, "😀"]
    texts = [each for text in odd for each in (text, "The book is red.")]
    with chain(modes=("eng-spa",)).open() as translate:
        found = translate(texts)
    assert found[1::2] == ["El libro es rojo."] * len(odd)
    assert found[0] == Failed("empty", "there is nothing to translate")
    assert found[16] == Failed("half a surrogate pair")


@needs
def test_unknown_words_bear_no_mark(english: Mode) -> None:
    assert english(["The xyzzyq is red.", "*xyzzyq"]) == ["El xyzzyq es rojo.", "*xyzzyq"]


@needs
def test_programs_that_are_killed_are_started_again(english: Mode) -> None:
    texts = ["The book is red.", "I like the dog."]
    right = english(texts)
    assert right == ["El libro es rojo.", "Me gusta el perro."]
    for place in (0, 2, -1):
        before = english.pids
        os.kill(before[place], signal.SIGKILL)
        assert english(texts) == right
        assert english.pids[place] != before[place]


@needs
def test_closing_leaves_no_process() -> None:
    mode = Mode("rules", "eng-spa", str(MODES.parent), 60)
    mode(["The book is red."])
    pids = mode.pids
    mode.close()
    assert len(pids) > 10
    assert not any(Path("/proc", str(pid)).exists() for pid in pids)


@needs
def test_the_signature_names_engine_and_data() -> None:
    signature = chain().signature
    assert [mode["mode"] for mode in signature["modes"]] == ["eng-spa", "es-pt"]
    assert all(mode["engine"] and mode["data"] for mode in signature["modes"])
    assert json.loads(json.dumps(signature)) == signature
    assert chain(modes=("eng-spa",)).signature != signature


@needs
def test_a_mode_that_is_not_there_is_an_error_that_names_packages(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        chain(modes=("eng-spaa",)).check()
    assert str(error.value).startswith(
        "Apertium has no mode 'eng-spaa' (did you mean 'eng-spa'?); installed: "
    )
    with pytest.raises(ConfigError) as error:
        chain(data=str(tmp_path)).check()
    assert str(error.value) == (
        "Apertium has no mode 'eng-spa'; installed: none; others are in Debian's packages "
        "apertium-*, this one most likely in apertium-eng-spa or apertium-spa-eng (apt install)"
    )
    (tmp_path / "modes").mkdir()
    (tmp_path / "modes" / "a-b.mode").write_text("no-such-proc 'x.bin' | lt-proc $1 'y.bin'\n")
    with pytest.raises(ConfigError, match="mode a-b needs the program no-such-proc, which is not"):
        chain(modes=("a-b",), data=str(tmp_path)).check()


def test_apertium_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigError) as error, chain().open():
        pass
    assert str(error.value) == (
        "Apertium (3.8 or newer) is not installed; it is in Debian's package apertium: "
        "apt install apertium"
    )


def test_wrong_options_are_refused() -> None:
    with pytest.raises(ConfigError, match="modes is empty; name at least one"):
        chain(modes=())
    with pytest.raises(ConfigError, match="timeout is 0; it must be above 0 seconds"):
        chain(timeout=0.0)


@given(st.integers(0, 999), st.text())
def test_escapes_are_undone(number: int, text: str) -> None:
    line = one_line(text) or ""
    message = framed(number, line)
    assert b"\0" not in message
    assert unframed(message) == line
    assert numbered_alike(message, message)
    assert not numbered_alike(framed(number + 1, line), message)
