"""The decoding study: every column beside the metric it stands for, and stopping and going on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paraphrast.errors import ConfigError, InputError
from paraphrast.generation.decoding.decode import Candidate, Decoding, decode
from paraphrast.generation.generate_options import COPIED, FLOOR, GenerateOptions
from paraphrast.io import write_table
from paraphrast.jobs.scoring.score import score
from paraphrast.meaning.assessment import assess
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.studies.decoding import candidate_pool, decoding_study
from paraphrast.studies.decoding.candidate_pool import Pool
from paraphrast.studies.decoding.decoding_settings import PRESETS, StudyOptions, chosen_presets
from paraphrast.studies.decoding.decoding_study import run_decoding_study
from paraphrast.studies.decoding.setting_figures import COLUMNS, Examiner, benchmark_of, measure
from tests.encoders import make_encoder
from tests.generation.toy import Toy

PAIRS = [
    ("The cat sat on the mat in Paris.", "A cat lay on the mat in Paris."),
    ("He bought 12 cars and a house.", "12 cars and a house were bought by him."),
    ("The old man saw the young dog.", "The young dog was seen by the old man."),
]
SOURCES, REFERENCES = map(list, zip(*PAIRS, strict=True))
# a rewording that loses a name; a copy but for case and the full stop; nothing
OUTPUTS = ["On the mat in London sat the cat.", "he bought 12 cars and a house", None]
WORDS = [f" {word}" for word in "the cat dog sat lay on a mat rug man saw old".split()]


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Toy:
    """A model that ends its texts, in place of the one the options name."""
    model = Toy(WORDS, ending=1.5, scale=1.0)
    monkeypatch.setattr(decoding_study, "load_generator", lambda *_names, **_place: model)
    return model


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    texts = [("the cat sat", "a cat lay"), ("a dog saw the man", "the man saw a dog")]
    texts += [("the old man lay on a rug", "a man lay on the old rug")]
    rows = [{"text1": a, "text2": b, "label": 1} for a, b in texts]
    rows.insert(1, {"text1": "the cat", "text2": "a dog", "label": 0})
    rows.append({"text1": " ", "text2": "a dog", "label": 1})
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def pool_rows(path: Path) -> list[Any]:
    """The rows of a pool, each beside its checksum."""
    return [line["row"] for line in lines_of(path)]


def options(**changes: Any) -> StudyOptions:
    given: dict[str, Any] = {
        "judge": "none",
        "settings": ["greedy", "w1", "w3"],
        "threads": 1,
    }
    return StudyOptions(**given | changes)


def test_columns_are_those_of_the_metrics(encoder: str) -> None:
    benchmark = benchmark_of(SOURCES, REFERENCES)
    judge = Examiner(encoder, threads=1)
    found = measure(SOURCES, REFERENCES, OUTPUTS, benchmark=benchmark, examiner=judge)
    texts = [text for text in OUTPUTS if text is not None]
    given, right = SOURCES[:2], REFERENCES[:2]
    # the third reference counts for the benchmark, though the output is missing
    rouge_p = f"rouge_p:benchmark={benchmark!r}"
    direct = score(texts, right, given, metrics=["bleu", "ter", rouge_p, "pinc"])
    values = found.values
    for name in ("bleu", "ter", "rouge_p", "pinc"):
        assert values[name] == pytest.approx(direct[name].score)
    recalls = [7 / 8, 1.0]  # all but "Paris"
    assert values["source_rouge1"] == pytest.approx(np.mean(recalls))
    lcs = [2 * 4 / 16, 1.0]  # "on the mat in"
    assert found.source_rougeL[:2] == pytest.approx(lcs)
    assert np.isnan(found.source_rougeL[2])
    assert values["source_rougeL"] == pytest.approx(np.mean(lcs))
    assert values["source_rougeL_sd"] == pytest.approx(np.std(lcs))
    assert (values["identical"], values["kept"], values["missing"]) == (0.5, 0.5, 1)
    assert values["length"] == pytest.approx(1.0)
    assert sum(found.histogram()) == 2
    assert set(values) == {column.name for column in COLUMNS}


def test_columns_of_the_judge_are_those_of_its_assessment(encoder: str) -> None:
    examiner = Examiner(encoder, threads=1)
    found = measure(SOURCES, REFERENCES, OUTPUTS, benchmark=0.5, examiner=examiner)
    pairs = [(source, text) for source, text in zip(SOURCES, OUTPUTS, strict=True) if text]
    said = assess(EditEncoder.load(encoder, threads=1), pairs)
    both = [(one.chances.forward, one.chances.backward) for one in said]
    assert found.values["entailment"] == pytest.approx(np.mean(both))
    assert found.values["tags"] == pytest.approx(np.mean([one.tags for one in said]))
    assert found.values["quality"] == pytest.approx(np.mean([one.score for one in said]))
    same = [one.chances.same for one in said]
    assert found.values["same"] == pytest.approx(np.mean(same))
    assert found.same is not None
    assert found.same[:2] == pytest.approx(same)
    assert np.isnan(found.same[2])
    assert np.ptp(same) > 0
    assert found.signatures["judge"] == examiner.signature


def test_the_human_row_holds_the_source_against_the_reference() -> None:
    benchmark = benchmark_of(SOURCES, REFERENCES)
    found = measure(SOURCES, REFERENCES, REFERENCES, benchmark=benchmark, examiner=None, human=True)
    assert found.values["bleu"] == pytest.approx(
        score(SOURCES, REFERENCES, metrics=["bleu"])["bleu"].score
    )
    assert found.values["source_rougeL"] == pytest.approx(benchmark)
    assert found.values["entailment"] is None


def test_mrpc_gives_the_paper_s_first_row(mrpc: tuple[list[str], list[str]]) -> None:
    """Table 5, "S1 and S2 in MSR": BLEU 47.45, TER 49.63, .71, .66 (.13), PINC .52, ROUGE-P .60."""
    sources, references = mrpc
    benchmark = benchmark_of(sources, references)
    found = measure(
        sources, references, references, benchmark=benchmark, examiner=None, human=True
    ).values
    assert found["bleu"] == pytest.approx(47.45, abs=0.01)
    assert found["ter"] == pytest.approx(49.63, abs=0.01)
    assert found["pinc"] == pytest.approx(0.52, abs=0.02)
    assert found["source_rouge1"] == pytest.approx(0.71, abs=0.01)
    assert found["source_rougeL"] == pytest.approx(0.66, abs=0.01)
    assert found["source_rougeL_sd"] == pytest.approx(0.13, abs=0.01)
    assert found["rouge_p"] == pytest.approx(0.60, abs=0.01)


def test_nothing_written_is_counted_and_nothing_else() -> None:
    found = measure(SOURCES, REFERENCES, [None] * 3, benchmark=0.5, examiner=None)
    assert found.values["missing"] == 3
    assert {value for name, value in found.values.items() if name != "missing"} == {None}
    assert sum(found.histogram()) == 0


def test_settings_share_a_pool(toy: Toy, pairs: str, tmp_path: Path) -> None:
    found = run_decoding_study(pairs, options(work=tmp_path / "work"))
    assert [row.preset.name for row in found.rows] == ["human", "greedy", "w1", "w3"]
    assert (found.pairs, found.left_out) == (
        3,
        {"label other than 1": 1, "empty source or reference": 1},
    )
    pools = sorted((tmp_path / "work" / "pools").iterdir())
    assert [pool.name.rpartition("-")[0] for pool in pools] == ["greedy", "top-p"]
    rows = pool_rows(pools[1])
    how = Decoding(method="top-p", temperature=0.7, n=10)
    drawn = decode(toy, [row["source"] for row in rows], how)
    for row, candidates in zip(rows, drawn, strict=True):
        assert [each["text"] for each in row["candidates"]] == [each.text for each in candidates]
    outputs = {
        path.name.rpartition("-")[0]: lines_of(path)
        for path in (tmp_path / "work" / "outputs").iterdir()
    }
    assert [row["row"] for row in outputs["w3"]] == [1, 3, 4]
    for name in ("w1", "w3"):
        for row, candidates in zip(outputs[name], drawn, strict=True):
            assert row["output"] in [each.text for each in candidates]


def test_a_setting_without_a_selection_takes_the_first_draw(
    toy: Toy, pairs: str, tmp_path: Path
) -> None:
    run_decoding_study(pairs, options(settings=["top-p"], work=tmp_path / "work"))
    (pool,) = (tmp_path / "work" / "pools").iterdir()
    (outputs,) = (tmp_path / "work" / "outputs").glob("top-p-*")
    first = [row["candidates"][0]["text"] for row in pool_rows(pool)]
    assert [row["output"] for row in lines_of(outputs)] == first


def test_vocabulary_diversity_is_of_the_pool_and_for_samples_only(
    toy: Toy, pairs: str, tmp_path: Path
) -> None:
    found = run_decoding_study(pairs, options(work=tmp_path / "work"))
    pool = next((tmp_path / "work" / "pools").glob("top-p*"))
    rows = pool_rows(pool)
    sets = [[each["text"] for each in row["candidates"]] for row in rows]
    references = ["a cat lay", "the man saw a dog", "a man lay on the old rug"]
    direct = score(
        sets, references, [row["source"] for row in rows], metrics=["vocabulary_diversity"]
    )
    assert found["w3"].values["vocabulary_diversity"] == pytest.approx(direct.scores[0].score)
    assert found["greedy"].values["vocabulary_diversity"] is None
    tokens = sum(each["tokens"] for row in rows for each in row["candidates"])
    seconds = sum(row["seconds"] for row in rows)
    assert found["w1"].values["tokens_per_second"] == pytest.approx(tokens / seconds)


def test_a_rerun_decodes_nothing_and_says_the_same(
    toy: Toy, pairs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run_decoding_study(pairs, options(work=tmp_path / "work")).to_json()

    def refused(*_arguments: object, **_options: object) -> None:
        raise AssertionError("decoded again")

    monkeypatch.setattr(candidate_pool, "decode", refused)
    assert run_decoding_study(pairs, options(work=tmp_path / "work")).to_json() == first
    with pytest.raises(AssertionError, match="decoded again"):
        run_decoding_study(pairs, options(work=tmp_path / "work", seed=1))


@pytest.mark.parametrize("cut", [1, 40, 0])
def test_a_killed_pool_goes_on(tmp_path: Path, cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidate_pool, "ROWS", 2 * 32)
    sources = [f"the cat sat {'on a mat ' * (number % 5)}{number}" for number in range(35)]
    model = Toy(WORDS, ending=1.5, scale=1.0)
    decoding = Decoding(method="top-p", n=2)
    whole, part = tmp_path / "whole", tmp_path / "part"
    for folder in (whole, part):
        folder.mkdir()
        Pool(folder, model, sources, decoding).fill(lambda _done: None)
    killed = Pool(part, model, sources, decoding)
    lines = killed.path.read_bytes().splitlines(keepends=True)
    killed.path.write_bytes(b"".join(lines[:32]) + lines[32][:cut])
    told: list[int] = []
    killed.fill(told.append)
    assert (told[0], sum(told)) == (32, len(sources))
    other = Pool(whole, model, sources, decoding)
    assert list(killed.blocks(7)) == list(other.blocks(7))
    assert [place for place, _ in killed.blocks(7)] == [0, 7, 14, 21, 28]


def test_pools_are_named_by_all_they_depend_on(tmp_path: Path) -> None:
    class Other(Toy):
        fingerprint = "1"

    usual = (Toy(WORDS), ["a cat"], Decoding())
    changed = [
        (Other(WORDS), *usual[1:]),
        (usual[0], ["a dog"], usual[2]),
        (*usual[:2], Decoding(seed=1)),
        (*usual[:2], Decoding(protect=False)),
        (*usual[:2], Decoding(temperature=0.9)),
    ]
    paths = {Pool(tmp_path, *each).path for each in [usual, *changed]}
    assert len(paths) == len(changed) + 1
    assert Pool(tmp_path, *usual).path in paths


def test_a_floor_leaves_sentences_without_an_output(toy: Toy, pairs: str, encoder: str) -> None:
    free = run_decoding_study(pairs, options(settings=["w3"], judge=encoder))
    held = run_decoding_study(pairs, options(settings=["w3"], judge=encoder, floor=0.999999))
    assert free["w3"].values["missing"] == 0
    assert held["w3"].values["missing"] == 3
    assert held.samples.shown == ()
    assert held.to_dict()["rows"][1]["rouge_p"] is None


def test_support_leaves_sentences_without_an_output(toy: Toy, pairs: str, encoder: str) -> None:
    held = run_decoding_study(pairs, options(settings=["w3"], judge=encoder, support=1.0))
    assert held["w3"].values["missing"] == 3
    assert held.to_dict()["support"] == 1.0
    assert "support at least 1" in str(held)


def test_another_encoder_than_the_judge_may_measure(
    toy: Toy, pairs: str, encoder: str, tmp_path: Path
) -> None:
    other = str(make_encoder(tmp_path / "other", seed=5))
    one = run_decoding_study(pairs, options(settings=["w3"], judge=encoder, floor=0.0))
    two = run_decoding_study(
        pairs, options(settings=["w3"], judge=encoder, floor=0.0, examiner=other)
    )
    assert [shown.output for shown in one.samples.shown] == [
        shown.output for shown in two.samples.shown
    ]
    for name in ("entailment", "tags", "quality", "support"):
        assert one["human"].values[name] != two["human"].values[name]
    assert f"measured by {other}" in str(two)


def test_gaps_are_from_the_human_row(toy: Toy, pairs: str, encoder: str) -> None:
    found = run_decoding_study(pairs, options(settings=["greedy"], judge=encoder))
    for name in ("entailment", "tags"):
        mine, people = found["greedy"].values[name], found["human"].values[name]
        assert mine is not None
        assert people is not None
        assert found["greedy"].values[f"{name}_gap"] == pytest.approx(mine - people)
        assert found["human"].values[f"{name}_gap"] == 0


def test_outputs_to_read_are_drawn_with_the_seed(toy: Toy, pairs: str) -> None:
    found = run_decoding_study(pairs, options(samples_shown=2))
    assert found.samples.setting == "w3"
    assert len(found.samples.shown) == 2
    assert found.samples == run_decoding_study(pairs, options(samples_shown=2)).samples
    every = run_decoding_study(pairs, options(samples_shown=50)).samples.shown
    assert [one.row for one in every] == [1, 3, 4]
    assert all(one in every for one in found.samples.shown)
    assert run_decoding_study(pairs, options(settings=["top-k"])).samples.setting == "top-k"


def fixed(texts: Sequence[str]) -> Callable[..., list[list[Candidate]]]:
    """Decoding that gives every source the same texts."""

    def found(_model: Any, sources: Sequence[str], *_more: Any, **_so: Any) -> Any:
        return [[Candidate(text, -1.0, 3, (), True, -1.0) for text in texts] for _ in sources]

    return found


def test_plain_settings_take_the_first_text_and_selected_ones_no_copy(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pairs.tsv"
    write_table(path, [{"a": "the cat sat on the mat", "b": "on the mat a cat sat"}])
    monkeypatch.setattr(
        candidate_pool, "decode", fixed(["The cat sat on the mat.", "the mat on which the cat sat"])
    )
    given = options(source="a", reference="b", settings=["top-p", "w3"])
    found = run_decoding_study(str(path), given)
    assert found["top-p"].values["identical"] == 1
    assert found["w3"].values["identical"] == 0
    assert found.samples.shown[0].output == "the mat on which the cat sat"


def test_floors_are_reported_as_they_are_applied(toy: Toy, pairs: str, encoder: str) -> None:
    given = {"judge": encoder, "settings": ["greedy", "w3", "generate"], "floor": 0.2}
    rows = {
        row["setting"]: (row["floor"], row["least_support"])
        for row in run_decoding_study(pairs, options(**given)).to_dict()["rows"]
    }
    assert rows["greedy"] == (None, None)  # nothing is selected there
    assert rows["w3"] == (0.2, None)
    assert rows["generate"] == (FLOOR, None)


def test_a_study_tells_what_its_judge_depends_on(toy: Toy, pairs: str, encoder: str) -> None:
    given = options(judge=encoder, settings=["greedy"])
    found = run_decoding_study(pairs, given)
    fingerprint = EditEncoder.load(encoder, threads=1).card.fingerprint
    assert f"|hash:{fingerprint}|" in found.to_dict()["judge_signature"]
    assert options().judge_signature() is None


def test_what_is_left_out_for_want_of_a_judge_is_told() -> None:
    assert options(settings=None).left_out() == ["left out, as there is no judge: generate"]
    assert options().left_out() == []


def test_every_setting_runs(toy: Toy, pairs: str, encoder: str) -> None:
    """With the shipped embedder, which beams are chosen by."""
    found = run_decoding_study(pairs, options(settings=None, limit=1, judge=encoder))
    assert [row.preset.name for row in found.rows] == list(PRESETS)
    unjudged = options(settings=None).presets()
    assert [one.name for one in unjudged] == [name for name in PRESETS if name != "generate"]
    with pytest.raises(ConfigError, match="'generate' needs a judge"):
        options(settings=["generate"])
    assert found.pairs == 1
    assert found["beam"].values["rouge_p"] is not None


def test_presets_are_the_paper_s() -> None:
    beam, back = PRESETS["beam"].decoding, PRESETS["reversed"].decoding
    assert beam is not None
    assert back is not None
    assert (beam.beams, beam.repetition_penalty, beam.repetition_window) == (20, 5, 40)
    assert (beam.reverse, back.reverse > 0) == (0, True)
    assert PRESETS["top-p"].decoding == Decoding(method="top-p", top_p=0.95, n=10)
    assert {PRESETS[name].decoding for name in ("w1", "w3", "w10")} == {
        Decoding(method="top-p", top_p=0.95, temperature=0.7, n=10)
    }
    assert PRESETS["beam-cosine"].select == "cosine"


def test_one_setting_is_what_generate_does() -> None:
    usual = GenerateOptions()
    preset = PRESETS["generate"].placed(protect=True, seed=usual.seed)
    assert preset.decoding == usual.decoding()
    assert (preset.select, preset.copied) == (usual.select, COPIED)
    assert (preset.floor, preset.support) == (usual.floor, usual.support)


def test_settings_are_as_they_were_asked_for() -> None:
    assert all(preset.name == name and preset.about for name, preset in PRESETS.items())
    placed = PRESETS["beam"].placed(protect=False, seed=7).decoding
    assert placed is not None
    assert (placed.protect, placed.seed) == (False, 7)


def test_wrong_options_are_refused(pairs: str) -> None:
    with pytest.raises(ConfigError, match=r"no setting is called 'gredy' \(did you mean 'greedy'"):
        chosen_presets(["gredy"])
    with pytest.raises(ConfigError, match="beside human"):
        chosen_presets(["human"])
    with pytest.raises(ConfigError, match="needs a judge"):
        options(floor=0.5)
    with pytest.raises(ConfigError, match="limit"):
        options(limit=0)
    with pytest.raises(ConfigError, match="same column"):
        options(source="x", reference="x")
    with pytest.raises(InputError, match=r"no column 'text3' \(did you mean 'text[12]'"):
        run_decoding_study(pairs, options(source="text3"))


def test_a_corpus_without_paraphrases_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    write_table(path, [{"text1": "a", "text2": "b", "label": 0}])
    with pytest.raises(InputError, match="no pair is left to study; left out: 1 for label"):
        run_decoding_study(str(path), options())


def test_two_studies_do_not_share_a_folder(toy: Toy, pairs: str, tmp_path: Path) -> None:
    from paraphrast.io.resume import alone

    work = tmp_path / "work"
    work.mkdir()
    with alone(work, doing="testing"), pytest.raises(ConfigError, match="making a study"):
        run_decoding_study(pairs, options(work=work))
