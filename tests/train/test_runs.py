"""Runs: trained, stopped, killed and resumed as if nothing had happened."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from paraphrast.errors import ConfigError, ModelError  # noqa: E402
from paraphrast.train import log, loop, runs  # noqa: E402
from paraphrast.train.checkpoint import latest, load, load_progress, save  # noqa: E402
from paraphrast.train.data.assembly import parts  # noqa: E402
from paraphrast.train.encoder import encoder_task as judging  # noqa: E402
from tests.encoders import make_encoder  # noqa: E402
from tests.train.conftest import write_rows  # noqa: E402

TIMED = ("tokens_per_second", "peak_share")


class Killed(Exception):
    """Stands for a kill between two steps."""


@pytest.fixture(autouse=True)
def small_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(loop, "peak_flops", lambda _device: 1e9)


@pytest.fixture
def start(
    recipe_file: Callable[..., Path], backbone: Path, texts: Path, tmp_path: Path
) -> Callable[..., Path]:
    """A function that makes a run of the recipe, not yet trained."""

    def make(name: str, *replacements: tuple[str, str], **options: float) -> Path:
        runs.create(recipe_file(backbone, *replacements, **options), tmp_path / name)
        return tmp_path / name

    return make


def go(run: Path, **options: Any) -> runs.Sitting:
    return runs.resume(run, runs.SittingOptions(**options))


def weights(run: Path) -> dict[str, Any]:
    newest = latest(run)
    assert newest is not None
    return load(newest)[1]


def lines(run: Path) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in line.items() if name not in TIMED}
        for line in log.entries(run)
    ]


def assert_same(one: Path, two: Path) -> None:
    """Weights, moments, averages, best weights and log: equal to the last bit."""
    for first, second in ((weights(one), weights(two)), (best(one), best(two))):
        assert first.keys() == second.keys()
        for name, tensor in first.items():
            assert torch.equal(tensor, second[name]), name
    assert lines(one) == lines(two)


def best(run: Path) -> dict[str, Any]:
    return load(run / "best")[1]


def test_a_run_ends_with_its_recipe(start: Callable[..., Path], texts: Path) -> None:
    run, told, seen = start("a"), [], []
    done = go(run, data=texts, tell=told.append, advance=lambda *given: seen.append(given))
    assert done.finished
    assert done.progress.step == done.steps == seen[-1][0] == seen[-1][1]
    assert seen[0] == (0, done.steps, "")
    assert [entry["step"] for entry in lines(run)] == [5, 10, 10, 15, 16]
    assert done.steps == 16
    assert [entry["kind"] for entry in lines(run)][1:3] == ["training", "validation"]
    assert told[1] == ("pairs: 18 pairs, 42.9% of an epoch, 6 kept out for testing or validation")
    assert told[-1] == "tagged: 5 pairs for validation"
    assert done.progress.figures.keys() == {"rated.pearson", "tagged.f1", "tagged.best_f1"}
    assert done.progress.best_step in (5, 10, 15, done.steps)
    assert done.progress.seconds > 0
    again = go(run, data=texts)
    assert again.finished
    assert again.progress == done.progress


@pytest.mark.parametrize("masked", [0.0, 1.0])
def test_stops_and_kills_change_nothing(
    start: Callable[..., Path], texts: Path, masked: float
) -> None:
    whole, broken = start("whole", masked=masked), start("broken", masked=masked)
    go(whole, data=texts)

    def die_at(step: int) -> Callable[[int, int, str], None]:
        def advance(done: int, _steps: int, _words: str) -> None:
            if done == step:
                raise Killed

        return advance

    with pytest.raises(Killed):  # before the first checkpoint, which is at step 4
        go(broken, data=texts, advance=die_at(3))
    assert latest(broken) is None
    with pytest.raises(Killed):  # after a validation that no checkpoint knows of
        go(broken, data=texts, advance=die_at(6))
    assert not go(broken, data=texts, minutes=0).finished  # one step, then time is up
    with pytest.raises(Killed):  # after a line of the log whose first half is from before
        go(broken, data=texts, advance=die_at(11))
    assert go(broken, data=texts).finished
    assert_same(whole, broken)


def test_minutes_leave_a_checkpoint_to_go_on_from(start: Callable[..., Path], texts: Path) -> None:
    run = start("a")
    done = go(run, data=texts, minutes=0)
    assert (done.finished, done.progress.step) == (False, 1)
    newest = latest(run)
    assert newest is not None
    assert load_progress(newest).unlogged_steps == 1
    assert done.progress.seconds > 0


def test_a_kill_9_changes_nothing(start: Callable[..., Path], texts: Path) -> None:
    whole, broken = start("whole"), start("broken")
    go(whole, data=texts)
    code = f"""
import os, signal, torch
from pathlib import Path
from paraphrast.train import loop, runs
torch.set_num_threads(1)
loop.peak_flops = lambda device: 1e9
def advance(done, steps, words):
    if done == {10 + os.getpid() % 4}:
        os.kill(os.getpid(), signal.SIGKILL)
options = runs.SittingOptions(data=Path({str(texts)!r}), advance=advance)
runs.resume(Path({str(broken)!r}), options)
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=400, env=_alone())
    assert done.returncode == -9
    assert go(broken, data=texts).finished
    assert_same(whole, broken)


def _alone() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1"}


def test_two_processes_give_the_curve_of_one(start: Callable[..., Path], texts: Path) -> None:
    options = (("batch = 8", "batch = 2"),)
    one = start("one", *options, masked=1.0, epochs=1)
    two = start("two", *options, masked=1.0, epochs=1)
    done = go(one, data=texts)
    assert done.steps == 32  # of 63 examples: one batch has fewer than there are processes
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    command += ["--standalone", "-m", "paraphrast", "train", "resume", str(two)]
    ended = subprocess.run(
        [*command, "--data", str(texts)],
        timeout=400,
        env=_alone(),
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("of the machine's peak") == 1  # only one process speaks
    for ours, theirs in zip(lines(one), lines(two), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-5)
    for name, tensor in best(one).items():
        assert torch.allclose(tensor, best(two)[name], atol=1e-4), name


def test_the_tiny_network_learns(start: Callable[..., Path], tmp_path: Path, texts: Path) -> None:
    """Sixteen tagged pairs are learnt by heart."""
    rows = (texts / "tagged.jsonl").read_text().splitlines()[:16]
    (tmp_path / "tagged.jsonl").write_text("\n".join(rows))
    for name in ("rated.jsonl", "pairs.jsonl"):
        shutil.copy(texts / name, tmp_path / name)
    run = start(
        "a",
        ("[loss]", "[loss]\nscore = 0\nrelations = 0"),
        ("validation = 0.2\nboth_orders = true\npadding = 0.3\ntagged = 2.0", "passes = 4.0"),
        ("passes = 1.5", "passes = 0.1"),
        ("rate = 1e-3", "rate = 1e-2"),
        epochs=12,
    )
    go(run, data=tmp_path)
    found = [line["tags"] for line in log.entries(run) if line["kind"] == "training"]
    assert found[-1] < found[0] / 2


def test_frozen_layers_stay_and_others_move(
    start: Callable[..., Path], backbone: Path, texts: Path
) -> None:
    from safetensors.torch import load_file

    run = start("a", ('pooling = "mean"', 'pooling = "first"\nfrozen = 1'), epochs=1)
    go(run, data=texts)
    before = load_file(backbone / "model.safetensors")
    after = best(run)
    moved = {name for name, w in before.items() if not torch.equal(w, after[f"backbone.{name}"])}
    assert any("layer.1." in name for name in moved)
    assert not any("layer.0." in name or "embeddings" in name for name in moved)
    moments = [name for name in weights(run) if name.startswith("optimiser.")]
    assert not any("layer.0." in name for name in moments)


def test_patience_ends_a_run_early(
    start: Callable[..., Path], texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "figures", lambda *_given, **_options: {"rated.pearson": 0.5})
    run = start("a", ("validate_every = 5", "validate_every = 2\npatience = 2"))
    done = go(run, data=texts)
    assert done.finished
    assert (done.progress.step, done.progress.best_step, done.progress.stale) == (6, 2, 2)
    newest = latest(run)
    assert newest is not None
    assert load_progress(newest).step == done.progress.step
    assert go(run, data=texts).progress.step == done.progress.step


def test_a_run_without_validation_keeps_its_last_weights(
    start: Callable[..., Path], texts: Path
) -> None:
    run = start("a", ("validation = 0.25", ""), ("validation = 0.2", ""), epochs=1)
    done = go(run, data=texts)
    assert done.progress.best_step == done.steps
    assert load(run / "best")[0].step == done.steps


def test_a_run_can_start_from_the_best_of_another(start: Callable[..., Path], texts: Path) -> None:
    first = start("a", epochs=1)
    go(first, data=texts)
    place = ('pooling = "mean"', f'pooling = "mean"\nstart = "{first}"')
    still = (("average = 0.9", "average = 0"), ("= 1e-3", "= 1e-12"), ("5e-3", "1e-12"))
    second = start("b", place, *still)
    go(second, data=texts, minutes=0)
    for name, tensor in best(first).items():
        assert torch.allclose(weights(second)[f"model.{name}"], tensor, atol=1e-6)
    other = start("c", place)
    progress, kept = load(first / "best")
    del kept["score.bias"]
    save(first / "best", progress, kept)
    with pytest.raises(ModelError, match=f"^{first / 'best'} does not fit the recipe's network: "):
        go(other, data=texts)


def test_a_loss_that_is_no_number_stops_the_run(start: Callable[..., Path], texts: Path) -> None:
    run = start("a", ("rate = 1e-3", "rate = 1e30"), epochs=3)
    with pytest.raises(ModelError) as caught:
        go(run, data=texts)
    message = str(caught.value)
    assert message.startswith("training broke down at step ")
    assert "score nan" in message or "score inf" in message
    assert message.endswith("; start a new run with a lower rate or a longer warm-up")
    newest = latest(run)
    if newest is not None:
        assert all(tensor.isfinite().all() for tensor in load(newest)[1].values())


def test_a_changed_recipe_or_other_data_are_refused(
    start: Callable[..., Path], texts: Path, tmp_path: Path
) -> None:
    run = start("a")
    go(run, data=texts, minutes=0)
    other = tmp_path / "other"
    shutil.copytree(texts, other)
    with (other / "pairs.jsonl").open("a") as file:
        file.write(json.dumps({"text1": "a cat", "text2": "a dog"}) + "\n")
    with pytest.raises(ConfigError) as caught:
        go(run, data=other)
    assert str(caught.value) == (
        "the training data are not those the run began with; start a new run"
    )
    recipe = run / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("seed = 7", "seed = 8"))
    with pytest.raises(ConfigError) as caught:
        go(run, data=texts)
    assert str(caught.value) == f"{recipe} was changed after the run began; start a new run"


def test_changed_labels_or_validation_rows_are_refused(
    start: Callable[..., Path], texts: Path, tmp_path: Path
) -> None:
    run = start("a")
    go(run, data=texts, minutes=0)
    newest = latest(run)
    assert newest is not None
    held_out = load_progress(newest)
    for number, (name, key) in enumerate([("pairs", "label"), ("rated", "human")]):
        other = tmp_path / f"other-{number}"
        shutil.copytree(texts, other)
        rows = [json.loads(line) for line in (texts / f"{name}.jsonl").read_text().splitlines()]
        for row in rows:  # of the ratings only held-out rows change, of the pairs all
            if name == "pairs" or row["reference"] in _held_out(run, texts):
                row[key] = 1 - row[key]
        write_rows(other / f"{name}.jsonl", rows)
        with pytest.raises(ConfigError) as caught:
            go(run, data=other)
        assert str(caught.value) == (
            "the labels or the validation rows are not those the run began with; start a new run"
        )
    assert go(run, data=texts, minutes=0).progress.data == held_out.data


def _held_out(run: Path, texts: Path) -> set[str]:
    (rated, *_) = parts(runs.open_run(run), texts)
    return {row.a.text for row in rated.held_out}


def test_a_checkpoint_that_knows_the_texts_alone_can_be_resumed(
    start: Callable[..., Path], texts: Path
) -> None:
    """An earlier version hashed the sub-words of the training rows and wrote no checksums."""
    run = start("a")
    go(run, data=texts, minutes=0)
    newest = latest(run)
    assert newest is not None
    state = json.loads((newest / "state.json").read_text())
    del state["sha256"]
    state["data"] = state["data"].partition("-")[0]
    (newest / "state.json").write_text(json.dumps(state))
    (newest / log.NAME).unlink()
    assert len(state["data"]) == 12
    assert len(go(run, data=texts, minutes=0).progress.data) == 25


@pytest.mark.parametrize("damage", ["bytes", "step", "cut"])
def test_a_damaged_checkpoint_gives_way_to_the_one_before(
    start: Callable[..., Path], texts: Path, damage: str
) -> None:
    whole, broken = start("whole", epochs=1), start("broken", epochs=1)
    go(whole, data=texts)

    def die(done: int, _steps: int, _words: str) -> None:
        if done == 8:
            raise Killed

    with pytest.raises(Killed):
        go(broken, data=texts, advance=die)
    newest = latest(broken)
    assert newest is not None
    assert newest.name == "step-0000008"
    path = newest / ("state.json" if damage == "step" else "tensors.safetensors")
    content = bytearray(path.read_bytes())
    if damage == "bytes":
        content[-5] ^= 1
    elif damage == "cut":
        del content[-100:]
    else:
        content = bytearray(content.replace(b'"step": 8', b'"step": 7'))
    path.write_bytes(content)
    told: list[str] = []
    assert go(broken, data=texts, tell=told.append).finished
    assert told[0].startswith(f"note: {newest} is not a whole checkpoint: ")
    assert told[0].endswith("; going on from step-0000004")
    assert_same(whole, broken)


def test_a_shortened_log_comes_back_from_the_checkpoint(
    start: Callable[..., Path], texts: Path
) -> None:
    whole, broken = start("whole"), start("broken")
    go(whole, data=texts)

    def die(done: int, _steps: int, _words: str) -> None:
        if done == 13:
            raise Killed

    with pytest.raises(Killed):
        go(broken, data=texts, advance=die)
    path = broken / log.NAME
    path.write_bytes(path.read_bytes()[:30])
    assert go(broken, data=texts).finished
    assert_same(whole, broken)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_a_checkpoint_to_go_on_from(
    start: Callable[..., Path], texts: Path, number: signal.Signals
) -> None:
    whole, broken = start("whole", epochs=1), start("broken", epochs=1)
    go(whole, data=texts)
    before = signal.getsignal(number)

    def advance(done: int, _steps: int, _words: str) -> None:
        if done == 5:
            os.kill(os.getpid(), number)

    done = go(broken, data=texts, advance=advance)
    assert (done.signal, done.finished, done.progress.step) == (number, False, 6)
    assert signal.getsignal(number) is before
    newest = latest(broken)
    assert newest is not None
    assert newest.name == "step-0000006"
    assert go(broken, data=texts).finished
    assert_same(whole, broken)


def test_a_second_signal_ends_at_once(start: Callable[..., Path], texts: Path) -> None:
    def advance(done: int, _steps: int, _words: str) -> None:
        if done == 5:
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt):
        go(start("a"), data=texts, advance=advance)


def test_a_run_that_fails_at_once_leaves_no_folder(
    recipe_file: Callable[..., Path], backbone: Path, texts: Path, tmp_path: Path
) -> None:
    run, options = tmp_path / "a", runs.SittingOptions(data=texts, minutes=0)
    wrong = recipe_file(backbone, ("max_tokens = 48", "max_tokens = 65"))
    with pytest.raises(ConfigError, match=r"^max_tokens is 65; "):
        runs.begin(wrong, run, options)
    assert not run.exists()
    assert runs.begin(recipe_file(backbone), run, options).progress.step == 1


def test_a_run_that_was_killed_before_its_first_checkpoint_can_begin_anew(
    recipe_file: Callable[..., Path], backbone: Path, texts: Path, tmp_path: Path
) -> None:
    run, options = tmp_path / "a", runs.SittingOptions(data=texts, minutes=0)
    runs.create(recipe_file(backbone), run)
    (run / "labels").mkdir()
    wrong = recipe_file(backbone, ("max_tokens = 48", "max_tokens = 65"))
    with pytest.raises(ConfigError, match=r"^max_tokens is 65; "):
        runs.begin(wrong, run, options)
    assert [path.name for path in run.iterdir()] == ["labels"]  # a teacher's work is kept
    assert runs.begin(recipe_file(backbone), run, options).progress.step == 1


def test_a_damaged_checkpoint_stops_a_resume(start: Callable[..., Path], texts: Path) -> None:
    run = start("a")
    go(run, data=texts, minutes=0)
    newest = latest(run)
    assert newest is not None
    path = newest / "tensors.safetensors"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ModelError, match=f"^{newest} is not a whole checkpoint: "):
        go(run, data=texts)


def test_folders_that_cannot_be_used(
    start: Callable[..., Path], texts: Path, tmp_path: Path
) -> None:
    run = start("a")
    go(run, data=texts, minutes=0)
    with pytest.raises(ConfigError) as caught:
        runs.create(tmp_path / "tiny.toml", run)
    assert str(caught.value) == (
        f"{run} already holds a run; go on with it (paraphrast train resume {run}) or remove it"
    )
    with pytest.raises(ConfigError) as caught:
        go(tmp_path / "nowhere")
    assert str(caught.value) == (
        f"{tmp_path / 'nowhere'} is not a training run: it has no recipe.toml"
    )
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=f"^cannot make the folder {tmp_path / 'file'}: "):
        runs.create(tmp_path / "tiny.toml", tmp_path / "file")


def test_a_backbone_that_is_not_there(
    recipe_file: Callable[..., Path], texts: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    runs.create(recipe_file(gone), tmp_path / "a")
    with pytest.raises(ModelError) as caught:
        go(tmp_path / "a", data=texts)
    assert str(caught.value) == (
        f"there is no backbone '{gone}': neither a folder here nor on a hub"
    )


def test_more_than_the_backbone_can_read(start: Callable[..., Path], texts: Path) -> None:
    run = start("a", ("max_tokens = 48", "max_tokens = 65"))
    with pytest.raises(ConfigError) as caught:
        go(run, data=texts)
    assert str(caught.value) == "max_tokens is 65; the backbone reads at most 64 sub-words"


def test_processes_that_cannot_work_together(
    start: Callable[..., Path], texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(ConfigError) as caught:
        go(start("a"), data=texts)
    assert str(caught.value) == (
        "3 processes were started, but they cannot work together on this machine"
    )


def test_a_teacher_labels_what_has_no_labels(
    start: Callable[..., Path], texts: Path, tmp_path: Path
) -> None:
    teacher = make_encoder(tmp_path / "teacher")
    run = start(
        "a",
        ("passes = 1.5\nboth_orders = true", "unlabelled = true\ncorrupted = 0.5"),
        ("[loss]", f'[teacher]\nencoder = "{teacher}"\n\n[loss]'),
        epochs=1,
    )
    told: list[str] = []
    assert not go(run, data=texts, minutes=0, tell=told.append).finished
    assert any(line.startswith("pairs: 27 pairs, ") for line in told)
    (shard,) = (run / "labels").glob("*.npz")
    made = shard.stat().st_mtime_ns
    assert go(run, data=texts).finished
    assert shard.stat().st_mtime_ns == made
