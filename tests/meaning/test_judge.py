"""The judge with small encoders of both formats: what holds whatever they say."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.meaning.judge import Judge
from paraphrast.meaning.verdict import Verdict
from paraphrast.text.words import WordText
from tests.encoders import FORMATS, make_encoder

A, B = "The cat sat on the mat.", "A dog lay on the rug today."
MORE = "The old cat sat on the mat, and the dog ran from the house to the city."
WORDS = "the cat dog not sat ran red 12 Ann . , \x00 \x1b猫 🦊 e\u0301 é".split(" ")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join) | st.text(max_size=12)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5)
FEW = settings(max_examples=10, deadline=None)
JUDGES: dict[int, Judge] = {}


@pytest.fixture(scope="module", autouse=True)
def judges(tmp_path_factory: pytest.TempPathFactory) -> None:
    for form in FORMATS:
        made = make_encoder(tmp_path_factory.mktemp("encoder"), format=form)
        JUDGES[form] = Judge.load(str(made), threads=1)


@pytest.fixture(params=FORMATS)
def judge(request: pytest.FixtureRequest) -> Judge:
    found = JUDGES[request.param]
    return Judge(found.encoder)


def encodable(text: str) -> bool:
    return not any(0xD800 <= ord(letter) < 0xE000 for letter in text)


def judged(judge: Judge, *pairs: tuple[str, str]) -> list[Verdict]:
    return judge.judge([(WordText.of(a), WordText.of(b)) for a, b in pairs])


def numbers(found: Verdict) -> list[float]:
    against = math.nan if found.contradiction is None else found.contradiction
    told = [found.confidence, found.forward, found.backward, against, found.score]
    return [*told, *found.a.probabilities, *found.b.probabilities]


@pytest.mark.parametrize("form", FORMATS)
@given(pairs=PAIRS)
@FEW
def test_batch_equals_one_by_one(form: int, pairs: list[tuple[str, str]]) -> None:
    together = judged(JUDGES[form], *pairs)
    for pair, found in zip(pairs, together, strict=True):
        (alone,) = judged(JUDGES[form], pair)
        assert numbers(found) == pytest.approx(numbers(alone), abs=1e-4, nan_ok=True)
        if abs(alone.confidence - 0.5) > 1e-3:
            assert found.same == alone.same


@pytest.mark.parametrize("form", FORMATS)
@given(text=TEXTS)
@FEW
def test_a_text_says_what_it_says(form: int, text: str) -> None:
    (found,) = judged(JUDGES[form], (text, text))
    assert found.same
    assert bool(found)
    assert (found.relation, found.confidence, found.reasons) == ("same", 1.0, ())
    assert (found.forward, found.backward, found.contradiction) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize("form", FORMATS)
@given(a=TEXTS, b=TEXTS)
@FEW
def test_a_verdict_is_json_and_hangs_together(form: int, a: str, b: str) -> None:
    (found,) = judged(JUDGES[form], (a, b))
    plain = found.to_dict()
    if encodable(a + b):
        assert json.loads(found.to_json()) == plain
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert (plain["a"], plain["b"]) == (a, b)
    assert plain["same"] is (plain["relation"] == "same")
    assert 0.5 <= plain["confidence"] <= 1
    assert 0 <= plain["percentile"] <= 100
    assert not (found.same and found.reasons)
    for reason in found.reasons:
        for text, side, places in (
            (found.a, reason.a, reason.words_a),
            (found.b, reason.b, reason.words_b),
        ):
            assert side == " ".join(text.words[place] for place in places)


@given(a=TEXTS, b=TEXTS)
@FEW
def test_format_1_answers_alike_the_other_way_round(a: str, b: str) -> None:
    (there,) = judged(JUDGES[1], (a, b))
    (back,) = judged(JUDGES[1], (b, a))
    assert (there.forward, there.backward) == (back.backward, back.forward)
    assert (there.confidence, there.contradiction) == (back.confidence, back.contradiction)
    ways = {"a_entails_b": "b_entails_a", "b_entails_a": "a_entails_b"}
    if there.forward != there.backward:
        assert back.relation == ways.get(there.relation, there.relation)


# --- bad and unusual input -----------------------------------------------------------------------


def test_empty_texts_say_the_same_and_nothing_of_others(judge: Judge) -> None:
    both, first, second, space = judged(judge, ("", ""), ("", A), (A, ""), (" \n", "\t"))
    assert both.same
    assert space.same
    assert (both.percentile, first.percentile) == (100.0, 0.0)
    assert first.relation == second.relation == "different"
    assert [(one.kind, one.a, one.b) for one in first.reasons] == [
        ("added", "", "The cat sat on the mat .")
    ]
    assert [one.kind for one in second.reasons] == ["missing"]
    assert first.contradiction == second.contradiction
    (alone,) = judged(judge, ("", A))
    (beside, _) = judged(judge, ("", A), (A, B))
    assert alone == beside


def test_spaces_and_composed_letters_change_nothing(judge: Judge) -> None:
    found = judged(judge, ("the  cat\nsat", " the cat sat "), ("caf\u00e9", "cafe\u0301"))
    assert [(one.relation, one.confidence) for one in found] == [("same", 1.0)] * 2


def test_one_text_inside_the_other(judge: Judge) -> None:
    inside, around = judged(judge, ("The cat sat on the mat.", "The cat sat on the mat. He ran."),
                            (MORE, "the old cat sat"))  # fmt: skip
    for found in (inside, around):
        assert json.loads(found.to_json())["relation"] == found.relation
        if not found.same:
            assert {one.kind for one in found.reasons} <= {"added", "missing"}


def test_control_characters_are_texts_like_others(judge: Judge) -> None:
    found, empty = judged(judge, ("the\x00cat\x1b[31m", "the cat"), ("\x00", "\x07"))
    assert found.a.text == "the\x00cat\x1b[31m"
    assert "\x1b" not in str(found)
    assert "\x00" not in str(found)
    assert empty.to_dict()["relation"] in ("same", "different")


def test_other_scripts_give_one_note(judge: Judge) -> None:
    judged(judge, ("猫が座った", "犬が座った"), ("猫", "犬"), ("кот", "пёс"))
    (note,) = judge.notes()
    assert note.startswith("100% of the letters are of scripts that the weights of 'mini'")
    judged(judge, *[(A * 20, B * 20)] * 2)
    assert judge.notes() == []


def test_ten_thousand_words(tmp_path: Path) -> None:
    made = make_encoder(tmp_path / "tiny", max_tokens=512, format=2)
    text = " ".join(["The cat sat on the mat.", "A dog ran to the red house."] * 770)
    other = text.replace("red", "blue", 1)
    assert len(WordText.of(text)) > 10_000
    (found,) = judged(Judge.load(str(made), threads=1), (text, other))
    assert (len(found.a), len(found.b)) == (len(WordText.of(text)), len(WordText.of(other)))
    windows = found.tags.windows
    assert windows > 100
    assert found.notes == (
        f"the pair is too long to be read at once and was read in {windows:,} windows, "
        "of which only those near each other were compared",
    )
    assert json.loads(found.to_json())["windows"] == windows


def test_long_texts_follow_from_each_other_sentence_by_sentence(judge: Judge) -> None:
    sentences = ["The cat sat on the mat.", "A dog ran to the red house.", "He bought a car.",
                 "She said the train was bad.", "Two men saw the city."] * 2  # fmt: skip
    text, turned = " ".join(sentences), " ".join(reversed(sentences))
    (found,) = judged(judge, (text, turned))
    assert found.tags.windows > 1
    assert found.same  # every sentence stands in the other text
    assert (found.forward, found.backward) == pytest.approx((1.0, 1.0), abs=1e-5)


# --- what a verdict rests on ---------------------------------------------------------------------


def test_the_numbers_are_those_of_the_encoder(judge: Judge) -> None:
    pair = WordText.of(A), WordText.of(B)
    (there,), (back,) = judge.encoder.read([pair]), judge.encoder.read([pair[::-1]])
    (found,) = judge.judge([pair])
    scale = judge.encoder.card.certainty.scale
    backward = there.relations.backward if there.relations.complete else back.relations.forward
    assert found.score == pytest.approx(there.score, abs=1e-6)
    assert found.forward == pytest.approx(1 / (1 + math.exp(-scale * there.entailment)), abs=1e-6)
    assert found.backward == pytest.approx(1 / (1 + math.exp(-scale * backward)), abs=1e-6)
    assert found.rated_on == "WMT16 validation split"
    assert found.percentile == pytest.approx(judge.encoder.card.percentile(there.score), abs=1e-4)


def test_format_2_says_more_than_format_1() -> None:
    one, two = (judged(JUDGES[form], (A, B))[0] for form in FORMATS)
    assert one.contradiction is None
    assert two.contradiction is not None
    assert one.a.tags == two.a.tags
    assert one.signature != two.signature


def test_the_signature_tells_the_weights(judge: Judge) -> None:
    card = judge.encoder.card
    (found,) = judged(judge, (A, B))
    start = f"judge|model:mini|weights:paraphrast-encoder-0.1.0|hash:{card.fingerprint}|"
    assert found.signature.startswith(start)
