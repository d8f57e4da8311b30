"""Support of a text by its source: sentence by sentence, whatever the batch."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.meaning import support as room
from paraphrast.meaning.source_chunks import Chunking
from paraphrast.meaning.support import claims, supports
from paraphrast.meaning.support_report import support_reports
from paraphrast.models.encoder import pair_summary
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.text.words import WordText
from tests.encoders import CERTAINTY, make_encoder

SOURCE = "The cat sat on the mat. He bought an old car. It ran today."
PIECES = [
    *["The cat sat on the mat.", "A dog ran home.", "He bought a car!", "It is red", "..."],
    *["猫がいる。", "कुत्ता घर गया।", "\0", "😀", "\n", "the dog and the cat " * 12 + "sat."],
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join)


@pytest.fixture(scope="module", params=[1, 2], ids=["format 1", "format 2"])
def encoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = make_encoder(tmp_path_factory.mktemp("encoder"), format=request.param)
    return EditEncoder.load(folder, threads=1)


def test_each_sentence_follows_as_far_as_from_its_best_chunk(encoder: EditEncoder) -> None:
    ((found,),) = supports(encoder, [(SOURCE, "The cat sat.")], chunking=Chunking(words=8))
    chunks = ["The cat sat on the mat.", "He bought an old car.", "It ran today."]
    readings = encoder.read([(WordText.of(one), WordText.of("The cat sat.")) for one in chunks])
    logits = [one.entailment for one in readings]
    scale = 1 if encoder.card.format == 1 else CERTAINTY["scale"]
    assert found.probability == pytest.approx(1 / (1 + math.exp(-scale * max(logits))), abs=1e-4)
    assert found.chunk == chunks[logits.index(max(logits))]


def test_what_stands_in_the_source_needs_no_reading(
    encoder: EditEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    real = encoder.summaries
    monkeypatch.setattr(encoder, "summaries", lambda some: asked.append(len(some)) or real(some))
    ((first, second),) = supports(encoder, [(SOURCE, "He bought  an old car. He ran.")])
    assert (first.probability, first.chunk) == (1.0, "He bought  an old car.")
    assert second.probability < 1
    assert asked == [1]


def test_empty_texts_are_defined(encoder: EditEncoder) -> None:
    found = supports(encoder, [("", "The cat sat."), (SOURCE, ""), ("", ""), (SOURCE, "... 😀")])
    assert [len(many) for many in found] == [1, 0, 0, 0]
    assert (found[0][0].probability, found[0][0].chunk) == (0.0, "")
    assert supports(encoder, []) == []


def test_what_holds_no_letter_claims_nothing() -> None:
    assert claims("The cat. ... ! It is 5\n\0\n猫。") == ["The cat. ... !", "It is 5", "猫。"]


@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_a_batch_is_its_pairs_one_by_one(
    encoder: EditEncoder, pairs: list[tuple[str, str]], seed: int
) -> None:
    chunking = Chunking(words=5 + seed % 40, reach=1 + seed % 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_summary, "MOST", 0)  # nothing is remembered from one call to the next
        whole = supports(encoder, pairs, chunking=chunking)
        patch.setattr(room, "_READINGS", 1 + seed % 7)
        cut = supports(encoder, pairs, chunking=chunking)
        alone = [supports(encoder, [pair], chunking=chunking)[0] for pair in pairs]
    for one, other, third in zip(whole, cut, alone, strict=True):
        expected = [each.probability for each in third]
        assert [each.text for each in one] == [each.text for each in third]
        assert [each.probability for each in one] == pytest.approx(expected, abs=1e-4)
        assert [each.probability for each in other] == pytest.approx(expected, abs=1e-4)


def test_many_long_sources_are_held_a_block_at_a_time(
    encoder: EditEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_READINGS", 10)
    asked: list[int] = []
    real = encoder.summaries
    monkeypatch.setattr(encoder, "summaries", lambda some: asked.append(len(some)) or real(some))
    sources = [f"The cat {n} sat. " * 3 + "A dog ran home. " * 20 for n in range(12)]
    done: list[int] = []
    found = supports(
        encoder,
        [(source, "A cat ran.") for source in sources],
        chunking=Chunking(words=10, reach=4),
        advance=done.append,
    )
    assert len(found) == sum(done) == 12
    assert len(done) > 3
    assert max(asked) <= 10


def test_a_source_of_ten_thousand_words(encoder: EditEncoder) -> None:
    source = " ".join(f"The cat {n} sat on the mat in the old house." for n in range(1000))
    ((held, found),) = supports(encoder, [(source, "The cat 7 sat on the mat in the old house. "
                                                   "Cat 700 sat.")])  # fmt: skip
    assert held.probability == 1
    assert 0 < found.probability < 1
    assert found.chunk in source


def test_a_report_names_the_words_that_the_source_does_not_say(encoder: EditEncoder) -> None:
    text = "He bought an old car. Big dogs never said bad!"
    (report,) = support_reports(encoder, [(SOURCE, text)])
    held, lacking = report.claims
    assert held.supported
    assert held.words == []
    assert held.tags is None
    assert not lacking.supported
    assert "dogs" in " ".join(lacking.words)
    assert all(words in lacking.text for words in lacking.words)
    assert report.unsupported == (lacking,)
    assert not report
    assert report.score == pytest.approx((1 + lacking.probability) / 2, abs=1e-6)
    assert report.least == lacking.probability


def test_a_report_on_an_empty_source_or_text(encoder: EditEncoder) -> None:
    nothing, silent = support_reports(encoder, [("", "The cat sat."), (SOURCE, "")])
    assert nothing.claims[0].words == ["The cat sat."]
    assert (nothing.score, bool(nothing)) == (0, False)
    assert (silent.claims, silent.score, bool(silent)) == ((), 1, True)


def test_a_report_prints_itself(encoder: EditEncoder) -> None:
    text = "He bought an old car. Big dogs <b> never said bad!"
    (report,) = support_reports(encoder, [(SOURCE, text)])
    shown = str(report)
    assert shown.startswith("1 of 2 sentences follows from the source.")
    assert "nearest: The cat sat" in shown
    assert shown.endswith(report.signature)
    assert "<b>" not in report._repr_html_()
    assert "&lt;b&gt;" in report._repr_html_().replace("<mark>", "").replace("</mark>", "")
    claims = report.to_dict()["claims"]
    assert [claim["supported"] for claim in claims] == [True, False]


def test_every_choice_is_in_the_signature(encoder: EditEncoder, tmp_path: Path) -> None:
    def signed(who: EditEncoder, **chunking: int) -> str:
        (report,) = support_reports(who, [("a", "b")], chunking=Chunking(**chunking))
        return report.signature

    other = EditEncoder.load(make_encoder(tmp_path, seed=5), threads=1)
    found = {
        signed(encoder), signed(encoder, words=7), signed(encoder, reach=2), signed(other)
    }  # fmt: skip
    assert len(found) == 4
