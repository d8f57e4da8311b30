"""Named tasks over the real data: counts and values as published or seen in the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from paraphrast import meta
from paraphrast.errors import ConfigError, InputError
from paraphrast.io.data_folder import VARIABLE
from paraphrast.meta import EvaluationTask, Judgements, load_task, task_names
from paraphrast.meta.tasks import TASKS, JudgementFile, find_task, is_there, open_task

Load = Callable[[str], tuple[EvaluationTask, Judgements]]


@pytest.fixture
def load(data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Load:
    def found(name: str) -> tuple[EvaluationTask, Judgements]:
        for file in find_task(name).files:
            path = data(file)
        monkeypatch.setenv(VARIABLE, str(path.parents[1]))
        return load_task(name)

    return found


def test_the_names() -> None:
    parts = ("informativeness", "naturalness", "quality")
    assert task_names() == (
        *("wmt15", "wmt16", "wmt17", "mqm21", "mlqe", "wmt19_system", "wmt19_darr", "deen500"),
        *("summeval_coherence", "summeval_consistency", "summeval_fluency", "summeval_relevance"),
        *("realsumm", "qags_cnn"),
        *(f"bagel_{part}" for part in parts),
        *(f"sfres_{part}" for part in parts),
    )
    assert all(task.outliers == "none" and task.title for task in TASKS.values())


def test_an_unknown_name() -> None:
    with pytest.raises(ConfigError) as caught:
        load_task("wmt71")
    assert str(caught.value).startswith(
        "unknown task 'wmt71' (did you mean 'wmt17'?); known: wmt15, wmt16, wmt17, mqm21, mlqe, "
    )


def test_data_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(InputError) as caught:
        load_task("wmt17")
    assert str(caught.value) == (
        "task 'wmt17' needs judgements/wmt17_segment_da.jsonl.gz, which is not under "
        f"{tmp_path}; name the folder that holds it with --data, or set PARAPHRAST_DATA"
    )
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(ConfigError, match="no data folder: name it with --data, or set PARAPHRAST"):
        load_task("wmt17")
    assert not is_there(find_task("wmt17"))
    with pytest.raises(InputError, match="which is not under elsewhere"):
        load_task("wmt17", data="elsewhere")


def test_the_former_name_still_works() -> None:
    with pytest.warns(DeprecationWarning, match="is now EvaluationTask"):
        assert meta.Task is EvaluationTask


def ratings(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_a_file_of_judgements_is_a_task(tmp_path: Path) -> None:
    path = ratings(tmp_path / "mine.csv", "item,grade", "1,3", "2,4", "3,5")
    task, judged = open_task(path, JudgementFile({"value": "grade"}))
    assert (task.name, task.level, task.dimension, task.statistics) == (
        *("mine", "segment", "grade"),
        ("pearson",),
    )
    assert len(judged.ratings) == 3
    systems = ratings(tmp_path / "systems.csv", "system,value", "a,3", "b,4", "c,5")
    assert open_task(systems, JudgementFile())[0].level == "system"
    pairs = ratings(tmp_path / "pairs.csv", "item,better,worse", "1,a,b")
    assert open_task(pairs, JudgementFile())[0].statistics == ("darr",)
    assert open_task(judged, JudgementFile(dimension="grade"))[0].name == "mine"


def test_a_dimension_must_be_chosen_where_there_are_several(tmp_path: Path) -> None:
    lines = ["item,dimension,value", "1,fluency,3", "1,adequacy,4"]
    path = ratings(tmp_path / "two.csv", *lines)
    with pytest.raises(
        InputError, match="two rates fluency, adequacy; choose one with --dimension"
    ):
        open_task(path, JudgementFile())
    pairs = ratings(tmp_path / "pairs.csv", "item,better,worse", "1,a,b")
    with pytest.raises(InputError, match="better/worse pairs and no ratings; use --level pairwise"):
        open_task(pairs, JudgementFile(level="segment"))
    with pytest.raises(ConfigError, match="has its own columns and dimension"):
        open_task("wmt17", JudgementFile(dimension="da"))


@pytest.mark.parametrize(
    ("name", "pairs", "each"), [("wmt15", 4, 500), ("wmt16", 6, 560), ("wmt17", 7, 560)]
)
def test_wmt_segments(load: Load, name: str, pairs: int, each: int) -> None:
    task, found = load(name)
    assert (task.level, task.statistics) == ("segment", ("pearson", "kendall"))
    assert len(found.outputs) == len(found.rated(task.dimension)) == pairs * each
    assert set(Counter(rating.group for rating in found.ratings).values()) == {each}
    assert len(found.groups()) == pairs
    assert found.notes == ()


def test_wmt17_first_row(load: Load) -> None:
    _, found = load("wmt17")
    assert found.outputs[0].key == ("cs-en", "1", "online-A.0")
    assert found.outputs[0].candidate.startswith("however , conventional trains consisting")
    assert found.ratings[0].value == 0.492422827189935


def test_wmt19_systems(load: Load) -> None:
    task, found = load("wmt19_system")
    counts = {group: len(found.systems(group)) for group in found.groups()}
    pairs = ("fi-en", "zh-en", "ru-en", "kk-en", "gu-en", "lt-en", "de-en")
    assert counts == dict(zip(pairs, (12, 15, 14, 11, 11, 11, 16), strict=True))
    assert len({output.key[:2] for output in found.outputs}) == 11_012
    assert len(found.outputs) == 148_144 - 1_016
    assert found.ratings[0].key == ("fi-en", "", "MSRA.NAO.6983")
    assert found.ratings[0].value == 0.285
    assert found.notes == ("gu-en: system 'online-B.0' has outputs but no human score: left out",)
    assert (task.level, task.statistic) == ("system", "pearson")


def test_wmt19_preferences(load: Load) -> None:
    task, found = load("wmt19_darr")
    assert (task.level, task.dimension, task.statistic) == ("pairwise", "", "darr")
    assert len(found.preferences) == 21_862
    assert found.groups() == ("lt-en",)
    assert len({one.item for one in found.preferences}) == 974
    assert found.preferences[0].better == "TartuNLP-c.6908"
    assert found.notes == (
        f"outputs without a preference: {148_144 - len(found.outputs):,}, left out",
    )


def test_deen500(load: Load) -> None:
    _, found = load("deen500")
    assert found.groups() == ("de-en",)
    assert len(found.outputs) == 16 * 500
    assert len({output.item for output in found.outputs}) == 500
    assert found.notes == ()


@pytest.mark.parametrize(
    ("name", "systems", "references"), [("summeval_coherence", 16, 11), ("realsumm", 24, 1)]
)
def test_summaries(load: Load, name: str, systems: int, references: int) -> None:
    task, found = load(name)
    assert (task.level, task.statistic) == ("summary", "spearman")
    assert Counter(Counter(one.item for one in found.outputs).values()) == {systems: 100}
    assert {len(one.references) for one in found.outputs} == {references}
    assert len(found.rated(task.dimension)) == 100 * systems
    assert found.notes == ()


def test_summeval_first_row(load: Load) -> None:
    _, found = load("summeval_relevance")
    assert found.outputs[0].system == "M11"
    assert found.rated("relevance")[0].value == 1.6666666666666667


def test_qags(load: Load) -> None:
    task, found = load("qags_cnn")
    assert len(found.outputs) == len(found.rated(task.dimension)) == 235
    assert all(one.references == (one.source,) for one in found.outputs)


@pytest.mark.parametrize(
    ("name", "rows", "again"),
    [("bagel_quality", 404, "5,140"), ("sfres_naturalness", 1181, "30,381")],
)
def test_data_to_text(load: Load, name: str, rows: int, again: str) -> None:
    task, found = load(name)
    assert len(found.outputs) == len(found.rated(task.dimension)) == rows
    assert found.notes == (f"references that repeat another of their item: {again}, kept",)


@pytest.mark.parametrize("name", sorted(set(task_names()) - {"wmt19_darr"}))
def test_every_task_has_its_dimension(load: Load, name: str) -> None:
    task, found = load(name)
    assert task.dimension in found.dimensions()


@pytest.mark.parametrize(
    ("name", "outputs", "dimension", "groups"),
    [("mqm21", 5200, "mqm", 1), ("mlqe", 5000, "da", 5)],
)
def test_later_ratings_of_segments(
    name: str, outputs: int, dimension: str, groups: int, load: Load
) -> None:
    task, found = load(name)
    assert (task.level, task.dimension, found.dimensions()) == ("segment", dimension, (dimension,))
    assert (len(found.outputs), len(found.ratings)) == (outputs, outputs)
    assert len(found.groups()) == groups
