"""Losses, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from paraphrast.train.encoder.encoder_network import Outputs  # noqa: E402
from paraphrast.train.encoder.objectives import correlation_loss, losses, objectives  # noqa: E402
from paraphrast.train.recipe import LossPart  # noqa: E402

NAN = float("nan")


class Guesser:
    """Knows three words, and finds the second e times as likely as each other."""

    def masked_logits(self, states: object) -> object:
        return torch.tensor([[0.0, 1.0, 0.0]]).repeat(len(states), 1)  # type: ignore[arg-type]


def batch(**changes: object) -> dict[str, object]:
    empty = torch.zeros(0, dtype=torch.int64)
    plain = {
        "score": torch.tensor([NAN, NAN]),
        "forward": torch.full((2, 3), NAN),
        "backward": torch.full((2, 3), NAN),
        "same": torch.tensor([NAN, NAN]),
        "weight": torch.tensor([1.0, 1.0]),
        "word_row": empty,
        "word_place": empty,
        "word_tag": torch.zeros(0),
        "word_weight": torch.zeros(0),
        "masked_row": empty,
        "masked_place": empty,
        "masked_id": empty,
        "masked_weight": torch.zeros(0),
    }
    return plain | changes


def outputs() -> Outputs:
    tags = torch.zeros(2, 3, 2)
    tags[0, 1] = torch.tensor([math.log(3.0), 0.0])  # 3 : 1 that the word is paraphrased
    relations = torch.zeros(2, 2, 3)
    relations[1, 0] = torch.tensor([math.log(2.0), 0.0, 0.0])  # 2 : 1 : 1
    return Outputs(
        torch.tensor([1.0, -1.0], requires_grad=True),
        relations.requires_grad_(True),
        torch.tensor([0.0, math.log(3.0)], requires_grad=True),
        tags.requires_grad_(True),
        torch.zeros(2, 3, 4, requires_grad=True),
    )


def values(given: dict[str, object], part: LossPart) -> dict[str, float]:
    found = losses(Guesser(), given, part, outputs())  # type: ignore[arg-type]
    return {name: float(value.detach()) for name, value in found.items()}


def test_scores_are_squared_errors_with_weights() -> None:
    given = batch(score=torch.tensor([0.5, 1.0]), weight=torch.tensor([2.0, 0.5]))
    assert values(given, LossPart(score=3.0))["score"] == pytest.approx(3 * (2 * 0.25 + 0.5 * 4))


def test_a_score_that_is_not_known_costs_nothing() -> None:
    assert values(batch(score=torch.tensor([0.5, NAN])), LossPart())["score"] == 0.25


def test_sameness_is_a_cross_entropy() -> None:
    given = batch(same=torch.tensor([1.0, 0.0]))
    expected = math.log(2) + math.log(4)  # chances of 1/2 and of 1 - 3/4
    assert values(given, LossPart())["same"] == pytest.approx(expected)


def test_relations_are_a_cross_entropy_of_both_directions() -> None:
    forward = torch.tensor([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    backward = torch.tensor([[1.0, 0.0, 0.0], [NAN, NAN, NAN]])
    expected = (math.log(3) + math.log(4) + math.log(3)) / 2
    found = values(batch(forward=forward, backward=backward), LossPart())
    assert found["relations"] == pytest.approx(expected)


def test_where_only_entailment_is_known_the_other_two_count_as_one() -> None:
    forward = torch.tensor([[0.0, NAN, NAN], [1.0, NAN, NAN]])
    found = values(batch(forward=forward), LossPart())
    assert found["relations"] == pytest.approx((-math.log(2 / 3) - math.log(1 / 2)) / 2)


def test_the_correlation_of_scores_costs_one_minus_r() -> None:
    many = {"score": torch.tensor([1.0, 2.0, 3.0, 5.0]), "weight": torch.full((4,), 2.0)}
    for guess, r in (([2.0, 4.0, 6.0, 10.0], 1.0), ([-1.0, -2.0, -3.0, -5.0], -1.0)):
        found = correlation_loss(torch.tensor(guess), many)
        assert float(found) == pytest.approx((1 - r) * 8, abs=1e-5)
    few = {"score": torch.tensor([1.0, NAN, 2.0, 3.0]), "weight": torch.ones(4)}
    assert float(correlation_loss(torch.zeros(4), few)) == 0


def test_tags_are_a_cross_entropy_of_words() -> None:
    given = batch(
        word_row=torch.tensor([0, 0, 1]),
        word_place=torch.tensor([1, 2, 0]),
        word_tag=torch.tensor([1.0, 0.0, 0.5]),
        word_weight=torch.tensor([2.0, 1.0, 1.0]),
    )
    expected = 2 * math.log(4) + math.log(2) + math.log(2)
    assert values(given, LossPart())["tags"] == pytest.approx(expected)


def test_masked_words_are_a_weighted_cross_entropy() -> None:
    given = batch(
        masked_row=torch.tensor([0, 1]),
        masked_place=torch.tensor([1, 1]),
        masked_id=torch.tensor([1, 0]),
        masked_weight=torch.tensor([1.0, 1.0]),
    )
    whole = math.log(2 + math.e)
    found = values(given, LossPart(masked=2.0))
    assert found["masked"] == pytest.approx(2 * (whole - 1 + whole))


def test_objectives_without_labels_are_zero_and_still_have_a_gradient() -> None:
    out = outputs()
    found = losses(Guesser(), batch(), LossPart(masked=1.0), out)  # type: ignore[arg-type]
    assert not any(float(value.detach()) for value in found.values())
    sum(found.values()).backward()  # type: ignore[union-attr]
    assert out.score.grad is not None
    assert not out.score.grad.any()


def test_masked_words_take_part_only_with_a_weight() -> None:
    assert (
        objectives(LossPart())
        == ("score", "relations", "same", "tags")
        == tuple(values(batch(), LossPart()))
    )
    assert objectives(LossPart(masked=1)) == tuple(values(batch(), LossPart(masked=1)))
