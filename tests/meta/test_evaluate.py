"""Levels, averages, intervals and clusters, against scipy and brute force."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from paraphrast import stats
from paraphrast.errors import ConfigError, InputError
from paraphrast.meta.alignment import Scores, mean_scores, system_means
from paraphrast.meta.evaluate import AgreementRequest, evaluate
from paraphrast.meta.judgements import Judgements, Key, Output, Preference, Rating, collect
from paraphrast.meta.report import MetaReport

scipy_stats = pytest.importorskip("scipy.stats")
RNG = np.random.default_rng(5)


def rated(values: Mapping[Key, float], name: str = "set") -> Judgements:
    outputs = [Output(*key, candidate="x") for key in values if key[1]]
    ratings = [Rating(*key, "da", value) for key, value in values.items()]
    return collect(name, outputs, ratings)


def noisy(values: Mapping[Key, float], noise: float, metric: str, sign: int = 1) -> Scores:
    found = {key: sign * (value + noise * RNG.normal()) for key, value in values.items()}
    return Scores(metric, found, f"{metric}|version:0", sign)


def two_groups(size: int = 60) -> dict[Key, float]:
    return {(g, str(i), "s"): float(RNG.normal()) for g in ("a-b", "c-d") for i in range(size)}


def request(level: str = "segment", statistic: str = "pearson", **more: object) -> AgreementRequest:
    return AgreementRequest("set", "A set", level, statistic, "da", 200, 3, **more)  # type: ignore[arg-type]


ORACLES = {
    "pearson": lambda x, y: scipy_stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: scipy_stats.spearmanr(x, y)[0],
    "kendall": lambda x, y: scipy_stats.kendalltau(x, y)[0],
    "kendall_c": lambda x, y: scipy_stats.kendalltau(x, y, variant="c")[0],
}


@pytest.mark.parametrize("statistic", list(ORACLES))
def test_segment_level_is_the_mean_over_groups(statistic: str) -> None:
    human = two_groups()
    metric = noisy(human, 1.0, "m")
    table = evaluate(rated(human), [metric], request(statistic=statistic))
    (row,) = table.rows
    for group in ("a-b", "c-d"):
        keys = [key for key in human if key[0] == group]
        oracle = ORACLES[statistic]([metric.values[k] for k in keys], [human[k] for k in keys])
        assert row.by[group] == pytest.approx(oracle)
    assert row.value == pytest.approx(np.mean(list(row.by.values())))  # type: ignore[arg-type]
    assert row.ci is not None
    assert row.ci[0] < row.value < row.ci[1]
    assert table.items == 120


def test_an_error_rate_agrees_when_it_falls() -> None:
    human = two_groups()
    error = noisy(human, 0.5, "ter", sign=-1)
    (row,) = evaluate(rated(human), [error], request()).rows
    assert row.value is not None
    assert row.value > 0.7


def test_the_better_metric_leads_and_clusters_follow() -> None:
    human = two_groups(300)
    scores = [noisy(human, noise, name) for noise, name in ((3, "poor"), (0.3, "good"))]
    twin = Scores("twin", {k: v + 1e-6 * RNG.normal() for k, v in scores[1].values.items()})
    table = evaluate(rated(human), [*scores, twin], request())
    assert {row.metric for row in table.rows[:2]} == {"good", "twin"}
    assert [row.cluster for row in table.rows] == [1, 1, 2]
    index = {name: n for n, name in enumerate(table.p_metrics)}
    p_value = table.p_matrix[index["good"]][index["poor"]]
    assert p_value is not None
    assert p_value < 1e-6
    assert table.p_matrix[0][0] is None


def test_summary_level_averages_within_documents() -> None:
    keys = [("", f"d{d}", f"s{s}") for d in range(12) for s in range(6)]
    human = {key: float(RNG.integers(1, 6)) for key in keys}
    metric = noisy(human, 1.0, "m")
    for key in keys[:6]:  # a document on which the metric says nothing
        metric.values[key] = 1.0  # type: ignore[index]
    table = evaluate(rated(human), [metric], request("summary", "spearman"))
    expected = []
    for d in range(1, 12):
        mine = [key for key in keys if key[1] == f"d{d}"]
        if len({human[k] for k in mine}) > 1:
            scores, people = [metric.values[k] for k in mine], [human[k] for k in mine]
            expected.append(scipy_stats.spearmanr(scores, people)[0])
    assert table.rows[0].value == pytest.approx(np.mean(expected))
    assert any(
        "documents with constant scores or one output, left out" in note for note in table.notes
    )


def test_darr_counts_ties_as_discordant_and_resamples_items() -> None:
    outputs = [Output("lt-en", i, s, "x") for i in "123" for s in "AB"]
    preferences = [Preference("lt-en", item, "A", "B") for item in "123"]
    judgements = collect("darr", outputs, preferences=preferences)
    values = {("lt-en", "1", "A"): 2.0, ("lt-en", "1", "B"): 1.0, ("lt-en", "2", "A"): 1.0}
    values |= {("lt-en", "2", "B"): 1.0, ("lt-en", "3", "A"): 3.0, ("lt-en", "3", "B"): 1.0}
    table = evaluate(judgements, [Scores("m", values)], request("pairwise", "darr"))
    assert table.rows[0].value == pytest.approx((2 - 1) / 3)
    lower = evaluate(judgements, [Scores("m", values, sign=-1)], request("pairwise", "darr"))
    assert lower.rows[0].value == pytest.approx(-1.0)


def grid(systems: int = 5, items: int = 30) -> dict[Key, float]:
    return {
        ("", f"d{i}", f"s{s}"): float(np.round(s + 2 * RNG.normal(), 0))
        for i in range(items)
        for s in range(systems)
    }


def test_calibrated_accuracy_is_that_of_the_statistic() -> None:
    human = grid()
    metric = noisy(human, 1.0, "m")
    table = evaluate(rated(human), [metric], request(statistic="acc_eq"))
    keys = list(human)
    expected = stats.tie_calibrated_accuracy(
        [metric.values[k] for k in keys], [human[k] for k in keys], [k[1] for k in keys]
    )
    (row,) = table.rows
    assert row.value == pytest.approx(expected.accuracy)
    assert row.ci is not None
    assert row.ci[0] < expected.accuracy < row.ci[1]


def test_system_accuracy_counts_pairs() -> None:
    human = {("", "", f"s{n}"): float(n) for n in range(6)}
    swapped = {**human, ("", "", "s0"): 1.0, ("", "", "s1"): 0.0}
    table = evaluate(rated(human), [Scores("m", swapped)], request("system", "pairwise_accuracy"))
    assert table.rows[0].value == pytest.approx(14 / 15)


def test_soft_accuracy_needs_rated_outputs() -> None:
    human = grid()
    metric = noisy(human, 0.5, "m")
    wanted = request("system", "soft_pairwise_accuracy")
    value = evaluate(rated(human), [metric], wanted).rows[0].value
    shape = (30, 5)
    oracle = stats.soft_pairwise_accuracy(
        np.reshape([metric.values[k] for k in human], shape).T,
        np.reshape(list(human.values()), shape).T,
    )
    assert value == pytest.approx(oracle, abs=0.02)
    whole = {("", "", f"s{n}"): float(n) for n in range(4)}
    with pytest.raises(InputError, match="needs ratings of single outputs"):
        evaluate(rated(whole), [noisy(whole, 1, "m")], wanted)


def test_constant_scores_are_undefined_in_words() -> None:
    human = two_groups()
    flat = Scores("flat", dict.fromkeys(human, 1.0))
    table = evaluate(rated(human), [flat, noisy(human, 1, "m")], request())
    assert [row.metric for row in table.rows] == ["m", "flat"]
    assert table.rows[1].value is None
    assert table.rows[1].ci is None
    assert "flat: undefined, because scores are constant or too few in a-b in c-d" in table.notes
    assert "NaN" not in str(table.to_dict())


def test_a_group_with_constant_ratings_is_left_out_and_named() -> None:
    human = two_groups()
    human |= {key: 0.0 for key in human if key[0] == "c-d"}
    table = evaluate(rated(human), [noisy(human, 1, "m")], request())
    assert table.groups == ("a-b",)
    assert "c-d: the human scores are constant, left out" in table.notes
    flat = dict.fromkeys(human, 1.0)
    with pytest.raises(InputError, match="human scores are constant in every group"):
        evaluate(rated(flat), [noisy(human, 1, "m")], request())


def test_a_judgement_without_a_score_is_an_error_or_counted() -> None:
    human = two_groups()
    metric = noisy(human, 1, "m")
    del metric.values["a-b", "0", "s"]  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="metric 'm' has no score for"):
        evaluate(rated(human), [metric], request())
    table = evaluate(rated(human), [metric], request(missing="drop"))
    assert "judgements without a score by every metric: 1, left out" in table.notes
    assert table.items == 119


def test_a_score_without_a_judgement_is_counted() -> None:
    human = two_groups()
    metric = noisy(human, 1, "m")
    metric.values["a-b", "999", "s"] = 1.0  # type: ignore[index]
    table = evaluate(rated(human), [metric], request())
    assert "m: 1 scores without a judgement, left out" in table.notes


def test_too_few_systems_is_an_error() -> None:
    human = {("a-b", "", name): float(n) for n, name in enumerate("AB")}
    with pytest.raises(InputError, match="2 rated systems; a correlation needs at least three"):
        evaluate(rated(human), [noisy(human, 1, "m")], request("system"))


def test_nothing_or_twins_to_judge_is_an_error() -> None:
    human = two_groups()
    with pytest.raises(InputError, match="no metric to judge"):
        evaluate(rated(human), [], request())
    with pytest.raises(InputError, match="two metrics are named 'm'"):
        evaluate(rated(human), [noisy(human, 1, "m"), noisy(human, 1, "m")], request())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "document"}, "level must be one of"),
        ({"statistic": "darr"}, "segment level takes pearson"),
        ({"level": "pairwise"}, "pairwise level takes darr"),
    ],
)
def test_wrong_requests(options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        request(**options)


def test_seeds_decide_the_interval() -> None:
    human = two_groups()
    metric = noisy(human, 1, "m")
    one, again = (evaluate(rated(human), [metric], request()) for _ in range(2))
    other = evaluate(
        rated(human), [metric], AgreementRequest("set", "", "segment", "pearson", "da", 200, 4)
    )
    assert one.rows == again.rows
    assert one.rows[0].ci != other.rows[0].ci


def test_output_ratings_become_system_ratings_by_the_mean() -> None:
    human = {("", str(i), s): float(i + n) for n, s in enumerate("ABC") for i in range(3)}
    means = system_means(rated(human))
    assert {rating.key: rating.value for rating in means.ratings} == {
        ("", "", "A"): 1.0,
        ("", "", "B"): 2.0,
        ("", "", "C"): 3.0,
    }
    assert means.notes == ("9 ratings of outputs were averaged per system",)
    assert mean_scores(Scores("m", human)).values == {
        ("", "", s): m for s, m in zip("ABC", (1, 2, 3), strict=True)
    }
    assert not math.isnan(means.ratings[0].value)


def copies(size: int = 40, systems: str = "abcde") -> tuple[Judgements, Judgements, Scores]:
    """Outputs that agree wholly within their source: by item, and by source text."""
    drawn = {str(i): (float(RNG.normal()), float(RNG.normal())) for i in range(size)}
    human = {("", i, s): one[0] for i, one in drawn.items() for s in systems}
    metric = Scores("m", {("", i, s): sum(one) for i, one in drawn.items() for s in systems})
    texts = [Output("", f"{i}{s}", s, "x", source=f"text {i}") for i in drawn for s in systems]
    ratings = [Rating(o.group, o.item, o.system, "da", human["", o.item[:-1], o.system])
               for o in texts]  # fmt: skip
    return rated(human), collect("texts", texts, ratings), metric


def test_intervals_resample_sources_and_not_outputs() -> None:
    by_item, by_text, metric = copies()
    table = evaluate(by_item, [metric], request())
    alone = evaluate(by_item, [metric], request(resample="output"))
    (row,), (single,) = table.rows, alone.rows
    assert row.value == single.value
    assert row.ci is not None
    assert single.ci is not None
    # five copies of each source look like five times the data: intervals √5 times as narrow
    assert row.ci[1] - row.ci[0] > 1.6 * (single.ci[1] - single.ci[0])
    assert (table.items, table.units, table.unit) == (200, 40, "sources")
    assert (alone.units, alone.unit) == (200, "outputs")
    named = Scores("m", {("", f"{i}{s}", s): v for (_, i, s), v in metric.values.items()})
    other = evaluate(by_text, [named], request())
    assert (other.rows[0].ci, other.units) == (row.ci, 40)


def test_one_source_cannot_be_resampled() -> None:
    human = {("", "1", str(s)): float(RNG.normal()) for s in range(20)}
    table = evaluate(rated(human), [noisy(human, 1.0, "m")], request())
    assert table.units == 20
    assert "set: only 1 sources, so outputs were resampled one by one" in table.notes
    with pytest.raises(ConfigError, match="resample must be source or output; got 'item'"):
        request(resample="item")


def test_p_values_are_in_the_summary() -> None:
    human = two_groups()
    table = evaluate(rated(human), [noisy(human, 1, "m"), noisy(human, 4, "n")], request())
    report = MetaReport("r", (table,))
    found = report.summary()["p"]["pearson"]
    assert found["metrics"] == ["m", "n"]
    assert found["matrix"][0][1] == found["matrix"][1][0] == table.p_matrix[0][1]
    assert [row.metric for row in report] == ["m", "n"]
    html = report._repr_html_()
    assert html.count("<table>") == 1
    assert "<td>m</td>" in html


def test_more_resamples_than_memory_holds_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"samples is at most 1,000,000; got 100,000,000,000"):
        AgreementRequest("set", "A set", "segment", "pearson", samples=10**11)
