"""Checkpoints: whole or not there, whenever the process dies."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from paraphrast.errors import InputError, ModelError  # noqa: E402
from paraphrast.train import checkpoint, log  # noqa: E402
from paraphrast.train.checkpoint import Progress, latest, load, save, step_folder  # noqa: E402
from tests.power import forgetful, lay_out  # noqa: E402


class Killed(Exception):
    """Stands for a kill at this very moment."""


def weights(value: float) -> dict[str, torch.Tensor]:
    return {"w": torch.full((3,), value)}


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    progress = Progress("f", step=3, best=0.25, figures={"a.f1": 0.1}, unlogged={"score": 1 / 3})
    save(tmp_path / "best", progress, weights(2.0))
    found, tensors = load(tmp_path / "best")
    assert found == progress
    assert torch.equal(tensors["w"], torch.full((3,), 2.0))
    assert [path.name for path in tmp_path.iterdir()] == ["best"]


def test_a_checkpoint_of_an_earlier_version_loads(tmp_path: Path) -> None:
    save(tmp_path / "best", Progress("f"), weights(1.0))
    old = '{"fingerprint": "f", "step": 2, "best": -Infinity, "best_step": 0, "stale": 0, '
    (tmp_path / "best" / "state.json").write_text(old + '"seconds": 1.5, "figures": {}}')
    assert load(tmp_path / "best")[0] == Progress("f", step=2, seconds=1.5)


@pytest.mark.skipif(os.name == "nt", reason="folders cannot be brought to the disk")
def test_a_power_cut_leaves_the_last_checkpoint_and_its_log(tmp_path: Path) -> None:
    """Whatever of the writes since the last fsync is lost, torn or zeros."""
    run = tmp_path / "run"
    run.mkdir()
    sure: list[tuple[int, dict[str, bytes]]] = []
    with forgetful(run) as disk:
        for step in (1, 2, 3):
            for line in (2 * step - 1, 2 * step):
                log.append(run, {"kind": "train", "step": step, "loss": line})
            before = len(disk.cuts)
            text, folder = log.text(run), step_folder(run, step)
            save(folder, Progress("f", step=step), weights(float(step)), log_text=text)
            sure += [(step - 1, state) for state in disk.cuts[before:]]
            checkpoint.keep_latest(run, step)
            sure += [(step, state) for state in disk.states()]
    for number, (least, state) in enumerate(sure):
        found = lay_out(state, tmp_path / str(number))
        newest = checkpoint.latest_whole(found, tell=lambda _line: None)
        step = 0 if newest is None else checkpoint.step_of(newest)
        assert step >= least
        if newest is None:
            continue
        progress, tensors = load(newest)
        assert progress.step == step
        assert torch.equal(tensors["w"], torch.full((3,), float(step)))
        lines = (checkpoint.load_log(newest) or "").splitlines()
        assert [json.loads(line)["loss"] for line in lines] == [*range(1, 2 * step + 1)]
        assert state[log.NAME].startswith("".join(f"{line}\n" for line in lines).encode())


@pytest.mark.parametrize("moment", range(1, 9))
def test_a_kill_while_saving_leaves_the_old_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """Die before the nth change to the disk; whatever is left must load, and save again."""
    folder, count = tmp_path / "best", 0
    save(folder, Progress("f", step=1), weights(1.0))

    def dying(act: object) -> object:
        def call(*arguments: object, **options: object) -> object:
            nonlocal count
            count += 1
            if count == moment:
                raise Killed
            return act(*arguments, **options)  # type: ignore[operator]

        return call

    with monkeypatch.context() as patch:
        for owner, name in [
            (Path, "mkdir"),
            (Path, "write_text"),
            (Path, "rename"),
            (shutil, "rmtree"),
        ]:
            patch.setattr(owner, name, dying(getattr(owner, name)))
        try:
            save(folder, Progress("f", step=2), weights(2.0))
            survived = True
        except Killed:
            survived = False
    progress, tensors = load(folder)
    assert progress.step == tensors["w"][0].item()
    assert progress.step == 2 or not survived
    assert survived == (moment == 8)  # a save is seven changes
    save(folder, Progress("f", step=3), weights(3.0))
    assert load(folder)[0].step == 3
    assert [path.name for path in tmp_path.iterdir()] == ["best"]


@pytest.mark.parametrize("file", ["state.json", "tensors.safetensors"])
@pytest.mark.parametrize("damage", ["cut", "gone", "garbage"])
def test_a_damaged_checkpoint_is_a_model_error(tmp_path: Path, file: str, damage: str) -> None:
    save(tmp_path / "best", Progress("f"), weights(1.0))
    path = tmp_path / "best" / file
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:20] if damage == "cut" else b"{" * 100)
    with pytest.raises(ModelError, match=f"^{tmp_path / 'best'} is not a whole checkpoint: "):
        load(tmp_path / "best")


def test_flipped_bytes_and_an_edited_step_are_seen(tmp_path: Path) -> None:
    folder = tmp_path / "best"
    save(folder, Progress("f", step=3), weights(1.0), log_text='{"step": 1}\n')
    assert checkpoint.check(folder) == Progress("f", step=3)
    assert checkpoint.load_log(folder) == '{"step": 1}\n'
    whole = {path: path.read_bytes() for path in folder.iterdir()}
    assert len(whole) == 3
    for path, content in whole.items():
        path.write_bytes(content.replace(b'"step": ', b'"step":  1'))
        if path.suffix == ".safetensors":
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(ModelError, match=f"^{folder} is not a whole checkpoint: {path.name} "):
            load(folder)
        path.write_bytes(content)
    assert load(folder)[0].step == 3


def test_damaged_checkpoints_of_later_steps_are_removed(tmp_path: Path) -> None:
    for step in (4, 8, 12, 16):
        save(step_folder(tmp_path, step), Progress("f", step=step), weights(1.0))
    checkpoint.keep_latest(tmp_path, 12)
    assert sorted(path.name for path in (tmp_path / "checkpoints").iterdir()) == [
        "step-0000008",
        "step-0000012",
    ]


def test_a_disk_that_takes_nothing_is_an_input_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import safetensors.torch

    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(safetensors.torch, "save_file", full)
    with pytest.raises(InputError) as caught:
        save(tmp_path / "best", Progress("f"), weights(1.0))
    assert str(caught.value).startswith(f"cannot write the checkpoint {tmp_path / 'best'}: ")
    assert str(caught.value).endswith("No space left on device")
    assert not list(tmp_path.iterdir())


def test_the_latest_is_the_one_with_most_steps(tmp_path: Path) -> None:
    assert latest(tmp_path) is None
    for step in (9, 10_000_000, 100):
        save(step_folder(tmp_path, step), Progress("f", step=step), weights(1.0))
    (tmp_path / "checkpoints" / ".step-99999999.new").mkdir()
    (tmp_path / "checkpoints" / "step-notes.txt").touch()
    newest = latest(tmp_path)
    assert newest is not None
    assert checkpoint.step_of(newest) == 10_000_000
    checkpoint.keep_latest(tmp_path, 10_000_000)
    left = {path.name for path in (tmp_path / "checkpoints").iterdir()}
    assert left == {"step-10000000", "step-0000100", "step-notes.txt"}


def test_the_optimiser_goes_on_as_if_never_stopped(tmp_path: Path) -> None:
    def make() -> tuple[torch.nn.Linear, torch.optim.AdamW]:
        torch.manual_seed(1)
        layer = torch.nn.Linear(3, 2)
        layer.bias.requires_grad_(False)
        return layer, torch.optim.AdamW([layer.weight], lr=0.1, fused=True)

    def step(layer: torch.nn.Linear, optimiser: torch.optim.AdamW, number: int) -> None:
        (layer(torch.full((1, 3), float(number))) ** 2).sum().backward()
        optimiser.step()
        optimiser.zero_grad()

    one, first = make()
    for number in range(6):
        step(one, first, number)
    two, second = make()
    for number in range(3):
        step(two, second, number)
    tensors = checkpoint.optimiser_tensors(second, ["weight"])
    assert float(tensors["optimiser.step.weight"]) == 3
    save(tmp_path / "x", Progress("f"), {**two.state_dict(), **tensors})
    saved = load(tmp_path / "x")[1]
    three, third = make()
    with torch.no_grad():
        three.weight.copy_(saved["weight"])
    checkpoint.restore_optimiser(third, ["weight"], saved)
    for number in range(3, 6):
        step(three, third, number)
    assert torch.equal(three.weight, one.weight)
