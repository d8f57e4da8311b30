"""Prompted language models: prompts, parsing, ParaTag's window, rounds."""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.corpora.translators.services.endpoint import Endpoint
from paraphrast.corpora.translators.services.prompt_writers import ChatWriter, CompletionWriter
from paraphrast.corpora.translators.services.prompted import (
    PairWindow,
    PromptRound,
    TextPair,
    demonstrations,
    distinct,
    parse,
    prompt_of,
    request_rows,
)
from paraphrast.corpora.translators.spending import read_usage
from paraphrast.engine.step import Dropped, Row
from paraphrast.errors import ConfigError, InputError
from tests.corpora.translators.server import Script, Still, serving

# the pair that the paper's section 4.1 shows
KERNEL = (
    "However, commercial use of the 2.6.0 kernel is still months off for most customers.",
    "Commercial releases of the 2.6 kernel by major Linux distributors still remain months away.",
)
SHOWN = tuple((f"premise number {n} is here", f"here is the {n}th premise") for n in range(30))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving(Script()) as made:
        yield made


def completed(text: str, why: str = "stop") -> tuple[int, dict[str, Any]]:
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    return 200, {"choices": [{"text": text, "finish_reason": why}], "usage": usage}


def writer(script: Script) -> CompletionWriter:
    endpoint = Endpoint(url=script.url + "/v1/completions", clock=Still().clock)
    return CompletionWriter(name="lm", model="m", endpoint=endpoint)


def run(step: PromptRound, rows: list[Row]) -> list[Row | Dropped]:
    with step.open() as work:
        return list(work(rows))


def test_the_prompt_is_the_paper_s() -> None:
    assert prompt_of([KERNEL]) == f"Premise: {KERNEL[0]}\nParaphrase: {KERNEL[1]}\nPremise:"
    assert prompt_of([], "It rains.") == "Premise: It rains.\nParaphrase:"


def test_complete_pairs_are_parsed() -> None:
    written = (
        " One here.\nParaphrase: One there.\nPremise: Two\n\nParaphrase: II\nPremise: Three\nPa"
    )
    assert parse(written) == [("One here.", "One there."), ("Two", "II")]
    assert parse("Premise: One\r\n Paraphrase: I\r\n") == [("One", "I")]
    assert parse("One\nParaphrase: cut off") == []
    assert parse("One\nParaphrase:\nPremise: Two\nParaphrase: II\n") == [("Two", "II")]
    assert parse("") == parse("I am sorry, but no.\n") == []


def test_the_paraphrase_of_a_premise_of_ours_is_parsed() -> None:
    for written in (
        " It pours.\n",
        "Paraphrase: It pours.\n",
        " It pours.\nPremise: x\nParaphrase: y\n",
    ):
        assert parse(written, "It rains.") == [("It rains.", "It pours.")]
    repeated = "Premise: It rains.\nParaphrase: It pours.\n"
    assert parse(repeated, "It rains.") == [("It rains.", "It pours.")]
    assert parse(" It pou", "It rains.") == []


words = st.text(st.characters(categories=["L", "N", "P"]), min_size=1)


@given(st.lists(st.tuples(words, words), min_size=1))
def test_what_a_prompt_shows_is_what_is_parsed(pairs: list[TextPair]) -> None:
    whole = prompt_of(pairs).removesuffix("Premise:")
    assert parse(whole) == pairs


@pytest.mark.parametrize(
    ("pair", "bleu", "why"),
    [
        (KERNEL, 12.0, None),
        (KERNEL, 5.0, "BLEU of 5 or less"),
        (KERNEL, 5.01, None),
        (KERNEL, 19.99, None),
        (KERNEL, 20.0, "BLEU of 20 or more"),
        (("nine char", "more than nine"), 12.0, "shorter than 10 characters"),
        (("ten chars.", "more than ten"), 12.0, None),
        (("two words!", "here, there are five"), 12.0, None),
        (("two words!", "here there are five words"), 12.0, "2.5 times as many words or more"),
        (("here there are five words", "two words!"), 12.0, "2.5 times as many words or more"),
    ],
)
def test_the_window_is_the_paper_s(pair: TextPair, bleu: float, why: str | None) -> None:
    assert PairWindow().rejected(pair, bleu) == why


def test_a_window_that_holds_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="low=20 is not below high=20"):
        PairWindow(low=20)


def test_demonstrations_are_drawn_by_the_seed_whatever_the_order() -> None:
    drawn = demonstrations(SHOWN, 5, seed=1)
    assert len(set(drawn)) == 5
    assert demonstrations(reversed(SHOWN), 5, seed=1) == drawn
    assert demonstrations([*SHOWN, *SHOWN], 5, seed=1) == drawn
    assert demonstrations(SHOWN, 5, seed=2) != drawn
    assert len(demonstrations(SHOWN[:3], 5, seed=1)) == 3


def test_a_round_in_which_the_model_writes_both_texts(script: Script, tmp_path: Path) -> None:
    script.answers = [
        completed(f" {KERNEL[0]}\nParaphrase: {KERNEL[1]}\nPremise: Short\nParaphrase: Shorter"),
        completed(f" {SHOWN[0][0]}\nParaphrase: {SHOWN[0][1]}\nPremise: It is cut", "length"),
        completed("I would rather talk about the weather."),
        (200, {"choices": []}),
        *[(200, {"choices": []})] * 4,
    ]
    wide = PairWindow(low=1, high=100)
    log = tmp_path / "usage.jsonl"
    step = PromptRound(
        writer=writer(script), demonstrations=SHOWN, window=wide, round=2, usage_log=log
    )
    found = run(step, list(request_rows(4)))
    assert found[2] == {
        "id": "000000000-02-00",
        "text1": KERNEL[0],
        "text2": KERNEL[1],
        "overlap": 8 / 23,  # lower-cased words, counted with a plain regex
        "quality": None,
        "origin": "prompt",
        "systems": ["lm"],
        "source": None,
        "sources": [],
        # sacrebleu 2.6.0: sentence_bleu(KERNEL[1], [KERNEL[0]]).score
        "scores": {"sentence_bleu": pytest.approx(6.471074, abs=1e-6)},
        "label": None,
    }
    assert Counter(each.reason for each in found if isinstance(each, Dropped)) == {
        "lm: no pair in what the model wrote": 1,
        "lm: garbage from the endpoint": 1,
        "shorter than 10 characters": 1,
        "repeats a demonstration": 1,
    }
    sent = script.seen[0][2]
    assert sent["max_tokens"] == 300
    assert "stop" not in sent
    assert sent["prompt"].count("Premise: ") == 20
    assert read_usage(log)["lm"].completion_tokens == 60
    assert read_usage(log)["lm"].requests == 8


def test_a_round_with_premises_of_ours(script: Script) -> None:
    script.answers = [completed(" " + KERNEL[1])]
    step = PromptRound(writer=writer(script), demonstrations=SHOWN, shots=3)
    rows = [{"id": "000000007", "text": KERNEL[0]}, {"id": "000000008", "text": " "}]
    dropped, pair = run(step, rows)
    assert dropped == Dropped(rows[1], "empty")
    assert isinstance(pair, dict)
    assert (pair["text1"], pair["text2"]) == KERNEL
    assert (pair["source"], pair["sources"]) == (KERNEL[0], ["000000007"])
    assert script.seen[0][2]["stop"] == ["\nPremise:"]
    assert script.seen[0][2]["prompt"].endswith(f"Premise: {KERNEL[0]}\nParaphrase:")


def test_a_prompt_depends_on_its_row_alone(script: Script) -> None:
    script.forever = lambda _body: completed("nothing")
    step = PromptRound(writer=writer(script), demonstrations=SHOWN, shots=4)
    rows = list(request_rows(6))
    run(step, rows)
    run(step, rows[::-1])
    prompts = [body["prompt"] for _, _, body in script.seen]
    assert prompts[:6] == prompts[6:][::-1]
    assert len(set(prompts)) == 6


def test_rounds_feed_on_what_was_accepted(script: Script) -> None:
    def paraphrase(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        premise = re.findall("Premise: (.*)\n", body["prompt"])[-1]
        return completed(f" {premise} and more of it")

    script.forever = paraphrase
    shown, accepted = SHOWN[:2], list(SHOWN[:2])
    for number in (1, 2):
        step = PromptRound(
            writer=writer(script),
            demonstrations=demonstrations(accepted, 4, seed=number),
            shots=2,
            round=number,
            window=PairWindow(low=0, high=101),
        )
        rows = [{"id": f"{n:09d}", "text": f"sentence {number} {n} is here"} for n in range(3)]
        accepted += [(r["text1"], r["text2"]) for r in run(step, rows) if isinstance(r, dict)]
    assert len(accepted) == 8
    last = script.seen[-1][2]["prompt"]
    assert any(pair[0] in last for pair in accepted[2:5]), "round 2 shows none of round 1"
    assert shown == SHOWN[:2]


def test_chats_are_prompted_too(script: Script) -> None:
    def answer(text: str, why: str) -> tuple[int, dict[str, Any]]:
        return 200, {"choices": [{"message": {"content": text}, "finish_reason": why}]}

    pair = f"Premise: {KERNEL[0]}\nParaphrase: {KERNEL[1]}"
    script.answers = [answer(pair, "stop"), answer(pair, "length")]
    endpoint = Endpoint(url=script.url + "/v1/chat/completions", clock=Still().clock)
    chat = ChatWriter(name="lm", model="m", endpoint=endpoint)
    found = run(PromptRound(writer=chat, demonstrations=SHOWN), list(request_rows(2)))
    assert [each["text2"] for each in found if isinstance(each, dict)] == [KERNEL[1]]
    assert script.seen[0][2]["messages"][1]["content"].endswith("\nPremise:")


def test_the_signature_holds_the_demonstrations(script: Script) -> None:
    step = PromptRound(writer=writer(script), demonstrations=SHOWN)
    other = PromptRound(writer=writer(script), demonstrations=SHOWN[1:])
    assert json.loads(json.dumps(step.signature)) == step.signature
    assert step.signature != other.signature
    assert pickle.loads(pickle.dumps(PromptRound(writer=_plain(), demonstrations=SHOWN)))
    assert step.name == "prompt lm, round 1"


def _plain() -> CompletionWriter:
    return CompletionWriter(name="lm", model="m", endpoint=Endpoint(url="http://localhost"))


def test_too_few_demonstrations_are_refused() -> None:
    with pytest.raises(ConfigError) as error:
        PromptRound(writer=_plain(), demonstrations=SHOWN[:3], shots=4)
    assert str(error.value) == (
        "there are 3 demonstrations for 4 shots; give more, or ask for fewer shots"
    )
    with pytest.raises(ConfigError, match="shots is 0; it must be at least 1"):
        PromptRound(writer=_plain(), demonstrations=SHOWN, shots=0)


def test_equal_pairs_are_kept_once_whichever_way_round() -> None:
    pairs = [("One here.", "Here is one."), ("Two", "II"), ("one HERE", "here is one!")]
    pairs += [("Here is one", "One here"), ("Two", "Here is one")]
    rows: list[Row] = [{"id": str(n), "text1": a, "text2": b} for n, (a, b) in enumerate(pairs)]
    assert list(distinct(rows)) == [
        rows[0],
        rows[1],
        Dropped(rows[2], "equal pair", "to 0"),
        Dropped(rows[3], "equal pair", "to 0"),
        rows[4],
    ]


def test_a_demonstration_repeated_the_other_way_round_is_no_new_pair(script: Script) -> None:
    script.forever = lambda _body: completed(f" {KERNEL[1]}\nParaphrase: {KERNEL[0]}")
    step = PromptRound(writer=writer(script), demonstrations=(*SHOWN, KERNEL), shots=3)
    (found,) = run(step, list(request_rows(1)))
    assert isinstance(found, Dropped)
    assert found.reason == "repeats a demonstration"


def test_what_was_paid_is_logged_though_the_round_fails(script: Script, tmp_path: Path) -> None:
    script.answers = [completed("nothing"), completed("nothing"), (403, b"no more money")]
    log = tmp_path / "usage.jsonl"
    step = PromptRound(writer=writer(script), demonstrations=SHOWN, usage_log=log)
    with pytest.raises(InputError, match="no more money"):
        run(step, list(request_rows(4)))
    assert read_usage(log)["lm"].completion_tokens == 40
