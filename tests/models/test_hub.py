"""The one fetcher: names, pins, what a model lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paraphrast.models.hub import LacksFile, NotFetched, fetch, hub_id, transformers_folder


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("org/name", ("org/name", None)),
        ("bert-base-uncased", ("bert-base-uncased", None)),
        ("org/name@v1.0", ("org/name", "v1.0")),
        ("org/name@refs/pr/1", ("org/name", "refs/pr/1")),
        ("/tmp/name", None),
        ("a/b/c", None),
        ("", None),
    ],
)
def test_names_of_a_hub(name: str, found: tuple[str, str | None] | None) -> None:
    assert hub_id(name) == found


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A hub that gives one empty folder, and what it is called with."""
    heard: list[dict[str, Any]] = []

    def download(name: str, **options: Any) -> str:
        heard.append({"name": name, **options})
        if name == "org/none":
            raise OSError("We cannot connect.\nMore.")
        return str(tmp_path)

    hub = pytest.importorskip("huggingface_hub")
    monkeypatch.setattr(hub, "snapshot_download", download)
    return heard


def test_what_is_fetched(calls: list[dict[str, Any]], tmp_path: Path) -> None:
    (tmp_path / "card.json").touch()
    options = {"files": ["*.json"], "needed": "card.json"}
    assert fetch("org/name@v2", **options, places=(True, False)) == tmp_path
    assert calls == [
        {
            "name": "org/name",
            "revision": "v2",
            "allow_patterns": ["*.json"],
            "local_files_only": True,
        }
    ]


def test_what_is_not_fetched(calls: list[dict[str, Any]]) -> None:
    options: dict[str, Any] = {"files": ["*.json"], "needed": "card.json"}
    with pytest.raises(LacksFile, match=r"^it holds no card\.json$"):
        fetch("org/name", **options, places=(True, False))
    with pytest.raises(NotFetched, match=r"^We cannot connect$") as caught:
        fetch("org/none", **options, places=(False,))
    assert not isinstance(caught.value, LacksFile)
    assert [call["local_files_only"] for call in calls] == [True, False, False]
    with pytest.raises(NotFetched, match=r"^'a/b/c' is not the id of a model$"):
        fetch("a/b/c", **options, places=(False,))


def test_a_pinned_model_of_transformers_becomes_a_folder(
    calls: list[dict[str, Any]], tmp_path: Path
) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "config.json").touch()
    assert transformers_folder("org/name@v2") == tmp_path
    assert (calls[0]["name"], calls[0]["revision"]) == ("org/name", "v2")
    assert "model*.safetensors" in calls[0]["allow_patterns"]
    assert not any(pattern.endswith(".bin") for pattern in calls[0]["allow_patterns"])
    folder = tmp_path / "org@v1"
    folder.mkdir()
    assert transformers_folder(str(folder)) == folder
    assert len(calls) == 1
