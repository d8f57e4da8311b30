"""Names of models: packages, directories, the hub."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from paraphrast.errors import ConfigError, MissingExtra, ModelError
from paraphrast.models import store
from tests.encoders import install_encoder, make_encoder

ABSENT = {"mini": "absent_encoder", "base": "absent_encoder_base"}


def test_an_installed_package_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = install_encoder(tmp_path, monkeypatch)
    assert store.find("mini") == made
    large = install_encoder(tmp_path, monkeypatch, package="paraphrast_encoder_base")
    assert store.find("base") == large


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "mini",
            "the weights 'mini' are not installed; run: pip install 'paraphrast[encoder]' "
            "absent-encoder (from a checkout: pip install ./weights/encoder)",
        ),
        (
            "base",
            "the weights 'base' are not installed; run: pip install 'paraphrast[encoder]' "
            "absent-encoder-base (from a checkout: pip install ./weights/encoder-base)",
        ),
    ],
)
def test_weights_that_are_not_installed(
    name: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PACKAGES", ABSENT)
    with pytest.raises(ModelError) as caught:
        store.find(name)
    assert str(caught.value) == message


def test_the_packages_are_those_that_are_shipped() -> None:
    assert store.PACKAGES == {"mini": "paraphrast_encoder", "base": "paraphrast_encoder_base"}


def test_a_directory_is_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_encoder(tmp_path / "org" / "tiny")
    assert store.find(str(made)) == made
    monkeypatch.chdir(tmp_path)
    assert store.find("org/tiny") == Path("org/tiny")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store.find("~/org/tiny") == made


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "minni",
            "unknown model 'minni' (did you mean 'mini'?); known: mini, base, a directory, or the "
            "id of a model on the hub (org/name)",
        ),
        (
            "",
            "unknown model ''; known: mini, base, a directory, or the id of a model on the hub "
            "(org/name)",
        ),
        ("./gone", "there is no directory './gone' to load a model from"),
        ("/no/such/place", "there is no directory '/no/such/place' to load a model from"),
        ("runs/a/export", "there is no directory 'runs/a/export' to load a model from"),
        ("notes.txt", "notes.txt is a file; give the directory that holds card.json"),
    ],
)
def test_names_that_mean_nothing(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("")
    with pytest.raises(ModelError) as caught:
        store.find(name)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (None, "got None"),
        (5, "got 5"),
        (b"mini", "got b'mini'"),
        (["mini"], r"got \['mini'\]"),
    ],
)
def test_what_is_no_name_is_wrong_usage(name: Any, message: str) -> None:
    start = "model must be 'mini', 'base', a directory, or the id of a model on the hub"
    with pytest.raises(ConfigError, match=rf"^{start} \(org/name\), as text; {message}$"):
        store.find(name)


def test_an_unknown_name_is_wrong_usage_and_a_missing_directory_is_not(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown model 'nosuch'"):
        store.find("nosuch")
    with pytest.raises(ModelError) as caught:
        store.find(str(tmp_path / "gone"))
    assert not isinstance(caught.value, ConfigError)


@pytest.mark.parametrize("name", ["x" * 5000, "/" + "x" * 5000, "~nobody_of_that_name/x", "a\0b"])
def test_names_that_no_directory_can_have(name: str) -> None:
    with pytest.raises(ModelError, match=r"unknown model|there is no directory") as caught:
        store.find(name)
    assert len(str(caught.value)) < 300


def test_a_path_object_is_a_directory(tmp_path: Path) -> None:
    made = make_encoder(tmp_path / "tiny")
    assert store.find(made) == made


class Hub:
    """A hub that holds one model and, once asked for it, keeps it in its cache."""

    def __init__(self, model: Path) -> None:
        self.model, self.calls, self.cached = model, [], False
        self.revisions: list[str | None] = []

    def snapshot_download(self, name: str, *, revision: str | None, **options: Any) -> str:
        self.calls.append((name, options["local_files_only"]))
        self.revisions.append(revision)
        assert "card.json" in options["allow_patterns"]
        if revision == "gone":
            raise FileNotFoundError("No such revision.")
        if name != "org/tiny" or (options["local_files_only"] and not self.cached):
            raise FileNotFoundError("No such model.\nSee the documentation.")
        self.cached = True
        return str(self.model)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    made = Hub(make_encoder(tmp_path / "tiny"))
    module = SimpleNamespace(snapshot_download=made.snapshot_download)
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return made


def test_the_hub_is_asked_once_and_then_the_cache(hub: Hub) -> None:
    assert store.find("org/tiny") == hub.model
    assert hub.calls == [("org/tiny", True), ("org/tiny", False)]
    assert store.find("org/tiny") == hub.model
    assert hub.calls[2:] == [("org/tiny", True)]


@pytest.mark.parametrize("revision", ["v1.0", "0123456789" * 4, "refs/pr/1"])
def test_a_model_of_the_hub_may_be_pinned(hub: Hub, revision: str) -> None:
    assert store.find(f"org/tiny@{revision}") == hub.model
    assert hub.calls == [("org/tiny", True), ("org/tiny", False)]
    assert hub.revisions == [revision] * 2
    store.find("org/tiny")
    assert hub.revisions[2:] == [None]


def test_a_revision_that_the_hub_does_not_have(hub: Hub) -> None:
    with pytest.raises(ModelError) as caught:
        store.find("org/tiny@gone")
    assert str(caught.value) == (
        "there is no directory 'org/tiny@gone', and the model hub does not give a model of that "
        "name: No such revision"
    )


def test_a_directory_with_an_at_sign_is_a_directory(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_encoder(tmp_path / "org" / "tiny@v1")
    assert store.find("org/tiny@v1") == Path("org/tiny@v1")
    assert hub.calls == []


def test_without_download_only_the_cache_is_asked(hub: Hub) -> None:
    with pytest.raises(ModelError, match="the model hub does not give a model of that name"):
        store.find("org/tiny", download=False)
    assert hub.calls == [("org/tiny", True)]


def test_what_the_hub_does_not_have(hub: Hub) -> None:
    with pytest.raises(ModelError) as caught:
        store.find("org/other")
    assert str(caught.value) == (
        "there is no directory 'org/other', and the model hub does not give a model of that name: "
        "No such model"
    )


def test_a_model_of_another_kind_on_the_hub(hub: Hub) -> None:
    (hub.model / "card.json").unlink()
    with pytest.raises(ModelError, match=r"a model of that name: it holds no card\.json$"):
        store.find("org/tiny")


def test_without_the_hub_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"pip install 'paraphrast\[hub\]'"):
        store.find("org/tiny")


@pytest.mark.parametrize("pin", ["", "@main", "@" + "0123456789" * 4])
def test_a_model_in_the_real_cache_is_found_offline(tmp_path: Path, pin: str) -> None:
    pytest.importorskip("huggingface_hub")
    commit = "0123456789" * 4
    cache = tmp_path / "hub" / "models--org--tiny"
    made = make_encoder(cache / "snapshots" / commit)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text(commit)
    code = f"from paraphrast.models.store import find; print(find('org/tiny{pin}'))"
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    environment.pop("HF_HUB_CACHE", None)
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert Path(found.stdout.strip()) == made


def test_a_package_without_its_weights_counts_as_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty_encoder").mkdir()
    (tmp_path / "empty_encoder" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(store.PACKAGES, "mini", "empty_encoder")
    with pytest.raises(ModelError, match="the weights 'mini' are not installed; run: pip install"):
        store.find("mini")
