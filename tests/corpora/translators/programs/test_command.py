"""Commands that map lines to lines: batches, live ones, and all that they do wrong."""

from __future__ import annotations

import os
import pickle
import select
from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora.translators.programs.command import Command
from paraphrast.corpora.translators.translator import Failed
from paraphrast.errors import ConfigError, InputError
from tests.corpora.translators.sample_programs import dead, reverser, shell


def command(given: tuple[str, ...], **options: Any) -> Command:
    return Command(name="tool", source="en", target="xx", command=given, **options)


def run(translator: Command, texts: list[str]) -> list[str | Failed]:
    with pickle.loads(pickle.dumps(translator)).open() as translate:
        return list(translate(texts))


@pytest.mark.parametrize("live", [False, True])
def test_each_line_has_its_answer(live: bool, tmp_path: Path) -> None:
    texts = [f"text {n}\nof two lines" for n in range(150)] + ["", " \0 "]
    found = run(command(reverser(tmp_path), live=live, batch=100), texts)
    assert found[:150] == [f"text {n} of two lines"[::-1] for n in range(150)]
    assert found[150:] == [Failed("empty", "there is nothing to translate")] * 2


@pytest.mark.parametrize("live", [False, True])
def test_a_poisonous_line_is_set_aside_and_the_others_go_on(live: bool, tmp_path: Path) -> None:
    texts = [f"text {n}" for n in range(12)]
    texts[4] = "this is poison"
    found = run(command(reverser(tmp_path), live=live), texts)
    failed = found.pop(4)
    assert isinstance(failed, Failed)
    assert failed.reason == "translator died"
    assert "ended with status 3" in failed.detail
    assert failed.detail.endswith("first complaint; it is poison")
    assert found == [text[::-1] for text in texts if text != "this is poison"]


def test_a_command_that_never_works_stops_the_job(tmp_path: Path) -> None:
    given = dead(tmp_path)
    with pytest.raises(InputError, match="does not work: it ended with status 1; no model at all"):
        run(command(given), ["a", "b", "c"])
    with pytest.raises(InputError, match="tool failed on 5 texts in succession, each alone"):
        run(command(given, live=True), list("abcdefg"))


def test_the_wrong_number_of_lines_is_named() -> None:
    with pytest.raises(InputError) as error:
        run(command(("head", "-n", "2")), ["a", "b", "c"])
    assert str(error.value) == (
        "the command head -n 2 was given 3 lines and wrote 2; it must write one line for each"
    )
    with pytest.raises(InputError, match="was given 1 lines and wrote 0"):
        run(command(("true",)), ["a"])


def test_a_live_command_that_writes_too_much_is_noticed() -> None:
    twice = shell('while read -r line; do printf "%s\\n%s\\n" "$line" "$line"; done')
    with pytest.raises(InputError, match="wrote more lines than the 3 it was given"):
        run(command(twice, live=True), ["a", "b", "c"])


def test_a_live_command_that_hangs_is_killed_and_the_others_go_on() -> None:
    script = (
        'while read -r line; do if [ "$line" = stuck ]; then sleep 1000; fi; echo "<$line>"; done'
    )
    found = run(command(shell(script), live=True, timeout=1.5), ["a", "stuck", "b"])
    assert found == ["<a>", Failed("timeout", "no answer within 1.5 s"), "<b>"]


def test_a_command_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ours = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        found = run(command(shell(f"sleep 1000 > {pipe} & wait"), timeout=1.5), ["a"])
        assert found == [Failed("timeout", "no end within 1.5 s")]
        assert select.select([ours], [], [], 20)[0], "the child still holds the pipe"
        assert os.read(ours, 1) == b""
    finally:
        os.close(ours)


def test_an_echo_is_no_translation() -> None:
    texts = ["New York", "My brother lives here.", "12"]
    assert run(command(("cat",)), texts) == ["New York", Failed("echo", texts[1]), "12"]
    with pytest.raises(InputError, match="tool does not translate: 20 of 20 texts came back"):
        run(command(("cat",)), [f"this is sentence number {n}" for n in range(20)])


def test_what_is_not_text_is_refused() -> None:
    with pytest.raises(InputError, match="writes what is not UTF-8"):
        run(command(("printf", r"\377\n")), ["a"])


def test_a_command_that_is_not_there_is_an_error_before_any_work() -> None:
    with pytest.raises(ConfigError) as error:
        command(("no-such-translator", "-q")).check()
    assert str(error.value) == (
        "there is no program 'no-such-translator' to run; install it, or give its path"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"given": ()}, "command is empty; give the program and its arguments as a list"),
        ({"given": ("cat",), "batch": 0}, "batch is 0; it must be at least 1"),
        ({"given": ("cat",), "timeout": 0.0}, "timeout is 0; it must be above 0 seconds"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        command(**options)
    assert str(error.value) == message


def test_the_signature_changes_with_the_script(tmp_path: Path) -> None:
    translator = command(reverser(tmp_path))
    before = translator.signature
    assert before["command"] == list(translator.command)
    (tmp_path / "reverser.py").write_text("print()", encoding="utf-8")
    assert translator.signature != before


def test_very_long_texts_are_set_aside() -> None:
    assert run(command(("cat",)), ["x" * 10_001]) == [Failed("too long", "10,001 characters")]


def test_what_was_asked_is_counted() -> None:
    with command(("tr", "a-z", "b-za")).open() as translate:
        translate(["abc", "", "de"])
        assert (translate.usage.texts, translate.usage.characters) == (2, 5)
        assert translate.usage.seconds > 0


@pytest.mark.parametrize("live", [False, True])
def test_a_script_that_changes_while_it_is_used_stops_the_job(live: bool, tmp_path: Path) -> None:
    given = reverser(tmp_path)
    script = Path(given[-1])
    command = Command(name="tool", source="en", target="xx", command=given, live=live)
    with command.open() as translate:
        assert translate(["abc"]) == ["cba"]
        script.write_text(script.read_text().replace("[::-1]", ""))
        with pytest.raises(
            InputError, match=r"reverser\.py changed while it was used; run the same"
        ):
            translate(["abc"])
