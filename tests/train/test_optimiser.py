"""The rate of each step, the groups of weights, the averages."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from paraphrast.train.optimiser import (  # noqa: E402
    Average,
    make_optimiser,
    names_in_order,
    set_rate,
    trained,
)
from paraphrast.train.recipe import OptimiserPart  # noqa: E402


class Network(torch.nn.Module):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.backbone = torch.nn.Linear(2, 2)
        self.frozen = torch.nn.Linear(2, 2).requires_grad_(False)
        self.score = torch.nn.Linear(2, 1)


def test_the_rate_rises_and_falls_linearly() -> None:
    part = OptimiserPart(rate=1.0, head_rate=10.0, warmup=0.2)
    optimiser = make_optimiser(Network(), part)
    found = [set_rate(optimiser, part, step, 10) for step in range(10)]
    assert found == pytest.approx([0.5, 1, 1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8])
    assert sorted({group["lr"] for group in optimiser.param_groups}) == [1 / 8, 10 / 8]


def test_the_rate_may_end_at_a_share_of_itself() -> None:
    part = OptimiserPart(rate=2.0, warmup=0.2, final_rate=0.5)
    optimiser = make_optimiser(Network(), part)
    found = [set_rate(optimiser, part, step, 10) for step in range(11)]
    falling = [1 - step / 16 for step in range(9)]  # over eight steps to a half
    assert found == pytest.approx([0.5, 1, *falling])
    assert {group["lr"] for group in optimiser.param_groups} == {1.0}


def test_one_step_is_a_whole_schedule() -> None:
    part = OptimiserPart(rate=1.0)
    assert set_rate(make_optimiser(Network(), part), part, 0, 1) == 1.0


def test_groups_have_their_rates_and_decays() -> None:
    network = Network()
    part = OptimiserPart(rate=1.0, head_rate=2.0, weight_decay=0.1)
    optimiser = make_optimiser(network, part)
    names = names_in_order(network, optimiser)
    assert names == ["backbone.weight", "backbone.bias", "score.weight", "score.bias"]
    groups = [(group["rate"], group["weight_decay"]) for group in optimiser.param_groups]
    assert groups == [(1.0, 0.1), (1.0, 0.0), (2.0, 0.1), (2.0, 0.0)]


def test_the_average_follows_slowly_and_forgets_its_start() -> None:
    network = Network()
    for weight in trained(network).values():
        torch.nn.init.zeros_(weight)
    average = Average(network, 0.9)
    torch.nn.init.ones_(network.score.bias)
    average.update(network, 0)  # decay 1/10
    assert average.weights["score.bias"].item() == pytest.approx(0.9)
    torch.nn.init.zeros_(network.score.bias)
    average.update(network, 1000)  # decay 9/10
    assert average.weights["score.bias"].item() == pytest.approx(0.81)
    assert "frozen.weight" not in average.weights


def test_a_swap_and_a_swap_back_change_nothing() -> None:
    network = Network()
    average = Average(network, 0.5)
    torch.nn.init.ones_(network.score.bias)
    before, mean = network.score.bias.item(), average.weights["score.bias"].item()
    average.swap(network)
    assert (network.score.bias.item(), average.weights["score.bias"].item()) == (mean, before)
    average.swap(network)
    assert (network.score.bias.item(), average.weights["score.bias"].item()) == (before, mean)
