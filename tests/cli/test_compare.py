"""`paraphrast compare`, and the process around the commands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "paraphrase"


def paraphrast(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from paraphrast.cli.main import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


def inputs() -> list[str]:
    return [
        *("-c", f"copycat={EXAMPLES}/copycat.txt", "-c", f"rewriter={EXAMPLES}/rewriter.txt"),
        *("-r", f"{EXAMPLES}/references.jsonl", "-s", f"{EXAMPLES}/sources.txt"),
    ]


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_the_demo_finds_the_better_paraphraser(test: str) -> None:
    done = paraphrast(
        "compare", *inputs(), "-m", "rouge_p", "-m", "pinc", "--test", test, "-f", "json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert set(result["systems"]) == {"copycat", "rewriter"}
    assert all(s["ci"] for r in result["systems"].values() for s in r["scores"])
    assert [t["metric"] for t in result["tests"]] == ["rouge_p", "pinc"]
    assert all(t["significant"] and t["difference"] > 0.3 for t in result["tests"])
    assert result["test"].startswith(test)


def test_a_system_never_differs_from_itself() -> None:
    same = ["-c", f"a={EXAMPLES}/rewriter.txt", "-c", f"b={EXAMPLES}/rewriter.txt"]
    done = paraphrast("compare", *same, "-r", f"{EXAMPLES}/references.jsonl", "-f", "json")
    assert {test["p"] for test in json.loads(done.stdout)["tests"]} == {1.0}


def test_the_table_marks_significance() -> None:
    done = paraphrast("compare", *inputs(), "-m", "rouge_p")
    row = done.stdout.splitlines()[1]
    assert row.startswith("rouge_p ↑")
    assert row.endswith("]*")


def test_nothing_at_all_is_wrong_usage() -> None:
    done = paraphrast("score", stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: no candidates: give -c FILE, or pipe them to standard input\n"


def test_candidates_come_from_standard_input() -> None:
    text = (EXAMPLES / "rewriter.txt").read_text()
    refs = ["-r", f"{EXAMPLES}/references.jsonl", "-m", "bleu", "-b"]
    piped = paraphrast("score", *refs, input=text)
    named = paraphrast("score", "-c", f"{EXAMPLES}/rewriter.txt", *refs)
    assert (piped.returncode, piped.stdout) == (0, named.stdout)


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = (
        f"{sys.executable} -c 'from paraphrast.cli.main import main; main()' metrics | head -1"
    )
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_a_full_disk_behind_standard_output_is_reported() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", "from paraphrast.cli.main import main; main()", "metrics"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: cannot write to standard output: No space left on device\n"


def test_a_closed_standard_output_is_reported() -> None:
    command = f"{sys.executable} -c 'from paraphrast.cli.main import main; main()' score"
    files = f"-c {EXAMPLES}/rewriter.txt -r {EXAMPLES}/references.jsonl"
    done = subprocess.run(
        f"{command} {files} >&-", shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "error: cannot write to standard output: it is closed\n"
