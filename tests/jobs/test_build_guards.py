"""Building over what is there, wrong recipes, and what a corpus says of where it comes from."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import paraphrast
from paraphrast.cli.main import run
from paraphrast.corpora.build.manifest import read_manifest, verify
from paraphrast.corpora.build.output_folder import STAGING
from paraphrast.errors import ConfigError, InputError
from paraphrast.io.resume import lock_folder

PROGRAM = """
import sys
words = dict(pair.split("=") for pair in sys.argv[1:])
for line in sys.stdin:
    print(" ".join(words.get(word, word) for word in line.split()), flush=True)
"""
SENTENCES = [
    f"The {one} quickly {verb} the small {two} near the old town."
    for one in ("dog", "cat", "man")
    for verb in ("sees", "likes", "finds")
    for two in ("king", "queen")
]
SPLIT = '[[step]]\nuse = "split"\nshares = { train = 0.5, dev = 0.25, test = 0.25 }\n'
PAIR = '[[step]]\nuse = "pair"\nways = ["source"]\n'


def system(name: str, program: Path, *words: str) -> str:
    there = json.dumps([sys.executable, str(program), "The=Le", *words])
    back = json.dumps([sys.executable, str(program), "Le=The", *words])
    return (
        f'[[system]]\nname = "{name}"\nbackend = "command"\nsource = "en"\ntarget = "xx"\n'
        f"command = {there}\nback_command = {back}\n"
    )


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """One system, few sentences, and pairs of source and way back."""
    (tmp_path / "texts.txt").write_text("\n".join(SENTENCES) + "\n")
    program = tmp_path / "words.py"
    program.write_text(PROGRAM)
    path = tmp_path / "recipe.toml"
    path.write_text(
        'name = "small"\n'
        + system("plain", program, "near=by", "old=ancient", "sees=spots")
        + f'[[step]]\nuse = "source"\nfiles = ["{tmp_path}/texts.txt"]\n'
        + '[[step]]\nuse = "clean"\nlanguage = "en"\ncheck = "none"\n'
        + f'[[step]]\nuse = "translate"\n{PAIR}'
    )
    return path


def change(recipe: Path, old: str, new: str) -> None:
    text = recipe.read_text()
    assert old in text
    recipe.write_text(text.replace(old, new))


def add(recipe: Path, text: str) -> None:
    recipe.write_text(recipe.read_text() + text)


def rows_of(folder: Path) -> list[dict[str, Any]]:
    text = "".join(path.read_text() for path in sorted(folder.glob("*.jsonl")))
    return [json.loads(line) for line in text.splitlines()]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_folder_of_other_files_is_not_written_into(
    recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thesis = tmp_path / "thesis"
    thesis.mkdir()
    (thesis / "train.jsonl").write_text("mine")
    assert run(["build", str(recipe), "-o", str(thesis)]) == 2
    assert "is not empty, and what is in it (train.jsonl) is no corpus" in capsys.readouterr().err
    (thesis / "manifest.json").write_text('{"kind": "other"}')
    with pytest.raises(ConfigError, match="give a new or an empty folder"):
        paraphrast.build(recipe, thesis)
    assert (thesis / "train.jsonl").read_text() == "mine"
    assert not (tmp_path / "thesis.work").exists()


@pytest.mark.parametrize("place", [".", "/"])
def test_odd_folders_are_no_traceback(
    recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["build", str(recipe), "-o", place]) == 2


def test_the_work_folder_may_be_inside_and_an_empty_folder_may_be_this_one(
    recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    with pytest.raises(ConfigError, match="cannot hold the corpus and the rows of the steps"):
        paraphrast.build(recipe, ".", work=home)
    (home / "rows").mkdir()
    (home / "rows" / "kept").write_text("")
    paraphrast.build(recipe, ".", work=home / "rows", jobs=1)
    assert verify(home).rows == len(SENTENCES)


def test_a_rebuild_replaces_the_corpus_of_before_and_no_other_file(
    recipe: Path, tmp_path: Path
) -> None:
    home = tmp_path / "corpus"
    plain = recipe.read_text()
    add(recipe, SPLIT)
    first = paraphrast.build(recipe, home, jobs=1)
    assert list(first.splits) == ["train", "dev", "test"]
    (home / "notes.txt").write_text("mine")
    recipe.write_text(plain)
    paraphrast.build(recipe, home, jobs=1)
    names = {"pairs.jsonl", "README.md", "card.html", "recipe.toml", "manifest.json", "notes.txt"}
    assert set(contents(home)) == names
    assert verify(home).others == ("notes.txt",)


def test_a_rebuild_that_fails_leaves_the_corpus_as_it_was(recipe: Path, tmp_path: Path) -> None:
    home = tmp_path / "corpus"
    paraphrast.build(recipe, home, jobs=1)
    before = contents(home)
    change(recipe, 'check = "none"', 'check = "none"\nmin_words = 50')
    with pytest.raises(InputError) as error:
        paraphrast.build(recipe, home, jobs=1)
    assert str(error.value) == (
        f"no pair is left. Most rows were dropped by clean: too short ({len(SENTENCES)}). What was "
        f"dropped is in {tmp_path / 'corpus.work'}"
    )
    assert contents(home) == before
    assert verify(home).rows == len(SENTENCES)


def test_a_job_killed_while_files_took_their_places_goes_on(recipe: Path, tmp_path: Path) -> None:
    home = tmp_path / "corpus"
    paraphrast.build(recipe, home, jobs=1)
    (home / STAGING).mkdir()
    os.replace(home / "manifest.json", home / STAGING / "manifest.json")
    os.replace(home / "card.html", home / STAGING / "card.html")
    left = tmp_path / "corpus.work" / ".paraphrast-0123456789ab.tmp"
    left.write_text("half a row")
    scratch = tmp_path / "corpus.work" / "scratch-0123456789abcdef"
    scratch.mkdir()
    (scratch / "ids").write_text("of a step that the recipe has no longer")
    add(recipe, SPLIT)
    paraphrast.build(recipe, home, jobs=1)
    assert verify(home).others == ()
    assert not (home / "pairs.jsonl").exists()
    assert not left.exists()
    assert not scratch.exists()


WRONG = {
    "metric": (
        '[[step]]\nuse = "estimate"\nmetric = "blue"\n' + PAIR,
        "step[3] (estimate): unknown",
    ),
    "tokeniser": (PAIR + 'tokenize = "klingon"\n', "step[3] (pair): unknown tokeniser 'klingon'"),
    "balance": (PAIR + '[[step]]\nuse = "balance"\nper_bin = 0\n', "step[4] (balance): per_bin"),
    "shares": (PAIR + SPLIT.replace("0.5", "0.6"), "step[4] (split): the shares must add up to 1"),
    "name": (PAIR + SPLIT.replace("dev", '"../x"'), "step[4] (split): a split is named in letters"),
    "texts": (
        PAIR + '[[step]]\nuse = "negatives"\nfiles = ["/no/such"]\n',
        "step[4] (negatives): there is no file /no/such",
    ),
    "judge": (
        PAIR + '[[step]]\nuse = "negatives"\njudge = "no-such-model"\n',
        "step[4] (negatives): ",
    ),
    "formats": (PAIR + "[output]\nformats = []\n", "output.formats: a corpus needs a format"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_recipe_is_refused_before_any_work(
    recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    new, said = WRONG[case]
    change(recipe, PAIR, new)
    assert run(["build", str(recipe), "-o", str(tmp_path / "c")]) == 2
    assert f"error: {recipe}: {said}" in capsys.readouterr().err
    assert not (tmp_path / "c.work").exists()


def test_models_and_demonstrations_are_looked_for_before_any_work(
    recipe: Path, tmp_path: Path
) -> None:
    whole = recipe.read_text()
    change(recipe, '[[step]]\nuse = "translate"', '[[step]]\nuse = "rank"\nkeep = 5\n'
           'model = "no-such-model"\n[[step]]\nuse = "translate"')  # fmt: skip
    with pytest.raises(ConfigError, match=r"step\[2\] \(rank\): "):
        paraphrast.build(recipe, tmp_path / "c")
    (tmp_path / "few.jsonl").write_text('{"text1": "a b", "text2": "b a"}\n' * 3)
    prompt = (
        '[[step]]\nuse = "prompt"\nsystem = { backend = "chat", url = "http://x", model = "m" }\n'
    )
    start = whole.partition('[[step]]\nuse = "translate"')[0]
    recipe.write_text(f'{start}{prompt}demonstrations = "{tmp_path}/few.jsonl"\n')
    with pytest.raises(ConfigError, match=r"\(prompt\): there are 1 demonstrations for 20 shots"):
        paraphrast.build(recipe, tmp_path / "c")
    recipe.write_text(f'{start}{prompt}demonstrations = "/no/such.jsonl"\n')
    with pytest.raises(ConfigError, match=r"\(prompt\): there is no file /no/such"):
        paraphrast.build(recipe, tmp_path / "c")
    assert not (tmp_path / "c.work").exists()


def test_a_column_that_is_not_there_is_told_before_any_work(recipe: Path, tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl").write_text('{"text": "a"}\n')
    change(recipe, "texts.txt", "texts.jsonl:body")
    with pytest.raises(InputError) as error:
        paraphrast.build(recipe, tmp_path / "c")
    assert str(error.value).startswith(f"{recipe}: step[0] (source): ")
    assert "body" in str(error.value)
    assert not (tmp_path / "c.work").exists()


def test_texts_to_mine_are_cleaned_and_say_where_they_stand(recipe: Path, tmp_path: Path) -> None:
    """Tabs, spaces and lines too long for the recipe's `clean` stay out; what lacks is told."""
    words = "one two three four five six seven eight nine ten eleven".split()
    texts = [" ".join([*words, "twelve"]), "\t".join([*words, "dozen"]), "too short"]
    texts.append("  ".join([*words, "thirteen", *["very"] * 60]))
    (tmp_path / "more.txt").write_text("\n".join(texts) + "\n")
    mine = f'[[step]]\nuse = "negatives"\nfiles = ["{tmp_path}/more.txt"]\nper_bin = 1\n'
    sample = '[[step]]\nuse = "balance"\nper_bin = 2\n'
    add(recipe, f'{sample}{mine}lowest = 0.8\n[output]\nformats = ["jsonl", "parquet"]\n')
    report = paraphrast.build(recipe, tmp_path / "c", jobs=1)
    (mined,) = (row for row in rows_of(tmp_path / "c") if row["origin"] == "mined")
    assert {mined["text1"], mined["text2"]} == {texts[0], " ".join([*words, "dozen"])}
    assert mined["sources"] == ["texts-000000001", "texts-000000002"]
    assert (mined["from"], mined["row"]) == (["more.txt", "more.txt"], [1, 2])
    assert [step.name for step in report.steps][-4:] == ["balance", "texts", "clean texts",
                                                         "negatives"]  # fmt: skip
    assert [one.lacking for one in report.bins] == [0] * 9 + [1, 0]
    said = "too few negatives were found in the texts: overlap [0.9, 1) lacks 1"
    assert report.notes == (said,)
    card = (tmp_path / "c" / "README.md").read_text()
    assert "Missing of the mined pairs wanted: 1, in [0.9, 1)." in card
    assert "on local, 1 job from" in card


def test_steps_of_one_name_and_renamed_files_and_systems(recipe: Path, tmp_path: Path) -> None:
    clean = '[[step]]\nuse = "clean"\nlanguage = "en"\ncheck = "none"\n'
    change(recipe, clean, clean + clean + "min_words = 5\n")
    paraphrast.build(recipe, tmp_path / "c", jobs=1)
    first = rows_of(tmp_path / "c")[0]
    assert (first["sources"], first["from"], first["row"]) == (["000000001"], ["texts.txt"], [1])
    steps = first["made"]["steps"]
    assert {"clean", "clean (2)"} < set(steps)
    assert steps["clean"] != steps["clean (2)"]
    (tmp_path / "texts.txt").rename(tmp_path / "other.txt")
    change(recipe, "texts.txt", "other.txt")
    change(recipe, 'name = "plain"', 'name = "fine"')
    report = paraphrast.build(recipe, tmp_path / "c", jobs=1)
    assert rows_of(tmp_path / "c")[0]["from"] == ["other.txt"]
    assert [(one.name, one.usage["texts"]) for one in report.systems] == [
        ("fine", 2 * len(SENTENCES))
    ]
    assert read_manifest(tmp_path / "c").rows == len(SENTENCES)


def test_a_shard_that_was_cut_is_made_again(recipe: Path, tmp_path: Path) -> None:
    home, work = tmp_path / "c", tmp_path / "c.work"
    paraphrast.build(recipe, home, jobs=1)
    before = rows_of(home)
    for step, keep in (("clean", 0), ("translate", 50), ("source", 10)):
        (shard,) = work.glob(f"{step}-*/shard-000000.jsonl")
        whole = shard.read_bytes()
        shard.write_bytes(whole[:keep])
        paraphrast.build(recipe, home, jobs=1)
        assert shard.read_bytes() == whole
        assert rows_of(home) == before


def test_an_altered_shard_is_found_and_made_again(
    recipe: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    home, work = tmp_path / "c", tmp_path / "c.work"
    arguments = ["build", str(recipe), "-o", str(home), "--verify"]
    assert run(arguments) == 1
    assert f"there is no work folder {work}" in capsys.readouterr().err
    paraphrast.build(recipe, home, jobs=1)
    assert run(arguments) == 0
    assert capsys.readouterr().out == f"{work}: as written (4 steps, 4 shards)\n"
    (shard,) = work.glob("pair-*/shard-000000.jsonl")
    shard.write_bytes(shard.read_bytes().replace(b"ancient", b"ANCIENT"))
    assert run(arguments) == 1
    assert f"{work} is damaged: {shard} cannot be read" in capsys.readouterr().err
    before = rows_of(home)
    assert run([*arguments[:-1], "-q", "--jobs", "1"]) == 0
    (said,) = [each.getMessage() for each in caplog.records]
    assert said == f"note: {shard} was damaged; it is made again"
    assert b"ANCIENT" not in shard.read_bytes()
    assert rows_of(home) == before


@pytest.mark.parametrize("name", ["shard-000000.jsonl", "shard-000000.json", "done.json"])
def test_what_a_later_step_needs_and_is_damaged_is_made_again(
    name: str, recipe: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home, work = tmp_path / "c", tmp_path / "c.work"
    paraphrast.build(recipe, home, jobs=1)
    before = rows_of(home)
    steps = ["source", "clean", "translate", "pair"]
    for place, step in enumerate(steps[:-1]):
        for later in steps[place + 1 :]:
            shutil.rmtree(next(work.glob(f"{later}-*")))
        (damaged,) = work.glob(f"{step}-*/{name}")
        damaged.write_bytes(damaged.read_bytes()[:-3] + b'"?\n')
        caplog.clear()
        paraphrast.build(recipe, home, jobs=1)
        assert [each.getMessage() for each in caplog.records] == [
            f"note: {damaged} was damaged; it is made again"
        ]
        assert rows_of(home) == before


def test_a_disk_that_damages_everything_stops_the_job(
    recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paraphrast.engine.shards.file_sha256", lambda path: os.urandom(8).hex())
    with pytest.raises(InputError, match="it is not as it was written"):
        paraphrast.build(recipe, tmp_path / "c", jobs=1)


def test_two_jobs_do_not_write_into_one_folder(recipe: Path, tmp_path: Path) -> None:
    home = tmp_path / "c"
    home.mkdir()
    with (
        lock_folder(home, doing="building a corpus"),
        pytest.raises(ConfigError, match=f"another process is building a corpus in {home}; wait"),
    ):
        paraphrast.build(recipe, home, work=tmp_path / "other", jobs=1)
    assert not (tmp_path / "other").exists()
    paraphrast.build(recipe, home, work=tmp_path / "other", jobs=1)
    assert verify(home).others == ()


def test_a_job_that_fails_leaves_no_empty_folder(recipe: Path, tmp_path: Path) -> None:
    change(recipe, 'check = "none"', 'check = "none"\nmin_words = 50')
    with pytest.raises(InputError, match="no pair is left"):
        paraphrast.build(recipe, tmp_path / "c", jobs=1)
    assert not (tmp_path / "c").exists()
