"""BERTScore: the package's numbers, whatever stands beside a text in its batch."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paraphrast
from paraphrast.errors import ConfigError, InputError, ModelError
from paraphrast.metrics import embedding
from paraphrast.metrics.bertscore import BertScore
from paraphrast.metrics.catalogue import make_metric
from paraphrast.models.embedder.state_cache import Recent
from paraphrast.models.embedder.text_embedder import Embedder
from tests.embedders import install_embedder, make_embedder
from tests.encoders import SPECIALS, WORDS, _tokeniser, _vocabulary, make_encoder

ROOT = Path(__file__).parents[2]
CAT, RUG, DOG = "the cat sat on the mat", "the cat sat on a rug", "he bought an old red car"
EMOJI = "😀 😀"
BASELINE = {"data": "random pairs", "layers": {"1": [0.1, 0.2, 0.3], "2": [0.4, 0.5, 0.6]}}
TEXTS = st.lists(st.sampled_from([*WORDS, "1,000", "don't", "zzz", "."]), min_size=1, max_size=9)
PARTS = ("P", "R", "F")


@pytest.fixture
def minilm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The weights that "minilm" stands for in these tests."""
    return install_embedder(tmp_path / "site", monkeypatch, baseline=BASELINE)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_embedder(tmp_path_factory.mktemp("tiny") / "embedder")


def score(candidates: Any, references: Any, *metrics: str, **options: Any) -> paraphrast.Report:
    found = paraphrast.score(candidates, references, metrics=list(metrics), threads=1, **options)
    assert isinstance(found, paraphrast.Report)
    return found


def parts(report: paraphrast.Report) -> np.ndarray[Any, Any]:
    """P, R and F of each segment."""
    (found,) = report.scores
    return np.column_stack([report.segment_values[f"{found.metric}.{part}"] for part in PARTS])


# --- the package ---------------------------------------------------------------------------------


class Encoding:
    """As much of a tokeniser as bert-score asks for, over the sub-words of an embedder."""

    model_max_length = 10**6

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def encode(self, text: str, **_: Any) -> list[int]:
        return [int(number) for number in self._embedder.subwords([text])[0]]

    def build_inputs_with_special_tokens(self, _: list[int]) -> list[int]:
        return self.encode("")


def package_pair(embedder: Embedder, candidate: str, reference: str, idf: Any) -> list[float]:
    """What bert-score's own matching gives for the embedder's states, without padding."""
    torch = pytest.importorskip("torch")
    utils = pytest.importorskip("bert_score").utils
    sides = []
    for text in (reference, candidate):
        (tokens,) = embedder.tokens([text])
        states = torch.tensor(tokens.states)[None]
        weights = [
            idf[number] if idf else float(not special)
            for number, special in zip(tokens.ids.tolist(), tokens.special.tolist(), strict=True)
        ]
        mask = torch.ones(1, len(tokens.ids))
        sides += [states, mask, torch.tensor([weights], dtype=torch.float)]
    return [float(value) for value in utils.greedy_cos_idf(*sides)]


CORPUS: list[tuple[str, list[str]]] = [
    (RUG, [CAT, "a cat was on a rug ."]),
    (DOG, ["he sold an old car"]),
    ("the dog", ["a dog ran home", "the dog ran", "never"]),
    ("it is not in the city", ["they went to the city and came home", "it was there"]),
]


@pytest.mark.parametrize("idf", [False, True])
def test_the_matching_is_that_of_the_package(minilm: Path, idf: bool) -> None:
    embedder = Embedder.load(threads=1)
    table = None
    if idf:
        utils = pytest.importorskip("bert_score").utils
        flat = [text for _, many in CORPUS for text in many]
        table = utils.get_idf_dict(flat, Encoding(embedder), nthreads=0)
    report = score(
        [candidate for candidate, _ in CORPUS],
        [many for _, many in CORPUS],
        f"bertscore:idf={'references' if idf else 'none'}",
    )
    expected = [
        np.max([package_pair(embedder, candidate, text, table) for text in many], axis=0)
        for candidate, many in CORPUS
    ]
    np.testing.assert_allclose(parts(report), expected, atol=1e-6)


@pytest.mark.parametrize(("candidate", "reference"), [("", CAT), (CAT, " "), ("", "\n")])
def test_an_empty_text_gives_nothing_as_in_the_package(
    minilm: Path, candidate: str, reference: str, capfd: pytest.CaptureFixture[str]
) -> None:
    expected = package_pair(Embedder.load(threads=1), candidate, reference, None)
    assert expected == [0, 0, 0]
    assert parts(score([candidate], [reference], "bertscore")).tolist() == [expected]


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A small BERT of random weights: as transformers saves it, and as we export it."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    folder, vocabulary = tmp_path_factory.mktemp("bert"), _vocabulary()
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.2,
    )
    transformers.BertModel(config).save_pretrained(folder / "hub")
    named = dict(zip(("pad", "unk", "cls", "sep", "mask"), SPECIALS, strict=True))
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=_tokeniser(vocabulary, 100),
        model_max_length=64,
        **{f"{name}_token": token for name, token in named.items()},
    ).save_pretrained(folder / "hub")
    return folder / "hub", exported(folder / "hub", folder / "embedder")


def exported(source: Path, out: Path) -> Path:
    """Export weights as they are, without measuring anything."""
    pytest.importorskip("onnx")
    from paraphrast.train.export.embedder.embedder_export import export_embedder
    from paraphrast.train.export.export_options import ExportOptions

    options = ExportOptions(form="float32", baseline=False, layer=2, data=out.parent)
    export_embedder(str(source), out, options)
    return out


def assert_the_package_says_the_same(
    hub: Path, ours: Path, layer: int, corpus: Sequence[tuple[str, list[str]]], idf: bool
) -> None:
    package = pytest.importorskip("bert_score")
    candidates, references = [c for c, _ in corpus], [many for _, many in corpus]
    expected = package.score(
        candidates, references, model_type=str(hub), num_layers=layer, idf=idf, nthreads=0
    )
    weighing = "references" if idf else "none"
    report = score(candidates, references, f"bertscore:model={ours},layer={layer},idf={weighing}")
    np.testing.assert_allclose(parts(report), np.column_stack(expected), atol=1e-4)


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("layer", [1, 3])
def test_the_package_says_the_same_of_the_same_weights(
    bert: tuple[Path, Path], layer: int, idf: bool
) -> None:
    assert_the_package_says_the_same(*bert, layer, CORPUS, idf)


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The starting weights of minilm: as they came, and as we export them."""
    hub = ROOT / "backbones" / "minilm"
    if not (hub / "model.safetensors").exists():
        pytest.skip("the starting weights of minilm are not in backbones/")
    return hub, exported(hub, tmp_path_factory.mktemp("real") / "embedder")


@pytest.mark.parametrize("idf", [False, True])
def test_the_package_says_the_same_of_real_weights(
    mrpc: tuple[list[str], list[str]], real: tuple[Path, Path], idf: bool
) -> None:
    corpus = [(a, [b, c]) for a, b, c in zip(mrpc[0][:40], mrpc[1], mrpc[1][1:], strict=False)]
    assert_the_package_says_the_same(*real, 4, corpus, idf)


def test_the_shipped_form_is_near_the_package(
    mrpc: tuple[list[str], list[str]], real: tuple[Path, Path]
) -> None:
    package = pytest.importorskip("bert_score")
    candidates, references = mrpc[0][:200], mrpc[1][:200]
    expected = package.score(candidates, references, model_type=str(real[0]), num_layers=4)
    found = parts(score(candidates, references, "bertscore"))
    for ours, theirs in zip(found.T, expected, strict=True):
        assert np.abs(ours - theirs.numpy()).mean() <= 0.015
        assert np.corrcoef(ours, theirs.numpy())[0, 1] >= 0.99


# --- what other programs get wrong ---------------------------------------------------------------

# torchmetrics 1.9.0 sorts candidates and references by length, each on its own, and does not undo
# it: candidate 1 is then scored against another reference than its own. Its numbers below are
# those of torchmetrics.functional.text.bert.bert_score with all-MiniLM-L6-v2 (backbones/minilm),
# num_layers=4: for the three at once, and for each alone. bert-score 0.3.13 gives the third row.
UNSORTED = (
    ["the cat sat on the mat by the door all day", "it rains", "he bought an old red car"],
    [
        "the cat sat on the mat",
        "rain is falling today in the whole city",
        "he bought an old red car in the city yesterday and sold it",
    ],
)
TORCHMETRICS_TOGETHER = [0.3951, 0.4862, 0.3171]
TORCHMETRICS_ALONE = [0.8322, 0.5296, 0.8196]
PACKAGE = [0.8348, 0.5430, 0.8254]


def test_texts_meet_their_own_partners(real: tuple[Path, Path]) -> None:
    assert np.abs(np.subtract(TORCHMETRICS_TOGETHER, TORCHMETRICS_ALONE)).max() > 0.4
    name = f"bertscore:model={real[1]},layer=4"
    together = parts(score(*UNSORTED, name))
    alone = [parts(score([a], [b], name))[0] for a, b in zip(*UNSORTED, strict=True)]
    np.testing.assert_allclose(together, alone, atol=1e-4)
    np.testing.assert_allclose(together[:, 2], PACKAGE, atol=1e-4)


def test_partners_do_not_depend_on_lengths(minilm: Path) -> None:
    together = parts(score(*UNSORTED, "bertscore"))
    for number, (a, b) in enumerate(zip(*UNSORTED, strict=True)):
        np.testing.assert_allclose(
            together[number], parts(score([a], [b], "bertscore"))[0], atol=1e-4
        )
    order = [1, 2, 0]
    candidates, references = ([side[n] for n in order] for side in UNSORTED)
    turned = parts(score(candidates, references, "bertscore"))
    np.testing.assert_allclose(turned, together[order], atol=1e-4)


# --- properties ----------------------------------------------------------------------------------


@given(
    rows=st.lists(
        st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=6
    ),
    seed=st.integers(0, 99),
    limit=st.sampled_from([1, 40, 1 << 18]),
)
@settings(max_examples=25)
def test_neither_batch_nor_order_nor_padding_changes_a_value(
    tiny: Path, rows: list[tuple[list[str], list[list[str]]]], seed: int, limit: int
) -> None:
    name = f"bertscore:model={tiny}"
    corpus = [(" ".join(c), [" ".join(r) for r in many]) for c, many in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding, "_CHARACTERS", limit)
        patch.setattr(Recent, "get", lambda *_: None)  # nothing is remembered
        whole = parts(score([c for c, _ in corpus], [many for _, many in corpus], name))
        order = random.Random(seed).sample(range(len(corpus)), len(corpus))
        shuffled = [corpus[n] for n in order]
        again = parts(score([c for c, _ in shuffled], [many for _, many in shuffled], name))
        np.testing.assert_allclose(again, whole[order], atol=1e-4)
        for number, (candidate, many) in enumerate(corpus):
            alone = np.max([parts(score([candidate], [text], name))[0] for text in many], axis=0)
            np.testing.assert_allclose(whole[number], alone, atol=1e-4)


@given(one=TEXTS, other=TEXTS)
@settings(max_examples=25)
def test_sides_may_be_exchanged_and_a_text_is_its_own_best(
    tiny: Path, one: list[str], other: list[str]
) -> None:
    a, b, name = " ".join(one), " ".join(other), f"bertscore:model={tiny}"
    forth, back, same = parts(score([a, b, a], [b, a, a], name))
    np.testing.assert_allclose(forth, back[[1, 0, 2]], atol=1e-4)
    assert same == pytest.approx([1, 1, 1], abs=1e-5)
    assert forth.max() <= 1 + 1e-9


def test_more_references_never_make_it_worse(minilm: Path) -> None:
    one, two = (parts(score([RUG], [many], "bertscore"))[0] for many in ([DOG], [DOG, CAT]))
    assert (two >= one).all()
    assert (two > one).any()


# --- options -------------------------------------------------------------------------------------


def test_parts_and_references(minilm: Path) -> None:
    singles = np.array([parts(score([RUG], [text], "bertscore"))[0] for text in (CAT, DOG)])
    best = score([RUG], [[CAT, DOG]], *(f"bertscore:part={part}" for part in PARTS))
    assert [one.score for one in best.scores] == pytest.approx(singles.max(axis=0).tolist())
    assert best.scores[0].parts == pytest.approx(
        dict(zip(PARTS, singles.max(axis=0).tolist(), strict=True))
    )
    mean = score([RUG], [[CAT, DOG]], "bertscore:combine=mean")
    assert parts(mean)[0] == pytest.approx(singles.mean(axis=0), abs=1e-6)


def test_the_baseline_is_taken_off(minilm: Path) -> None:
    texts = [RUG, ""], [CAT, DOG]
    for layer in (1, 2):
        raw = parts(score(*texts, f"bertscore:layer={layer}"))
        low = np.array(BASELINE["layers"][str(layer)])  # type: ignore[index]
        report = score(*texts, f"bertscore:layer={layer},rescale=true,part=P")
        np.testing.assert_allclose(parts(report), (raw - low) / (1 - low), atol=1e-9)
        np.testing.assert_allclose(report.segment_values["bertscore.P"], parts(report)[:, 0])


def test_f_is_bounded_where_p_and_r_differ_in_sign() -> None:
    from paraphrast.metrics.bertscore import _harmonic

    assert _harmonic(0.5, 1.0) == pytest.approx(2 / 3)
    assert _harmonic(-0.2, -0.2) == pytest.approx(-0.2)
    assert _harmonic(-0.1, 0.1001) == 0
    assert _harmonic(0.0, 0.0) == 0


# --- what is undefined ---------------------------------------------------------------------------


def test_a_text_without_a_known_word_is_undefined(minilm: Path) -> None:
    report = score([RUG, EMOJI, RUG], [[CAT, EMOJI], [CAT], [EMOJI]], "bertscore")
    values = report.segment_values["bertscore"]
    assert values[0] == pytest.approx(score([RUG], [CAT], "bertscore")["bertscore"].score)
    assert [math.isnan(value) for value in values] == [False, True, True]
    assert report["bertscore"].score == pytest.approx(values[0])
    assert report.notes == (
        "bertscore: undefined for 2 segments, not counted",
        "3 texts hold no word that the weights of 'minilm' know",
    )
    mean = score([RUG, RUG], [[CAT, EMOJI], [EMOJI, CAT]], "bertscore:combine=mean")
    assert mean.segment_values["bertscore"] == pytest.approx([values[0], values[0]], abs=1e-6)


def test_nothing_known_at_all_is_an_error(minilm: Path) -> None:
    with pytest.raises(InputError) as caught:
        score([EMOJI, CAT], [CAT, EMOJI], "bertscore")
    assert str(caught.value) == (
        "bertscore is undefined for every segment of this input; "
        "2 texts hold no word that the weights of 'minilm' know"
    )


def test_a_text_that_idf_weighs_nothing_is_undefined(minilm: Path) -> None:
    with pytest.raises(InputError) as caught:
        score([RUG], [CAT], "bertscore:idf=references")
    assert str(caught.value) == (
        "bertscore is undefined for every segment of this input; "
        "1 text holds only sub-words that idf weighs 0"
    )


def test_windows_scripts_and_unknown_words_are_noted(minilm: Path) -> None:
    long = "the cat sat on a red mat " * 20
    assert score([long, RUG], [CAT, long], "bertscore", "embedding_cosine").notes == (
        "2 of 4 texts were longer than 64 sub-words and were read in windows",
    )
    notes = score(["кот сидит the", "кот"], ["кот лежит cat", "cat"], "bertscore").notes
    assert notes == (
        "bertscore: undefined for 1 segment, not counted",
        "1 text holds no word that the weights of 'minilm' know",
        "62% of the sub-words are unknown to the weights of 'minilm'; the values may mean little",
        "68% of the letters are of scripts that the weights of 'minilm' were not trained on "
        "(languages: en); the values may mean little",
    )


# --- signatures ----------------------------------------------------------------------------------


def test_the_signature_names_all_that_matters(minilm: Path) -> None:
    card = Embedder.load(threads=1).card
    (plain,) = score([RUG], [CAT], "bertscore").scores
    assert plain.signature == (
        f"bertscore|nrefs:1|model:minilm|weights:paraphrast-encoder-0.1.0|hash:{card.fingerprint}"
        "|dtype:float32|layer:1|refs:best|idf:none|rescale:no|part:F"
        f"|version:{paraphrast.__version__}"
    )
    assert make_metric("bertscore:layer=1").signature("1") == plain.signature
    (other,) = score([RUG, DOG], [CAT, DOG], "bertscore:idf=references,rescale=true").scores
    assert re.search(r"\|idf:[0-9a-f]{12}\|rescale:[0-9a-f]{12}\|", other.signature)


@given(changes=st.lists(st.sampled_from(range(8)), max_size=2, unique=True))
@settings(max_examples=30)
def test_each_field_makes_another_signature(
    tmp_path_factory: pytest.TempPathFactory, changes: list[int]
) -> None:
    base = _Variants(tmp_path_factory.getbasetemp() / "variants")
    distinct = {(), *((number,) for number in changes), tuple(changes)}
    assert len({base.signature(one) for one in distinct}) == len(distinct)


class _Variants:
    """One metric, changed in one way or several: weights, card, layer, and every option."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def signature(self, changes: tuple[int, ...]) -> str:
        ways: list[dict[str, Any]] = [
            {"seed": 1},
            {"version": "9"},
            {"dtype": "static int8"},
            {"baseline": {"data": "others", "layers": {"1": [0.1, 0.2, 0.4]}}},
            {"max_tokens": 32},
        ]
        options = ["layer=1,part=P", "combine=mean", "idf=references"]
        card: dict[str, Any] = {"baseline": BASELINE, "layer": 0}
        chosen = ["rescale=true", "layer=1"]
        for number in changes:
            if number < len(ways):
                card |= ways[number]
            else:
                chosen += options[number - len(ways)].split(",")
        last = dict(one.split("=") for one in chosen)
        settled = ",".join(f"{key}={value}" for key, value in last.items())
        name = "-".join(map(str, changes)) or "base"
        made = make_embedder(self._folder / name, **card)
        texts = [RUG, DOG], [CAT, DOG]
        return score(*texts, f"bertscore:model={made},{settled}").scores[0].signature


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("bertscore:combine=worst", "combine must be one of best, mean; got 'worst'"),
        ("bertscore:part=G", "part must be one of P, R, F; got 'G'"),
        (
            "bertscore:idf=-",
            "idf must be none, references (those of this corpus) or a file; got '-', and standard "
            "input is for what is scored",
        ),
        (
            "bertscore:idf=true",
            "idf must be none, references (those of this corpus) or a file; got 'true'",
        ),
        ("bertscore:layer=two", "metric 'bertscore': option 'layer' takes int; got 'two'"),
    ],
)
def test_wrong_options_are_refused(request_: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        make_metric(request_)


@pytest.fixture
def untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be scored, or counted."""
    monkeypatch.setattr("paraphrast.jobs.scoring.score.tally", None)
    monkeypatch.setattr("paraphrast.jobs.scoring.score.surveys.survey", None)


@pytest.mark.usefixtures("untouched")
def test_what_the_weights_lack_is_an_error_before_any_work(minilm: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        score([RUG], [CAT], "bertscore:layer=3")
    assert str(caught.value) == (
        "layer must be a whole number from 0 to 2, the layers of 'minilm'; got 3"
    )
    with pytest.raises(ConfigError) as caught:
        score([RUG], [CAT], "bertscore:layer=0,rescale=true")
    assert str(caught.value) == (
        "rescale=true needs a baseline, and the card of 'minilm' has none for layer 0 "
        "(layers with one: 1, 2); leave rescale out"
    )


@pytest.mark.usefixtures("untouched")
def test_weights_of_another_kind_are_refused(tmp_path: Path) -> None:
    encoder = make_encoder(tmp_path / "encoder")
    with pytest.raises(ModelError, match=r"the kind must be 'paraphrast embedder'"):
        score([RUG], [CAT], f"bertscore:model={encoder}")
    with pytest.raises(ConfigError, match=r"^unknown model 'minni' \(did you mean 'minilm'\?\)"):
        score([RUG], [CAT], "bertscore:model=minni")
    with pytest.raises(ConfigError, match=r"^model must be 'minilm', .* as text; got 5$"):
        BertScore(model=5)  # type: ignore[arg-type]


def test_long_texts_are_compared_in_blocks(minilm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [" ".join(random.Random(n).choices(WORDS, k=40)) for n in range(2)]
    whole = parts(score([texts[0]], [texts[1]], "bertscore"))
    monkeypatch.setattr("paraphrast.metrics.bertscore._AT_ONCE", 100)
    np.testing.assert_allclose(parts(score([texts[0]], [texts[1]], "bertscore")), whole, atol=1e-6)


@pytest.mark.parametrize("options", [{"rescale": "false"}, {"idf": True}, {"idf": "/dev/stdin"}])
def test_options_of_the_wrong_type_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"must be (true or false|none, references)"):
        BertScore(**options)


def test_characters_without_a_subword_are_told(minilm: Path) -> None:
    report = score(["\u200b", CAT], [CAT, CAT], "bertscore")
    assert report.notes == ("1 text holds characters, but no sub-word: scored as empty",)
    assert report.segment_values["bertscore"][0] == 0


def test_a_blank_file_gives_no_idf(minilm: Path, tmp_path: Path) -> None:
    (tmp_path / "blank.txt").write_text("\n\n \n")
    with pytest.raises(InputError, match=r"blank\.txt holds no text to count$"):
        score([CAT], [CAT], f"bertscore:idf={tmp_path / 'blank.txt'}")


def test_several_systems_are_read_in_one_go(minilm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    read = Embedder._read

    def counted(self: Embedder, rows: Any, *rest: Any) -> Any:
        asked.append(len(rows))
        return read(self, rows, *rest)

    monkeypatch.setattr(Embedder, "_read", counted)
    systems = {"a": [CAT, DOG], "b": [RUG, DOG]}
    paraphrast.score(systems, [CAT, RUG], metrics=["bertscore"], threads=1)
    assert [many for many in asked if many] == [3]
