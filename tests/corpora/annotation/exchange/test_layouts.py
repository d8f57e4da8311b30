"""Out and in again, in every layout: texts with emoji, combining marks, Arabic and Japanese."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paraphrast.corpora.annotation.exchange.answer_rows import answer_rows
from paraphrast.corpora.annotation.exchange.doccano import doccano_rows
from paraphrast.corpora.annotation.exchange.label_studio import configuration, label_studio_tasks
from paraphrast.corpora.annotation.exchange.own_layouts import (
    label_rows,
    pair_rows,
    rating_rows,
    tag_layout_rows,
)
from paraphrast.corpora.annotation.exchange.text_offsets import from_utf16, to_utf16
from paraphrast.corpora.annotation.pair_item import PairAnswer
from paraphrast.corpora.annotation.project import OWNER, AnnotationProject
from paraphrast.errors import InputError
from paraphrast.jobs.annotation.transfer import (
    export_annotations,
    import_annotations,
    restore_annotations,
)
from paraphrast.jobs.corpus import CorpusOptions, LabelledFile, evaluate_corpora
from paraphrast.meta.layouts import read_judgements
from paraphrast.train.data.readers import read
from tests.corpora.annotation.desk import Clock, answer, given, make, pair

TEXTS = [
    ("👩🏽‍🚒 sells 3 cars 🚗.", "👩🏽‍🚒 buys 3 cars 🚗!"),
    ("Cafe\u0301 noir, s’il te plaît", "Un café noir"),
    ("باعت الشركة السيارة", "اشترت الشركة السيارة 🚗 أمس"),
    ("父はとても強い男だった。", "私の父は非常に強い男でした。"),
]
ANSWERS = [
    PairAnswer(label="negative", spans1=((1, 2), (4, 5)), spans2=((1, 2),)),
    PairAnswer(label="positive"),
    PairAnswer(label="negative", spans1=((0, 1),), spans2=((0, 1), (3, 5))),
    PairAnswer(label="unnatural", spans1=((2, 5),), edits=()),
]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[AnnotationProject]:
    clock = Clock()
    items = [pair(f"é {n}", *texts) for n, texts in enumerate(TEXTS)]
    with make(tmp_path, items, clock=clock) as made:
        for one in ANSWERS:
            clock.now += 9.25
            answer(made, "ana", one, seconds=7.5)
        answer(made, "bo", ANSWERS[0], seconds=3.0)
        passed = given(made, "bo")
        made.work.skip("bo", passed.pair.id, version=passed.version)
        answer(made, "bo", ANSWERS[2], seconds=3.0)
        made.adjudication.merge("ida")
        yield made


def _answers(project: AnnotationProject) -> list[dict[str, Any]]:
    told = ("id", "annotator", "label", "spans1", "spans2", "submitted", "seconds")
    return [{key: row[key] for key in told} for row in answer_rows(project.outcomes(OWNER))]


@pytest.mark.parametrize("layout", ["answers", "label-studio"])
def test_an_export_is_imported_without_loss(
    tmp_path: Path, project: AnnotationProject, layout: str
) -> None:
    path = str(tmp_path / ("out.json" if layout == "label-studio" else "out.jsonl"))
    export_annotations(str(project.folder.path), path, layout)
    items = [one.pair for one in project.pairs.all(OWNER)]
    with make(tmp_path / "other", items, people=()) as other:
        folder = str(other.folder.path)
        found = import_annotations(folder, path, layout)
        assert (found.new, found.same, found.accounts) == (6, 0, ("ana", "bo"))
        assert _answers(other) == _answers(project)
        again = import_annotations(folder, path, layout)
        assert (again.new, again.same) == (0, 6)
        before = other.snapshot()
        other.rebuild()
        assert other.snapshot() == before


def test_doccano_keeps_labels_spans_and_names(tmp_path: Path, project: AnnotationProject) -> None:
    path = str(tmp_path / "out.jsonl")
    export_annotations(str(project.folder.path), path, "doccano")
    items = [one.pair for one in project.pairs.all(OWNER)]
    with make(tmp_path / "other", items, people=()) as other:
        import_annotations(str(other.folder.path), path, "doccano")
        kept = ("id", "annotator", "label", "spans1", "spans2")
        ours, theirs = (
            [{key: row[key] for key in kept} for row in _answers(one)] for one in (project, other)
        )
        assert theirs == ours


def test_the_log_is_the_project(tmp_path: Path, project: AnnotationProject) -> None:
    first, second = tmp_path / "log.jsonl", tmp_path / "again.jsonl"
    export_annotations(str(project.folder.path), str(first), "log")
    restore_annotations(str(tmp_path / "copy"), str(first))
    export_annotations(str(tmp_path / "copy"), str(second), "log")
    assert second.read_bytes() == first.read_bytes()
    with AnnotationProject.open(tmp_path / "copy") as copy:
        assert copy.snapshot() == project.snapshot()


def test_spans_are_words_and_code_points_alike(project: AnnotationProject) -> None:
    for row in answer_rows(project.outcomes(OWNER)):
        for side in ("1", "2"):
            text, words = row[f"text{side}"], row[f"tokens{side}"]
            for span in row[f"spans{side}"]:
                start, end = span["characters"]
                assert text[start:end] == span["text"]
                first, last = span["words"]
                assert span["text"].startswith(words[first])
                assert span["text"].endswith(words[last - 1])
                assert row[f"tags{side}"][first:last] == [1] * (last - first)


def test_label_studio_counts_code_points(project: AnnotationProject) -> None:
    tasks = list(label_studio_tasks(project.outcomes(OWNER)))
    regions = [
        (task["data"][region["to_name"]], region["value"])
        for task in tasks
        for made in task["annotations"]
        for region in made["result"]
        if region["type"] == "labels"
    ]
    assert len(regions) == 13
    assert all(text[one["start"] : one["end"]] == one["text"] for text, one in regions)
    written = configuration(project.settings)
    assert '<Choice value="negative" hotkey="2"/>' in written
    assert 'toName="text2"' in written


def test_old_label_studio_counts_utf16(tmp_path: Path, project: AnnotationProject) -> None:
    [task, *_] = label_studio_tasks(project.outcomes(OWNER))
    for region in task["annotations"][0]["result"]:
        if region["type"] == "labels":
            value, text = region["value"], task["data"][region["to_name"]]
            value["start"], value["end"] = (to_utf16(text, value[k]) for k in ("start", "end"))
    task["annotations"] = task["annotations"][:1]
    path = tmp_path / "old.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    folder = str(project.folder.path)
    found = import_annotations(folder, str(path), "label-studio", annotator="ana")
    assert (found.new, found.same) == (0, 1)


def test_doccano_counts_utf16(project: AnnotationProject) -> None:
    row = next(iter(doccano_rows(project.outcomes(OWNER), project.settings)))
    raw = row["text"].encode("utf-16-le")
    shown = [raw[2 * a : 2 * b].decode("utf-16-le") for a, b, _ in row["entities"]]
    assert shown == ["sells", "🚗", "buys"]
    assert row["cats"] == ["negative"]


def test_an_offset_within_a_character_is_refused() -> None:
    assert [from_utf16("a🚗b", n, "x") for n in (0, 1, 3, 4)] == [0, 1, 2, 3]
    for units in (2, 5):
        with pytest.raises(InputError):
            from_utf16("a🚗b", units, "x")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "nope", "annotator": "ana"}, "no item 'nope'"),
        ({"id": "é 0", "label": "positive"}, "whose answer"),
        ({"id": "é 0", "annotator": "cy", "text1": "Other."}, "is not that of the project"),
        ({"id": "é 0", "annotator": "cy", "label": "good"}, "no label 'good'"),
        ({"id": "é 0", "annotator": "cy", "label": "positive", "submitted": "noon"}, "no time"),
        ({"id": "é 0", "annotator": "ana", "label": "positive"}, "answered 'é 0' otherwise"),
    ],
)
def test_a_bad_row_imports_nothing(
    tmp_path: Path, project: AnnotationProject, row: dict[str, Any], message: str
) -> None:
    good = {"id": "é 1", "annotator": "di", "label": "positive"}
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (good, row)), encoding="utf-8")
    before = project.snapshot()
    with pytest.raises(InputError, match=message):
        import_annotations(str(project.folder.path), str(path), "answers")
    assert project.snapshot() == before


def test_outcomes_are_read_by_the_rest_of_the_toolkit(
    tmp_path: Path, project: AnnotationProject
) -> None:
    folder = str(project.folder.path)
    outcomes = project.outcomes(OWNER)
    assert [row["label"] for row in label_rows(outcomes)] == ["negative", None, "negative", None]
    assert [row["label"] for row in pair_rows(outcomes)] == [0, 0]
    labels = tmp_path / "labels.jsonl"
    export_annotations(folder, str(labels), "labels")
    options = CorpusOptions(label="label1", other_label="label2")
    found = evaluate_corpora([LabelledFile(str(labels), options)])["labels"]
    assert found.agreement is not None
    assert (found.agreement.pairs, found.agreement.single) == (2, 2)
    for layout in ("pairs", "tags"):
        path = tmp_path / f"{layout}.jsonl"
        export_annotations(folder, str(path), layout)
        assert len(read(layout, path)) == 2
    [first, _] = tag_layout_rows(outcomes)
    assert first["tags1"] == [0, 1, 0, 0, 1, 0]


def test_ratings_are_read_by_meta_and_by_train(tmp_path: Path) -> None:
    with make(tmp_path, [pair("a"), pair("b")], task="rating") as project:
        for name, ratings in (("ana", (20.0, 80.0)), ("bo", (40.0, 40.0))):
            for value in ratings:
                answer(project, name, PairAnswer(rating=value))
        rows = list(rating_rows(project.outcomes(OWNER)))
        assert [row["human"] for row in rows] == [-1.0, 0.0, 1.0, 0.0]
        path = tmp_path / "ratings.jsonl"
        export_annotations(str(project.folder.path), str(path), "ratings")
    assert [example.score for example in read("ratings", path)] == [-1.0, 0.0, 1.0, 0.0]
    found = read_judgements(path)
    assert {rating.rater for rating in found.ratings} == {"ana", "bo"}
